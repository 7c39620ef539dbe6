"""Sandboxes as people use them: predicted, checked, stored, shown as a page."""

import json

import pytest
from typer.testing import CliRunner

import foretell as ft
from foretell.cli import app
from foretell.plain.errors import BadInput
from foretell.reports.sandboxes import sandboxed
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


def test_settings_follow_the_name_and_are_part_of_the_run(tmp_path):
    asked = ("check", f"{NAME}:p=0.2,q=0.3,directions=4", "--budget", "smoke", "--store", tmp_path)
    told = json.loads(foretell(*asked, "--json"))
    assert told["settings"] == {"kind": NAME, "chains": [[0.2, 0.3]], "directions": 4, "seed": 0}
    assert told["changed"]["directions"] == {"smoke": 12, "chosen": 4}
    assert "fixed for the preset" in told["tolerances"]
    assert all(row["quantity"].startswith("p=0.2, q=0.3") and row["agrees"] for row in told["rows"])
    plain = json.loads(foretell("check", NAME, *asked[2:], "--json"))
    assert "changed" not in plain and "tolerances" not in plain
    assert len(list(tmp_path.glob("experiments/sandbox-learning/*.json"))) == 2
    page = tmp_path / "page.html"
    shown = " ".join(foretell(*asked, "--html", page).split())
    for text in (shown, page.read_text()):
        assert "Settings that differ from the preset of --budget smoke" in text
        assert "directions = 4 (preset: 12)" in text and "fixed for the preset" in text


def test_claims_at_other_settings_say_so():
    shown = " ".join(foretell("predict", f"{NAME}:chains=0.2/0.3+0.7/0.9").split())
    assert "p=0.7, q=0.9" in shown and "p=0.5" not in shown
    assert "chains = 0.2/0.3+0.7/0.9" in shown and "fixed for the preset" in shown
    assert "fixed for the preset" not in foretell("predict", NAME)
    told = json.loads(foretell("predict", f"{NAME}:p=0.2", "--json"))
    assert told["sandbox"] == NAME and told["changed"]["chains"]["chosen"] == [[0.2, 0.8]]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (f"{NAME}:p=1.5", "chains.p is out of range"),
        (f"{NAME}:sed=1", "did you mean seed"),
        (f"{NAME}:seed=x", "takes a whole number"),
        (f"{NAME[:-1]}:p=0.2", f"did you mean {NAME}"),
        ("in-context-markov:enumerated=60", "bytes of memory"),
        ("in-context-markov:symbols=50,size=6", "bytes of memory"),
        ("in-context-markov:symbols=2,size=5,length=3", "longer than the sequence"),
        ("several-parents:length=4", "longer than the sequence"),
        ("topic-attention:few=9", "more topics than there are"),
        ("automata-algebra:automata=symmetric-12", "semigroup is too large"),
        ("automata-algebra:automata=cyclic-3", "no automaton of that name"),
        ("state-bits:precision=0+4", "precision.least is out of range"),
        ("circuits-by-steps:gates=0", "gates is out of range"),
        ("flip-flop-margins:enumerated=40", "bytes of memory"),
        ("linear-memory:widths=512+1024", "GiB of memory"),
        ("attention-sink:batch=60000,length=16000,width=8000", "batch does not fit"),
        ("rasp-l-suite:heads=3", "do not share the width"),
        ("markov-training:seeds=2,p=0.3,kind=twisted", "unknown kind of layer"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_kept(tmp_path, what, message):
    with pytest.raises(BadInput, match=message):
        foretell("check", what, "--budget", "smoke", "--store", tmp_path)
    assert not list(tmp_path.rglob("*.json"))


def test_seeds_are_said_once(tmp_path):
    with pytest.raises(BadInput, match="said twice"):
        foretell("check", "markov-training:seeds=2", "--seeds", 3, "--store", tmp_path)


def test_seeds_are_refused_where_nothing_is_repeated(tmp_path):
    with pytest.raises(BadInput, match="no number of seeds to choose"):
        foretell("check", NAME, "--seeds", 3, "--budget", "smoke", "--store", tmp_path)
    chosen = ("reproduce", "sandbox-learning", "--no-train", "--store", tmp_path, "--only")
    with pytest.raises(BadInput, match="no number of seeds to choose"):
        foretell(*chosen, f"{NAME},markov-flow", "--seeds", 3)
    assert "not run yet" in foretell(*chosen, f"{NAME},markov-training", "--seeds", 2)
    assert not list(tmp_path.rglob("*.json"))


def test_explain_refuses_settings_before_it_says_anything():
    run = CliRunner().invoke(app, ["explain", "state-bits:precision=0+3"])
    assert isinstance(run.exception, BadInput) and not run.output


def test_explain_lists_settings_with_the_values_of_each_budget():
    short = foretell("explain", NAME)
    assert f"foretell explain {NAME} --settings" in short and "columns p, q" not in short
    shown = " ".join(foretell("explain", NAME, "--settings").split())
    assert "directions: random directions that are drawn" in shown
    assert "smoke, cpu, gpu: 12" in shown and "columns p, q" in shown
    chosen = foretell("explain", f"{NAME}:directions=5")
    assert "chosen: 5" in chosen
    told = json.loads(foretell("explain", NAME, "--settings", "--json"))["settings"]
    assert [row["name"] for row in told] == ["chains", "directions", "seed"]
    assert told[0]["smoke"] == [[0.5, 0.8]] and len(told[0]["cpu"]) == 4
    with pytest.raises(BadInput, match="only sandboxes"):
        foretell("explain", "majority", "--settings")


def test_python_has_the_same_door(tmp_path):
    (played_,) = ft.check(f"{NAME}:p=0.2,q=0.3", budget="smoke", store=tmp_path)
    assert played_.changes == {"chains": ([[0.5, 0.8]], [[0.2, 0.3]])}
    assert all(row.agrees for row in played_.rows)
    said = ft.predict(f"{NAME}:p=0.2,q=0.3")
    assert [claim.quantity for claim in said] == [row.claim.quantity for row in played_.rows]
    with pytest.raises(ft.BadInput, match="settings of its own"):
        ft.check(NAME, layers=2)
    with pytest.raises(ft.BadInput, match="out of range"):
        ft.predict(f"{NAME}:p=0")
