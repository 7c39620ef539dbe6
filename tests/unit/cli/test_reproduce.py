"""`foretell reproduce` as people use it: refusals, an empty store, stopping, one small row."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest

from foretell.cli import main
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.reports.reproduced import table as reproduced
from foretell.reproductions import Experiment, Line, length_search, load
from foretell.reproductions._computing import missing
from foretell.reproductions.length_figure import LengthFigure
from foretell.training.store import Store

SMALL = ("length-figure", "--budget", "smoke")
ONE = ("--only", "binary-majority", "--positional", "nope", "--seeds", "1")


FEW = ("binary-majority", "binary-majority-interleave", "tomita-4")


EVERY = LengthFigure().lines


@functools.cache
def some_lines(budget: Budget, seeds: int | None) -> tuple[Line, ...]:
    return tuple(line for line in EVERY(budget, seeds) if line.label in FEW)


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six rows of the figure: theories take their time over all of them."""
    monkeypatch.setattr(LengthFigure, "lines", lambda self, *given: some_lines(*given))


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def reproduce(*arguments: str, store: Path | None = None) -> Done:
    """The command in this process: a fresh one would load JAX for every case."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    place = ["--store", str(store)] if store else []
    with (
        mock.patch.object(sys, "argv", ["foretell", "reproduce", *arguments, *place]),
        mock.patch.dict(os.environ, {"COLUMNS": "100"}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stopped:
            code = int(stopped.code or 0)
    return Done(code, out.getvalue(), err.getvalue())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("length-figur",), "did you mean length-figure"),
        (("length-figure", "--budget", "huge"), "unknown budget"),
        ((*SMALL, "--only", "sorting"), "the reproduction has no such row"),
        ((*SMALL, "--positional", "rotary"), "no row has that encoding"),
        ((*SMALL, "--seeds", "0"), "seeds must be between 1 and 10,000"),
        ((*SMALL, "--minutes", "-1"), "--minutes"),
        ((*SMALL, "--share", "5/4"), "no share of the work"),
        ((*SMALL, "--share", "half"), "no share of the work"),
        (("sandbox-learning", "--only", "topic-atention"), "topic-attention"),
        ((*SMALL, "--html", "no/such/page.html"), "there is no such folder"),
        ((*SMALL, "--figures", "no/such/folder"), "there is no such folder"),
        ((*SMALL, "--figures", __file__), "a folder is needed, this is a file"),
    ],
)
def test_bad_input_is_one_message_and_exit_2(
    arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    done = reproduce(*arguments, store=tmp_path / "runs")
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "runs").exists()


def test_an_empty_store_is_shown_without_training(tmp_path: Path) -> None:
    page, alone = tmp_path / "page.html", tmp_path / "length-figure-1.svg"
    written = ("--html", str(page), "--figures", str(tmp_path))
    done = reproduce(*SMALL, "--no-train", *written, store=tmp_path / "runs")
    assert done.returncode == 0, done.stderr
    assert "6 rows are not run yet" in " ".join(done.stdout.split())
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert "0 of 6" in page.read_text()
    assert alone.read_text().strip() in page.read_text()
    assert ElementTree.parse(alone).getroot().tag.endswith("svg")
    assert str(alone) in done.stderr
    assert not list((tmp_path / "runs").rglob("record*"))


def test_out_of_time_stops_politely_and_says_how_to_go_on(tmp_path: Path) -> None:
    done = reproduce(*SMALL, *ONE, "--minutes", "0", "--json", store=tmp_path / "runs")
    assert done.returncode == 0, done.stderr
    assert "time is up: 1 of 1 parts to go; the same command goes on" in done.stderr
    told = json.loads(done.stdout)  # and nothing else on standard output
    assert told["summary"]["published"]["not run"] == 6
    answers = {row["task"]: tuple(row["fragments"].values()) for row in told["rows"]}
    assert answers["tomita-4"] == ("no", "yes")
    assert answers["binary-majority-interleave"] == ("none found", "yes")


def test_one_small_row_runs_once(tmp_path: Path) -> None:
    first = reproduce(*SMALL, *ONE, "--json", store=tmp_path / "runs")
    assert first.returncode == 0, first.stderr
    assert "part 1 of 1: binary-majority" in first.stderr
    (row,) = [row for row in json.loads(first.stdout)["rows"] if row["measured"]]
    assert (row["task"], row["architecture"]["positional"]) == ("binary-majority", "nope")
    assert [value["size_range"] for value in row["ours"]] == [[1, 50], [51, 100], [101, 150]]
    assert row["published"] == [1, 1, 1]
    assert {"device", "commit", "versions", "seeds", "seconds"} <= set(row["provenance"])
    again = reproduce(*SMALL, *ONE, "--json", store=tmp_path / "runs")
    assert "part" not in again.stderr  # a finished run is read, not repeated
    assert json.loads(again.stdout) == json.loads(first.stdout)


def test_a_part_that_another_process_holds_is_left_to_it(tmp_path: Path) -> None:
    lines = reproduced.chosen(LengthFigure(), "smoke", 1, "binary-majority", "nope")
    (asked,) = [line.asked for line in lines]
    store = Store.at(str(tmp_path))
    folder = store.open_run({}, asked.question.hash, asked.plan.hash)
    with store.working_on(folder):
        done = reproduce(*SMALL, *ONE, "--json", store=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "part 1 left out: another process is working on this run" in done.stderr
    assert "1 of 1 parts were another process's" in done.stderr
    assert json.loads(done.stdout)["summary"]["published"]["not run"] == 6


def test_shares_leave_nothing_out(tmp_path: Path) -> None:
    def parts(*share: str) -> int:
        said = reproduce(*SMALL, "--minutes", "0", *share, store=tmp_path).stderr
        return int(re.findall(r"part 1 of (\d+)", said)[0])

    assert parts() == parts("--share", "1/2") + parts("--share", "2/2")


def test_an_experiment_is_shared_out_too(tmp_path: Path) -> None:
    """Shares are cut before looking at the store: what another has finished moves no part."""
    experiment = load("sandbox-learning")
    assert isinstance(experiment, Experiment)
    store, cells = Store.at(str(tmp_path)), experiment.cells(Budget.SMOKE)
    shares = [missing(experiment, cells, store, (part, 3)) for part in (1, 2, 3)]
    assert sorted(cell.label for share in shares for (cell,) in share) == sorted(
        cell.label for cell in cells
    )
    done = shares[0][0][0]
    folder = tmp_path / "experiments" / experiment.name
    folder.mkdir(parents=True)
    (folder / f"{done.hash}.json").write_text("{}")
    assert missing(experiment, cells, store, (1, 3)) == shares[0][1:]
    assert missing(experiment, cells, store, (2, 3)) == shares[1]


def test_a_sandbox_that_is_not_essential_runs_if_it_is_named_and_is_shown_from_then_on(
    tmp_path: Path,
) -> None:
    def shown(*more: str) -> list[str]:
        done = reproduce(
            "sandbox-representation", "--budget", "smoke", "--json", *more, store=tmp_path
        )
        assert done.returncode == 0, done.stderr
        return [each["sandbox"] for each in json.loads(done.stdout)["sandboxes"]]

    assert "circuit-classes" not in (before := shown("--no-train"))
    assert shown("--only", "circuit-classes") == [*before, "circuit-classes"]
    assert shown("--no-train") == [*before, "circuit-classes"]


def test_a_search_trains_nothing_behind_a_settled_shape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(length_search, "is_settled", lambda measured: True)
    asked = ("length-search", "--budget", "smoke", "--positional", "ape")
    done = reproduce(*asked, "--json", "--html", str(tmp_path / "it.html"), store=tmp_path / "runs")
    assert done.returncode == 0, done.stderr
    assert "part 1 of 2: dyck-1 · ape 1L 1H 8d" in done.stderr
    assert "part 2" not in done.stderr  # the second width: the first is settled, we say here
    told = json.loads(done.stdout)
    assert [row["setting"] for row in told["rows"]] == [
        "1 layer, 1 head, 8 wide, 0.001",
        "1 layer, 1 head, 8 wide, 0.0001",
    ]
    ape, nope = told["chosen"]
    assert (ape["tried"], ape["shape"], nope["tried"]) == (2, None, 0)  # 100 steps fit nothing
    assert "none fits" in (tmp_path / "it.html").read_text()


def test_rows_of_several_ways_and_of_several_ranges_are_told_apart(tmp_path: Path) -> None:
    store, page = tmp_path / "runs", tmp_path / "it.html"
    done = reproduce("length-causes", "--budget", "smoke", "--html", str(page), store=store)
    assert done.returncode == 0, done.stderr
    for way in ("Rows that differ; float32", "Rows that differ; bfloat16, to the end"):
        assert way in done.stdout and page.read_text().count(way) >= 2  # table and figure
    rows = ("--only", "tomita-1,d-2", "--positional", "nope", "--seeds", "1")
    done = reproduce(
        *("length-figure-released", "--budget", "smoke", "--html", str(page)), *rows, store=store
    )
    assert done.returncode == 0, done.stderr
    assert "training range, longer longest" in " ".join(done.stdout.split())
    split = page.read_text().split("by class of the language")[1].split("</table>")[0]
    heads, *cells = split.split("<tbody>")
    assert heads.count("<th") == 8  # 101-150 of one row, 51-100 and 101-150 of the other
    assert all(row.count("<td") == 7 for row in cells[0].split("<tr>")[1:])


def test_a_search_can_be_asked_of_any_task_of_length():
    lines = load("length-search:regex:(ab)*").lines(Budget.SMOKE)
    assert {line.label for line in lines} == {"regex:(ab)*"}
    assert {line.asked.question.architecture.positional for line in lines} == {"ape", "nope"}
    assert load("length-search").lines(Budget.SMOKE)[0].label == "dyck-1"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("length-figure:parity", "only a search"),
        ("position-fit:parity", "only a search"),
        ("length-search:shortest-path", "the protocol capture"),
        ("length-search:boolean:degree=3,sparsity=7,T=20", "the protocol gap"),
        ("length-search:nonsense", "unknown task"),
    ],
)
def test_what_cannot_be_searched_for_is_refused(name, said):
    with pytest.raises(BadInput) as refused:
        load(name).lines(Budget.SMOKE)
    assert said in str(refused.value)
