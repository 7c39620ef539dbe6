"""Tasks that are read to the end and answered at the last position, with one token.

A model reads exactly the tokens of the word: no SOS, no EOS, so that the length of the context
is what the published definition says it is.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass
from functools import cached_property

import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from foretell.core.alphabet import PAD, RESERVED, Alphabet
from foretell.core.task import ArrayTree, Example
from foretell.tasks.capture._settings import SettledTask


@dataclass(frozen=True)
class LastPositionTask(SettledTask):
    """A family keeps to its symbols, its oracle, its length, and how to draw a word."""

    @property
    @abc.abstractmethod
    def symbols(self) -> tuple[str, ...]:
        """Symbols of words and answers."""

    @abc.abstractmethod
    def word_length(self, size: int) -> int:
        """How many tokens a model reads; what is added to the size does not depend on it."""

    @abc.abstractmethod
    def draw_word(
        self, key: Key[Array, ""], size: Int[Array, ""], width: int
    ) -> tuple[Int[Array, " length"], Int[Array, ""], Int[Array, ""]]:
        """Tokens in the first places of `width`, how many, and the answer, as ids."""

    @cached_property
    def alphabet(self) -> Alphabet:
        """The symbols with the reserved tokens."""
        return Alphabet(self.symbols)

    def width(self, size: int) -> int:
        """The word itself."""
        return self.word_length(size)

    def scored(self, size: int) -> int:
        """The last position."""
        return 1

    def lay_out(self, word: tuple[str, ...]) -> tuple[list[int], list[int], list[bool]]:
        """The word, and the answer as the target of its last position."""
        tokens = list(self.alphabet.encode(word))
        before = len(tokens) - 1
        (target,) = self.alphabet.encode(self.answer(word))
        return tokens, [PAD] * before + [target], [False] * before + [True]

    def read_word(self, tokens: list[int]) -> tuple[str, ...]:
        """All that is not padding."""
        return self.alphabet.decode([token for token in tokens if token != PAD])

    def draw(
        self,
        tables: ArrayTree,
        key: Key[Array, ""],
        size: Int[Array, ""],
        width: int,
        probe: str = "typical",
    ) -> Example:
        """One word with its answer at the end."""
        word, length, answer = self.draw_word(key, size, width)
        place = jnp.arange(width)
        tokens = jnp.where(place < length, word, PAD).astype(jnp.int32)
        mask = place == length - 1
        targets = jnp.where(mask, answer, PAD).astype(jnp.int32)
        return Example(tokens, targets, mask, jnp.asarray(length - 1, jnp.int32))


def as_ids(numbers: Int[Array, "*length"]) -> Int[Array, "*length"]:
    """Ids of symbols numbered from 0."""
    return numbers + len(RESERVED)
