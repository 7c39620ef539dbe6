"""Trees in which every symbol is drawn from its parent's row: parent maps, words, counting.

A parent map gives every place an earlier place, or -1 for a root. All places share one table of
rows, drawn afresh for each word: the graph stays, the rows have to be read in context. The word
ends with one symbol more, drawn uniformly, and the question is what its child would be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from foretell.numerics.stochastic import require_chances
from foretell.plain.errors import BadInput
from foretell.worlds.chains import Prior, sample_rows, stationary
from foretell.worlds.n_grams import smoothed

MANUAL = (-1, 0, 0, 1, 2)
FAMILIES = ("chain", "pairs", "random", "manual")


class Example(NamedTuple):
    """A word whose last symbol is the question, and the row that answers it."""

    word: Int[Array, "... length"]
    row: Float[Array, "... label"]


def tree(family: str, nodes: int, seed: int = 0) -> tuple[int, ...]:
    """The parent map of a family: `chain`, `pairs`, `random` (any earlier place or none), `manual`.

    >>> tree("chain", 4), tree("pairs", 5)
    ((-1, 0, 1, 2), (-1, 0, -1, 2, -1))
    """
    if family == "manual":
        return MANUAL
    if nodes < 1:
        raise BadInput("no such tree", seen=f"{nodes} places", why="there is at least one")
    if family == "chain":
        return tuple(range(-1, nodes - 1))
    if family == "pairs":
        return tuple(place - 1 if place % 2 else -1 for place in range(nodes))
    if family == "random":
        drawn = np.random.default_rng(seed).integers(-1, np.arange(nodes))
        return tuple(int(parent) for parent in drawn)
    raise BadInput("unknown family of trees", seen=family, hint=", ".join(FAMILIES))


def require_parents(parents: Sequence[int]) -> tuple[int, ...]:
    """A parent map given from outside: every place has an earlier one, or -1."""
    if not len(parents):
        raise BadInput("the parent map is empty", seen=list(parents))
    for place, parent in enumerate(parents):
        if isinstance(parent, bool) or not isinstance(parent, int | np.integer):
            raise BadInput(
                "a parent is a place", seen=f"place {place} has {parent!r}", why="a whole number"
            )
        if not -1 <= parent < place:
            raise BadInput(
                "this is not a parent map",
                seen=f"place {place} has parent {parent}",
                why="a parent is an earlier place, counted from 0; -1 stands for none",
                hint="[-1, 0, 0, 1, 2]",
            )
    return tuple(int(parent) for parent in parents)


def grow(
    parents: Int[Array, " set"],
    rows: Float[Array, "token label"],
    chances: Float[Array, " length"],
) -> Example:
    """One word from uniform chances: roots follow the stationary law, the question is uniform."""
    require_chances(rows, square=True)
    symbols, places = rows.shape[0], jnp.arange(parents.shape[0])
    # the stationary law as one row more, so that a root's parent is the symbol after the last
    ladder = jnp.cumsum(jnp.concatenate([rows, stationary(rows)[None]]), axis=1)
    ladder = ladder / ladder[:, -1:]

    def draw(word: Array, place: Array) -> tuple[Array, None]:
        above = jnp.where(parents[place] < 0, symbols, word[parents[place]])
        letter = jnp.sum(chances[place] >= ladder[above, :-1])
        return word.at[place].set(letter.astype(jnp.int32)), None

    last = jnp.minimum(jnp.int32(chances[-1] * symbols), symbols - 1)
    word = jnp.zeros(len(chances), jnp.int32).at[-1].set(last)
    word, _ = jax.lax.scan(draw, word, places)
    return Example(word, rows[last])


def sample_examples(
    key: Key[Array, ""], parents: Int[Array, "member set"], count: int, symbols: int, prior: Prior
) -> Example:
    """Words of several trees with equally many places, `count` each, every word with its own table.

    Flat Dirichlet rows are exponentials made to sum to 1, so that one draw serves for all: it is
    what a step of training spends its time on, and most of what it takes to compile one.
    """
    members, nodes = parents.shape
    table, length = symbols * symbols, nodes + 1
    if prior == Prior():
        drawn = jax.random.uniform(key, (members, count, table + length))
        flat = -jnp.log1p(-drawn[..., :table]).reshape(members, count, symbols, symbols)
        rows, chances = flat / flat.sum(axis=-1, keepdims=True), drawn[..., table:]
    else:
        rows_key, word_key = jax.random.split(key)
        keys = jax.random.split(rows_key, (members, count))
        rows = jax.vmap(jax.vmap(lambda one: sample_rows(one, 1, symbols, prior)))(keys)
        chances = jax.random.uniform(word_key, (members, count, length))
    return jax.vmap(lambda tree, *batch: jax.vmap(lambda *one: grow(tree, *one))(*batch))(
        parents, rows, chances
    )


def child_counts(
    word: Int[Array, " length"], parents: Int[Array, " set"], symbols: int
) -> Float[Array, " label"]:
    """Of each symbol, how often it stands below a parent that equals the question."""
    nodes = word[:-1]
    below = (parents >= 0) & (nodes[parents] == word[-1])
    return below.astype(jnp.float32) @ jax.nn.one_hot(nodes, symbols)


def counted(
    word: Int[Array, " length"], parents: Int[Array, " set"], symbols: int, alpha: float
) -> Float[Array, " label"]:
    """The best answer for Dirichlet rows, but for what little the roots tell of them."""
    return jnp.asarray(smoothed(child_counts(word, parents, symbols), alpha))
