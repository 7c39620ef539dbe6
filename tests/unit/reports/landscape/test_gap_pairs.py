"""Parity both ways on one page: pairs, wrong answers of every model, bounds, what is claimed."""

import dataclasses
import json

import numpy as np
import pytest

from foretell.boolean.bounds.terms import Form
from foretell.constructions.chain_of_thought import build_chain
from foretell.constructions.flat import squared_norm
from foretell.core.measurement import Interval, Measurement, Value
from foretell.core.question import Verdict
from foretell.protocols._asking import Budget
from foretell.protocols.gap import NAMES
from foretell.reports.landscape.gap_chain import bounds, chain_findings, measured_rows
from foretell.reports.landscape.gap_class import ADMISSIBLE, PUBLISHED
from foretell.reports.landscape.gap_grid import collect
from foretell.reports.landscape.gap_shown import findings, gap_page
from foretell.reproductions.parity_steps import ParitySteps
from foretell.training.store import Store


def measured(line, wrong):
    """Three models, of which the last did not fit."""
    question = line.asked.question
    fitted = {
        "gap": 0.001 * question.task.bits + 0.01 * wrong[0],
        "train": 0.001,
        "squared_norm": 50.0,
        "trace": 90.0,
    }
    values = [_value(question, name, (x, x), (0, 1)) for name, x in fitted.items()]
    values += [_value(question, "wrong", wrong, (0, 1, 2))]
    values += [_value(question, "steps", (100.0, 300.0, 2000.0), (0, 1, 2))]
    return Measurement(
        protocol="gap",
        question=question,
        verdict=Verdict.UNDECIDED,
        reason="made up",
        rule="none",
        values=tuple(values),
        curves=(),
        notes=("a", "b"),
        provenance={"versions": {"jax": "0"}, "device": "none", "seeds": [0, 1, 2]}
        | {"fitted": [0, 1]},
    )


def _value(question, name, numbers, runs):
    mean, sizes = float(np.mean(numbers)), question.outcome.sizes
    return Value(NAMES[name], sizes, tuple(numbers), mean, Interval(-np.inf, np.inf), runs)


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    return collect(ParitySteps(), Budget.CPU, None, Store.at(tmp_path_factory.mktemp("store")))


@pytest.fixture(scope="module")
def grid(empty):
    shares = {True: (0.0, 0.01, 0.05), False: (0.1, 0.2, 0.5)}
    return dataclasses.replace(
        empty,
        classes=tuple(
            dataclasses.replace(each, measured=(measured(each.lines[0], shares[each.chained]),))
            for each in empty.classes
        ),
    )


def test_both_ways_are_asked_alike():
    lines = ParitySteps().lines(Budget.GPU)
    assert {line.asked.question.task.bits for line in lines} == set(range(4, 21, 2))
    for one, steps in zip(lines[::2], lines[1::2], strict=True):
        assert steps.asked.question.task.steps and not one.asked.question.task.steps
        assert one.asked.question.task.bits == steps.asked.question.task.bits
        assert one.asked.protocol == steps.asked.protocol
        assert one.asked.seeds == steps.asked.seeds
        assert one.asked.question.outcome == steps.asked.question.outcome


@pytest.mark.slow
def test_a_chain_is_compared_with_the_construction_of_a_chain(empty):
    for one, steps in empty.pairs:
        built = build_chain(one.family.bits, ramp="narrow")
        assert steps.built_norm == pytest.approx(squared_norm(built))
        assert steps.family.degree == 2 < one.family.degree
        assert 0 < steps.built_trace < one.built_trace


def test_wrong_answers_are_those_of_every_model(grid):
    for one, steps in grid.pairs:
        assert one.spread("wrong").values == (0.1, 0.2, 0.5)
        assert steps.models("wrong") == [(0.0, True), (0.01, True), (0.05, False)]
        low, high = steps.spread("wrong").interval
        assert 0 <= low < steps.spread("wrong").mean < high <= 1
        assert one.spread("gap").values == (pytest.approx(0.001 * (1 + one.family.bits)),) * 2
    assert measured_rows(grid.pairs)[1][4:] == ("2 of 3", "100 to 300")


def test_bounds_of_both_ways_in_both_forms(empty):
    saved = []
    for pair in empty.pairs:
        one, steps = pair
        said = bounds(pair)
        gains = [
            said[form]["one pass"]["samples"] / said[form]["in steps"]["samples"]
            for form in ("published", "corrected")
        ]
        assert gains[0] > gains[1]
        saved.append(gains[1])
        risk = steps.bound(ADMISSIBLE, Form.CORRECTED).value
        error = 4 * one.family.bits * risk
        assert said["corrected"]["in steps"]["error"] == pytest.approx(error)
        assert risk > steps.bound(ADMISSIBLE, Form.PUBLISHED).value
        assert steps.bound(PUBLISHED, Form.PUBLISHED).value > 0
    assert saved == sorted(saved)
    assert saved[0] < 1 < saved[-1]  # a chain of four bits saves nothing


def test_what_is_claimed_can_fail(grid):
    assert "in steps there are fewer wrong answers at 4 of 4 numbers of bits" in findings(grid)
    turned = tuple((steps, one) for one, steps in grid.pairs)
    assert any("fewer wrong answers at 0 of 4" in told for told in chain_findings(turned))
    assert any("does not beat a coin" in told for told in findings(grid))


def test_page_and_json(empty, grid):
    assert "Chain of thought" in gap_page(empty) and chain_findings(empty.pairs) == []
    page = gap_page(grid)
    assert page.count("<svg") == 3
    assert "Wrong answers" in page and "a coin" in page
    document = json.loads(json.dumps(grid.as_json()))
    first = document["chain_of_thought"][0]
    assert first["ways"]["in steps"]["wrong"] == [0.0, 0.01, 0.05]
    assert first["ways"]["in steps"]["fitted"] == [True, True, False]
    assert document["classes"][1]["way"] == "in steps"
    assert document["classes"][1]["wrong"] == [0.0, 0.01, 0.05]
