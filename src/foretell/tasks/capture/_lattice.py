"""Random geometric graphs on a fine lattice: points, who is joined to whom, and how densely.

Points have whole coordinates, from 0 to 4,095 in both directions of the unit square. Distances are
then compared in whole numbers, so host and device agree on every edge; at 1,024 points the radius
is 150 steps of the lattice and the degree within a thousandth of that of real coordinates.
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Int64, Key, UInt32
from scipy.sparse import csr_array
from scipy.spatial import cKDTree

from foretell.plain.errors import BadInput

SIDE = 4096
LANES = 32  # bits of a word
SOURCE, TARGET = 0, 1
MOST_DEGREE = 256.0


def radius(size: int, degree: float) -> float:
    """Nodes nearer than this are joined; the expected degree is then `degree`, borders set aside.

    >>> round(radius(1000, 4.52), 5)
    0.03793
    """
    return math.sqrt(degree / (math.pi * size))


def expected_degree(size: int, degree: float, torus: bool = False) -> float:
    """What the mean degree really is: a node does not count itself, and a border costs some.

    >>> round(expected_degree(1000, 4.52), 3), round(expected_degree(1000, 4.52, torus=True), 3)
    (4.371, 4.515)
    """
    reach = radius(size, degree)
    if reach > (0.5 if torus else 1.0):
        raise BadInput(
            "the radius reaches around the whole graph",
            seen=f"{reach:.3f} for {size} nodes of degree {degree:g}",
            hint="more nodes or a smaller degree",
        )
    disc = math.pi * reach**2
    return (size - 1) * (disc if torus else disc - 8 / 3 * reach**3 + reach**4 / 2)


def squared_reach(degree: float) -> int:
    """The squared radius of a graph with one node, in lattice steps; divide it by the size.

    Whole numbers only: rounding down twice is rounding down once.
    """
    return math.floor(degree * SIDE**2 / math.pi)


def draw_points(key: Key[Array, ""], count: int) -> Int[Array, "length part"]:
    """Uniform points of the lattice."""
    return jax.random.randint(key, (count, 2), 0, SIDE)


def packed_neighbours(
    points: Int[Array, "length part"],
    size: int | Int[Array, ""],
    squared: int | Int[Array, ""],
    torus: bool,
) -> UInt32[Array, "length bit"]:
    """[node, word]: bit u of row v says that u and v are joined. Nodes from `size` on are not."""
    apart = jnp.abs(points[:, None] - points[None])
    if torus:
        apart = jnp.minimum(apart, SIDE - apart)
    number = jnp.arange(len(points))
    there = (number < size)[:, None] & (number < size) & (number[:, None] != number)
    return pack(((apart**2).sum(axis=-1) <= squared) & there)


def pack(bits: Bool[Array, "*length key"]) -> UInt32[Array, "*length bit"]:
    """Thirty-two bits a word, the first in the lowest place.

    >>> pack(jnp.array([True, False, True])).tolist()
    [5]
    """
    room = -bits.shape[-1] % LANES
    padded = jnp.pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, room)])
    lanes = padded.reshape(*bits.shape[:-1], -1, LANES).astype(jnp.uint32)
    return (lanes << jnp.arange(LANES, dtype=jnp.uint32)).sum(axis=-1, dtype=jnp.uint32)


def unpack(words: UInt32[Array, " bit"], count: int) -> Bool[Array, " key"]:
    """The first `count` bits of one row."""
    lanes = (words[:, None] >> jnp.arange(LANES, dtype=jnp.uint32)) & jnp.uint32(1)
    return lanes.reshape(-1)[:count].astype(bool)


def host_edges(
    points: Int[np.ndarray, "length part"], degree: float, torus: bool
) -> Int64[np.ndarray, "draw part"]:
    """The same edges on the host, each pair once, found by a tree and checked in whole numbers."""
    squared = squared_reach(degree) // len(points)
    tree = cKDTree(points, boxsize=SIDE if torus else None)
    pairs = tree.query_pairs(math.sqrt(squared) + 0.5, output_type="ndarray").astype(np.int64)
    apart = np.abs(points[pairs[:, 0]].astype(np.int64) - points[pairs[:, 1]])
    if torus:
        apart = np.minimum(apart, SIDE - apart)
    return pairs[(apart**2).sum(axis=1) <= squared]


def host_arcs(pairs: Int64[np.ndarray, "draw part"], count: int) -> csr_array:
    """Unit capacities: both ways between relays, only out of the source, only into the target."""
    both = np.concatenate([pairs, pairs[:, ::-1]])
    kept = both[(both[:, 0] != TARGET) & (both[:, 1] != SOURCE)]
    ones = np.ones(len(kept), np.int32)
    return csr_array((ones, (kept[:, 0], kept[:, 1])), shape=(count, count))
