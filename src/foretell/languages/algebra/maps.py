"""Words as maps on states: an element of a monoid is one row, `row[q]` is where `q` goes.

Products read from left to right, as words do: first the left factor acts, then the right one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Integer, UInt64

from foretell.languages.dfa import DFA

FEW_STEPS = 64
Map = Integer[np.ndarray, "state"]
Maps = Integer[np.ndarray, "_element state"]
Ids = Integer[np.ndarray, "_element"]
Mask = Bool[np.ndarray, "_element"]
Keys = UInt64[np.ndarray, "_element"]


def letter_maps(dfa: DFA) -> Maps:
    """One row for each letter, in the smallest type that holds the states.

    >>> from foretell.core.alphabet import Alphabet
    >>> letter_maps(DFA(Alphabet("ab"), ((1, 0), (0, 1)), 0, frozenset({0}))).tolist()
    [[1, 0], [0, 1]]
    """
    return np.ascontiguousarray(np.array(dfa.delta, smallest_type(len(dfa.delta))).T)


def smallest_type(states: int) -> type:
    """The narrowest unsigned integers that can number that many states."""
    return np.uint8 if states <= 256 else np.uint16 if states <= 65_536 else np.uint32


def word_map(dfa: DFA, word: Sequence[str]) -> Map:
    """The map of a word."""
    letters = letter_maps(dfa)
    found = np.arange(len(dfa.delta), dtype=letters.dtype)
    for letter in dfa.letters(word):
        found = letters[letter][found]
    return found


def then(*factors: Map) -> Map:
    """The product of some maps, the first acting first.

    >>> then(np.array([1, 2, 2]), np.array([0, 0, 1])).tolist()
    [0, 1, 1]
    """
    found = factors[0]
    for factor in factors[1:]:
        found = factor[found]
    return found


def omega(one: Map) -> Map:
    """The idempotent power of a map.

    >>> omega(np.array([1, 2, 1, 3])).tolist()
    [2, 1, 2, 3]
    """
    return omegas(one[None])[0]


def omegas(maps: Maps) -> Maps:
    """The idempotent power of every row.

    After as many steps as there are states a row is inside its group; from there on it is
    multiplied by itself until the power squares to itself. That takes as many steps as its cycles
    have a common multiple, which may be millions: after a few the cycles are walked instead.
    """
    found = settled(maps)
    for _ in range(FEW_STEPS):
        moving = np.flatnonzero((rows_then(found, found) != found).any(axis=1))
        if not len(moving):
            return found
        found[moving] = rows_then(found[moving], maps[moving])
    for row in np.flatnonzero((rows_then(found, found) != found).any(axis=1)):
        found[row] = _idempotent(maps[row])
    return found


def _idempotent(one: Map) -> Map:
    """A settled power, and from there on round each cycle to where it would have begun."""
    power, exponent = settled(one[None])[0], 1 << (len(one) - 1).bit_length()
    begun, done = np.zeros_like(power), set[int]()
    for first in np.unique(power).tolist():
        if first in done:
            continue
        cycle = [first]
        while (after := int(one[cycle[-1]])) != first:
            cycle.append(after)
        done.update(cycle)
        begun[cycle] = np.roll(cycle, exponent % len(cycle))
    return begun[power]


def inverse(one: Map) -> Map:
    """The power before the idempotent one: the inverse in its group.

    >>> inverse(np.array([1, 2, 1, 3])).tolist()
    [1, 2, 1, 3]
    """
    idempotent, before = omega(one), np.zeros_like(one)
    cyclic = np.unique(idempotent)
    before[one[cyclic]] = cyclic
    return before[idempotent]


def settled(maps: Maps) -> Maps:
    """A power of every row with an exponent of at least the number of states."""
    found, exponent = maps.copy(), 1
    while exponent < maps.shape[1]:
        found, exponent = rows_then(found, found), 2 * exponent
    return found


def rows_then(left: Maps, right: Maps) -> Maps:
    """Row by row, the left map and then the right one."""
    return np.take_along_axis(right, left, axis=1)


def aperiodic(maps: Maps) -> Mask:
    """Rows whose powers end in a fixed point rather than in a cycle."""
    powers = settled(maps)
    return (rows_then(powers, maps) == powers).all(axis=1)


class KeyMaker:
    """Numbers for rows: equal rows have equal keys.

    Rows of few states are packed into 64 bits, so their keys differ when they do (`exact`). Other
    keys are a random linear form modulo 2^64; whoever uses them compares the rows as well.
    """

    def __init__(self, states: int) -> None:
        width = max(1, (states - 1).bit_length())
        self.exact = width * states <= 64
        if self.exact:
            self.weights = np.uint64(1) << (np.arange(states, dtype=np.uint64) * np.uint64(width))
        else:
            draw = np.random.default_rng(states)
            self.weights = draw.integers(1, 2**63, states, dtype=np.uint64) * np.uint64(2) + (
                np.uint64(1)
            )

    def __call__(self, maps: Maps) -> Keys:
        """The key of every row."""
        if len(maps) < 4096 or maps.shape[1] > 64:
            return maps.astype(np.uint64) @ self.weights
        # Column by column needs no copy of all rows in 64 bits.
        keys = np.zeros(len(maps), np.uint64)
        for state, weight in enumerate(self.weights):
            keys += maps[:, state].astype(np.uint64) * weight
        return keys
