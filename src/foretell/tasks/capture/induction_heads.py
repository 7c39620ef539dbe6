"""Say what followed the last token when it came up before.

What: A sequence whose last token, the trigger, stands at exactly one earlier place; the answer is
    the token after that place. The simplest thing that needs two layers of attention.
Definition: T tokens uniform over a vocabulary, a uniform trigger t; tokens equal to t become the
    next one, cyclically; t is written at a uniform place j ≤ T - 3 (from 0) and at the last place.
    The answer is the token at j + 1, read at the last position. Size is T, at least 3.
Example:
    >>> InductionHeads().answer(("t4", "t9", "t7", "t4"))
    ('t9',)

Known limits: The token after the trigger's is twice as frequent in the sequence as the others; it
    gives nothing away about the answer that a model could not see anyway. The vocabulary of 64 is
    ours, the paper's is lost. Written without SOS: a model reads T tokens.
Sources: arXiv 2603.11161 (the generator's words; its numbers are lost)
"""

from __future__ import annotations

from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from foretell.core.task import Fact
from foretell.plain.errors import BadInput
from foretell.tasks.capture._distinct import draw_letters
from foretell.tasks.capture._last_position import LastPositionTask, as_ids
from foretell.tasks.capture._settings import whole_number


@dataclass(frozen=True)
class InductionHeads(LastPositionTask):
    """The token that followed the trigger."""

    vocabulary: int = field(default=64, kw_only=True)
    title = "induction-heads"
    smallest = 3
    sampler = "tokens uniform, the trigger once at a uniform place and once at the end"
    facts = (Fact("heuristic-complexity", "T", "one pass over the sequence; arXiv 2603.11161"),)

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("the vocabulary", self.vocabulary, 2, 1 << 16)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The vocabulary."""
        return tuple(f"t{number}" for number in range(self.vocabulary))

    def word_length(self, size: int) -> int:
        """The sequence alone."""
        return size

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """Look the last token up in what comes before it."""
        places = [place for place, token in enumerate(word[:-1]) if token == word[-1]]
        if len(places) != 1 or places[0] + 2 >= len(word):
            raise BadInput(
                "the last token must stand at one earlier place, with another token in between",
                seen=" ".join(word[:30]),
                why=f"it is at {len(places)} earlier places",
                hint="t4 t9 t7 t4",
            )
        return (word[places[0] + 1],)

    def draw_word(
        self, key: Key[Array, ""], size: Int[Array, ""], width: int
    ) -> tuple[Int[Array, " length"], Int[Array, ""], Int[Array, ""]]:
        """Tokens without the trigger, then the trigger twice."""
        for_tokens, for_trigger, for_place = jax.random.split(key, 3)
        tokens = draw_letters(for_tokens, width, self.vocabulary)
        trigger = jax.random.randint(for_trigger, (), 0, self.vocabulary)
        first = jax.random.randint(for_place, (), 0, size - 2)
        tokens = jnp.where(tokens == trigger, (trigger + 1) % self.vocabulary, tokens)
        place = jnp.arange(width)
        tokens = jnp.where((place == first) | (place == size - 1), trigger, tokens)
        return as_ids(tokens), size, as_ids(tokens[first + 1])
