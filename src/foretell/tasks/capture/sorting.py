"""Write distinct numbers in ascending order, as a plain sequence model reads them.

What: Numbers, a separator, the same numbers sorted; the model says the separator and every sorted
    number. Like `sort`, in the layout of the source: no SOS, no EOS, the separator is scored.
Definition: x1..xT SEP sorted(x1..xT), the numbers uniform without repetition from 0..V-1; the T + 1
    positions whose next token is the separator or a sorted number are scored. Size is T, at least
    2. V is the smallest power of two that is at least twice the longest size, unless told.
Example:
    >>> Sorting().answer(("14", "3", "9"))
    ('3', '9', '14')

Known limits: The vocabulary bounds the size. At T = V the answer is always 0..V-1, and near it
    "one more" is nearly always right, hence the factor of two; the source only asks for V ≥ T.
Sources: arXiv 2603.11161 (the generator's words; its numbers are lost)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from foretell.core.alphabet import PAD, RESERVED, SEP, Alphabet
from foretell.core.task import ArrayTree, Example, Fact
from foretell.plain.errors import BadInput
from foretell.tasks.capture._distinct import draw_distinct, in_order
from foretell.tasks.capture._settings import SettledTask, power_of_two, whole_number


@dataclass(frozen=True)
class Sorting(SettledTask):
    """The same numbers in ascending order."""

    vocabulary: int = field(default=0, kw_only=True)  # 0: by the longest size
    title = "sorting"
    smallest = 2
    sampler = "distinct numbers, uniform without replacement from the vocabulary"
    facts = (Fact("heuristic-complexity", "T log T", "any sort by comparisons, such as merging"),)

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("the vocabulary", self.vocabulary, 0, 1 << 20)
        if self.numbers < self.longest:
            raise BadInput(
                "there are fewer numbers than places",
                seen=f"a vocabulary of {self.numbers:,} for sizes up to {self.longest:,}",
                why="the numbers of one input are distinct",
                hint=f"vocabulary={power_of_two(2 * self.longest)}, or smaller sizes",
            )

    @property
    def numbers(self) -> int:
        """How many numbers there are."""
        return self.vocabulary or power_of_two(2 * self.longest)

    @cached_property
    def alphabet(self) -> Alphabet:
        """The numbers, in digits."""
        return Alphabet(tuple(map(str, range(self.numbers))))

    def width(self, size: int) -> int:
        """Both lists and the separator."""
        return 2 * size + 1

    def scored(self, size: int) -> int:
        """The separator and the sorted list."""
        return size + 1

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """Sort as numbers."""
        return tuple(sorted(word, key=int))

    def lay_out(self, word: tuple[str, ...]) -> tuple[list[int], list[int], list[bool]]:
        """Every token from the last number on says the one after it."""
        tokens = list(self.alphabet.encode((*word, "<sep>", *self.answer(word))))
        mask = [len(word) - 1 <= place < len(tokens) - 1 for place in range(len(tokens))]
        following = [*tokens[1:], PAD]
        targets = [token if scored else PAD for token, scored in zip(following, mask, strict=True)]
        return tokens, targets, mask

    def read_word(self, tokens: list[int]) -> tuple[str, ...]:
        """What stands before the separator."""
        return self.alphabet.decode(tokens[: tokens.index(SEP)])

    def draw(
        self,
        tables: ArrayTree,
        key: Key[Array, ""],
        size: Int[Array, ""],
        width: int,
        probe: str = "typical",
    ) -> Example:
        """Distinct numbers, then the same sorted; every token is picked by its place."""
        most = min((width - 1) // 2, self.longest)
        numbers = draw_distinct(key, most, self.numbers)
        ascending = in_order(numbers, size, self.numbers)
        place = jnp.arange(width)
        sorted_place = jnp.clip(place - size - 1, 0, most - 1)
        picked = jnp.where(
            place < size, numbers[jnp.clip(place, 0, most - 1)], ascending[sorted_place]
        )
        tokens = jnp.where(place == size, SEP, picked + len(RESERVED))
        tokens = jnp.where(place > 2 * size, PAD, tokens).astype(jnp.int32)
        mask = (place >= size - 1) & (place < 2 * size)
        targets = jnp.where(mask, jnp.roll(tokens, -1), PAD)
        return Example(tokens, targets, mask, jnp.asarray(size - 1, jnp.int32))
