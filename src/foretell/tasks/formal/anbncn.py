"""As many b as a, and as many c.

What: Words of the form a…ab…bc…c with equally many of each, at least one.
Definition: aⁿbⁿcⁿ, n ≥ 1. Legal: at the start a; after aⁱ both a and b; inside the b block only
    b; inside the c block only c; at the end EOS. Size is the length 3n; there is one word of each.
Example:
    >>> Anbncn().answer(("a", "b", "c"))
    ('{a}', '{a,b}', '{c}', '{<eos>}')

Known limits: One word a length, so testing 2,000 samples repeats about 17 words a bin.
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
class Anbncn(NextSymbolsTask):
    """Equal blocks of a, b and c."""

    name = "anbncn"
    letters = ("a", "b", "c")
    label_sets = tuple(map(frozenset, (("a",), ("a", "b"), ("b",), ("c",), ("<eos>",))))
    smallest = 3
    step = 3
    sampler = "the one member of the exact length"

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Three counts and two comparisons."""
        return counter_facts()

    def legal_next(self, prefix: tuple[str, ...]) -> frozenset[str]:
        """Blocks in order, each as long as the first."""
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
        block = size // 3
        word = jnp.minimum(place // block, 2)
        labels = jnp.where(place <= block, 1, jnp.where(place < 2 * block, 2, 3))
        labels = jnp.where(place == 0, 0, jnp.where(place == size, 4, labels))
        return lay_out_fast(word, labels, jnp.ones(width, bool), size, width)
