"""Add two binary numbers.

What: The input is two binary numbers with a plus sign; the answer is their sum.
Definition: SOS a + b = c EOS, most significant bit first, operands not padded (leading zeros may
    occur, they are random bits), the sum without leading zeros. Size is len(a) + len(b) + 2: the
    plus and the equals sign count. The first operand's length is uniform in [1, size − 3].
Example:
    >>> Addition().answer(tuple("101+10"))
    ('1', '1', '1')

Known limits: The seed's text lets the first operand take up to size − 2 bits, which would leave
    none for the second; size − 3 is used here.
Sources: Huang et al., A formal framework for understanding length generalization, Appendix E.2.1
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from foretell.core.task import Fact
from foretell.tasks.answering import AnsweringTask, crasp_facts

PLUS = 2  # index of "+" in the symbols


@dataclass(frozen=True)
class Addition(AnsweringTask):
    """The sum of two binary numbers."""

    name = "addition"
    symbols = ("0", "1", "+", "=")
    smallest = 4
    sampler = "first operand's length uniform, bits independent and uniform"
    separator = "="

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Adding zero copies, so it is at least as hard as copying."""
        return crasp_facts(plain="no", periodic_local="no", ac0="yes")

    def word_length(self, size: int) -> int:
        """The equals sign is the separator and counts in the size."""
        return size - 1

    def answer_length(self, size: int) -> int:
        """The longer operand takes at most size − 3 bits, and a carry may come on top."""
        return size - 2

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """Add as whole numbers."""
        first, second = "".join(word).split("+")
        return tuple(f"{int(first, 2) + int(second, 2):b}")

    def draw_word(
        self, key: Key[Array, ""], size: Int[Array, ""], width: int
    ) -> tuple[Int[Array, " length"], Int[Array, ""], Int[Array, " size"], Int[Array, ""]]:
        """Draw the bits in place, then add them with a carry look-ahead."""
        cut_key, bit_key = jax.random.split(key)
        first = jax.random.randint(cut_key, (), 1, size - 2)
        place = jnp.arange(width)
        bits = jax.random.randint(bit_key, (width,), 0, 2)
        word = jnp.where(place == first, PLUS, bits)
        # significance s of the two operands, counted from their last bits
        left = jnp.where(place < first, bits[jnp.maximum(first - 1 - place, 0)], 0)
        last = size - 2
        right = jnp.where(place < last - first, bits[jnp.maximum(last - place, 0)], 0)
        total = add_bits(left, right)
        highest = jnp.max(jnp.where(total == 1, place, 0))  # a sum of zero keeps one digit
        answer = total[jnp.maximum(highest - place, 0)]
        return word, size - 1, answer, highest + 1


def add_bits(left: Int[Array, " length"], right: Int[Array, " length"]) -> Int[Array, " length"]:
    """Sum of two numbers, least significant bit first, carries by an associative scan."""

    def later(low: tuple[Array, Array], high: tuple[Array, Array]) -> tuple[Array, Array]:
        generate, propagate = high
        return generate | (propagate & low[0]), propagate & low[1]

    carries, _ = jax.lax.associative_scan(later, (left & right, left | right))
    incoming = jnp.concatenate([jnp.zeros_like(carries[:1]), carries[:-1]])
    return left ^ right ^ incoming
