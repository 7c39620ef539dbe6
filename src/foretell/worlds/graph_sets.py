"""Which set of earlier symbols says most of the next: χ² information, damped by rarity.

Of lags S with the symbols Z they show, and e the next symbol, both under the stationary law μ of
the chain, it is Σ_Z μ(Z)·μ(Z)·(Σ_e μ(e|Z)²/μ(e) - 1). The first factor is the mean over Z; the
second is what makes it damped: symbols that seldom come together are seldom counted.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from foretell.numerics.stochastic import require_chances
from foretell.plain.errors import BadInput
from foretell.worlds.chains import count_contexts
from foretell.worlds.graph_parents import require_parent_lags
from foretell.worlds.n_grams import context_laws

AT_ONCE = 2**22  # entries of the matrices of moves in memory together


def damped_information(
    rows: Float[np.ndarray, "draw state label"], lags: Sequence[int], window: int
) -> dict[tuple[int, ...], Float[np.ndarray, " draw"]]:
    """Of every set of lags within the window, table by table, for words whose parents are `lags`.

    A row's number has the parents as digits, the parent of the first lag lowest. Exact: the words
    are a chain whose contexts are all that the window shows.

    >>> found = damped_information(np.array([[[0.9, 0.1], [0.1, 0.9]]]), (1,), 2)
    >>> {lags: round(float(value[0]), 4) for lags, value in found.items()}
    {(1,): 0.32, (2,): 0.2048, (1, 2): 0.2624}
    """
    require_chances(rows)
    (kept,) = require_parent_lags([lags], window).tolist()
    symbols = rows.shape[-1]
    if rows.shape[-2] != symbols ** len(kept):
        raise BadInput(
            "these are not the rows of such a family",
            seen=f"{rows.shape[-2]} rows for {len(kept)} parents of {symbols} symbols",
            why="there must be one for each choice of the parents",
        )
    contexts = np.arange(count_contexts(window, symbols))
    number = sum(
        contexts // symbols ** (lag - 1) % symbols * symbols**i for i, lag in enumerate(kept)
    )
    chances = rows[:, number]
    joint = context_laws(chances)[..., None] * chances
    cube = joint.reshape(len(rows), *[symbols] * (window + 1))  # axis 1 is the oldest symbol
    found = {}
    for size in range(1, window + 1):
        for chosen in itertools.combinations(range(1, window + 1), size):
            others = tuple(1 + window - lag for lag in range(1, window + 1) if lag not in chosen)
            pair = cube.sum(axis=others).reshape(len(rows), -1, symbols)
            alone = pair.sum(axis=1, keepdims=True)
            found[chosen] = np.sum(pair**2 / alone, axis=(1, 2)) - np.sum(
                pair.sum(axis=2) ** 2, axis=1
            )
    return found


@functools.cache
def most_informative(
    lags: tuple[int, ...], symbols: int, window: int, tables: int, seed: int = 0
) -> tuple[int, ...]:
    """The set of lags with the most damped information, on average over flat Dirichlet tables."""
    drawn = np.random.default_rng(seed)
    rows = drawn.dirichlet(np.ones(symbols), (tables, symbols ** len(lags)))
    part = max(1, AT_ONCE // count_contexts(window, symbols) ** 2)
    total: dict[tuple[int, ...], float] = {}
    for first in range(0, tables, part):
        for chosen, values in damped_information(rows[first : first + part], lags, window).items():
            total[chosen] = total.get(chosen, 0.0) + float(values.sum())
    return max(total, key=total.__getitem__)
