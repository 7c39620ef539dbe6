"""A search from hand-made scores: what is chosen, what is not trained any more, what is told."""

from __future__ import annotations

import dataclasses
import io
import json
from typing import Any

import pytest
from rich.console import Console

from foretell.core.measurement import Interval, Measurement, Value
from foretell.core.question import GeneralizesInLength
from foretell.core.scoreboard import Row
from foretell.protocols._asking import Budget
from foretell.reports.reproduced.line import Compared
from foretell.reports.reproduced.searched import Searches, search_page, show, summary
from foretell.reports.reproduced.table import Comparison
from foretell.reproductions import Line
from foretell.reproductions.length_search import LengthSearch, choose, grid, is_settled

SEARCH = LengthSearch()
LINES = SEARCH.lines(Budget.SMOKE)
APE = [line for line in LINES if line.asked.question.architecture.positional == "ape"]


@pytest.fixture
def scored(make: Any) -> Any:
    """A measurement of a line's question with one run's share right in each range."""

    def made(line: Line, *shares: float) -> Measurement:
        question = line.asked.question
        assert isinstance(question.outcome, GeneralizesInLength)
        ranges = (question.outcome.seen, *question.outcome.asked)
        measured = make[0]("majority", seeds=1).measurement
        probe = question.task.probes[0]
        values = tuple(
            Value(probe, sizes, (share,), share, Interval(0, 1), (0,))
            for sizes, share in zip(ranges, shares, strict=True)
        )
        provenance = {**measured.provenance, "fitted": [0] if shares[0] == 1 else []}
        return dataclasses.replace(
            measured, question=question, values=values, provenance=provenance
        )

    return made


def test_the_simplest_comes_first() -> None:
    shapes = grid(Budget.GPU)
    assert len(shapes) == 54
    assert str(shapes[0]) == "1 layer, 1 head, 16 wide, 0.001"
    places = [(shape.layers, shape.heads, shape.width) for shape in shapes]
    assert places == sorted(places)
    assert [line.setting for line in APE] == [str(shape) for shape in grid(Budget.SMOKE)]


def test_released_logs_stand_beside_the_shapes_they_are_about() -> None:
    lines = [line for line in SEARCH.lines(Budget.GPU) if line.published]
    assert len(lines) == 33
    for line in lines:
        assert line.setting in {str(shape) for shape in grid(Budget.GPU)}
        assert all(0 <= share <= 1 for share in line.published or ())


def test_the_first_without_a_mistake_is_chosen(scored: Any) -> None:
    one, two, three, four = APE
    found = [(one, scored(one, 1, 0.9, 0.9)), (two, scored(two, 1, 1, 0.2))]
    found += [(three, scored(three, 1, 1, 1)), (four, scored(four, 0.9, 1, 1))]
    assert choose(found) is two  # the last range has no say, and of equals the simplest is taken
    assert choose(found[:1]) is one
    assert choose(found[3:]) is None  # what does not fit is never taken
    assert [is_settled(measured) for _, measured in found] == [False, True, True, False]


def test_nothing_behind_a_settled_shape_is_trained(scored: Any) -> None:
    known = {APE[1]: scored(APE[1], 1, 1, 0)}
    wanted = SEARCH.wanted(LINES, known.get)
    assert [line for line in wanted if line in APE] == APE[:2]
    assert len(wanted) == 2 + len(LINES) - len(APE)  # the other encoding goes on
    assert SEARCH.wanted(LINES, lambda line: None) == LINES


def test_it_is_told_with_what_is_missing(scored: Any) -> None:
    measured = {APE[0]: scored(APE[0], 1, 0.8, 0.1), APE[2]: scored(APE[2], 1, 1, 0.5)}
    whole = Comparison(
        SEARCH,
        "smoke",
        tuple(
            Compared(line, Row(line.asked.question, (), measured.get(line)), {}) for line in LINES
        ),
    )
    found = Searches(whole)
    ape, nope = found.each
    assert ape.chosen is not None and ape.chosen.line is APE[2]
    assert (ape.missing, len(ape.tried)) == (1, 2)  # the second shape was passed over
    assert nope.chosen is None and nope.missing == 4
    told = found.as_json()
    assert json.loads(json.dumps(told))["chosen"][0]["shape"] == APE[2].setting
    assert len(told["rows"]) == 2
    assert "may change: dyck-1 ape" in summary(found)
    stream = io.StringIO()
    show(Console(file=stream, width=120), found)
    assert APE[2].setting in stream.getvalue()
    page = search_page(found)
    assert "chosen" in page and "the rule would have to see 1 first" in page
