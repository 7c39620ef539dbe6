"""Who can reach whom in a graph, by attention: squaring as layers, a frontier as steps.

A position is a node and holds a row of bits, the nodes it is known to reach. It attends evenly to
the nodes in its own row, reads the mean of their rows, and its MLP makes a 1 of what is at least
1/n. If what they hold is what they know already, lengths double with every layer: that is squaring
a Boolean matrix. If it is the edges alone, lengths grow by one: that is a step of breadth-first
search. The weights are the same in every layer.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

Rows = Float[np.ndarray, "batch query key"]
Truth = Bool[np.ndarray, "batch query key"]


class Told(NamedTuple):
    """Pairs of nodes with the wrong answer, at first and after every round; the first graph's."""

    wrong: Int[np.ndarray, "_round batch"]
    first: Bool[np.ndarray, "_round query key"]


def require_graphs(edges: Rows) -> Rows:
    """Adjacency of some graphs, 0 or 1; everyone reaches itself."""
    if edges.ndim != 3 or edges.shape[1] != edges.shape[2] or not np.isin(edges, (0, 1)).all():
        raise BadInput(
            "this is no adjacency matrix",
            seen=f"shape {edges.shape}",
            why="a graph of n nodes is n rows of n numbers, each 0 or 1",
        )
    return np.maximum(edges, np.eye(edges.shape[1])).astype(float)


def followed(
    asking: Float[Array, "query key"], held: Float[Array, "key key"], sharpness: float
) -> Float[Array, "query key"]:
    """One layer: everyone attends to the nodes in its row and takes over what they hold."""
    nodes = held.shape[0]
    read = jax.nn.softmax(sharpness * asking, axis=-1) @ held
    # Two ReLUs: 0 up to 1/2n, 1 from 1/n on, whatever the soft attention leaked.
    scaled = 2 * nodes * read
    return jax.nn.relu(scaled - 1) - jax.nn.relu(scaled - 2)


def squarings(edges: Rows, truth: Truth, rounds: int, sharpness: float) -> Told:
    """Layers that read what is known already; before the first, the edges are."""
    return _run(edges, truth, rounds, True, sharpness)


def frontier_steps(edges: Rows, truth: Truth, steps: int, sharpness: float) -> Told:
    """Steps of a search from every node that read the edges; before the first it knows itself."""
    return _run(edges, truth, steps, False, sharpness)


def _run(edges: Rows, truth: Truth, rounds: int, squaring: bool, sharpness: float) -> Told:
    graphs = require_graphs(edges)
    least = math.log(2 * edges.shape[1] ** 2)
    if sharpness <= least:
        raise BadInput(
            "attention is too blunt for a graph of that size",
            seen=f"κ = {sharpness:g}, {edges.shape[1]} nodes",
            why="nodes outside the row would be read as if they were in it",
            hint=f"more than {least:.1f}",
        )
    with double_precision():
        return Told(*map(np.asarray, _rounds(graphs, truth, rounds, squaring, sharpness)))


@functools.partial(jax.jit, static_argnames=("rounds", "squaring", "sharpness"))
def _rounds(
    edges: Array, truth: Array, rounds: int, squaring: bool, sharpness: float
) -> tuple[Array, Array]:
    layer = jax.vmap(functools.partial(followed, sharpness=sharpness))

    def look(known: Array) -> tuple[Array, Array]:
        return ((known > 0.5) != truth).sum(axis=(1, 2)), known[0] > 0.5

    def step(known: Array, _: None) -> tuple[Array, tuple[Array, Array]]:
        after = layer(known, known if squaring else edges)
        return after, look(after)

    first = edges if squaring else jnp.broadcast_to(jnp.eye(edges.shape[1]), edges.shape)
    later = jax.lax.scan(step, first, None, rounds)[1]
    return jax.tree.map(lambda one, more: jnp.concatenate([one[None], more]), look(first), later)
