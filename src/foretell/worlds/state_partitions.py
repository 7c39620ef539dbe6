"""What a state of few bits knows of the word that led to it.

All words are read at once; words that end in the same state cannot be told apart any more. How
well each bit of the word can still be guessed, by the best guess in every state, is then a matter
of counting, and so are all copies and disjointness tests that start from the state.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int
from scipy.special import entr

from foretell.constructions.flat_error import all_inputs
from foretell.models.recurrent import Cell, Memory
from foretell.plain.errors import BadInput


class Known(NamedTuple):
    """Of each partition: how many states, and what its best guesses get right."""

    states: Int[np.ndarray, " member"]
    accuracies: Float[np.ndarray, "member bit"]
    copied: Float[np.ndarray, " member"]  # share of words that one guess a state gets all right

    @property
    def information(self) -> Float[np.ndarray, " member"]:
        """Σ(1 - h₂(accuracy)) over the bits: at most the logarithm of the states."""
        wrong = entr(self.accuracies) + entr(1 - self.accuracies)
        return np.sum(1 - wrong / np.log(2), axis=1)

    @property
    def state_bits(self) -> Float[np.ndarray, " member"]:
        """Logarithm of the number of states."""
        return np.log2(self.states)


def all_words(bits: int) -> Int[np.ndarray, "batch bit"]:
    """Every word of so many bits; refused where there are none or too many.

    >>> all_words(2).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    if bits < 1:
        raise BadInput("a word has at least one bit", seen=f"{bits} bits")
    return all_inputs(bits)


def read_words(
    cell: Cell,
    units: Bool[Array, " hidden"],
    precision: Int[Array, ""],
    words: Int[Array, "batch bit"],
) -> Int[Array, "batch part"]:
    """The state after each word, as whole numbers of so many bits: one for each number kept.

    After every step each number is rounded to one of 2^p levels between -1 and 1. Units that are
    not in use stay at zero, so that cells of different width run as one program.
    """
    levels = 2.0**precision
    sums = jnp.swapaxes(cell.inputs(2.0 * words[..., None] - 1), 0, 1)

    def rounded(kept: Float[Array, "batch hidden"]) -> Float[Array, "batch hidden"]:
        return jnp.clip(jnp.floor((kept + 1) / 2 * levels), 0, levels - 1)

    def step(
        memory: Memory, now: Float[Array, "batch part"]
    ) -> tuple[Memory, Int[Array, "batch part"]]:
        new = [rounded(kept) for kept in cell.step(memory, now, memory[0] @ cell.states)]
        whole = [jnp.where(units, each, 0) for each in new]
        values = [jnp.where(units, (each + 0.5) / levels * 2 - 1, 0.0) for each in new]
        return tuple(values), jnp.concatenate(whole, axis=1).astype(jnp.int32)

    def last(
        number: Int[Array, ""], state: tuple[Memory, Int[Array, "batch part"]]
    ) -> tuple[Memory, Int[Array, "batch part"]]:
        return step(state[0], sums[number])

    empty = cell.empty(words.shape[0])
    nothing = jnp.zeros((words.shape[0], cell.memories * empty[0].shape[1]), jnp.int32)
    return jax.lax.fori_loop(0, words.shape[1], last, (empty, nothing))[1]


def same_state(states: Int[np.ndarray, "member batch part"]) -> Int[np.ndarray, "member batch"]:
    """Numbers the different states of each member: equal rows get equal numbers.

    >>> same_state(np.array([[[5, 1], [5, 2], [5, 1]]])).tolist()
    [[0, 1, 0]]
    """
    found = np.zeros(states.shape[:2], np.int64)
    step = int(states.max(initial=0)) + 1
    for column in np.moveaxis(states, -1, 0):  # numbers stay small, however wide the state
        found = _ranks(found * step + column)
    return found


def _ranks(numbers: Int[np.ndarray, "member batch"]) -> Int[np.ndarray, "member batch"]:
    order = np.argsort(numbers, axis=1, kind="stable")
    ordered = np.take_along_axis(numbers, order, axis=1)
    rises = np.diff(ordered, axis=1, prepend=ordered[:, :1]) > 0
    ranks = np.empty_like(numbers)
    np.put_along_axis(ranks, order, np.cumsum(rises, axis=1), axis=1)
    return ranks


def known(groups: Int[np.ndarray, "member batch"], words: Int[np.ndarray, "batch bit"]) -> Known:
    """Count, for the best guess in every state."""
    members, count = groups.shape
    places = (groups + count * np.arange(members)[:, None]).ravel()

    def per_state(weights: Int[np.ndarray, " batch"]) -> Float[np.ndarray, "member state"]:
        tiled = np.tile(weights, members)
        return np.bincount(places, tiled, members * count).reshape(members, count)

    total = per_state(np.ones(count, int))
    ones = np.stack([per_state(bit) for bit in words.T], axis=-1)
    right = np.maximum(ones, total[..., None] - ones).sum(axis=1) / count
    # the first word of a state is as good a guess as any other: it is right once
    first = np.full(members * count, count)
    np.minimum.at(first, places, np.tile(np.arange(count), members))
    copied = (first.reshape(members, count)[np.arange(members)[:, None], groups]) == np.arange(
        count
    )
    return Known(groups.max(axis=1) + 1, right, copied.mean(axis=1))


def wrong_disjoint(groups: Int[np.ndarray, "member set"]) -> Int[np.ndarray, " member"]:
    """Pairs of sets for which the best guess from the first set's state and the second is wrong.

    Set number s holds the elements that are ones in the binary number s.
    """
    numbers = np.arange(groups.shape[1])
    disjoint = ((numbers[:, None] & numbers) == 0).astype(np.float32)
    together = (groups[:, :, None] == groups[:, None, :]).astype(np.float32)
    said = 2 * (together @ disjoint) >= together.sum(axis=2, keepdims=True)
    return (said != (disjoint == 1)).sum(axis=(1, 2))
