"""Interleaved chains: the generator, Bayes by enumeration of lags, and every claim."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.interleaved_lags import InterleavedLags
from foretell.worlds.graph_lags import averaged_models, averaged_shares, chances_of, weave
from foretell.worlds.lag_training import DEPTHS, LagRun, Recipe, draw_words, readable, train_lags

TABLE = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.25, 0.25, 0.5]])
LAGS = (1, 2, 3)
RECIPE = Recipe(
    lags=LAGS, length=8, batch=32, rate=0.03, steps=40, deviation=0.01, tests=200, seed=0
)


def test_a_word_moves_by_its_lag() -> None:
    grow = jax.jit(
        jax.vmap(lambda key: weave(key, jnp.asarray(TABLE, jnp.float32), jnp.int32(2), 3, 40))
    )
    words = np.asarray(grow(jax.random.split(jax.random.key(0), 4000)))
    moves = np.zeros((3, 3))
    np.add.at(moves, (words[:, 1:-2].ravel(), words[:, 3:].ravel()), 1)
    np.testing.assert_allclose(moves / moves.sum(axis=1, keepdims=True), TABLE, atol=0.01)
    law = np.linalg.matrix_power(TABLE, 100)[0]
    first = np.bincount(words[:, :3].ravel(), minlength=3) / words[:, :3].size
    np.testing.assert_allclose(first, law, atol=0.02)


def test_weights_written_out() -> None:
    words = np.random.default_rng(1).integers(0, 3, (6, 9))
    chances = chances_of(words, TABLE, LAGS)
    slow = np.array(
        [
            [np.prod([TABLE[word[t - lag], word[t]] for t in range(3, 9)]) for lag in LAGS]
            for word in words
        ]
    )
    np.testing.assert_allclose(
        averaged_models(chances), slow / slow.sum(axis=1, keepdims=True), rtol=1e-10
    )
    np.testing.assert_allclose(averaged_shares(chances, 0.0), np.full((6, 3), 1 / 3))


def test_a_word_no_longer_than_its_lag() -> None:
    with pytest.raises(BadInput, match="longer than the sequence"):
        chances_of(np.zeros((1, 3), int), TABLE, LAGS)


def test_every_claim_but_those_about_training_holds_on_fewer_tables() -> None:
    # Training to the point of those claims takes minutes; the rest of the run is exact or cheap.
    sandbox = InterleavedLags()
    settings = sandbox.settings(Budget.CPU) | {"tables": 4, "words": 2000, "built_words": 16}
    settings["training"] = sandbox.settings(Budget.SMOKE)["training"]
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    untrained = [row for row in rows if not row.claim.quantity.startswith("trained")]
    assert len(rows) - len(untrained) == 2
    assert [row for row in untrained if not row.agrees] == []


def test_the_true_row_is_the_one_the_lag_points_at() -> None:
    drawn = draw_words(jax.random.key(1), jnp.asarray(TABLE, jnp.float32), 50, RECIPE)
    words, lags = np.asarray(drawn.words), np.asarray(drawn.lags)
    assert set(lags) == set(LAGS)
    for word, lag, row in zip(words, lags, np.asarray(drawn.rows), strict=True):
        np.testing.assert_allclose(row, TABLE[word[8 - lag]], rtol=1e-6)


@pytest.fixture(scope="module")
def run() -> LagRun:
    return train_lags(TABLE[None], RECIPE, lambda progress: None)


def test_training_lowers_the_divergence_of_both_depths(run: LagRun) -> None:
    assert run.divergences.shape == (41, 1, len(DEPTHS))
    # small weights answer evenly
    truth = np.asarray(run.tests.rows[0], float)
    even = np.sum(truth * np.log(truth * 3), axis=1).mean()
    np.testing.assert_allclose(run.divergences[0, 0], even, atol=0.01)
    assert (run.divergences[-1] < 0.9 * run.divergences[0]).all()


def test_two_layers_are_three_whose_last_is_never_read(run: LagRun) -> None:
    three, two = (run.model(0, depth) for depth in DEPTHS)
    assert np.abs(np.asarray(two.attention[2])).max() < 0.1  # as it was drawn: nothing pulled at it
    assert np.abs(np.asarray(three.attention[2])).max() > 0.1
    kept = np.asarray(readable(two))[1, :, 0] > 0
    unread = np.asarray(two.readout)[~kept]
    assert kept.sum() == len(unread) == len(two.readout) // 2
    assert np.abs(unread).max() < 0.1
