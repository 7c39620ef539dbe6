"""Words in which every symbol has several parents, at fixed lags, and counting in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from foretell.constructions.lag_selection import require_lags
from foretell.numerics.stochastic import require_chances
from foretell.plain.errors import BadInput


class Asked(NamedTuple):
    """Words, and the law of the symbol that would come next."""

    word: Int[Array, "... length"]
    row: Float[Array, "... label"]


def require_parent_lags(sets: Sequence[Sequence[int]], window: int) -> np.ndarray:
    """Lag sets of one size, none beyond the window the heads can see."""
    kept = [require_lags(lags) for lags in sets]
    if not kept or len({len(lags) for lags in kept}) > 1:
        raise BadInput("parent sets of different sizes", seen=[list(lags) for lags in sets])
    if max(max(lags) for lags in kept) > window:
        raise BadInput(
            "a parent outside the window",
            seen=[list(lags) for lags in sets],
            why=f"heads see the last {window} symbols",
        )
    return np.array(kept)


def grow_family(
    lags: Int[Array, " size"],
    rows: Float[Array, "state label"],
    chances: Float[Array, " length"],
    first: int,
) -> Asked:
    """One word from uniform chances: `first` uniform symbols, then each by its parents' row.

    The row's number has the parents as digits, the parent of the first lag lowest.
    """
    require_chances(rows)
    symbols = rows.shape[1]
    digits = symbols ** jnp.arange(lags.shape[0])
    ladder = jnp.cumsum(rows, axis=1)
    ladder = ladder / ladder[:, -1:]

    def draw(recent: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
        chance, place = now
        by_row = jnp.sum(chance >= ladder[recent[-lags] @ digits, :-1])
        letter = jnp.where(place < first, jnp.int32(chance * symbols), by_row.astype(jnp.int32))
        return jnp.append(recent[1:], letter), letter

    start, places = jnp.zeros(first, jnp.int32), jnp.arange(chances.shape[0])
    recent, word = jax.lax.scan(draw, start, (chances, places))
    return Asked(word, rows[recent[-lags] @ digits])


def sample_families(
    key: Key[Array, ""],
    sets: Int[Array, "member size"],
    count: int,
    symbols: int,
    length: int,
    first: int,
) -> Asked:
    """A batch for each set of lags, every word with a flat Dirichlet table of its own."""
    members, parents = sets.shape
    table = symbols ** (parents + 1)
    drawn = jax.random.uniform(key, (members, count, table + length))
    flat = -jnp.log1p(-drawn[..., :table]).reshape(members, count, -1, symbols)
    rows = flat / flat.sum(axis=-1, keepdims=True)

    def family(lags: Array, tables: Array, chances: Array) -> Asked:
        return jax.vmap(lambda *one: grow_family(lags, one[0], one[1], first))(tables, chances)

    return jax.vmap(family)(sets, rows, drawn[..., table:])


def counted_family(
    words: Int[np.ndarray, "batch length"], lags: Sequence[int], symbols: int, first: int
) -> Float[np.ndarray, "batch label"]:
    """Of the places whose parents equal the last ones, what stands there; 1 added to each.

    >>> counted_family(np.array([[0, 1, 1, 0, 1]]), (1, 2), 2, 2).round(2).tolist()
    [[0.33, 0.67]]
    """
    places = np.arange(first, words.shape[1])
    same = np.ones((len(words), len(places)), bool)
    for lag in lags:
        same &= words[:, places - lag] == words[:, [words.shape[1] - lag]]
    letters = np.arange(symbols)[:, None, None]
    counts = 1.0 + np.sum(same & (words[:, places] == letters), axis=-1).T
    return counts / counts.sum(axis=1, keepdims=True)
