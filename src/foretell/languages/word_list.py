"""Words from a list: drawn evenly among those of a length, by a table on the device.

For words that somebody's generator made, by a law that no automaton with weights has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Int8, Int32, Key

from foretell.plain.errors import BadInput


class ListTable(NamedTuple):
    """The words in order of length; those of length n are `first[n]` up to `first[n + 1]`."""

    letters: Int8[Array | np.ndarray, "*member draw length"]
    first: Int32[Array | np.ndarray, "*member size"]


@final
@dataclass(frozen=True)
class WordList:
    """Words as letter numbers, a byte each, in order of length; repeats weigh more.

    >>> listed = WordList.of(["ab", "a", "bb", "ab"], "ab")
    >>> listed.lengths(1, 5), len(listed.words)
    ((1, 2), 4)
    """

    words: tuple[bytes, ...]

    @classmethod
    def of(cls, words: Iterable[Sequence[str]], letters: Sequence[str]) -> WordList:
        """The list of these words over these letters."""
        number = {letter: place for place, letter in enumerate(letters)}
        made = [bytes(number[letter] for letter in word) for word in words]
        if not made:
            raise BadInput("a list of words is empty")
        return cls(tuple(sorted(made, key=lambda word: (len(word), word))))

    @cached_property
    def hash(self) -> str:
        """Content hash: two lists with the same words are the same list."""
        whole = b"\xff".join(self.words)  # no letter has that number
        return hashlib.blake2s(whole, digest_size=8).hexdigest()

    @cached_property
    def _all_lengths(self) -> tuple[int, ...]:
        return tuple(sorted({len(word) for word in self.words}))

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """The lengths from `low` to `high`, both included, that have words."""
        return tuple(length for length in self._all_lengths if low <= length <= high)

    def nearest_lengths(self, low: int, high: int) -> tuple[int, ...]:
        """The closest length below `low` and the closest above `high` that have words."""
        return self.lengths(0, low - 1)[-1:] + self.lengths(high + 1, 10**9)[:1]

    def table(self, longest: int) -> ListTable:
        """The table for words of length up to `longest`, in NumPy."""
        words = [word for word in self.words if len(word) <= longest]
        letters = np.zeros((len(words), longest), np.int8)
        for place, word in enumerate(words):
            letters[place, : len(word)] = np.frombuffer(word, np.int8)
        sizes = np.array([len(word) for word in words])
        return ListTable(letters, np.searchsorted(sizes, np.arange(longest + 2)).astype(np.int32))


def draw_listed(
    table: ListTable, key: Key[Array, ""], size: int | Int[Array, ""], width: int
) -> Int[Array, " length"]:
    """Letter indices of one word of `size` letters, padded to `width` with zeros.

    A draw for a length without words is arbitrary: whether there are any is for the caller to
    check (`WordList.lengths`).
    """
    letters, first = jnp.asarray(table.letters), jnp.asarray(table.first)
    place = jnp.clip(size, 0, first.shape[0] - 2)
    count = jnp.maximum(first[place + 1] - first[place], 1)
    row = jnp.minimum(first[place] + jax.random.randint(key, (), 0, count), letters.shape[0] - 1)
    word = letters[row].astype(jnp.int32)[:width]
    return jnp.pad(word, (0, width - word.shape[0]))


def stack_lists(tables: Sequence[ListTable]) -> ListTable:
    """Several tables as one with a leading member axis; padded words are never drawn."""
    words, longest = (max(table.letters.shape[axis] for table in tables) for axis in range(2))
    letters = np.zeros((len(tables), words, longest), np.int8)
    first = np.zeros((len(tables), longest + 2), np.int32)
    for member, table in enumerate(tables):
        letters[member, : table.letters.shape[0], : table.letters.shape[1]] = table.letters
        first[member] = np.pad(
            np.asarray(table.first), (0, longest + 2 - len(table.first)), mode="edge"
        )
    return ListTable(letters, first)
