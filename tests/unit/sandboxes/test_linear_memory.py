"""One matrix as a memory: the formula, the counting, and the search."""

from __future__ import annotations

import math

import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.linear_memory import (
    LinearMemory,
    facts_for,
    hebbian_capacity,
    hebbian_share,
    hebbian_shares,
    linear,
)
from foretell.worlds.memory_capacity import (
    Tuning,
    associations,
    capacity,
    fleet_of_facts,
    refine,
    search,
    train,
)


@pytest.mark.parametrize(
    "width, facts, share",
    [
        (64, 204, 0.886),
        (64, 409, 0.490),
        (64, 819, 0.158),
        (128, 819, 0.837),
        (128, 1638, 0.373),
    ],
)
def test_the_formula_gives_the_numbers_of_the_specification(width, facts, share) -> None:
    assert hebbian_share(facts=facts, width=width) == pytest.approx(share, abs=5e-4)


@pytest.mark.parametrize("width", [32, 64, 128, 256])
def test_it_falls_to_99_percent_near_0_028_of_the_weights(width) -> None:
    assert hebbian_capacity(width=width) / width**2 == pytest.approx(0.028, abs=0.0016)


def test_simulation_agrees_with_the_formula() -> None:
    found = hebbian_shares((0,), 48, np.array([100, 200]), draws=8)
    said = [hebbian_share(facts=facts, width=48) for facts in (100, 200)]
    np.testing.assert_allclose(found, said, atol=0.05)


def test_a_member_counts_only_its_facts_and_equals_a_memory_trained_alone() -> None:
    facts, tuning = associations((0,), 4, 9), Tuning(0.03, 30.0, 20)
    rows = np.array([[5, 9]])
    weights = np.zeros((2, 4, 4), np.float32)
    together, shares = train(linear, tuning, weights, fleet_of_facts([facts], rows))
    few = facts._replace(
        inputs=facts.inputs[:5],
        outputs=facts.outputs[:5],
        answers=facts.answers[:5],
        number=np.int32(5),
        labels=np.int32(5),
    )
    alone, share = train(linear, tuning, weights[:1], fleet_of_facts([few], np.array([[5]])))
    np.testing.assert_allclose(together[0], alone[0], atol=1e-3)
    assert float(shares[0]) == pytest.approx(float(share[0]))


@pytest.mark.parametrize("most", [33, 57])
def test_the_search_closes_in_on_the_last_number_held(most) -> None:
    found = search(np.array([10, 20, 40, 80]), lambda numbers: (numbers <= most).astype(float))
    assert most / 1.2 < found <= most


def test_a_capacity_is_between_two_numbers_tried_or_unknown() -> None:
    assert refine(np.array([10, 20]), np.array([0.5, 0.1]), 2).tolist() == [10, 10]
    assert math.isnan(capacity(np.array([10, 20]), np.array([1.0, 1.0])))
    assert math.isnan(capacity(np.array([10, 20]), np.array([0.9, 0.1])))


def test_the_inverse_of_n_log_n() -> None:
    for product in (30.0, 1000.0):
        assert facts_for(product) * math.log(facts_for(product)) == pytest.approx(product, rel=0.05)


def test_a_memory_of_one_fact_or_no_dimension_is_refused() -> None:
    with pytest.raises(BadInput, match="two facts or more"):
        hebbian_share(facts=1, width=8)
    with pytest.raises(BadInput, match="two facts or more"):
        associations((0,), 0, 8)


@pytest.mark.slow
def test_every_claim_holds() -> None:
    sandbox = LinearMemory()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert not [row for row in rows if not row.agrees]
