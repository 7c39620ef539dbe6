"""As many b as a.

What: Words of the form a…ab…b with equally many of both, at least one.
Definition: aⁿbⁿ, n ≥ 1. Legal: at the start a; after aⁱ both a and b; after aⁱbʲ with j < i only
    b; after aⁿbⁿ only EOS. Size is the length 2n; there is one word of each even length.
Example:
    >>> Anbn().answer(("a", "b"))
    ('{a}', '{a,b}', '{<eos>}')

Known limits: One word a length, so testing 2,000 samples repeats 25 words a bin.
Sources: Bhattamishra, Ahuja, Goyal 2020, On the ability and limitations of transformers to
    recognize formal languages
"""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from foretell.core.task import ArrayTree, Example, Fact
from foretell.tasks.formal import block_prefix, counter_facts
from foretell.tasks.next_symbols import MEMBERS, NextSymbolsTask, lay_out_fast


@dataclass(frozen=True)
class Anbn(NextSymbolsTask):
    """Equal blocks of a and b."""

    name = "anbn"
    letters = ("a", "b")
    label_sets = tuple(map(frozenset, (("a",), ("a", "b"), ("b",), ("<eos>",))))
    smallest = 2
    step = 2
    sampler = "the one member of the exact length"

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Two counts and a comparison."""
        return counter_facts()

    def legal_next(self, prefix: tuple[str, ...]) -> frozenset[str]:
        """Blocks in order, the second as long as the first."""
        return block_prefix(prefix, self.letters)

    def draw(
        self,
        tables: ArrayTree,
        key: Key[Array, ""],
        size: Int[Array, ""],
        width: int,
        probe: str = MEMBERS,
    ) -> Example:
        """Nothing to draw: write the word."""
        place = jnp.arange(width)
        block = size // 2
        word = jnp.minimum(place // block, 1)
        labels = jnp.where(place <= block, 1, 2)
        labels = jnp.where(place == 0, 0, jnp.where(place == size, 3, labels))
        return lay_out_fast(word, labels, jnp.ones(width, bool), size, width)
