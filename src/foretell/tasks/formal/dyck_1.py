"""Balanced brackets of one kind.

What: Words in which every opening bracket is closed, and nothing closes too early.
Definition: D → ε | ( D ) D. After a prefix of depth 0 legal are `(` and EOS, at any other depth
    `(` and `)`. Uniform among all balanced words of the exact length. Size is the length, even.
Example:
    >>> Dyck1().answer(("(", ")"))
    ('{(,<eos>}', '{(,)}', '{(,<eos>}')

Known limits: Every depth up to half the length occurs, so no finite automaton suffices.
Sources: Bhattamishra, Ahuja, Goyal 2020, On the ability and limitations of transformers to
    recognize formal languages; Dvoretzky and Motzkin 1947 for the rotation used by the sampler
"""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from foretell.core.task import ArrayTree, Example
from foretell.tasks.answering import shuffled
from foretell.tasks.counting import CountingTask
from foretell.tasks.next_symbols import MEMBERS, lay_out_fast


@dataclass(frozen=True)
class Dyck1(CountingTask):
    """Balanced brackets."""

    name = "dyck-1"
    letters = ("(", ")")
    label_sets = (frozenset({"(", "<eos>"}), frozenset({"(", ")"}))
    smallest = 2
    step = 2
    sampler = "uniform among the members of the exact length"

    def legal_next(self, prefix: tuple[str, ...]) -> frozenset[str]:
        """Follow the depth."""
        depth = 0
        for symbol in prefix:
            depth += 1 if symbol == "(" else -1
            if depth < 0:
                return frozenset()
        return self.label_sets[min(depth, 1)]

    def draw(
        self,
        tables: ArrayTree,
        key: Key[Array, ""],
        size: Int[Array, ""],
        width: int,
        probe: str = MEMBERS,
    ) -> Example:
        """Cycle lemma: one rotation of every shuffle with one more opening is balanced.

        Of the size + 1 rotations exactly one keeps all prefix sums positive; dropping its first
        bracket leaves a uniform balanced word.
        """
        place = jnp.arange(width)
        opening = shuffled(key, size + 1, width) <= size // 2
        inside = place <= size
        sums = jnp.cumsum(jnp.where(inside, jnp.where(opening, 1, -1), 0))
        lowest = jnp.min(jnp.where(inside, sums, width))
        last_low = jnp.max(jnp.where(inside & (sums == lowest), place, -1))
        rotated = opening[(last_low + 2 + place) % (size + 1)]
        word = jnp.where(rotated, 0, 1)
        depth = jnp.cumsum(jnp.where(rotated, 1, -1))
        labels = jnp.concatenate([jnp.zeros((1,), depth.dtype), depth]) > 0
        return lay_out_fast(word, labels.astype(jnp.int32), jnp.ones_like(labels), size, width)
