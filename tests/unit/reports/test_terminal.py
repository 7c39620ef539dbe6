"""Fixed-width text against files in `tests/golden/reports`; FORETELL_UPDATE=1 rewrites them."""

from __future__ import annotations

import dataclasses
import io
import os
from pathlib import Path

import pytest
from rich.console import Console

from foretell.core.prediction import Assumption, Bound, Certificate, Checked, Standing, Strength
from foretell.core.scoreboard import Row, Scoreboard
from foretell.plain.errors import StoreProblem
from foretell.reports import terminal

GOLDEN = Path(__file__).parents[2] / "golden" / "reports"
DAMAGED = StoreProblem("a run is damaged", seen="foretell-runs/0123/4567", why="3 lines, not 4")


def console(width: int, *, colour: bool = False) -> Console:
    stream = io.StringIO()
    system = "truecolor" if colour else None
    return Console(file=stream, width=width, force_terminal=colour, color_system=system)


def text_of(printed: Console) -> str:
    assert isinstance(printed.file, io.StringIO)
    lines = printed.file.getvalue().splitlines()
    return "\n".join(line.rstrip() for line in lines) + "\n"


def compare(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("FORETELL_UPDATE"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", ["majority", "failing"])
def test_row(name: str, width: int, request: pytest.FixtureRequest) -> None:
    printed = console(width)
    terminal.show_row(printed, request.getfixturevalue(name))
    text = text_of(printed)
    assert max(map(len, text.splitlines())) <= width
    assert text.splitlines()[-1].startswith("length-generalizes: ")
    compare(f"row-{name}-{width}.txt", text)


@pytest.mark.parametrize("width", [80, 120])
def test_scoreboard(board: Scoreboard, width: int) -> None:
    printed = console(width)
    terminal.show_scoreboard(printed, board, [DAMAGED])
    compare(f"scoreboard-{width}.txt", text_of(printed))


def test_an_empty_scoreboard_says_what_to_do() -> None:
    printed = console(80)
    terminal.show_scoreboard(printed, Scoreboard(()), [])
    assert "foretell check majority" in text_of(printed)


def test_brackets_in_a_name_are_not_markup(hostile: Row) -> None:
    printed = console(120)
    terminal.show_row(printed, hostile)
    terminal.show_scoreboard(printed, Scoreboard((hostile,)))
    assert text_of(printed).count("regex:(<script>|[ab]&%)*") >= 2


def test_colours_only_on_a_terminal(majority: Row) -> None:
    plain, coloured = console(80), console(80, colour=True)
    terminal.show_row(plain, majority)
    terminal.show_row(coloured, majority)
    assert "\x1b[" not in text_of(plain)
    assert "\x1b[1;32myes" in text_of(coloured)


def test_predictions_of_two_questions_are_told_apart(majority: Row, failing: Row) -> None:
    printed = console(120)
    terminal.show_predictions(printed, majority.predictions + failing.predictions)
    text = text_of(printed)
    assert "majority · nope 2L 4H 64d" in text
    assert "tomita-5 · nope 2L 4H 64d" in text
    assert "kernel does not apply: the theory is about fixed lengths only" in text


class Counted(Certificate):
    summary = "a table of states"

    def check(self) -> Checked:
        return Checked(True, "counted <all> states")

    def as_json(self) -> dict[str, object]:
        return {"states": "</pre><script>"}


def test_theorem_with_bound_and_certificate(majority: Row) -> None:
    strong = dataclasses.replace(
        majority.stated[0],
        strength=Strength.THEOREM,
        assumptions=(Assumption("finite", Standing.CHECKED),),
        bound=Bound("error", 2.0, 1.0),
        certificate=Counted(),
    )
    printed = console(100)
    terminal.show_predictions(printed, (strong,), (Counted().check(),))
    text = text_of(printed)
    assert "yes, theorem" in text
    assert "error ≤ 2 (vacuous" in text
    assert "a table of states; re-checked, holds: counted <all> states" in text
    printed = console(100)
    terminal.show_predictions(printed, (strong,))
    assert "a table of states; foretell predict --check re-checks it" in text_of(printed)


def test_a_large_store_shows_what_was_measured_last(
    board: Scoreboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "MOST_ROWS", 1)
    printed = console(80)
    terminal.show_scoreboard(printed, board)
    said = text_of(printed)
    assert f"the newest 1 of {len(board.rows)}" in said
    assert f"{len(board.rows) - 1} more: --html FILE" in said
    newest = max(str(row.measurement.provenance["time"]) for row in board.rows if row.measurement)
    (shown,) = terminal.newest(board.rows)
    assert shown.measurement and shown.measurement.provenance["time"] == newest
