"""Labelled templates as a task: read a string, say its label at one extra position.

The size of an example is the size of the alphabet that training takes symbols from: that is what
one makes larger until a model works on symbols it has never seen. Symbols for validation and for
testing are others, a hundred each, whatever the size.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from foretell.core.alphabet import PAD, RESERVED, SEP, Alphabet
from foretell.core.task import ArrayTree, Example, Fact, Task
from foretell.plain.errors import BadInput
from foretell.templates.outcome import (
    HandlesUnseenSymbols as HandlesUnseenSymbols,  # so that stored questions read back
)
from foretell.templates.sampling import DrawingTable, draw_string, drawing_table
from foretell.templates.substituting import HELD_OUT, SymbolBlocks, symbol_blocks
from foretell.templates.template_set import TemplateSet

TRAIN, VALIDATION, UNSEEN = "typical", "validation", "unseen"
MOST_SYMBOLS = 1 << 20


@dataclass(frozen=True)
class TemplateTask(Task):
    """Say the label of a string; targets are real numbers, or tokens where labels are symbols."""

    longest: int = 150  # symbols to train on, at most
    facts: tuple[Fact, ...] = ()
    templates: TemplateSet = field(kw_only=True)
    probes: ClassVar[tuple[str, ...]] = (TRAIN, VALIDATION, UNSEEN)

    def __post_init__(self) -> None:
        declared = self.templates.symbols
        if declared is not None:
            count = declared if isinstance(declared, int) else len(declared)
            object.__setattr__(self, "longest", count)
        if not self.fewest <= self.longest <= MOST_SYMBOLS:
            raise BadInput(
                "there are fewer symbols than wildcards"
                if self.longest < self.fewest
                else "there are too many symbols",
                seen=f"an alphabet of {self.longest:,} for {self.templates.title[:60]}",
                why=f"this task takes from {self.fewest} to {MOST_SYMBOLS:,}",
            )
        _ = self.blocks  # which checks every template

    @property
    def name(self) -> str:
        """As one writes it on the command line."""
        return f"template:{self.templates.title}"

    @property
    def sampler(self) -> str:
        """How strings are drawn."""
        even = len(set(self.templates.probabilities)) == 1
        chances = "equally likely" if even else "drawn with their probabilities"
        return f"templates {chances}, wildcards without replacement, labels without noise"

    @property
    def fewest(self) -> int:
        """The smallest alphabet from which each wildcard can have a symbol of its own."""
        declared = self.templates.symbols
        if declared is not None:
            return declared if isinstance(declared, int) else len(declared)
        return max(self.templates.most_wildcards, 1)

    @cached_property
    def blocks(self) -> SymbolBlocks:
        """The ids of the symbols for training, validation and testing."""
        train = self.longest if self.templates.symbols is None else None
        return symbol_blocks(self.templates, train, max(HELD_OUT, self.templates.most_wildcards))

    @cached_property
    def alphabet(self) -> Alphabet:
        """Regular tokens, then the symbols of the three blocks."""
        regular, declared = self.templates.regular, self.templates.symbols
        listed = () if declared is None or isinstance(declared, int) else declared
        known = (*regular, *(symbol for symbol in listed if symbol not in regular))
        names = list(known)
        for letter, block in zip("svu", self.blocks, strict=True):
            new = int((block >= len(known)).sum())
            while not {*known}.isdisjoint(f"{letter}{number + 1}" for number in range(new)):
                letter += "_"  # a token has that name already
            names += [f"{letter}{number + 1}" for number in range(new)]
        return Alphabet(tuple(names))

    @property
    def labels(self) -> tuple[str, ...]:
        """One output, the value; or every token."""
        return ("value",) if self.templates.is_real else self.alphabet.tokens

    def width(self, size: int) -> int:
        """The string and the position at which the label is said."""
        return self.templates.longest + 1

    def scored(self, size: int) -> int:
        """The last position only."""
        return 1

    def word_length(self, size: int) -> int:
        """How many tokens a string has, at most; the size is that of the alphabet."""
        return self.templates.longest

    def sizes(self, low: int, high: int, probe: str | None = None) -> tuple[int, ...]:
        """Alphabets with enough symbols."""
        return tuple(range(max(low, self.fewest), min(high, self.longest) + 1))

    def nearest_sizes(self, low: int, high: int, probe: str | None = None) -> tuple[int, ...]:
        """The closest alphabets outside of the range."""
        below, above = min(low - 1, self.longest), max(high + 1, self.fewest)
        found = (below,) if below >= self.fewest else ()
        return (*found, above) if above <= self.longest else found

    def value(self, word: tuple[str, ...]) -> float | str:
        """The label of one string, by matching it with the templates."""
        return self.templates.value(word)

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """The label: a number in digits, or a token."""
        value = self.value(word)
        return (value if isinstance(value, str) else f"{value:.6g}",)

    def lay_out(  # type: ignore[override]
        self, word: tuple[str, ...]
    ) -> tuple[list[int], list[float] | list[int], list[bool]]:
        """Tokens and one last token of its own, where the target is the label."""
        value = self.value(word)
        target = self.alphabet.encode((value,))[0] if isinstance(value, str) else value
        nothing: int | float = PAD if isinstance(value, str) else 0.0
        tokens = [*self.alphabet.encode(word), SEP]
        targets = [nothing] * len(word) + [target]
        return tokens, targets, [False] * len(word) + [True]

    def read_word(self, tokens: list[int]) -> tuple[str, ...]:
        """Everything before the last token."""
        return self.alphabet.decode([token for token in tokens if token not in (SEP, PAD)])

    @cached_property
    def drawing(self) -> dict[str, DrawingTable]:
        """What a draw of each probe needs."""
        pairs = zip(self.probes, self.blocks, strict=True)
        return {probe: drawing_table(self.templates, block) for probe, block in pairs}

    def draw(
        self,
        tables: ArrayTree,
        key: Key[Array, ""],
        size: Int[Array, ""],
        width: int,
        probe: str = TRAIN,
    ) -> Example:
        """A string with the first `size` symbols of training, or with any of the held-out ones."""
        table = self.drawing[probe]
        drawn = draw_string(table, key, size if probe == TRAIN else len(table.symbols))
        length = jnp.sum(drawn.tokens >= 0, dtype=jnp.int32)
        padded = jnp.pad(drawn.tokens, (0, width - len(drawn.tokens)), constant_values=-1)
        mask = jnp.arange(width) == length
        tokens = jnp.where(mask, SEP, jnp.where(padded < 0, PAD, padded + len(RESERVED)))
        if self.templates.is_real:
            return Example(tokens, jnp.where(mask, drawn.value, 0.0), mask, length)
        target = drawn.answer + len(RESERVED)
        return Example(tokens, jnp.where(mask, target, PAD), mask, length)

    def as_json(self) -> dict[str, object]:
        """The templates themselves identify it."""
        return {**super().as_json(), "templates": self.templates.as_json()}
