"""Bigram-backcopy: a chain in which a trigger repeats the symbol before it.

Words begin with a start symbol. A symbol is followed by a draw from its row, but after a trigger
comes, for certain, the symbol that stood before the trigger. The first symbol is never a trigger,
and so a trigger is never repeated.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from foretell.numerics.stochastic import require_chances
from foretell.plain.errors import BadInput


class Backcopy(NamedTuple):
    """Rows of the chain, the law of the first symbol, and which symbols are triggers."""

    rows: Float[Array, "letter letter"]
    first: Float[Array, " letter"]
    triggers: Bool[Array, " letter"]

    @property
    def start(self) -> int:
        """The number of the start symbol: after all others."""
        return int(self.rows.shape[0])


def draw_backcopy(seed: int, symbols: int, triggers: int, alpha: float) -> Backcopy:
    """Dirichlet rows; the symbols most frequent in the long run are the triggers."""
    if not 1 <= triggers < symbols:
        raise BadInput(
            "no such number of triggers",
            seen=f"{triggers} of {symbols} symbols",
            why="at least one, and one symbol must be left to copy",
        )
    if alpha <= 0:
        raise BadInput("alpha is no Dirichlet weight", seen=alpha, why="it must be over 0")
    rows = np.random.default_rng(seed).dirichlet(np.full(symbols, alpha), symbols)
    # The long run's law times (rows - 1) is 0 and sums to 1: both at once, as one system.
    often = np.linalg.solve(rows.T - np.eye(symbols) + 1, np.ones(symbols))
    chosen = np.zeros(symbols, bool)
    chosen[np.argsort(-often)[:triggers]] = True
    first = np.where(chosen, 0.0, often)
    return Backcopy(
        jnp.asarray(rows, jnp.float32),
        jnp.asarray(first / first.sum(), jnp.float32),
        jnp.asarray(chosen),
    )


def sample_backcopy(law: Backcopy, length: int, key: Key[Array, ""]) -> Int[Array, " length"]:
    """The start symbol and `length` more."""
    require_chances(law.rows, square=True)
    ladder = jnp.cumsum(law.rows, axis=1)
    chances = jax.random.uniform(key, (length,))

    def draw(steps: Float[Array, " letter"], chance: Float[Array, ""]) -> Int[Array, ""]:
        return jnp.sum(chance * steps[-1] >= steps[:-1]).astype(jnp.int32)

    def follow(state: tuple[Array, Array], chance: Array) -> tuple[tuple[Array, Array], Array]:
        before, now = state
        after = jnp.where(law.triggers[now], before, draw(ladder[now], chance))
        return (now, after), after

    begun = draw(jnp.cumsum(law.first), chances[0])
    _, rest = jax.lax.scan(follow, (begun, begun), chances[1:])
    return jnp.concatenate([jnp.array([law.start], jnp.int32), begun[None], rest])


def next_laws(law: Backcopy, word: Int[Array, " length"]) -> Float[Array, "length letter"]:
    """The law of what follows each symbol of the word."""
    require_chances(law.rows, square=True)
    before = jax.nn.one_hot(jnp.roll(word, 1), law.start)
    known = jnp.minimum(word, law.start - 1)
    drawn = jnp.where(law.triggers[known][:, None], before, law.rows[known])
    return jnp.where((word == law.start)[:, None], law.first, drawn)
