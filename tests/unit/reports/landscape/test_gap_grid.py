"""The grid of fitted functions: what is averaged, what is left out, what is claimed."""

import dataclasses
import json

import numpy as np
import pytest

from foretell.boolean.bounds.terms import Form
from foretell.core.measurement import Interval, Measurement, Value
from foretell.core.question import Verdict
from foretell.protocols._asking import Budget
from foretell.protocols.gap import NAMES
from foretell.reports.landscape.gap_class import ADMISSIBLE, PUBLISHED
from foretell.reports.landscape.gap_grid import GapGrid, collect
from foretell.reports.landscape.gap_shown import cells, findings, gap_page
from foretell.reproductions.boolean_gap import BooleanGap
from foretell.training.store import Store


def measured(line, gap, fitted=True):
    question = line.asked.question
    numbers = {"gap": gap, "train": 0.01, "validation": 0.01 + gap}
    numbers |= {"squared_norm": 50.0, "trace": 1e6, "sub_gaussian": 0.05}
    values = tuple(
        Value(NAMES[name], question.outcome.sizes, (x,), x, Interval(-np.inf, np.inf), (0,))
        for name, x in numbers.items()
    )
    return Measurement(
        protocol="gap",
        question=question,
        verdict=Verdict.UNDECIDED,
        reason="made up",
        rule="none",
        values=values,
        curves=(),
        notes=("a", "b"),
        provenance={
            "versions": {"jax": "0"},
            "device": "none",
            "seeds": [0],
            "fitted": [0] if fitted else [],
        },
    )


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    return collect(BooleanGap(), Budget.CPU, None, Store.at(tmp_path_factory.mktemp("store")))


@pytest.fixture(scope="module")
def grid(empty):
    classes = []
    for place, each in enumerate(empty.classes):
        found = (measured(each.lines[0], 0.01 * place), measured(each.lines[1], 9.0, fitted=False))
        classes.append(dataclasses.replace(each, measured=found))
    return dataclasses.replace(empty, classes=tuple(classes))


def test_an_empty_store_says_so(empty):
    assert "not trained yet: 12 models" in findings(empty)[-1]
    assert "–" in cells(empty.classes[0])
    assert "Behind each class" in gap_page(empty)
    assert empty.order() is None


def test_what_was_not_fitted_is_left_out(grid):
    assert [each.spread("gap").values for each in grid.classes] == [
        (pytest.approx(0.01 * place),) for place in range(6)
    ]
    assert "left out: 6 models" in findings(grid)[-1]


def test_order_and_domination_can_fail(grid):
    assert grid.order().value == pytest.approx(1 - 2 * _swapped(grid) / 15)
    assert grid.dominated("squared_norm") == (6, 6)
    assert grid.dominated("trace") == (0, 6)
    assert any("Hessian trace is below the construction's in 0 of 6" in x for x in findings(grid))


def _swapped(grid):
    """Pairs of classes that the made-up gaps order against their hardness."""
    from foretell.theory.degree_hardness import hardness

    hard = [hardness(each.family) for each in grid.classes]
    return sum(hard[i] > hard[j] for i in range(6) for j in range(i + 1, 6))


def test_bounds_are_those_of_the_class(grid):
    for each in grid.classes:
        published = each.bound(PUBLISHED, Form.PUBLISHED)
        assert each.bound(ADMISSIBLE, Form.CORRECTED).value > published.value > 0


def test_the_construction_is_measured(grid):
    by_class = {(c.family.degree, c.family.sparsity): c for c in grid.classes}
    assert by_class[3, 1].built_trace > by_class[1, 1].built_trace > 0
    assert by_class[1, 5].built_norm > by_class[1, 1].built_norm > 0


def test_json_and_page(grid: GapGrid):
    document = json.loads(json.dumps(grid.as_json()))
    assert len(document["classes"]) == 6
    assert "wrong" not in document["classes"][0] and "chain_of_thought" not in document
    assert document["classes"][0]["models"] == {"fitted": 1, "trained": 2, "asked": 2}
    page = gap_page(grid)
    assert page.count("<svg") == 2
    assert "degree 3 sparsity 5" in page
