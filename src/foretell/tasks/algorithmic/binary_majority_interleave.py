"""Three binary majorities, interleaved.

What: Three bit sequences of equal length are woven into one; the answer is the majority of each.
Definition: SOS x1¹ x1² x1³ x2¹ x2² x2³ … SEP y¹ y² y³ EOS, each strand drawn as in
    binary-majority. Size is the total number of bits, a multiple of 3.
Example:
    >>> BinaryMajorityInterleave().answer(("1", "0", "1"))
    ('1', '0', '1')

Known limits: Sizes that are not multiples of 3 do not exist.
Sources: Huang et al., A formal framework for understanding length generalization, Appendix E.2.1
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from foretell.core.task import Fact
from foretell.tasks.algorithmic.binary_majority import draw_bits
from foretell.tasks.answering import AnsweringTask, crasp_facts


@dataclass(frozen=True)
class BinaryMajorityInterleave(AnsweringTask):
    """The majority of each of three woven strands."""

    name = "binary-majority-interleave"
    symbols = ("0", "1")
    smallest = 3
    step = 3
    sampler = "each strand as in binary-majority, independently"

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Counting a strand needs positions modulo 3; nobody has a program without."""
        return crasp_facts(plain="none-found", periodic_local="yes", ac0="no")

    def answer_length(self, size: int) -> int:
        """One bit a strand."""
        return 3

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """Pull the strands apart and count."""
        strands = (word[offset::3] for offset in range(3))
        return tuple("0" if strand.count("0") > strand.count("1") else "1" for strand in strands)

    def draw_word(
        self, key: Key[Array, ""], size: Int[Array, ""], width: int
    ) -> tuple[Int[Array, " length"], Int[Array, ""], Int[Array, " size"], Int[Array, ""]]:
        """Draw three strands, then weave them."""
        strand_width = -(-width // 3)
        bits, answers = jax.vmap(lambda k: draw_bits(k, size // 3, strand_width))(
            jax.random.split(key, 3)
        )
        return bits.T.reshape(-1), size, answers, jnp.full_like(size, 3)
