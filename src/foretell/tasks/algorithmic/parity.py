"""Is the number of ones odd?

What: The input is a sequence of bits; the answer is their sum modulo 2.
Definition: SOS x1..xn SEP y EOS with y = (number of ones) mod 2. The answer is a fair coin, the
    number of ones is uniform among those of that parity, the positions are shuffled. Size is n,
    at least 1.
Example:
    >>> Parity().answer(("1", "0", "1"))
    ('0',)

Known limits: Half right is chance level.
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
class Parity(AnsweringTask):
    """The sum of the bits modulo 2."""

    name = "parity"
    symbols = ("0", "1")
    sampler = "fair parity, number of ones uniform given the parity, positions shuffled"

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Sensitive to every bit, at every length."""
        odd = Fact("regular", "0*1(0|10*1)*", "by definition: the answer is 1 for these inputs")
        return (*crasp_facts(plain="no", periodic_local="no", ac0="no"), odd)

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """Count the ones."""
        return (str(word.count("1") % 2),)

    def draw_word(
        self, key: Key[Array, ""], size: Int[Array, ""], width: int
    ) -> tuple[Int[Array, " length"], Int[Array, ""], Int[Array, " size"], Int[Array, ""]]:
        """Parity first, then how many ones, then where."""
        parity_key, count_key, place_key = jax.random.split(key, 3)
        odd = jax.random.randint(parity_key, (), 0, 2)
        ones = 2 * jax.random.randint(count_key, (), 0, (size - odd) // 2 + 1) + odd
        bits = (shuffled(place_key, size, width) < ones).astype(jnp.int32)
        return bits, size, odd[None], jnp.ones_like(size)
