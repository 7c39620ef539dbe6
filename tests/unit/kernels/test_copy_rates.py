"""Rates of copying: the formula, and networks of finite width by automatic differentiation."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.kernels.copy_rates import CopyTask
from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput

TASK = CopyTask(tokens=40, seen=30, gamma=1.0)


@pytest.mark.parametrize(
    ("group", "expected"),
    [("W_O", 0.6122), ("W_V", 0.6122), ("P", 3.0), ("W_E", 0.3409), ("b", -1.0)],
)
def test_known_rates(group: str, expected: float) -> None:
    assert TASK.rates()[group].per_unit_of_training == pytest.approx(expected, abs=1e-4)


def measured(task: CopyTask, width: int, heads: int, seeds: int) -> dict[str, np.ndarray]:
    """Rates of test loss per unit of training loss of networks at the start, by seed and group."""

    def loss(weights, tokens):
        embedding, place = weights["W_E"], weights["P"]
        read = embedding[tokens] + task.gamma * place
        moved = (read @ weights["W_V"]) @ weights["W_O"].T + weights["b"].sum() * read
        scores = moved @ embedding.T
        return -jnp.mean(jax.nn.log_softmax(scores)[jnp.arange(len(tokens)), tokens])

    def one(seed):
        def drawn(name, *shape):
            key = key_for(root_key(seed), "copy", name)
            return jax.random.normal(key, shape) / math.sqrt(width)

        weights = {
            "W_E": drawn("embedding", task.tokens, width),
            "P": drawn("place", width),
            "W_O": drawn("out", width, width),
            "W_V": drawn("value", width, width),
            "b": jnp.zeros(heads),
        }
        train, test = jnp.arange(task.seen), jnp.arange(task.seen, task.tokens)
        falling, other = (jax.grad(loss)(weights, part) for part in (train, test))
        return {
            name: jnp.vdot(falling[name], other[name]) / -jnp.vdot(falling[name], falling[name])
            for name in weights
        }

    found = jax.jit(lambda numbers: jax.lax.map(one, numbers))(jnp.arange(seeds))
    return {name: np.asarray(value) for name, value in found.items()}


def test_wide_networks_have_these_rates() -> None:
    """Weights do not help unseen tokens and the scalars of the heads do."""
    found = measured(TASK, width=1024, heads=4, seeds=4)
    for group in ("W_O", "W_V"):
        assert (found[group] > 0).all()
        assert found[group].mean() == pytest.approx(0.6122, abs=0.15)
    assert np.abs(found["b"] + 1).max() < 0.15


@pytest.mark.slow
def test_wider_networks_come_nearer_for_every_group() -> None:
    found = measured(TASK, width=2048, heads=4, seeds=16)
    for group, tolerance in (("W_O", 0.06), ("W_V", 0.06), ("W_E", 0.1), ("P", 1.0), ("b", 0.03)):
        expected = TASK.rates()[group].per_unit_of_training
        assert found[group].mean() == pytest.approx(expected, abs=tolerance), group


def test_rates_are_sums_over_all_pairs_of_tokens() -> None:
    """The closed form against gradients and kernels written out in full."""
    task = CopyTask(tokens=7, seen=4, gamma=0.6)
    gradients = np.full((7, 7), 1 / 7) - np.eye(7)
    same = np.eye(7)
    for group, kernel in (("W_O", same + 0.36), ("P", 0 * same + 0.36), ("W_E", 2 * same + 0.36)):
        moved = kernel[:, :4] @ gradients[:4] / 4  # minus the speed of outputs of every token
        rates = -(gradients * moved).sum(axis=1)
        found = task.rates()[group]
        assert found.train == pytest.approx(rates[:4].mean())
        assert found.test == pytest.approx(rates[4:].mean())
    own = np.diagonal(gradients)
    assert task.rates()["b"].test == pytest.approx(-(own[4:].mean() * own[:4].mean()))


@pytest.mark.parametrize("gamma", [0.0, 0.3, 2.0])
@pytest.mark.parametrize("seen", [1, 20, 39])
def test_no_surviving_weight_helps_unseen_tokens(gamma: float, seen: int) -> None:
    task = CopyTask(tokens=40, seen=seen, gamma=gamma)
    assert "worse" in task.prediction()
    level = task.turning_rate()
    rates = task.rates()
    assert rates["W_O"].test + rates["W_V"].test + level * rates["b"].test == pytest.approx(0.0)


def test_a_group_that_does_not_move_has_no_ratio() -> None:
    assert math.isnan(CopyTask(tokens=4, seen=2, gamma=0.0).rates()["P"].per_unit_of_training)


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadInput, match="some are not"):
        CopyTask(tokens=4, seen=4, gamma=1.0)
    with pytest.raises(BadInput, match="finite"):
        CopyTask(tokens=4, seen=2, gamma=math.nan)
