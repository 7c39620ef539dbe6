"""What a program is compared with: something that answers for every word, or for some prefixes.

The answer for a word is a row of Booleans. A reference of kind "accept" has one column; one of kind
"next" has a column for every letter and one for `<eos>`: may this symbol come next? A row can be
undefined: legal next symbols are promised only where some continuation is legal, and a task that
answers after a separator promises nothing before it. What is undefined is never compared.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from foretell.crasp.words import Words
from foretell.plain.errors import BadInput

EOS = "<eos>"
Kind = Literal["accept", "next"]
Answer = bool | tuple[str, ...] | None
PIECE = 2**20  # tokens that a piece of work holds at once


@final
@dataclass(frozen=True)
class Answers:
    """Rows of Booleans, and where they mean anything."""

    values: np.ndarray  # [row, column]
    defined: np.ndarray  # [row]

    @classmethod
    def all_defined(cls, values: np.ndarray) -> Answers:
        """Every row means something."""
        return cls(values, np.ones(len(values), bool))

    def differs(self, other: Answers) -> np.ndarray:
        """Rows in which both are defined and disagree."""
        return (self.values != other.values).any(axis=1) & self.defined & other.defined


class Tree(abc.ABC):
    """All words, length by length: each step extends every word by every letter.

    Rows stand in lexicographic order, so row r of one length has the children r·k … r·k + k - 1.
    """

    @abc.abstractmethod
    def grow(self) -> Answers:
        """The answers for all words that are one letter longer."""


class Reference(abc.ABC):
    """Answers for words over `letters`, given as letter numbers."""

    letters: tuple[str, ...]
    kind: Kind
    slow: ClassVar[bool] = False  # a Python call for every word: ask for fewer of them
    every_prefix: ClassVar[bool] = (
        False  # `everywhere` says all that `at_ends` would say of every prefix
    )

    @property
    def columns(self) -> tuple[str, ...]:
        """What each column is about."""
        return (*self.letters, EOS) if self.kind == "next" else ("accept",)

    @property
    def weight(self) -> int:
        """How dear a prefix is in `tree`."""
        return 1

    @abc.abstractmethod
    def renumbered(self, letters: tuple[str, ...]) -> Reference:
        """The same reference with its letters in another order."""

    @abc.abstractmethod
    def empty(self) -> Answers:
        """One row, for the empty word."""

    @abc.abstractmethod
    def at_ends(self, words: Words) -> Answers:
        """One row a word."""

    def everywhere(self, words: Words) -> Answers:
        """One row a token, for the prefix that ends there; undefined where that would be dear."""
        ends = self.at_ends(words)
        size = len(words.letters)
        values, defined = np.zeros((size, ends.values.shape[1]), bool), np.zeros(size, bool)
        values[words.ends - 1], defined[words.ends - 1] = ends.values, ends.defined
        return Answers(values, defined)

    def tree(self) -> Tree:
        """All words by increasing length."""
        return _Listing(self)

    def draw(self, generator: np.random.Generator, count: int, length: int) -> list[np.ndarray]:
        """Words worth trying, about that long; none where chance does as well."""
        return []

    def name_of(self, answers: Answers, row: int) -> Answer:
        """An answer as a person reads it."""
        if not answers.defined[row]:
            return None
        if self.kind == "accept":
            return bool(answers.values[row, 0])
        chosen = answers.values[row].tolist()
        return tuple(name for name, yes in zip(self.columns, chosen, strict=True) if yes)


@dataclass
class _Listing(Tree):
    """Words of every length written out; what a reference that cannot share prefixes does."""

    reference: Reference
    length: int = 0

    def grow(self) -> Answers:
        """Ask about the words in pieces."""
        self.length += 1
        letters = len(self.reference.letters)
        total, step = letters**self.length, max(1, PIECE // self.length)
        pieces = [
            self.reference.at_ends(
                Words.all_of_length(letters, self.length, first, min(step, total - first))
            )
            for first in range(0, total, step)
        ]
        return Answers(
            np.concatenate([piece.values for piece in pieces]),
            np.concatenate([piece.defined for piece in pieces]),
        )


@final
@dataclass(frozen=True)
class Oracle(Reference):
    """A plain function on words: yes or no, or the symbols that may follow; None is undefined.

    >>> even = Oracle(("a", "b"), "accept", lambda word: word.count("a") % 2 == 0)
    >>> even.at_ends(Words.of([(0, 1, 0), (0,)])).values[:, 0].tolist()
    [True, False]
    """

    letters: tuple[str, ...]
    kind: Kind
    function: Callable[[tuple[str, ...]], bool | Collection[str] | None]
    slow: ClassVar[bool] = True

    def renumbered(self, letters: tuple[str, ...]) -> Oracle:
        """The function reads symbols, so only their numbers change."""
        return Oracle(letters, self.kind, self.function)

    def empty(self) -> Answers:
        """Ask about ()."""
        return self._answers([()])

    def at_ends(self, words: Words) -> Answers:
        """One call a word."""
        symbols = np.array(self.letters, object)[words.letters]
        cuts = zip(words.starts.tolist(), words.ends.tolist(), strict=True)
        return self._answers([tuple(symbols[start:end]) for start, end in cuts])

    def _answers(self, words: Sequence[tuple[str, ...]]) -> Answers:
        values = np.zeros((len(words), len(self.columns)), bool)
        defined = np.ones(len(words), bool)
        place = {name: column for column, name in enumerate(self.columns)}
        for row, word in enumerate(words):
            said = self.function(word)
            if said is None:
                defined[row] = False
            elif isinstance(said, bool | np.bool_):
                values[row, 0] = said
            else:
                values[row, [self._column(place, symbol) for symbol in said]] = True
        return Answers(values, defined)

    def _column(self, place: dict[str, int], symbol: str) -> int:
        if symbol not in place:
            raise BadInput(
                "an oracle names a symbol that is no letter",
                seen=symbol,
                why=f"the symbols are {' '.join(self.columns[:30])}",
            )
        return place[symbol]
