"""Tasks that read a word and know, after every prefix, which symbols may legally follow.

Each distinct set of legal symbols (EOS among them) is one output class, as in Bhattamishra et al.
2020. Members are scored at every position. A word outside the language is scored
at every prefix from which a member can still be reached: being right at the last of them means
refusing the fatal symbol (or the end), which positives-only tests never ask.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from foretell.core.alphabet import PAD, RESERVED, SOS, Alphabet
from foretell.core.task import Example, Task

MEMBERS, NON_MEMBERS, NEAR_NON_MEMBERS = "members", "non-members", "near-non-members"
LINGERING = "lingering-members"  # members that stay long in one state
RUNS = "members-in-runs"  # members that repeat one letter for long
LISTED = "listed-members"  # members from a list that somebody's generator made


def set_label(symbols: frozenset[str]) -> str:
    """Printable name of a set of legal symbols.

    >>> set_label(frozenset({"b", "<eos>", "a"}))
    '{<eos>,a,b}'
    """
    return "{" + ",".join(sorted(symbols)) + "}"


@dataclass(frozen=True)
class NextSymbolsTask(Task):
    """What regular and counter languages share: layout, labels, scoring."""

    longest: int = 150
    probes: ClassVar[tuple[str, ...]] = (MEMBERS,)

    @abc.abstractmethod
    def legal_next(self, prefix: tuple[str, ...]) -> frozenset[str]:
        """Letters (and `<eos>`) that may follow the prefix; empty when nothing can."""

    @property
    @abc.abstractmethod
    def letters(self) -> tuple[str, ...]:
        """Letters of the language."""

    @property
    @abc.abstractmethod
    def label_sets(self) -> tuple[frozenset[str], ...]:
        """The distinct sets of legal symbols, in the order of their class numbers."""

    @cached_property
    def alphabet(self) -> Alphabet:
        """The letters with the reserved tokens."""
        return Alphabet(self.letters)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Printable names of the sets."""
        return tuple(set_label(symbols) for symbols in self.label_sets)

    def width(self, size: int) -> int:
        """SOS and the word."""
        return size + 1

    def scored(self, size: int) -> int:
        """Every prefix, the empty one included."""
        return size + 1

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """The set of legal symbols after every prefix, up to where nothing is legal any more."""
        sets = [self.legal_next(word[:length]) for length in range(len(word) + 1)]
        return tuple(set_label(symbols) for symbols in sets if symbols)

    def lay_out(self, word: tuple[str, ...]) -> tuple[list[int], list[int], list[bool]]:
        """Tokens, targets and mask, by way of the oracle."""
        answers = self.answer(word)
        tokens = list(self.alphabet.encode(("<sos>", *word)))
        dead = len(tokens) - len(answers)
        targets = [self.labels.index(label) for label in answers] + [0] * dead
        return tokens, targets, [True] * len(answers) + [False] * dead

    def read_word(self, tokens: list[int]) -> tuple[str, ...]:
        """Everything after SOS that is not padding."""
        return self.alphabet.decode([token for token in tokens[1:] if token != PAD])


def lay_out_fast(
    word: Int[Array, " length"],
    labels: Int[Array, " size"],
    alive: Bool[Array, " size"],
    size: Int[Array, ""],
    width: int,
) -> Example:
    """Pad letters (from 0) and the labels after each prefix into an example."""
    place = jnp.arange(width)
    letters = jnp.concatenate([jnp.zeros_like(word[:1]), word])[:width] + len(RESERVED)
    tokens = jnp.where(place == 0, SOS, jnp.where(place <= size, letters, PAD))
    mask = (place <= size) & alive[:width]
    targets = jnp.where(mask, labels[:width], 0)
    first = jnp.zeros((), jnp.int32)
    return Example(tokens.astype(jnp.int32), targets.astype(jnp.int32), mask, first)
