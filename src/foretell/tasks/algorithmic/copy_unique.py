"""Copy a sequence of distinct symbols.

What: The input is a sequence without repetition; the answer is the same sequence.
Definition: SOS x1..xn SEP x1..xn EOS, symbols drawn without repetition from a vocabulary as
    large as the longest size. Size is n, at least 1.
Example:
    >>> CopyUnique().answer(("s7", "s2"))
    ('s7', 's2')

Known limits: The vocabulary bounds the size, so "every length" means every vocabulary. The source
    says "no" for C-RASP[∅], by a proof about symbols that repeat; distinct ones have a program in
    it, `copy-unique-by-counting`. The "no" is kept as declared, and marked as disputed.
Sources: Huang et al., A formal framework for understanding length generalization, Appendix E.2.1
"""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from foretell.core.task import Fact
from foretell.tasks.answering import COPYING, AnsweringTask, crasp_facts, shuffled

INDUCTION = (
    "its proof is about symbols that repeat; with distinct ones, as here, "
    "copy-unique-by-counting is a C-RASP[∅] program, so this is disputed"
)


@dataclass(frozen=True)
class CopyUnique(AnsweringTask):
    """The same sequence again, nothing in it twice."""

    name = "copy-unique"
    sampler = "distinct symbols, uniform without replacement from the vocabulary"

    @property
    def symbols(self) -> tuple[str, ...]:
        """As many symbols as the longest input."""
        return tuple(f"s{number}" for number in range(1, self.longest + 1))

    @property
    def facts(self) -> tuple[Fact, ...]:
        """An induction head finds the successor, and needs a local relation."""
        known = crasp_facts(plain="no", periodic_local="yes", ac0="yes", about=INDUCTION)
        return (*known, COPYING)

    def answer_length(self, size: int) -> int:
        """As long as the input."""
        return size

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """The input itself."""
        return word

    def draw_word(
        self, key: Key[Array, ""], size: Int[Array, ""], width: int
    ) -> tuple[Int[Array, " length"], Int[Array, ""], Int[Array, " size"], Int[Array, ""]]:
        """Shuffle the vocabulary and cut."""
        word = shuffled(key, jnp.asarray(self.longest), self.longest)
        return word, size, word, size
