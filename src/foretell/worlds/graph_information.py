"""χ² information between the places of a tree, and the gradient that goes by it.

Of two symbols with joint law P the information is Σ P(x, y)²/(P(x)P(y)) - 1. What passes through a
channel can only lose some, so that of all earlier places the parent knows most about its child.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from foretell.models.disentangled import Disentangled, answer, create
from foretell.numerics.stochastic import require_chances
from foretell.plain.errors import BadInput
from foretell.worlds.chains import Prior
from foretell.worlds.graph_trees import require_parents, sample_examples

SHARPNESS, FLOOR, AT_ONCE = 1.0, 0.01, 4096


class Kinship(NamedTuple):
    """For each pair of places: steps down to each from where their ways join; are they related."""

    first: Int[np.ndarray, "length length"]
    second: Int[np.ndarray, "length length"]
    related: Bool[np.ndarray, "length length"]


def kinship(parents: Sequence[int]) -> Kinship:
    """How each pair of places hangs together.

    >>> found = kinship((-1, 0, 0, 1))
    >>> int(found.first[3, 2]), int(found.second[3, 2]), bool(found.related[3, 2])
    (2, 1, True)
    """
    lines: list[list[int]] = []
    for place, parent in enumerate(require_parents(parents)):
        lines.append([place, *(lines[parent] if parent >= 0 else [])])
    nodes = len(lines)
    first, second = np.zeros((2, nodes, nodes), int)
    related = np.zeros((nodes, nodes), bool)
    for one, other in itertools.product(range(nodes), repeat=2):
        joined = next((place for place in lines[one] if place in lines[other]), None)
        if joined is not None:
            first[one, other] = lines[one].index(joined)
            second[one, other] = lines[other].index(joined)
            related[one, other] = True
    return Kinship(first, second, related)


def chi_square(
    rows: Float[np.ndarray, "*batch token label"], parents: Sequence[int]
) -> Float[np.ndarray, "*batch length length"]:
    """Closed form of Σ P(x, y)²/(P(x)P(y)) - 1 for every pair of places, for given rows.

    The stationary law reigns everywhere. With the pair's ways joining after a and b steps,
    P(x, y) = Σ_z μ(z) P^a(z, x) P^b(z, y).
    """
    kin, symbols = kinship(parents), rows.shape[-1]
    law = np.asarray(stationary_laws(rows))
    powers = [np.broadcast_to(np.eye(symbols), rows.shape)]
    for _ in range(int(kin.first.max())):
        powers.append(powers[-1] @ rows)
    table = np.stack(powers)
    joint = np.einsum("...z,pq...zx,pq...zy->...pqxy", law, table[kin.first], table[kin.second])
    products = law[..., :, None] * law[..., None, :]
    return ((joint**2 / products[..., None, None, :, :]).sum(axis=(-1, -2)) - 1) * kin.related


def stationary_laws(rows: Float[np.ndarray, "*batch token label"]) -> np.ndarray:
    """Of each table of a batch."""
    require_chances(rows, square=True)
    flat = rows.reshape(-1, *rows.shape[-2:])
    system = np.swapaxes(flat, -1, -2) - np.eye(rows.shape[-1]) + 1
    law = np.linalg.solve(system, np.ones((len(flat), rows.shape[-1], 1)))[..., 0]
    return law.reshape(rows.shape[:-1])


def parent_share(
    scores: Float[np.ndarray, "length length"], parents: Sequence[int], itself: bool = False
) -> float:
    """Of the places with a parent, the share whose highest score is at the parent.

    All earlier places compete, and the place itself if it may be chosen.

    >>> parent_share(np.array([[0, 0, 0], [5, 9, 0], [1, 2, 1.0]]), (-1, 0, 0))
    0.5
    """
    children = [place for place, parent in enumerate(parents) if parent >= 0]
    if not children:
        raise BadInput("no place has a parent", seen=list(parents), why="nothing can be recovered")
    best = [int(np.argmax(scores[place, : place + itself])) for place in children]
    return float(
        np.mean([parents[place] == found for place, found in zip(children, best, strict=True)])
    )


def edge_mean(scores: Float[np.ndarray, "length length"], parents: Sequence[int]) -> float:
    """Mean over the places that have a parent."""
    return float(np.mean([scores[i, parent] for i, parent in enumerate(parents) if parent >= 0]))


def counted_information(
    table: Float[np.ndarray, "token label"], parents: Sequence[int], count: int, seed: int
) -> Float[np.ndarray, "length length"]:
    """The same between parent and child, from the frequencies of pairs in sampled words."""
    symbols, drawn = len(table), np.random.default_rng(seed)
    ladder = np.cumsum(np.vstack([table, stationary_laws(table)]), axis=1)[:, :-1]
    words = np.zeros((len(parents), count), int)
    found = np.zeros((len(parents), len(parents)))
    for place, parent in enumerate(require_parents(parents)):
        above = np.full(count, symbols) if parent < 0 else words[parent]
        words[place] = (drawn.random(count)[:, None] >= ladder[above]).sum(axis=1)
        if parent >= 0:
            pairs = np.bincount(words[place] * symbols + words[parent], minlength=symbols**2)
            joint = pairs.reshape(symbols, symbols) / count
            alone = np.outer(joint.sum(axis=1), joint.sum(axis=0))
            found[place, parent] = np.sum(joint**2 / np.where(alone > 0, alone, 1)) - 1
    return found


def matching_point(symbols: int, length: int, sharpness: float) -> Disentangled:
    """First attention uniform; the second compares the question with what was copied.

    What the second attention reads is the answer itself, as chances: the point at which the
    theorem takes the gradient of the first attention.
    """
    blank, width = create(symbols, length), symbols + length
    second, readout = np.array(blank.attention[1]), np.array(blank.readout)
    second[0, :symbols, width : width + symbols] = sharpness * np.eye(symbols)
    readout[2 * width : 2 * width + symbols] = np.eye(symbols)
    return Disentangled((blank.attention[0], jnp.asarray(second)), jnp.asarray(readout))


def first_gradient(
    parents: Sequence[int], symbols: int, count: int, key: Key[Array, ""]
) -> Float[np.ndarray, "length length"]:
    """Downhill direction of the first attention between places, at the matching point."""
    tree, point = jnp.array([parents]), matching_point(symbols, len(parents) + 1, SHARPNESS)

    def loss(first: Array, word: Array, row: Array) -> Array:
        chances = answer(point._replace(attention=(first, point.attention[1])), word)
        return -jnp.sum(row * jnp.log(chances + FLOOR))

    def slope(key: Array) -> Array:
        shown = sample_examples(key, tree, min(AT_ONCE, count), symbols, Prior())
        each = jax.vmap(jax.grad(loss), (None, 0, 0))
        return each(point.attention[0], shown.word[0], shown.row[0]).mean(axis=0)

    keys = jax.random.split(key, max(1, count // AT_ONCE))
    slopes = jax.jit(lambda keys: jax.lax.map(slope, keys).mean(axis=0))(keys)
    return -np.asarray(slopes)[0, symbols:-1, symbols:-1]
