"""Interleaved chains: words in which each symbol follows the one a fixed lag before it.

The table is known; the lag of a word is not. Two ways to weigh the lags, from the same chances
P(x_{t-k}, x_t): multiply them all (Bayes), or take each lag's share at every place and average.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from foretell.constructions.lag_selection import require_lags
from foretell.numerics.stochastic import require_chances
from foretell.worlds.chains import require_length, stationary


def weave(
    key: Key[Array, ""],
    rows: Float[Array, "token label"],
    lag: Int[Array, ""],
    longest: int,
    length: int,
) -> Int[Array, " length"]:
    """One word: the first `longest` symbols from the stationary law, the others by the lag."""
    require_chances(rows, square=True)
    ladder = jnp.cumsum(jnp.concatenate([rows, stationary(rows)[None]]), axis=1)
    ladder = ladder / ladder[:, -1:]
    chances, places = jax.random.uniform(key, (length,)), jnp.arange(length)

    def draw(recent: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
        chance, place = now
        above = jnp.where(place < longest, len(rows), recent[-lag])
        letter = jnp.sum(chance >= ladder[above, :-1]).astype(jnp.int32)
        return jnp.append(recent[1:], letter), letter

    return jax.lax.scan(draw, jnp.zeros(longest, jnp.int32), (chances, places))[1]


def chances_of(
    words: Int[np.ndarray, "batch length"],
    rows: Float[np.ndarray, "token label"],
    lags: Sequence[int],
) -> Float[np.ndarray, "size batch key"]:
    """P(x_{t-k}, x_t) for every lag, word and place after the longest lag."""
    require_chances(rows, square=True)
    longest = max(require_lags(lags))
    require_length(words.shape[1], longest + 1)
    after = np.arange(longest, words.shape[1])
    return np.stack([rows[words[:, after - lag], words[:, after]] for lag in lags])


def averaged_models(
    chances: Float[np.ndarray, "size batch key"],
) -> Float[np.ndarray, "batch size"]:
    """Bayes: the chance of each lag given the word, all lags alike beforehand."""
    return _softmax(np.log(chances).sum(axis=-1).T)


def averaged_shares(
    chances: Float[np.ndarray, "size batch key"], sharpness: float
) -> Float[np.ndarray, "batch size"]:
    """What three layers compute: exp(sharpness · mean share of the lag), made to sum to 1."""
    return _softmax(sharpness * (chances / chances.sum(axis=0)).mean(axis=-1).T)


def predicted(
    words: Int[np.ndarray, "batch length"],
    rows: Float[np.ndarray, "token label"],
    lags: Sequence[int],
    weights: Float[np.ndarray, "batch size"],
) -> Float[np.ndarray, "batch label"]:
    """The law of the next symbol: each lag's row, weighted."""
    require_chances(rows, square=True)
    length = words.shape[1]
    return np.einsum("bk,kbl->bl", weights, np.stack([rows[words[:, length - k]] for k in lags]))


def _softmax(scores: Float[np.ndarray, "batch size"]) -> Float[np.ndarray, "batch size"]:
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)
