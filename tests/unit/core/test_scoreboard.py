"""Prediction beside measurement. Undecided never counts as a hit."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from foretell.core.prediction import NotApplicable, Strength
from foretell.core.question import Question, Verdict
from foretell.core.scoreboard import Agreement, Record, Row, Scoreboard
from foretell.plain.errors import BadInput

Build = Callable[..., Any]
YES, NO, UNDECIDED = Verdict.YES, Verdict.NO, Verdict.UNDECIDED
TABLE = {
    (YES, YES): "agrees",
    (YES, NO): "disagrees",
    (YES, UNDECIDED): "open",
    (NO, YES): "disagrees",
    (NO, NO): "agrees",
    (NO, UNDECIDED): "open",
    (UNDECIDED, YES): "open",
    (UNDECIDED, NO): "open",
    (UNDECIDED, UNDECIDED): "open",
}


@pytest.mark.parametrize(("predicted", "measured"), TABLE)
def test_the_agreement_table(predicted: Verdict, measured: Verdict) -> None:
    assert Agreement.between(predicted, measured).value == TABLE[predicted, measured]


@pytest.fixture
def other(question: Build, architecture: Build) -> Question:
    return question(architecture=architecture(layers=1))


def test_a_row_never_mixes_questions(
    question: Build, prediction: Build, measurement: Build, other: Question
) -> None:
    good, stranger = prediction(), prediction(question=other)
    for parts in (
        ((stranger,), None),
        ((good, stranger), None),
        ((NotApplicable("some-theory", other, "no"),), None),
        ((good,), measurement(question=other)),
        ((), measurement(question=other)),
    ):
        with pytest.raises(BadInput, match="different questions"):
            Row(question(), *parts)
    Row(question(), (good,), measurement())


def test_a_row_without_a_measurement_leaves_everything_open(
    question: Build, prediction: Build
) -> None:
    row = Row(question(), (prediction(),), None)
    assert row.agreement(prediction()) is Agreement.OPEN
    assert Scoreboard((row,)).records() == ()


def test_the_stated_predictions_are_those_that_apply_strongest_first(
    question: Build, prediction: Build, witness: Any
) -> None:
    weak = prediction(strength=Strength.HEURISTIC)
    strong = prediction(strength=Strength.THEOREM, certificate=witness, assumptions=())
    silent = NotApplicable("silent", question(), "says nothing")
    middle = prediction()
    row = Row(question(), (weak, silent, strong, middle), None)
    assert row.stated == (strong, middle, weak)


def test_records_count_by_theory_claimed_strength_and_what_was_said(
    question: Build, prediction: Build, measurement: Build
) -> None:
    def row(predicted: Verdict, measured: Verdict | None, **changes: Any) -> Row:
        found = None if measured is None else measurement(verdict=measured)
        return Row(question(), (prediction(verdict=predicted, **changes),), found)

    rows = (
        row(YES, YES),
        row(YES, YES),
        row(NO, NO),
        row(YES, NO),
        row(UNDECIDED, YES),
        row(YES, UNDECIDED),
        row(UNDECIDED, UNDECIDED),
        row(YES, None),
        row(YES, NO, strength=Strength.HEURISTIC),
        row(NO, NO, predictor="another-theory"),
        Row(question(), (NotApplicable("silent", question(), "no"),), measurement()),
    )
    assert Scoreboard(rows).records() == (
        Record("another-theory", "conditional", NO, agrees=1, disagrees=0, open=0),
        Record("some-theory", "conditional", YES, agrees=2, disagrees=1, open=1),
        Record("some-theory", "conditional", NO, agrees=1, disagrees=0, open=0),
        Record("some-theory", "conditional", UNDECIDED, agrees=0, disagrees=0, open=2),
        Record("some-theory", "heuristic", YES, agrees=0, disagrees=1, open=0),
    )


def test_undecided_is_never_settled(question: Build, prediction: Build, measurement: Build) -> None:
    rows = tuple(
        Row(question(), (prediction(verdict=predicted),), measurement(verdict=measured))
        for predicted, measured in itertools.product(Verdict, Verdict)
        if UNDECIDED in (predicted, measured)
    )
    records = Scoreboard(rows).records()
    assert all((record.agrees, record.settled) == (0, 0) for record in records)
    assert [record.open for record in records] == [1, 1, 3]


def test_settled_is_hits_and_misses() -> None:
    assert Record("theory", "conditional", YES, agrees=3, disagrees=2, open=7).settled == 5


def test_an_empty_scoreboard_has_no_records() -> None:
    assert Scoreboard(()).records() == ()


def test_the_order_of_rows_does_not_matter(
    question: Build, prediction: Build, measurement: Build
) -> None:
    rows = [
        Row(question(), (prediction(predictor=name),), measurement(verdict=verdict))
        for name, verdict in itertools.product(("b", "a"), Verdict)
    ]
    assert Scoreboard(tuple(rows)).records() == Scoreboard(tuple(reversed(rows))).records()
