"""Words as arrays: many of different lengths, one after the other, without padding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from foretell.plain.errors import BadInput


@dataclass(frozen=True)
class Words:
    """Non-empty words as letter numbers in one array; `ends[k]` is where word k stops."""

    letters: np.ndarray  # [token]
    ends: np.ndarray  # [word]

    @classmethod
    def of(cls, words: Iterable[Sequence[int]]) -> Words:
        """From sequences of letter numbers."""
        listed = [np.asarray(word, np.int32) for word in words]
        ends = np.cumsum([len(word) for word in listed], dtype=np.int64)
        empty = np.zeros(0, np.int32)
        return cls(np.concatenate([empty, *listed]), ends)

    @classmethod
    def all_of_length(cls, letters: int, length: int, first: int = 0, count: int = -1) -> Words:
        """Words of one length in lexicographic order, from number `first` on."""
        total = letters**length - first if count < 0 else count
        numbers = np.arange(first, first + total, dtype=np.int64)[:, None]
        powers = letters ** np.arange(length - 1, -1, -1, dtype=np.int64)
        digits = (numbers // powers) % letters
        ends = np.arange(1, total + 1, dtype=np.int64) * length
        return cls(digits.astype(np.int32).reshape(-1), ends)

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def starts(self) -> np.ndarray:
        """Where each word begins."""
        return np.concatenate([[0], self.ends[:-1]])

    @cached_property
    def positions(self) -> np.ndarray:
        """Position of every token in its word, from 1."""
        count = np.arange(1, len(self.letters) + 1, dtype=np.int64)
        if len(self) <= 1:
            return count
        return count - np.repeat(self.starts, self.ends - self.starts)

    def word(self, index: int) -> tuple[int, ...]:
        """One word."""
        return tuple(self.letters[self.starts[index] : self.ends[index]].tolist())


def read_word(text: str | Sequence[str], letters: tuple[str, ...]) -> tuple[str, ...]:
    """The letters of a word as a user writes it.

    Letters of one character stand side by side; otherwise spaces separate them.

    >>> read_word("abba", ("a", "b")), read_word("up down", ("up", "down"))
    (('a', 'b', 'b', 'a'), ('up', 'down'))
    """
    spaced = False
    if isinstance(text, str):
        spaced = any(len(letter) > 1 for letter in letters) or text.split(maxsplit=1) != [text]
        word = tuple(text.split()) if spaced else tuple(text)
    else:
        word = tuple(text)
    unknown = set(word).difference(letters)
    if unknown:
        symbol = next(symbol for symbol in word if symbol in unknown)
        raise BadInput(
            "a word has a letter outside the alphabet",
            seen=f"{symbol!r} in {str(text)[:60]!r}",
            why=f"the alphabet is {' '.join(letters[:30])}",
            hint="letters of several characters are separated by spaces" if spaced else None,
        )
    return word
