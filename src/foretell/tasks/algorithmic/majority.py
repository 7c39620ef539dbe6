"""Which of 26 symbols is most frequent?

What: The input is a sequence of letters; the answer is the letter that occurs most often.
Definition: SOS x1..xn SEP y EOS, letters independent and uniform, conditioned on a unique most
    frequent letter (resampled otherwise). Size is n, at least 1.
Example:
    >>> Majority().answer(("c", "b", "a", "b"))
    ('b',)

Known limits: At size 2 both letters are equal, the only input with a unique winner.
Sources: Huang et al., A formal framework for understanding length generalization, Appendix E.2.1
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Key

from foretell.core.task import Fact
from foretell.numerics.keys import key_for
from foretell.tasks.answering import AnsweringTask, crasp_facts

LETTERS = tuple(string.ascii_lowercase)
COUNTING = Fact(
    "heuristic-complexity",
    "T",
    "one pass that counts 26 letters, then the largest count; benchmarks/solvers.py counts it",
)


@dataclass(frozen=True)
class Majority(AnsweringTask):
    """The most frequent of 26 letters."""

    name = "majority"
    symbols = LETTERS
    sampler = "letters independent and uniform, given that one is most frequent"

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Compare the counts of all pairs of letters."""
        return (*crasp_facts(plain="yes", periodic_local="yes", ac0="no"), COUNTING)

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """Count every letter."""
        return (max(LETTERS, key=word.count),)

    def draw_word(
        self, key: Key[Array, ""], size: Int[Array, ""], width: int
    ) -> tuple[Int[Array, " length"], Int[Array, ""], Int[Array, " size"], Int[Array, ""]]:
        """Cut a stream of letters into pieces of the size, take the first with one winner.

        Rejection one input at a time would need 26 rounds on average at size 2; a stream holds
        many short pieces, so one round nearly always suffices at every size.
        """
        found = jax.lax.while_loop(
            lambda attempt: ~attempt.good,
            lambda attempt: _attempt(key, attempt.tries, size, width),
            _attempt(key, jnp.zeros((), jnp.int32), size, width),
        )
        return found.word, size, found.winner[None], jnp.ones_like(size)


class _Attempt(NamedTuple):
    tries: Int[Array, ""]
    good: Bool[Array, ""]
    word: Int[Array, " length"]
    winner: Int[Array, ""]


def _attempt(
    key: Key[Array, ""], tries: Int[Array, ""], size: Int[Array, ""], width: int
) -> _Attempt:
    reach = max(256, 2 * width)
    stream = jax.random.randint(key_for(key, tries), (reach,), 0, len(LETTERS))
    running = jnp.cumsum(jax.nn.one_hot(stream, len(LETTERS), dtype=jnp.int32), axis=0)
    running = jnp.concatenate([jnp.zeros_like(running[:1]), running])
    starts = jnp.arange(reach) * size
    whole = starts + size <= reach
    counts = running[jnp.minimum(starts + size, reach)] - running[jnp.minimum(starts, reach)]
    unique = (counts == counts.max(axis=1, keepdims=True)).sum(axis=1) == 1
    usable = whole & unique
    piece = jnp.argmax(usable)
    word = stream[jnp.minimum(piece * size + jnp.arange(width), reach - 1)]
    return _Attempt(tries + 1, usable[piece], word, jnp.argmax(counts[piece]))
