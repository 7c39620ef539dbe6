"""Two layers as a memory: the tangent, the search and what is claimed."""

from __future__ import annotations

import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.mlp_memory import (
    MlpMemory,
    held_by,
    network,
    one_hot,
    ranked_matrix,
    tangent,
)
from foretell.worlds.memory_capacity import associations, fleet_of_facts


def _weights(scale: float) -> dict[str, dict[str, np.ndarray]]:
    random = np.random.default_rng(0)
    shapes = {"first": (6, 3), "bias": (6,), "second": (6, 3)}
    start = {name: random.normal(size=shape) for name, shape in shapes.items()}
    change = {name: scale * random.normal(size=shape) for name, shape in shapes.items()}
    return {"start": start, "now": {name: start[name] + change[name] for name in shapes}}


def test_the_tangent_touches_the_network_at_its_start() -> None:
    inputs = np.random.default_rng(1).normal(size=(5, 3))
    np.testing.assert_allclose(
        network(_weights(0), inputs), tangent(_weights(0), inputs), rtol=1e-5
    )
    errors = [
        np.abs(np.asarray(network(_weights(step), inputs) - tangent(_weights(step), inputs))).max()
        for step in (0.02, 0.01)
    ]
    assert errors[0] > 2.5 * errors[1] > 0  # it leaves the network by second order


def test_one_hot_inputs_are_told_apart_up_to_the_width_and_no_further() -> None:
    facts = one_hot(associations((0,), 4, 9))
    assert facts.inputs[:4].tolist() == np.eye(4).tolist()
    assert (facts.inputs[4:8] == facts.inputs[:4]).all() and facts.answers.tolist() == [*range(9)]
    settings = {**MlpMemory().settings(Budget.SMOKE), "tries": 3}
    held = held_by(network, 4, 8, settings, (0.5 / 8, 2 / 8), one_hot)
    assert 4 <= held < 5


def test_a_product_of_two_matrices_has_the_lower_rank() -> None:
    weights = _weights(0)
    weights["now"] = {name: array[:2] for name, array in weights["now"].items()}
    matrix = np.asarray(ranked_matrix(weights, np.eye(3)))
    assert np.linalg.matrix_rank(matrix, tol=1e-5) == 2


def test_a_rank_that_restricts_nothing_is_refused() -> None:
    sandbox = MlpMemory()
    with pytest.raises(BadInput, match="no restriction"):
        sandbox.claims({**sandbox.settings(Budget.SMOKE), "rank": 4})


def test_few_answers_are_counted_for_every_number_of_facts() -> None:
    facts = associations((0,), 4, 9, labels=3)
    fleet = fleet_of_facts([facts], np.array([[5, 9]]))
    assert fleet.labels.tolist() == [3, 3]
    assert fleet.number.tolist() == [5, 9]
    assert fleet.answers.max() < 3


def test_a_memory_without_room_is_refused() -> None:
    settings = {**MlpMemory().settings(Budget.SMOKE), "window": [0.01, 0.02]}
    with pytest.raises(BadInput, match="two facts or more"):
        held_by(network, 4, 4, settings)


def test_ratios_of_the_specification_agree() -> None:
    sandbox = MlpMemory()
    claims = sandbox.claims(sandbox.settings(Budget.CPU))
    assert claims[0].holds(153 / 73) and claims[1].holds(252 / 112)
    assert not claims[0].holds(1.6) and not claims[0].holds(2.7)


@pytest.mark.slow
def test_every_claim_holds() -> None:
    sandbox = MlpMemory()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert not [row for row in rows if not row.agrees]
