"""Every kind of word apart: only where several ways of training stand side by side."""

from __future__ import annotations

import dataclasses
from typing import Any, final

from foretell.core.scoreboard import Row
from foretell.protocols._asking import Budget
from foretell.protocols._running import Asked
from foretell.reports.reproduced.line import Compared
from foretell.reports.reproduced.page import reproduction_page
from foretell.reports.reproduced.probes import MOST_ROWS, probes_section
from foretell.reports.reproduced.table import Comparison, percent
from foretell.reproductions import Line, Reproduction

FRAGMENTS = {"crasp": "no", "crasp-periodic-local": "no"}


@final
class HandMade(Reproduction):
    title = source = "nobody"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        return ()


def compared(row: Row, protocol: Any, setting: str | None) -> Compared:
    asked = Asked(row.question, protocol, (0, 1, 2, 3))
    return Compared(Line("What", "language", asked, setting=setting), row, FRAGMENTS)


def shown(*lines: Compared) -> str:
    return "".join(probes_section(Comparison(HandMade(), "cpu", lines)))


def test_every_probe_is_a_column_and_what_was_trained_on_is_bold(
    failing: Row, protocol: Any
) -> None:
    line = compared(failing, protocol, "base")
    page = shown(line)
    assert line.measured is not None
    for place, probe in enumerate(failing.question.task.probes):
        means = [v.mean for v in line.measured.values if v.probe == probe]
        cell = " / ".join(map(percent, means)) or "–"
        kind = "span" if place else "strong"
        assert f'<{kind} class="nowrap">{cell}</{kind}>' in page
        assert f"<th>{probe}<" in page


def test_each_heading_once_and_rows_not_run_left_out(failing: Row, protocol: Any) -> None:
    first, second = (compared(failing, protocol, name) for name in ("base", "other"))
    waiting = compared(dataclasses.replace(failing, measurement=None), protocol, "later")
    page = shown(first, first, second, waiting)
    assert page.count("<strong>What; base</strong>") == 1
    assert page.count("<strong>What; other</strong>") == 1
    assert "later" not in page


def test_many_rows_are_told_as_means_of_their_groups(failing: Row, protocol: Any) -> None:
    assert failing.measurement is not None
    better = dataclasses.replace(
        failing.measurement,
        values=tuple(dataclasses.replace(v, mean=1.0) for v in failing.measurement.values),
    )
    other = dataclasses.replace(failing, measurement=better)
    lines = [compared(row, protocol, "base") for row in (failing, other)] * MOST_ROWS
    page = shown(*lines, compared(failing, protocol, "alone"))
    assert page.count("<tr>") == 3  # heads and two groups
    assert f">{len(lines)}<" in page
    for probe in failing.question.task.probes:
        means = [v.mean for v in failing.measurement.values if v.probe == probe]
        cell = " / ".join(percent((mean + 1) / 2) for mean in means) or "–"
        assert f'class="nowrap">{cell}<' in page


def test_nothing_for_one_way_or_one_kind_of_word(
    failing: Row, majority: Row, protocol: Any
) -> None:
    assert shown(compared(failing, protocol, None)) == ""
    assert shown(compared(majority, protocol, "base")) == ""
    assert shown() == ""


def test_json_has_every_test_once(failing: Row, protocol: Any) -> None:
    line = compared(failing, protocol, "base")
    told = line.as_json()
    assert line.measured is not None
    assert told["setting"] == "base"
    assert len(told["ours"]) + len(told["other_tests"]) == len(line.measured.values)
    assert {value["probe"] for value in told["ours"]} == {failing.question.task.probes[0]}


def test_the_page_has_this_table_in_place_of_dots(failing: Row, protocol: Any) -> None:
    several, one = (
        reproduction_page(Comparison(HandMade(), "cpu", (compared(failing, protocol, setting),)))
        for setting in ("base", None)
    )
    assert "Each kind of word apart" in several and "a dot for each task" not in several
    assert "Each kind of word apart" not in one and "a dot for each task" in one
