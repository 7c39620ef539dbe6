"""Tasks that read an input and write its answer: SOS input SEP answer EOS, scored after SEP."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from functools import cached_property

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from foretell.core.alphabet import EOS, PAD, SEP, SOS, Alphabet
from foretell.core.task import ArrayTree, Example, Fact, Task
from foretell.plain.errors import BadInput

FRAMEWORK = "Huang et al., A formal framework for understanding length generalization, Table 3"

COPYING = Fact(
    "heuristic-complexity",
    "T",
    "read and write, token by token; benchmarks/solvers.py counts it",
)


def crasp_facts(
    plain: str, periodic_local: str, ac0: str, about: str | None = None
) -> tuple[Fact, ...]:
    """The declared columns of the framework paper's table; `about` qualifies the first."""
    source = f"{FRAMEWORK} ({about})" if about else FRAMEWORK
    rest = {"crasp-periodic-local": periodic_local, "ac0": ac0}
    others = (Fact(name, value, FRAMEWORK) for name, value in rest.items())
    return (Fact("crasp", plain, source), *others)


@dataclass(frozen=True)
class AnsweringTask(Task):
    """A family keeps to three things: its symbols, its oracle, and how to draw input and answer."""

    longest: int = 150
    separator = "<sep>"

    def __post_init__(self) -> None:
        if self.longest < self.smallest:
            raise BadInput(
                f"{self.name} has no input that small",
                seen=self.longest,
                why=f"its smallest size is {self.smallest}",
            )

    @property
    @abc.abstractmethod
    def symbols(self) -> tuple[str, ...]:
        """Symbols of inputs and answers."""

    @abc.abstractmethod
    def draw_word(
        self, key: Key[Array, ""], size: Int[Array, ""], width: int
    ) -> tuple[Int[Array, " length"], Int[Array, ""], Int[Array, " size"], Int[Array, ""]]:
        """Input symbols, how many, answer symbols, how many: numbered from 0 in `symbols`."""

    def word_length(self, size: int) -> int:
        """Tokens between SOS and the separator."""
        return size

    def answer_length(self, size: int) -> int:
        """Most tokens an answer has."""
        return 1

    @cached_property
    def alphabet(self) -> Alphabet:
        """The symbols with the reserved tokens."""
        return Alphabet(self.symbols)

    def width(self, size: int) -> int:
        """SOS, input, separator, answer, EOS."""
        return self.word_length(size) + self.answer_length(size) + 3

    def scored(self, size: int) -> int:
        """The answer and EOS."""
        return self.answer_length(size) + 1

    def lay_out(self, word: tuple[str, ...]) -> tuple[list[int], list[int], list[bool]]:
        """Tokens, targets and mask, by way of the oracle."""
        written = ("<sos>", *word, self.separator, *self.answer(word), "<eos>")
        tokens = list(self.alphabet.encode(written))
        mask = [len(word) < place < len(tokens) - 1 for place in range(len(tokens))]
        following = [*tokens[1:], PAD]
        targets = [token if scored else PAD for token, scored in zip(following, mask, strict=True)]
        return tokens, targets, mask

    def read_word(self, tokens: list[int]) -> tuple[str, ...]:
        """What stands between SOS and the separator."""
        symbols = self.alphabet.decode(tokens)
        return symbols[1 : symbols.index(self.separator)]

    def draw(
        self,
        tables: ArrayTree,
        key: Key[Array, ""],
        size: Int[Array, ""],
        width: int,
        probe: str = "typical",
    ) -> Example:
        """One example, assembled without a branch: every token is picked by its place."""
        word, length, answer, answer_length = self.draw_word(key, size, width)
        separator = SEP if self.separator == "<sep>" else self.alphabet.encode([self.separator])[0]
        base = len(self.alphabet.tokens) - len(self.alphabet.symbols)
        place = jnp.arange(width)
        in_answer = place - length - 2
        tokens = jnp.where(place == 0, SOS, _at(word, place - 1) + base)
        tokens = jnp.where(place == length + 1, separator, tokens)
        tokens = jnp.where(in_answer >= 0, _at(answer, in_answer) + base, tokens)
        tokens = jnp.where(in_answer == answer_length, EOS, tokens)
        tokens = jnp.where(in_answer > answer_length, PAD, tokens).astype(jnp.int32)
        mask = (in_answer >= -1) & (in_answer < answer_length)
        targets = jnp.where(mask, jnp.roll(tokens, -1), PAD)
        return Example(tokens, targets, mask, (length + 1).astype(jnp.int32))


def _at(values: Int[Array, " length"], places: Int[Array, " size"]) -> Int[Array, " size"]:
    return values[jnp.clip(places, 0, values.shape[0] - 1)]


def shuffled(key: Key[Array, ""], size: Int[Array, ""], width: int) -> Int[Array, " length"]:
    """A uniform permutation of 0..size-1 in the first `size` places."""
    draws = jax.random.uniform(key, (width,))
    return jnp.argsort(jnp.where(jnp.arange(width) < size, draws, 2.0))
