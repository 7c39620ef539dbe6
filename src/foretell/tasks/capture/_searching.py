"""Hop distances and largest flows between source and target, for one packed graph.

A step of the search looks at every node and every word of its row, T²/32 words in all. Flows grow
one shortest path at a time; there are no more paths than the smaller degree of the two ends, so the
cost of a flow is a few searches. Arcs into the source and out of the target carry nothing that a
shortest path could use, so the graph is searched as it is, without directions.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int, UInt32

from foretell.tasks.capture._lattice import LANES, SOURCE, TARGET, pack, unpack

UNREACHED = -1


def find_levels(arriving: UInt32[Array, "length bit"]) -> Int[Array, " length"]:
    """How many hops each node is from the source; the search ends once the target is met."""
    start = jnp.full(len(arriving), UNREACHED, jnp.int32).at[SOURCE].set(0)

    def step(
        state: tuple[Int[Array, " length"], Int[Array, ""], Bool[Array, ""]],
    ) -> tuple[Int[Array, " length"], Int[Array, ""], Bool[Array, ""]]:
        levels, depth, _ = state
        touched = ((arriving & pack(levels == depth)) != 0).any(axis=1)
        fresh = touched & (levels == UNREACHED)
        return jnp.where(fresh, depth + 1, levels), depth + 1, fresh.any() & ~fresh[TARGET]

    state = (start, jnp.int32(0), jnp.bool_(True))
    return lax.while_loop(lambda state: state[2], step, state)[0]


def hop_distance(arriving: UInt32[Array, "length bit"]) -> Int[Array, ""]:
    """Fewest hops from source to target, -1 where there is no way."""
    return find_levels(arriving)[TARGET]


def cut_size(arriving: UInt32[Array, "length bit"]) -> Int[Array, ""]:
    """Fewest edges that part source from target: as many as there are paths without shared arcs."""

    def one_more(
        state: tuple[UInt32[Array, "length bit"], Int[Array, ""], Bool[Array, ""]],
    ) -> tuple[UInt32[Array, "length bit"], Int[Array, ""], Bool[Array, ""]]:
        arriving, flow, _ = state
        levels = find_levels(arriving)
        found = levels[TARGET] != UNREACHED
        return _send(arriving, _trace_back(arriving, levels)), flow + found, found

    state = (arriving, jnp.int32(0), jnp.bool_(True))
    return lax.while_loop(lambda state: state[2], one_more, state)[1]


def _trace_back(
    arriving: UInt32[Array, "length bit"], levels: Int[Array, " length"]
) -> Int[Array, " length"]:
    """For each node of one shortest path the node before it; -1 for all others."""
    count = len(arriving)

    def back(
        state: tuple[Int[Array, ""], Int[Array, " length"]],
    ) -> tuple[Int[Array, ""], Int[Array, " length"]]:
        node, before = state
        candidates = unpack(arriving[node], count) & (levels == levels[node] - 1)
        previous = jnp.argmax(candidates).astype(jnp.int32)
        return previous, before.at[node].set(previous)

    start = jnp.where(levels[TARGET] == UNREACHED, SOURCE, TARGET).astype(jnp.int32)
    nothing = jnp.full(count, UNREACHED, jnp.int32)
    return lax.while_loop(lambda state: state[0] != SOURCE, back, (start, nothing))[1]


def _send(
    arriving: UInt32[Array, "length bit"], before: Int[Array, " length"]
) -> UInt32[Array, "length bit"]:
    """What is left after one unit more along a path.

    An arc is closed by a unit along it, unless a unit came the other way: then both cancel, and
    the way back is open again.
    """
    node, used = jnp.arange(len(before)), before != UNREACHED
    previous = jnp.where(used, before, 0)
    one = jnp.uint32(1)
    this_bit = one << (node % LANES).astype(jnp.uint32)
    that_bit = one << (previous % LANES).astype(jnp.uint32)
    cancels = used & ((arriving[previous, node // LANES] & this_bit) == 0)
    nothing = jnp.uint32(0)
    opened = jnp.where(cancels, this_bit, nothing)
    closed = jnp.where(used & ~cancels, that_bit, nothing)
    arriving = arriving.at[previous, node // LANES].add(opened)  # that bit was 0
    return arriving.at[node, previous // LANES].add(nothing - closed)  # that bit was 1
