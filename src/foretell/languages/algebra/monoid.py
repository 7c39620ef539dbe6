"""The monoid of an automaton in tables: no Python object for an element.

The transition monoid of a minimal automaton is the syntactic monoid of its language, and the maps
of non-empty words are its syntactic semigroup (Pin, Mathematical foundations of automata theory,
chapter IV). Elements are found breadth first, so each comes with its first shortest word.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Integer

from foretell.languages.algebra.maps import (
    Ids,
    KeyMaker,
    Keys,
    Maps,
    Mask,
    aperiodic,
    letter_maps,
    omegas,
    smallest_type,
)
from foretell.languages.dfa import DFA
from foretell.plain.errors import BadInput

ELEMENT_LIMIT = 100_000
TABLE_LIMIT = 3_000
CELL_LIMIT = 40_000_000
CHUNK = 4_000_000
NONE = -1


def monoid_too_large(limit: int) -> BadInput:
    """The error for a monoid that would eat the machine."""
    return BadInput(
        "the monoid is too large",
        seen=f"more than {limit:,} elements",
        why="an automaton of n states can have a monoid of n to the power n elements; its "
        "construction is stopped before it fills the memory",
        hint="a smaller automaton, or a higher limit",
    )


@final
@dataclass(frozen=True, eq=False)
class Monoid:
    """Elements 0 (the empty word), 1, …; `maps[element]` is what it does to the states.

    `right[element, letter]` is the element followed by the letter. `parent` and `last` lead back
    to the first shortest word. A piece (`least_rank` above 0, see `generate`) has -1 where a
    product left it; an unfinished one (`complete` is false) stopped at its limit.
    """

    maps: Maps
    right: Integer[np.ndarray, "_element letter"]
    parent: Ids
    last: Ids
    letters: Maps
    complete: bool
    key_of: KeyMaker
    sorted_keys: Keys
    sorted_ids: Ids

    def __len__(self) -> int:
        return len(self.maps)

    def word(self, element: int) -> tuple[int, ...]:
        """The first shortest word of an element, as letter indices."""
        found = []
        while element:
            found.append(int(self.last[element]))
            element = int(self.parent[element])
        return tuple(reversed(found))

    def find(self, maps: Maps) -> Ids:
        """The element of every row; -1 for rows that are no element."""
        keys = self.key_of(maps)
        places = np.searchsorted(self.sorted_keys, keys)
        places[places == len(self.sorted_keys)] = 0
        ids = self.sorted_ids[places]
        same = self.sorted_keys[places] == keys
        if not self.key_of.exact:
            same &= (self.maps[ids] == maps).all(axis=1)
        return np.where(same, ids, NONE)

    def product(self, left: Ids, right: Ids) -> Ids:
        """Products of elements, pair by pair."""
        return self.find(np.take_along_axis(self.maps[right], self.maps[left], axis=1))

    def table(self, limit: int = TABLE_LIMIT) -> Integer[np.ndarray, "_left _right"]:
        """Every product, `table[left, right]`; bad input beyond `limit` elements."""
        if len(self) > limit:
            raise monoid_too_large(limit)
        found = np.empty((len(self), len(self)), np.int32)
        for left, row in enumerate(self.maps):
            found[left] = self.find(self.maps[:, row])
        return found

    @cached_property
    def left(self) -> Integer[np.ndarray, "_element letter"]:
        """`left[element, letter]` is the letter followed by the element."""
        return np.stack([self.find(self.maps[:, row]) for row in self.letters], axis=1)

    @cached_property
    def in_semigroup(self) -> Mask:
        """Elements that have a non-empty word: all but perhaps the identity."""
        found = np.ones(len(self), bool)
        found[0] = bool((self.right == 0).any())
        return found

    @cached_property
    def idempotent(self) -> Mask:
        """Elements that are their own square."""
        return (np.take_along_axis(self.maps, self.maps, axis=1) == self.maps).all(axis=1)

    @cached_property
    def omega(self) -> Ids:
        """The idempotent power of every element."""
        return self.find(omegas(self.maps))

    @cached_property
    def aperiodic(self) -> Mask:
        """Elements whose powers end in a fixed point; all of them when no group is inside."""
        return aperiodic(self.maps)

    @cached_property
    def rank(self) -> Ids:
        """How many states an element can lead to."""
        return ranks(self.maps)

    def nonempty_word(self, element: int) -> tuple[int, ...]:
        """A shortest non-empty word of an element of the semigroup."""
        if element:
            return self.word(element)
        before, letter = (int(place) for place in np.argwhere(self.right == 0)[0])
        return (*self.word(before), letter)


def monoid_of(dfa: DFA, limit: int = ELEMENT_LIMIT) -> Monoid:
    """The syntactic monoid of the automaton's language, or bad input beyond `limit` elements.

    >>> from foretell.languages.regular import RegularLanguage
    >>> pairs = monoid_of(RegularLanguage.from_regex("(ab)*").dfa)
    >>> len(pairs), int(pairs.idempotent.sum()), bool(pairs.aperiodic.all())
    (6, 4, True)
    """
    found = generate(letter_maps(dfa.minimal()), limit)
    if not found.complete:
        raise monoid_too_large(limit)
    return found


def generate(letters: Maps, limit: int = ELEMENT_LIMIT, least_rank: int = 0) -> Monoid:
    """Everything that the letters generate, breadth first, until `limit` elements are found.

    `CELL_LIMIT` bounds elements times states as well, so that large automata stop earlier.

    With `least_rank`, only elements that lead to at least that many states: every factor of such
    an element is one, so the search inside them misses none.
    """
    states = letters.shape[1]
    search = _Search(letters, KeyMaker(states), np.arange(states, dtype=smallest_type(states)))
    limit = max(1, min(limit, CELL_LIMIT // states))
    step = max(1, CHUNK // letters.size)
    begin, end = 0, 1
    while begin < end <= limit:
        until = min(end, begin + step)
        search.expand(begin, until, least_rank)
        begin, end = until, len(search.parent)
    return search.finished(complete=begin == end, limit=limit)


class _Search:
    """Breadth first, many elements at a time."""

    def __init__(self, letters: Maps, key_of: KeyMaker, identity: np.ndarray) -> None:
        self.letters, self.key_of = letters, key_of
        self.maps = identity[None]
        self.parent = np.zeros(1, np.int32)
        self.last = np.zeros(1, np.int32)
        self.rows: list[np.ndarray] = []
        self.sorted_keys = key_of(self.maps)
        self.sorted_ids = np.zeros(1, np.int32)

    def expand(self, begin: int, end: int, least_rank: int) -> None:
        """Follow these elements by every letter."""
        letters, states = self.letters.shape
        level = np.ascontiguousarray(
            self.letters[:, self.maps[begin:end]].swapaxes(0, 1).reshape(-1, states)
        )
        keys = self.key_of(level)
        ids = self._known(level, keys)
        new = np.flatnonzero(ids == NONE)
        if least_rank and len(new):
            new = new[ranks(level[new]) >= least_rank]
        if len(new):
            distinct, first, inverse = np.unique(keys[new], return_index=True, return_inverse=True)
            order = np.argsort(first)
            number = np.empty(len(order), np.int32)
            number[order] = np.arange(len(self.parent), len(self.parent) + len(order))
            ids[new] = number[inverse]
            source = new[first[order]]
            self._check_rows(level[new], level[new[first]][inverse])
            self._append(level[source], begin + source // letters, source % letters)
            places = np.searchsorted(self.sorted_keys, distinct)
            self.sorted_keys = np.insert(self.sorted_keys, places, distinct)
            self.sorted_ids = np.insert(self.sorted_ids, places, number)
        self.rows.append(ids.reshape(-1, letters))

    def _known(self, level: np.ndarray, keys: np.ndarray) -> np.ndarray:
        places = np.searchsorted(self.sorted_keys, keys)
        places[places == len(self.sorted_keys)] = 0
        known = self.sorted_keys[places] == keys
        ids = np.where(known, self.sorted_ids[places], np.int32(NONE))
        self._check_rows(level[known], self.maps[ids[known]])
        return ids

    def _check_rows(self, rows: np.ndarray, same: np.ndarray) -> None:
        if not self.key_of.exact and not np.array_equal(rows, same):
            raise AssertionError("two elements have one key: 64 random bits collided")

    def _append(self, maps: np.ndarray, parent: np.ndarray, last: np.ndarray) -> None:
        self.maps = np.concatenate([self.maps, maps])
        self.parent = np.concatenate([self.parent, parent.astype(np.int32)])
        self.last = np.concatenate([self.last, last.astype(np.int32)])

    def finished(self, complete: bool, limit: int) -> Monoid:
        """The tables; elements without products of their own get -1."""
        right = np.concatenate(self.rows)
        missing = len(self.maps) - len(right)
        if missing:
            right = np.concatenate([right, np.full((missing, right.shape[1]), NONE, right.dtype)])
        return Monoid(
            self.maps,
            right,
            self.parent,
            self.last,
            self.letters,
            complete and len(self.maps) <= limit,
            self.key_of,
            self.sorted_keys,
            self.sorted_ids,
        )


def ranks(maps: Maps) -> Ids:
    """How many different states each row leads to.

    >>> ranks(np.array([[0, 0, 1], [2, 0, 1]])).tolist()
    [2, 3]
    """
    ordered = np.sort(maps, axis=1)
    return 1 + (ordered[:, 1:] != ordered[:, :-1]).sum(axis=1)
