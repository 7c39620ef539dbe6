"""Three layers that select a lag, against the formula written out word by word."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.constructions.lag_selection import heads_for, select_lag
from foretell.models.disentangled import answer
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

TABLE = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.25, 0.25, 0.5]])


def formula(word: np.ndarray, lags: tuple[int, ...], sharpness: float) -> np.ndarray:
    total, places = np.zeros(len(lags)), range(max(lags), len(word))
    for place in places:
        chances = np.array([TABLE[word[place - lag], word[place]] for lag in lags])
        total += chances / chances.sum()
    weights = np.exp(sharpness * total / len(places))
    rows = [TABLE[word[len(word) - lag]] for lag in lags]
    return weights @ np.array(rows) / weights.sum()


@pytest.mark.parametrize(("lags", "length"), [((1, 2, 3), 11), ((1, 4), 9)])
def test_it_is_the_formula(lags: tuple[int, ...], length: int) -> None:
    words = np.random.default_rng(0).integers(0, 3, (20, length))
    with double_precision():
        model = select_lag(TABLE, lags, length, 20.0)
        said = jax.jit(jax.vmap(lambda word: answer(model, word)))(jnp.asarray(words))
    slow = [formula(word, lags, 20.0) for word in words]
    np.testing.assert_allclose(np.asarray(said), slow, atol=1e-12)


def test_heads() -> None:
    found = {lags: heads_for(lags) for lags in ((1,), (1, 2, 3), (1, 3), (2, 4, 7))}
    assert found == {(1,): 1, (1, 2, 3): 3, (1, 3): 3, (2, 4, 7): 4}


@pytest.mark.parametrize("lags", [(), (0, 1), (1, 1), (-1,)])
def test_what_is_no_lag(lags: tuple[int, ...]) -> None:
    with pytest.raises(BadInput, match="no lags"):
        select_lag(TABLE, lags, 12, 1.0)


def test_words_too_short_and_tables_with_zeros() -> None:
    with pytest.raises(BadInput, match="too short"):
        select_lag(TABLE, (1, 2, 3), 5, 1.0)
    with pytest.raises(BadInput, match="chance of 0"):
        select_lag(np.eye(2), (1, 2), 8, 1.0)
