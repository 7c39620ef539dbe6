"""What the counter languages share: their facts, and words made of blocks of equal length."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from foretell.core.task import ArrayTree, Example, Fact
from foretell.tasks.next_symbols import MEMBERS, NextSymbolsTask, lay_out_fast

BENCHMARK = "Bhattamishra et al. 2020; Huang et al., A formal framework, Theorem 10 and Appendix C"


@dataclass(frozen=True)
class CountingTask(NextSymbolsTask):
    """A language that is recognised by counting."""

    @property
    def facts(self) -> tuple[Fact, ...]:
        """A few counts and comparisons make a program."""
        names = ("crasp", "crasp-periodic-local")
        return tuple(Fact(name, "yes", BENCHMARK) for name in names)


@dataclass(frozen=True)
class BlocksTask(CountingTask):
    """x₁ⁿx₂ⁿ…xₖⁿ with n ≥ 1: blocks of equal length, in the order of the letters."""

    sampler = "the one member of the exact length"

    @cached_property
    def label_sets(self) -> tuple[frozenset[str], ...]:
        """At the start, in the first block, in each later block, at the end."""
        later = [frozenset({letter}) for letter in self.letters[1:]]
        first = frozenset(self.letters[:1])
        return (first, frozenset(self.letters[:2]), *later, frozenset({"<eos>"}))

    def legal_next(self, prefix: tuple[str, ...]) -> frozenset[str]:
        """Count the blocks; every later one must be as long as the first."""
        counts = [prefix.count(letter) for letter in self.letters]
        pairs = zip(self.letters, counts, strict=True)
        in_order = tuple(letter for letter, count in pairs for _ in range(count))
        current = max((index for index, count in enumerate(counts) if count), default=0)
        first, done = counts[0], counts[1:current]
        if prefix != in_order or counts[current] > first or any(count != first for count in done):
            return frozenset()
        if current == 0:
            return frozenset(self.letters[: 2 if first else 1])
        if counts[current] < first:
            return frozenset({self.letters[current]})
        return frozenset({(*self.letters, "<eos>")[current + 1]})

    def draw(
        self,
        tables: ArrayTree,
        key: Key[Array, ""],
        size: Int[Array, ""],
        width: int,
        probe: str = MEMBERS,
    ) -> Example:
        """Nothing to draw: write the word. After a whole block its successor is legal."""
        place = jnp.arange(width)
        block = size // len(self.letters)
        word = jnp.minimum(place // block, len(self.letters) - 1)
        labels = jnp.where(place <= block, 1, place // block + 1)
        labels = jnp.where(place == 0, 0, jnp.where(place == size, len(self.letters) + 1, labels))
        return lay_out_fast(word, labels, jnp.ones(width, bool), size, width)
