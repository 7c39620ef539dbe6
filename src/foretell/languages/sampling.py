"""Sampling of the members of one exact length, uniform or weighted, by a table on the device.

A word is drawn letter by letter. With r letters to go in state q, letter a is chosen with the
share of words of length r accepted from q that begin with a, so all words are equally likely, up
to the resolution of 32-bit numbers (about 1e-7 at each letter).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Float32, Float64, Int, Int32, Key

from foretell.languages.dfa import DFA
from foretell.plain.errors import BadInput

# Above every uniform draw: a letter with this threshold is never passed over.
NEVER_PASSED = 2.0
LARGEST_TABLE = 2**28


class SamplingTable(NamedTuple):
    """Everything a draw needs.

    `thresholds[r, q, a]` is the probability of a letter up to `a` with `r` letters to go in `q`.
    """

    thresholds: Float32[Array | np.ndarray, "*member size state letter"]
    delta: Int32[Array | np.ndarray, "*member state letter"]
    start: Int32[Array | np.ndarray, "*member"]


def sampling_table(dfa: DFA, longest: int, linger: float = 1.0) -> SamplingTable:
    """The table for words of length up to `longest`, in NumPy.

    A word weighs `linger` to the power of the letters that leave its state as it is: with more
    than 1, words stay where they are for long, and what was decided early matters late.
    Whether a length has any words is for the caller to check (`RegularLanguage.lengths`): a draw
    for a length without words is arbitrary.
    """
    delta = np.array(dfa.delta, np.int32)
    if (longest + 1) * delta.size > LARGEST_TABLE:
        raise BadInput(
            "the table for sampling is too large",
            seen=f"{longest} letters, {delta.shape[0]} states, {delta.shape[1]} symbols",
            why=f"it may hold {LARGEST_TABLE:,} numbers at most",
            hint="shorter words, or a smaller automaton",
        )
    logarithms = np.full(len(delta), -np.inf)
    logarithms[sorted(dfa.final)] = 0.0
    thresholds = np.full((longest + 1, *delta.shape), NEVER_PASSED, np.float32)
    stays = delta == np.arange(len(delta))[:, None]
    weights = np.where(stays, np.log(linger), 0.0)
    for to_go in range(1, longest + 1):
        thresholds[to_go], logarithms = _one_more_letter(logarithms[delta] + weights)
    return SamplingTable(thresholds, delta, np.array(dfa.start, np.int32))


def remembering_the_last_letter(dfa: DFA) -> DFA:
    """The same words by states that tell the last letter too, so that only a repeated letter that
    leaves the state as it is leads back to the same state: lingering there makes long runs."""
    letters = range(len(dfa.alphabet.symbols))
    ways = len(letters) + 1  # the last way: no letter yet
    delta = tuple(
        tuple(after * ways + letter for letter, after in enumerate(row))
        for row in dfa.delta
        for _ in range(ways)
    )
    final = frozenset(state * ways + way for state in dfa.final for way in range(ways))
    return DFA(dfa.alphabet, delta, dfa.start * ways + len(letters), final)


def _one_more_letter(
    logarithms: Float64[np.ndarray, "state letter"],
) -> tuple[Float32[np.ndarray, "state letter"], Float64[np.ndarray, " state"]]:
    """Thresholds and log-counts of each state from the log-counts after each of its letters.

    Logarithms per state, not one common scale: next to 3^700 words, one word must not round to 0.
    """
    largest = logarithms.max(axis=1)
    possible = np.isfinite(largest)
    scale = np.where(possible, largest, 0.0)
    cumulative = np.exp(logarithms - scale[:, None]).cumsum(axis=1)
    total = np.where(possible, cumulative[:, -1], 1.0)
    thresholds = (cumulative / total[:, None]).astype(np.float32)
    # From the last letter that has words on, rounding must not let a draw slip past it. Earlier
    # letters without words add exactly 0 to the sum, so no draw falls between the thresholds.
    letters = np.arange(logarithms.shape[1])
    last_letter = np.where(np.isfinite(logarithms), letters, 0).max(axis=1)
    thresholds[letters >= last_letter[:, None]] = NEVER_PASSED
    with np.errstate(divide="ignore"):
        return thresholds, np.where(possible, scale + np.log(total), -np.inf)


def draw_word(
    table: SamplingTable, key: Key[Array, ""], size: int | Int[Array, ""], width: int
) -> Int[Array, " length"]:
    """Letter indices of one word of `size` letters, padded to `width` with zeros.

    `size` may be traced: one compilation serves every size up to the table's longest.

    >>> from foretell.languages.regular import RegularLanguage
    >>> from foretell.numerics.keys import root_key
    >>> table = sampling_table(RegularLanguage.from_regex("(ab)*").dfa, 10)
    >>> draw_word(table, root_key(0), 4, 6).tolist()
    [0, 1, 0, 1, 0, 0]
    """
    thresholds, delta = jnp.asarray(table.thresholds), jnp.asarray(table.delta)
    longest = thresholds.shape[0] - 1
    if isinstance(size, int) and not 0 <= size <= min(longest, width):
        raise BadInput(
            "a word of that size cannot be drawn",
            seen=size,
            why=f"the table goes up to {longest} letters and the width is {width}",
            hint="build the table for longer words, or draw into a larger width",
        )
    to_go = jnp.clip(size - jnp.arange(width), 0, longest)
    draws = jax.random.uniform(key, (width,), jnp.float32)

    def step(
        state: Int[Array, ""], now: tuple[Int[Array, ""], Float[Array, ""]]
    ) -> tuple[Int[Array, ""], Int[Array, ""]]:
        remaining, draw = now
        letter = jnp.sum(thresholds[remaining, state] <= draw, dtype=jnp.int32)
        return delta[state, letter], letter

    return lax.scan(step, jnp.asarray(table.start), (to_go, draws))[1]


def walk(
    delta: Int[Array | np.ndarray, "state letter"],
    start: int | Int[Array | np.ndarray, ""],
    word: Int[Array | np.ndarray, " length"],
) -> Int[Array, " size"]:
    """The states after the first 0, 1, 2, … letters of a word: one more than it has letters.

    >>> walk(np.array([[1, 0], [0, 1]]), 0, np.array([0, 1, 0])).tolist()
    [0, 1, 1, 0]
    """
    rows = jnp.asarray(delta, jnp.int32)
    first = jnp.asarray(start, jnp.int32)

    def step(
        state: Int[Array, ""], letter: Int[Array, ""]
    ) -> tuple[Int[Array, ""], Int[Array, ""]]:
        after = rows[state, letter]
        return after, after

    return jnp.concatenate([first[None], lax.scan(step, first, jnp.asarray(word))[1]])


def stack(tables: Sequence[SamplingTable]) -> SamplingTable:
    """Several tables as one with a leading member axis, padded to common shapes.

    Padded letters are never chosen, so padded states are never reached; padded sizes are beyond
    that table's longest word.
    """
    sizes, states, letters = (max(t.thresholds.shape[axis] for t in tables) for axis in range(3))
    thresholds = np.full((len(tables), sizes, states, letters), NEVER_PASSED, np.float32)
    delta = np.zeros((len(tables), states, letters), np.int32)
    for member, table in enumerate(tables):
        thresholds[member][tuple(map(slice, table.thresholds.shape))] = table.thresholds
        delta[member][tuple(map(slice, table.delta.shape))] = table.delta
    return SamplingTable(thresholds, delta, np.array([t.start for t in tables], np.int32))
