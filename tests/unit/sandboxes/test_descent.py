"""The training loop: what it minimises, what it watches, and when."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jaxtyping import Array

from foretell.numerics.keys import root_key
from foretell.training.engine import Progress
from foretell.worlds.descent import Trained, descend, rise_and_fall


def bowl(steps: int, every: int, shown: list[Progress] | None = None) -> Trained:
    """Two members of a fleet, each on its way to its own goal by plain descent."""
    goals = jnp.array([[1.0, 2.0], [-3.0, 0.5]])
    return descend(
        lambda weights, key: jnp.sum((weights - goals) ** 2) / 2,
        jnp.zeros((2, 2)),
        optax.sgd(0.1),
        steps=steps,
        key=root_key(0),
        every=every,
        watch=lambda weights, key: {"weights": weights, "drawn": jax.random.uniform(key)},
        show=(lambda progress: None) if shown is None else shown.append,
        phase="bowl",
    )


def test_it_descends_as_the_formula_says_and_members_do_not_mix() -> None:
    trained = bowl(steps=20, every=5)
    goals = np.array([[1.0, 2.0], [-3.0, 0.5]])
    assert trained.steps.tolist() == [0, 5, 10, 15, 20]
    rest = 0.9 ** trained.steps[:, None, None]
    np.testing.assert_allclose(trained.watched["weights"], goals * (1 - rest), rtol=1e-5)
    np.testing.assert_array_equal(trained.weights, trained.watched["weights"][-1])


def test_what_is_watched_is_drawn_the_same_every_time() -> None:
    assert len(set(bowl(steps=20, every=5).watched["drawn"].tolist())) == 1


def test_steps_are_rounded_up_to_a_whole_stretch_and_progress_is_shown() -> None:
    shown: list[Progress] = []
    trained = bowl(steps=11, every=5, shown=shown)
    assert trained.steps.tolist() == [0, 5, 10, 15]
    assert len(shown) == 3
    assert np.all(np.diff([progress.loss for progress in shown]) < 0)


def test_every_step_has_a_key_of_its_own_and_stretches_do_not_matter() -> None:
    def walk(every: int) -> np.ndarray:
        def loss(weights: Array, key: Array) -> Array:
            return jnp.sum(weights * jax.random.normal(key, (3,)))

        trained = descend(
            loss,
            jnp.zeros(3),
            optax.sgd(1.0),
            steps=12,
            key=root_key(1),
            every=every,
            watch=lambda weights, key: {"weights": weights},
        )
        return trained.watched["weights"]

    fine, coarse = walk(2), walk(6)
    np.testing.assert_allclose(fine[::3], coarse, atol=1e-6)
    moves = np.diff(fine, axis=0)
    assert np.unique(moves.round(5), axis=0).shape == moves.shape


def test_without_steps_only_the_start_is_seen() -> None:
    trained = bowl(steps=0, every=5)
    assert trained.steps.tolist() == [0]
    assert float(jnp.abs(trained.weights).max()) == pytest.approx(0)


def test_a_rate_rises_shortly_and_falls_to_zero() -> None:
    rates = [float(rise_and_fall(0.1, 1_000)(step)) for step in (0, 25, 50, 525, 1_000)]
    np.testing.assert_allclose(rates, [0, 0.05, 0.1, 0.05, 0], atol=1e-7)
    assert float(rise_and_fall(0.1, 2)(0)) == pytest.approx(0.1)  # too few steps to rise in


def test_ten_stretches_and_nothing_watched_unless_told() -> None:
    shown: list[Progress] = []
    goal = {"steps": 20, "key": root_key(0), "show": shown.append}
    found = descend(lambda own, key: jnp.sum(own**2), jnp.ones(2), optax.sgd(0.1), **goal)
    assert (found.steps == 2 * np.arange(11)).all()
    assert not found.watched
    assert len(shown) == 10
