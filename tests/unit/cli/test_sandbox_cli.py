"""Sandboxes as people use them: predicted, checked, stored, shown as a page."""

import json

import pytest
from typer.testing import CliRunner

from foretell.cli import app
from foretell.plain.errors import BadInput
from foretell.reports import sandboxed
from foretell.reproductions import Cell
from foretell.reproductions.sandbox_learning import SandboxLearning
from foretell.sandboxes import load
from foretell.training.store import Store

NAME = "markov-landscape"


def foretell(*arguments):
    run = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=True)
    if run.exception and not isinstance(run.exception, SystemExit):
        raise run.exception
    return run.output


def test_predicted_then_checked_and_kept(tmp_path):
    claims = json.loads(foretell("predict", NAME, "--json"))["claims"]
    page, store = tmp_path / "page.html", tmp_path / "store"
    asked = ("check", NAME, "--budget", "smoke", "--store", store, "--html", page, "--json")
    told = json.loads(foretell(*asked))
    rows = told["rows"]
    assert told["budget"] == "smoke" and told["caveat"] == load(NAME).caveat
    assert [row["quantity"] for row in rows] == [row["quantity"] for row in claims][: len(rows)]
    assert all(row["agrees"] for row in rows)
    assert "<svg" in page.read_text() and "What this does not show" in page.read_text()
    kept = list(Store.at(str(store)).root.glob("experiments/sandbox-learning/*.json"))
    assert len(kept) == 1
    before = kept[0].stat().st_mtime_ns
    shown = foretell(*asked[:-3])
    assert f"{len(rows)} of {len(rows)} rows agree" in shown
    assert f"What this does not show: {load(NAME).caveat}" in " ".join(shown.split())
    assert kept[0].stat().st_mtime_ns == before  # not run again


@pytest.mark.parametrize(
    "asked",
    [
        ("check", NAME[:-1]),
        ("measure", NAME[:-1]),
        ("predict", NAME[:-1]),
        ("explain", NAME[:-1]),
        ("reproduce", "sandbox-learning", "--only", NAME[:-1]),
    ],
)
def test_a_misspelt_sandbox_is_offered_first(asked):
    with pytest.raises(BadInput, match=f"did you mean {NAME}"):
        foretell(*asked)


def test_a_misspelt_task_is_still_offered_the_task():
    with pytest.raises(BadInput, match="did you mean majority"):
        foretell("check", "majorty")


def test_settings_of_trained_questions_are_refused(tmp_path):
    with pytest.raises(BadInput, match="settings of its own"):
        foretell("check", NAME, "--layers", 2)
    with pytest.raises(BadInput, match="settings of its own"):
        foretell("predict", NAME, "--positional", "ape")
    with pytest.raises(BadInput, match="at least one model"):
        foretell("check", NAME, "--seeds", 0, "--store", tmp_path)
    with pytest.raises(BadInput, match="unknown budget"):
        foretell("check", NAME, "--budget", "huge", "--store", tmp_path)


def played(measured, evidence="theorem"):
    claim = {"quantity": "loss", "predicted": 0.5, "relation": "=", "tolerance": 0.1}
    values = {"claims": [{**claim, "evidence": evidence}], "measured": {"loss": measured}}
    found = {"values": {**values, "curves": {}}, "provenance": {}}
    return sandboxed.Played(Cell("learning", NAME, {"kind": NAME}), found, "cpu")


def test_a_row_that_differs_is_named_and_a_conjecture_is_no_theorem():
    assert sandboxed.summary([played(0.55)]) == ["1 of 1 row agrees"]
    assert sandboxed.summary([played(0.7)]) == ["0 of 1 row agrees", f"differing: {NAME}: loss"]
    assert sandboxed.cells(played(0.7).rows[0])[-1] == "DIFFERS"
    assert sandboxed.cells(played(0.7, "conjecture").rows[0])[-1] == "conjecture fails"
    assert sandboxed.cells(played(float("nan")).rows[0])[-1] == "DIFFERS"


def test_what_was_not_run_says_so():
    cell = Cell("learning", NAME, {"kind": NAME})
    gallery = sandboxed.collect(SandboxLearning(), "cpu", [(cell, None)])
    assert sandboxed.summary(gallery.played)[-1] == f"not run yet: {NAME}"
    assert "not run yet" in sandboxed.gallery_page(gallery)
    told = gallery.as_json()["sandboxes"][0]
    assert told["rows"] == [] and told["budget"] == "cpu" and told["caveat"]
