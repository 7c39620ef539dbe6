"""Copy a sequence in which symbols repeat.

What: The input is a sequence over two symbols; the answer is the same sequence.
Definition: SOS x1..xn SEP x1..xn EOS, symbols independent and uniform over an alphabet of two.
    Size is n, at least 1.
Example:
    >>> CopyRepeat().answer(("b", "a", "b"))
    ('b', 'a', 'b')

Known limits: With two symbols every long context repeats, which is what makes it hard.
Sources: Huang et al., A formal framework for understanding length generalization, Appendix E.2.1
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
from jaxtyping import Array, Int, Key

from foretell.core.task import Fact
from foretell.tasks.answering import COPYING, AnsweringTask, crasp_facts


@dataclass(frozen=True)
class CopyRepeat(AnsweringTask):
    """The same sequence again, over two symbols."""

    name = "copy-repeat"
    symbols = ("a", "b")
    sampler = "symbols independent and uniform"

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Communication complexity rules a program out."""
        return (*crasp_facts(plain="no", periodic_local="no", ac0="yes"), COPYING)

    def answer_length(self, size: int) -> int:
        """As long as the input."""
        return size

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """The input itself."""
        return word

    def draw_word(
        self, key: Key[Array, ""], size: Int[Array, ""], width: int
    ) -> tuple[Int[Array, " length"], Int[Array, ""], Int[Array, " size"], Int[Array, ""]]:
        """Independent coin flips."""
        word = jax.random.randint(key, (width,), 0, 2)
        return word, size, word, size
