"""Markov chains of any order on few symbols, each drawn from a prior: what is read in context.

A chain of order o is a table of rows, one for each context of o symbols. Contexts are numbered in
base S with the most recent symbol as the last digit, so that reading x moves context c to
(c·S + x) mod S^o. Everything is written for one chain and one word; `vmap` for many.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key, Real

from foretell.numerics.stochastic import require_chances
from foretell.plain.errors import BadInput

Kind = Literal["dirichlet", "doubly-stochastic", "unigram"]
Start = Literal["stationary", "uniform"]
KINDS = ("dirichlet", "doubly-stochastic", "unigram")
STARTS = ("stationary", "uniform")
MEMORY = 2**30  # bytes that one table may take before it is refused
BURN_IN = 16
SQUARINGS = 22  # four million steps of a chain
BALANCING = 200  # rounds of Sinkhorn's algorithm


@final
@dataclass(frozen=True)
class Prior:
    """Where rows come from.

    `dirichlet`: rows independent, Dirichlet(alpha, ..., alpha). `unigram`: one such row for all
    contexts. `doubly-stochastic`: Dirichlet rows balanced until, for every context but for its
    oldest symbol, columns also sum to 1; the stationary law is then uniform. With `floor` g every
    row π becomes g/S + (1-g)π, so that no chance is below g/S.
    """

    kind: Kind = "dirichlet"
    alpha: float = 1.0
    floor: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadInput("unknown prior of chains", seen=self.kind, hint=", ".join(KINDS))
        if not (self.alpha > 0 and math.isfinite(self.alpha)):
            raise BadInput("alpha is no Dirichlet weight", seen=self.alpha, why="it must be over 0")
        if not 0 <= self.floor <= 1:
            raise BadInput("the floor is no share", seen=self.floor, why="it must be in [0, 1]")


def sample_rows(
    key: Key[Array, ""], order: int, symbols: int, prior: Prior
) -> Float[Array, "state letter"]:
    """The rows of one chain: the law of the next symbol after each context of `order` symbols.

    >>> sample_rows(jax.random.key(0), 2, 3, Prior()).shape
    (9, 3)
    """
    contexts = count_contexts(order, symbols)
    drawn = 1 if prior.kind == "unigram" else contexts
    if prior.alpha == 1:  # far cheaper to draw and to compile than the general case
        rows = jax.random.exponential(key, (drawn, symbols))
        rows = rows / rows.sum(axis=1, keepdims=True)
    else:
        rows = jax.random.dirichlet(key, jnp.full(symbols, prior.alpha), (drawn,))
    if prior.kind == "doubly-stochastic":
        rows = balance(rows)
    rows = jnp.broadcast_to(rows, (contexts, symbols))
    return prior.floor / symbols + (1 - prior.floor) * rows


def stationary(rows: Float[Array, "state letter"]) -> Float[Array, " state"]:
    """The law of the context in the long run; if there are several, that of a uniform start.

    By squaring the matrix of moves, which compiles and runs far faster than a solver on many small
    chains. Half of the time a chain stays: that changes no law, and periods go away.

    >>> stationary(jnp.array([[0.5, 0.5], [0.25, 0.75]])).round(4).tolist()
    [0.33329999446868896, 0.666700005531311]
    """
    require_rows(rows)
    contexts, symbols = rows.shape
    after = (jnp.arange(contexts)[:, None] * symbols + jnp.arange(symbols)) % contexts
    moves = jnp.einsum("sl,slt->st", rows, jax.nn.one_hot(after, contexts, dtype=rows.dtype))

    def square(_: Any, moves: Array) -> Array:
        moves = moves @ moves
        return moves / moves.sum(axis=1, keepdims=True)

    moves = (moves + jnp.eye(contexts, dtype=rows.dtype)) / 2
    return jax.lax.fori_loop(0, SQUARINGS, square, moves).mean(axis=0)


def sample_words(
    key: Key[Array, ""],
    rows: Float[Array, "state letter"],
    length: int,
    symbols: int,
    start: Start = "stationary",
    burn_in: int = BURN_IN,
) -> Int[Array, " length"]:
    """One word of a chain, from its stationary law or from uniform symbols after a `burn_in`.

    The first `order` symbols are the context it starts from; the rest follow the rows.
    """
    order = order_of(rows, symbols)
    require_chances(rows)
    if start not in STARTS:
        raise BadInput("unknown start of a chain", seen=start, hint=" or ".join(STARTS))
    require_length(length, order)
    skipped = burn_in if start == "uniform" else 0
    contexts = len(rows)
    # One draw for all: every further one costs half a second to compile.
    chances = jax.random.uniform(key, (1 + skipped + length - order,), rows.dtype)
    law = stationary(rows) if start == "stationary" else jnp.full(contexts, 1 / contexts)
    first = _draw(law, chances[0])
    ladder = jnp.cumsum(rows, axis=1)

    def read(context: Array, chance: Array) -> tuple[Array, Array]:
        letter = jnp.sum(chance * ladder[context, -1] >= ladder[context, :-1])
        return (context * symbols + letter) % contexts, letter

    _, letters = jax.lax.scan(read, first, chances[1:])
    digits = first // symbols ** jnp.arange(order - 1, -1, -1) % symbols
    return jnp.concatenate([digits, letters])[skipped:].astype(jnp.int32)


def contexts_of(word: Int[Array, " length"], size: int, symbols: int) -> Int[Array, " length"]:
    """The number of the last `size` symbols at every position; -1 where there are fewer.

    >>> contexts_of(jnp.array([1, 0, 1, 1]), 2, 2).tolist()
    [-1, 2, 1, 3]
    """
    require_length(word.shape[0], size)
    count_contexts(size, symbols)
    place, code = jnp.arange(word.shape[0]), jnp.zeros_like(word)
    for back in range(size):
        code = code + jnp.roll(word, back) * symbols**back
    return jnp.where(place >= size - 1, code, -1)


def order_of(rows: Real[Any, "*batch state letter"], symbols: int) -> int:
    """How many symbols a context has, from the number of rows."""
    contexts, letters = rows.shape[-2:]
    order = round(math.log(contexts, symbols)) if symbols > 1 else -1
    if letters != symbols or order < 0 or symbols**order != contexts:
        raise BadInput(
            "these are not the rows of a chain",
            seen=f"{contexts} rows of {letters} chances for {symbols} symbols",
            why="there must be a row for each context, each with a chance for every symbol",
        )
    return order


def require_rows(rows: Real[Any, "*batch state letter"]) -> None:
    """Rows given from outside, of one chain or of many: chances, and a row for each context."""
    require_chances(rows)
    order_of(rows, rows.shape[-1])


def require_length(length: int, context: int) -> None:
    """A word must hold at least one context."""
    if length < max(context, 1):
        raise BadInput(
            "the context is longer than the sequence",
            seen=f"{context} symbols of context, {length} in the sequence",
            why="no position has that many symbols before it",
            hint=f"a sequence of at least {max(context, 1)}",
        )


def count_contexts(order: int, symbols: int) -> int:
    """S^o, unless the table of moves between contexts would not fit in memory."""
    if order < 0 or symbols < 2:
        raise BadInput(
            "no such chain",
            seen=f"order {order} on {symbols} symbols",
            why="the order is at least 0 and there are at least 2 symbols",
        )
    require_memory(symbols ** (2 * order) * 4, f"order {order} on {symbols} symbols")
    return symbols**order


def every_word(symbols: int, length: int) -> Int[np.ndarray, "batch length"]:
    """All words of that length, in order, for populations without sampling error.

    >>> every_word(2, 2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    require_length(length, 1)
    require_memory(symbols**length * length * 8, f"all words of {length} from {symbols} symbols")
    digits = symbols ** np.arange(length - 1, -1, -1)
    return (np.arange(symbols**length)[:, None] // digits % symbols).astype(np.int32)


def require_memory(needed: int, what: str, allowed: int = MEMORY) -> None:
    """Say how much it would take, before taking it."""
    if needed > allowed:
        raise BadInput(
            "too large to enumerate",
            seen=what,
            why=f"it takes {_bytes(needed)} of memory, and {_bytes(allowed)} is allowed",
            hint="fewer symbols, a lower order, shorter sequences, or sampling",
        )


def _bytes(count: int) -> str:
    """In words; Python's whole numbers, since 10^400 is a population one can ask for.

    >>> _bytes(3 * 2**30)
    '3 GiB'
    """
    if count < 2**50:
        return f"{count / 2**30:.3g} GiB"
    return f"10^{math.log10(count):.0f} bytes"


def _draw(law: Float[Array, " state"], chance: Float[Array, ""]) -> Int[Array, ""]:
    ladder = jnp.cumsum(law)
    return jnp.sum(chance * ladder[-1] >= ladder[:-1])


def balance(rows: Float[Array, "state letter"]) -> Float[Array, "state letter"]:
    """Doubly stochastic rows near these, by Sinkhorn's algorithm.

    The oldest symbol of the context against the next one, in turn.
    """
    symbols = rows.shape[1]
    if len(rows) == 1:
        return jnp.full_like(rows, 1 / symbols)
    blocks = rows.reshape(symbols, -1, symbols)

    def round_(_: Any, blocks: Array) -> Array:
        blocks = blocks / blocks.sum(axis=0, keepdims=True)
        return blocks / blocks.sum(axis=2, keepdims=True)

    blocks = jnp.maximum(blocks, jnp.finfo(rows.dtype).tiny ** 0.5)
    return jax.lax.fori_loop(0, BALANCING, round_, blocks).reshape(rows.shape)
