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

TABLE = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.25, 0.25, 0.5]])
LAGS = (1, 2, 3)


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


def test_every_claim_holds_on_fewer_tables() -> None:
    sandbox = InterleavedLags()
    settings = sandbox.settings(Budget.CPU) | {"tables": 4, "words": 2000, "built_words": 16}
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert [row for row in rows if not row.agrees] == []
