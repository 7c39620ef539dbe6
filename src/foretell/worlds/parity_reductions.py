"""Parity answered by other tasks: why nothing that stays within AC0 can do any of them.

Each reduction turns a word of bits into one input of the other task, letter by letter, or into a
few inputs whose answers are joined by one OR: changes that circuits of constant depth can make.
So if the other task had such circuits, parity would, and it has not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Bool, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

Words = Int[np.ndarray, "batch bit"]
Answers = Bool[np.ndarray, " batch"]


def by_majority(words: Words) -> Answers:
    """At least k ones is a majority among the bits and constants; odd: k ones and not k + 1."""
    count = words.shape[1]

    def at_least(ones: int) -> Answers:
        padded = np.concatenate([words, np.ones((len(words), count + 1 - ones), int)], axis=1)
        zeros = np.zeros((len(words), ones), int)
        both = np.concatenate([padded, zeros], axis=1)  # more than half of 2n + 1
        return 2 * both.sum(axis=1) > both.shape[1]

    exactly = [at_least(k) & ~at_least(k + 1) for k in range(1, count + 1, 2)]
    return np.any(exactly, axis=0)


def by_brackets(words: Words) -> Answers:
    """2k brackets open, then )) for a one and () for a zero: balanced if there are k ones."""
    count = words.shape[1]
    tails = np.where(words[..., None] == 1, [-1, -1], [1, -1]).reshape(len(words), -1)
    balanced = []
    for ones in range(1, count + 1, 2):
        heads = np.ones((len(words), 2 * ones), int)
        depth = np.concatenate([heads, tails], axis=1).cumsum(axis=1)
        balanced.append((depth.min(axis=1) >= 0) & (depth[:, -1] == 0))
    return np.any(balanced, axis=0)


def by_permutations(words: Words, points: int | None = None) -> Answers:
    """A swap for every one, of points that are five or as many as there are bits."""
    number = words.shape[1] if points is None else points
    swap = np.array([1, 0, *range(2, number)])
    found = np.tile(np.arange(number), (len(words), 1))
    for bit in words.T:
        found = np.where(bit[:, None] == 1, swap[found], found)
    return found[:, 0] == 1


def by_paths(words: Words, *, directed: bool) -> Answers:
    """Two rails: a zero leads straight on, a one crosses. Is the other rail's end reached?

    The graphs of all words are one graph of so many parts, searched from all their starts.
    """
    count, length = words.shape
    nodes = np.arange(count * (length + 1) * 2).reshape(count, length + 1, 2)
    crossed = np.where(words[..., None] == 1, nodes[:, 1:, ::-1], nodes[:, 1:])
    arrows = (np.ones(crossed.size), (nodes[:, :-1].ravel(), crossed.ravel()))
    graph = csr_array(arrows, shape=(nodes.size, nodes.size))
    far = dijkstra(graph, directed=directed, indices=nodes[:, 0, 0], unweighted=True)
    return np.isfinite(far[np.arange(count), nodes[:, -1, 1]])


def by_gates(words: Words) -> Answers:
    """A chain of gates of fan-in two: a XOR b as (a OR b) AND NOT (a AND b)."""
    value = np.zeros(len(words), bool)
    for bit in words.T.astype(bool):
        value = (value | bit) & ~(value & bit)
    return value


REDUCTIONS: dict[str, Callable[[Words], Answers]] = {
    "majority": by_majority,
    "dyck": by_brackets,
    "s5-word": lambda words: by_permutations(words, 5),
    "iterated-permutation": by_permutations,
    "undirected-connectivity": lambda words: by_paths(words, directed=False),
    "directed-connectivity": lambda words: by_paths(words, directed=True),
    "circuit-value": by_gates,
}
