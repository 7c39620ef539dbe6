"""Which of two bits is more frequent?

What: The input is a sequence of bits; the answer is the bit that occurs more often.
Definition: SOS x1..xn SEP y EOS with y the most frequent bit. The number of zeros is uniform
    among the values that are no tie, then the positions are shuffled. Size is n, at least 1.
Example:
    >>> BinaryMajority().answer(("1", "0", "1"))
    ('1',)

Known limits: Ties never occur, so nothing is learned or tested about them.
Sources: Huang et al., A formal framework for understanding length generalization, Appendix E.2.1
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from foretell.core.task import Fact
from foretell.tasks.answering import AnsweringTask, crasp_facts, shuffled


@dataclass(frozen=True)
class BinaryMajority(AnsweringTask):
    """The most frequent of two bits."""

    name = "binary-majority"
    symbols = ("0", "1")
    sampler = "number of zeros uniform among the non-ties, positions shuffled"

    @property
    def facts(self) -> tuple[Fact, ...]:
        """A single count decides it."""
        return crasp_facts(plain="yes", periodic_local="yes", ac0="no")

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """Count both."""
        return ("0",) if word.count("0") > word.count("1") else ("1",)

    def draw_word(
        self, key: Key[Array, ""], size: Int[Array, ""], width: int
    ) -> tuple[Int[Array, " length"], Int[Array, ""], Int[Array, " size"], Int[Array, ""]]:
        """Zeros first, then a shuffle."""
        bits, answer = draw_bits(key, size, width)
        return bits, size, answer[None], jnp.ones_like(size)


def draw_bits(
    key: Key[Array, ""], size: Int[Array, ""], width: int
) -> tuple[Int[Array, " length"], Int[Array, ""]]:
    """Bits without a tie and their majority: also the strand of the interleaved task."""
    count_key, place_key = jax.random.split(key)
    even = 1 - size % 2
    zeros = jax.random.randint(count_key, (), 0, size + 1 - even)
    zeros = zeros + jnp.where((even == 1) & (zeros >= size // 2), 1, 0)  # step over the tie
    bits = (shuffled(place_key, size, width) >= zeros).astype(jnp.int32)
    return bits, (2 * zeros < size).astype(jnp.int32)
