"""Write distinct numbers in ascending order.

What: The input is a sequence of distinct numbers; the answer is the same numbers, sorted.
Definition: SOS x1..xn SEP sorted(x1..xn) EOS, numbers drawn without repetition from a vocabulary
    as large as the longest size. Size is n, at least 1.
Example:
    >>> Sort().answer(("14", "3", "9"))
    ('3', '9', '14')

Known limits: The vocabulary bounds the size, so "every length" means every vocabulary.
Sources: Huang et al., A formal framework for understanding length generalization, Appendix E.2.1
"""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from foretell.core.task import Fact
from foretell.tasks.answering import AnsweringTask, crasp_facts, shuffled


@dataclass(frozen=True)
class Sort(AnsweringTask):
    """The same numbers in ascending order."""

    name = "sort"
    sampler = "distinct numbers, uniform without replacement from the vocabulary"

    @property
    def symbols(self) -> tuple[str, ...]:
        """As many numbers as the longest input."""
        return tuple(str(number) for number in range(1, self.longest + 1))

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Select the smallest input larger than the last output."""
        return crasp_facts(plain="yes", periodic_local="yes", ac0="yes")

    def answer_length(self, size: int) -> int:
        """As long as the input."""
        return size

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """Sort as numbers."""
        return tuple(sorted(word, key=int))

    def draw_word(
        self, key: Key[Array, ""], size: Int[Array, ""], width: int
    ) -> tuple[Int[Array, " length"], Int[Array, ""], Int[Array, " size"], Int[Array, ""]]:
        """Shuffle the vocabulary and cut."""
        word = shuffled(key, jnp.asarray(self.longest), self.longest)
        past_end = jnp.arange(self.longest) >= size
        return word, size, jnp.sort(jnp.where(past_end, self.longest, word)), size
