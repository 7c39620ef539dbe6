"""A C-RASP program as a task: after every prefix, what would the program say?"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key

from foretell.core.alphabet import PAD, SOS, Alphabet
from foretell.core.task import ArrayTree, Example, Fact, Task
from foretell.crasp.analysis import analyse
from foretell.crasp.interpreter import evaluate
from foretell.crasp.on_device import OnBatch
from foretell.crasp.program import Program
from foretell.plain.errors import BadInput
from foretell.tasks.next_symbols import set_label

UNIFORM = "random words"
WITHIN = {"C-RASP[∅]": ("crasp-local", "crasp"), "C-RASP[local]": ("crasp-local",)}
MOST_SYMBOLS = 8  # a next-symbol program has a class for every subset of its symbols


@dataclass(frozen=True)
class ProgramTask(Task):
    """Predict, after every prefix, whether the program accepts it (or which symbols it allows)."""

    longest: int = 150
    program: Program = field(kw_only=True)
    title: str = field(kw_only=True)
    probes: ClassVar[tuple[str, ...]] = (UNIFORM,)
    smallest: ClassVar[int] = 1
    sampler = (
        "letters drawn independently, with frequencies drawn anew for every word (uniform on the "
        "simplex)"
    )

    def __post_init__(self) -> None:
        if len(self.program.symbols) > MOST_SYMBOLS and not self.program.is_acceptor:
            raise BadInput(
                f"a next-symbol program with more than {MOST_SYMBOLS} symbols is too much to train",
                seen=f"{len(self.program.symbols)} symbols",
                why="every set of symbols is a class of its own",
                hint="define accept(i), or use fewer symbols",
            )

    @property
    def name(self) -> str:
        """What the program is called."""
        return self.title

    @cached_property
    def alphabet(self) -> Alphabet:
        """The program's letters with the reserved tokens."""
        return Alphabet(tuple(x for x in self.program.letters if not x.startswith("<")))

    @cached_property
    def label_sets(self) -> tuple[frozenset[str], ...]:
        """Every set of symbols a next-symbol program could allow."""
        symbols = self.program.symbols
        sizes = range(len(symbols) + 1)
        return tuple(frozenset(part) for size in sizes for part in combinations(symbols, size))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Reject and accept, or the sets."""
        if self.program.is_acceptor:
            return ("reject", "accept")
        return tuple(map(set_label, self.label_sets))

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """The program itself settles which fragments it lies in; it rules nothing out."""
        own = analyse(self.program).fragment
        fragments = ("crasp-periodic-local", *WITHIN.get(own, ()))
        return tuple(Fact(each, "yes", f"the program {self.title}") for each in fragments)

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """One label after every prefix, the empty one first."""
        letters = self.program.encode(word)
        prefixes = [letters[:length] for length in range(len(letters) + 1)]
        if self.program.is_acceptor:
            return tuple(self.labels[int(yes)] for yes in self.program.accepts(prefixes))
        return tuple(map(set_label, self.program.following(prefixes)))

    def lay_out(self, word: tuple[str, ...]) -> tuple[list[int], list[int], list[bool]]:
        """SOS and the word; every position is scored."""
        tokens = [SOS, *self.alphabet.encode(word)]
        targets = [self.labels.index(label) for label in self.answer(word)]
        return tokens, targets, [True] * len(tokens)

    def read_word(self, tokens: list[int]) -> tuple[str, ...]:
        """Everything after SOS that is not padding."""
        return self.alphabet.decode([token for token in tokens[1:] if token != PAD])

    def width(self, size: int) -> int:
        """SOS and the word."""
        return size + 1

    def scored(self, size: int) -> int:
        """Every prefix."""
        return size + 1

    def draw(
        self,
        tables: ArrayTree,
        key: Key[Array, ""],
        size: Int[Array, ""],
        width: int,
        probe: str = UNIFORM,
    ) -> Example:
        """One word, run through the program on the device."""
        frequency_key, letter_key = jax.random.split(key)
        weights = jax.random.exponential(frequency_key, (len(self.program.letters),))
        letters = jax.random.categorical(letter_key, jnp.log(weights), shape=(width - 1,))
        ids = jnp.asarray(self.alphabet.encode(self.program.letters), jnp.int32)
        place = jnp.arange(width)
        inside = place <= size
        tokens = jnp.concatenate([jnp.full((1,), SOS, jnp.int32), ids[letters]])
        targets = jnp.concatenate([jnp.full((1,), self._empty_label), self._labels(letters)])
        return Example(
            jnp.where(inside, tokens, PAD).astype(jnp.int32),
            jnp.where(inside, targets, 0).astype(jnp.int32),
            inside,
            jnp.zeros((), jnp.int32),
        )

    @cached_property
    def _empty_label(self) -> int:
        core = self.program.core
        if core.accept is not None:
            return int(core.accepts_empty)
        return self.label_sets.index(core.next_of_empty)

    def _labels(self, letters: Int[Array, " length"]) -> Int[Array, " length"]:
        """Class numbers at every position, by the program's JAX path."""
        core = self.program.core
        values = evaluate(core, OnBatch.create(core, letters))
        if core.accept is not None:
            return values[core.accept].astype(jnp.int32)
        bits = [values[place].astype(jnp.int32) << k for k, (_, place) in enumerate(core.next)]
        code = {frozenset(part): number for number, part in enumerate(self.label_sets)}
        table = np.zeros(1 << len(core.next), np.int32)
        for number in range(len(table)):
            chosen = frozenset(s for k, (s, _) in enumerate(core.next) if number >> k & 1)
            table[number] = code[chosen]
        return jnp.asarray(table)[sum(bits)]

    def as_json(self) -> dict[str, object]:
        """The program's text identifies it, whatever the file is called."""
        return {**super().as_json(), "program": self.program.show()}
