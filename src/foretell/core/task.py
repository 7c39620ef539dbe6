"""A task: a family of distributions indexed by size, with a slow oracle and a fast sampler."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
from jaxtyping import Array, Bool, Int, Key

from foretell.core.alphabet import Alphabet
from foretell.plain.errors import BadInput

ArrayTree = Any  # a pytree of arrays


@dataclass(frozen=True)
class Fact:
    """Something declared about a task, with who says so. Predictors read facts, never names."""

    name: str
    value: str
    source: str

    def __post_init__(self) -> None:
        if not self.source:
            raise BadInput("a fact needs a source", seen=self.name, why="nobody could check it")


class Example(NamedTuple):
    """One padded example, or a batch of them with a leading axis.

    `targets[t]` is the label to predict after reading `tokens[: t + 1]`; `mask` says where it
    counts. The scored positions of one example are consecutive and start at `first`.
    """

    tokens: Int[Array, "*batch length"]
    targets: Int[Array, "*batch length"]
    mask: Bool[Array, "*batch length"]
    first: Int[Array, "*batch"]


class Task(abc.ABC):
    """What a model is asked to do, at every size.

    `answer` and `lay_out` are slow and obvious, and are the definition. `draw` is the fast sampler:
    pure, padded to a width, one compilation for all sizes; a contract test holds them together.
    All that `draw` knows of *this* task sits in `tables`: a fleet trains many tasks as one program.
    """

    smallest: ClassVar[int] = 1
    step: ClassVar[int] = 1  # legal sizes of most tasks: smallest, smallest + step, …
    probes: ClassVar[tuple[str, ...]] = ("typical",)  # the first is the training distribution
    last_apart: ClassVar[bool] = False  # is the last answer of an example scored alone as well?

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """Catalogue name."""

    @property
    @abc.abstractmethod
    def alphabet(self) -> Alphabet:
        """Tokens a model reads."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What the model's output classes mean; the alphabet's tokens unless a task says more."""
        return self.alphabet.tokens

    @property
    @abc.abstractmethod
    def longest(self) -> int:
        """Largest size this value can sample."""

    @property
    @abc.abstractmethod
    def facts(self) -> tuple[Fact, ...]:
        """Declared properties with their sources."""

    @property
    def sampler(self) -> str:
        """One sentence on the distribution; printed with every result."""
        return "sizes uniform over the range"

    @abc.abstractmethod
    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """The oracle: what must be produced for this input."""

    @abc.abstractmethod
    def lay_out(self, word: tuple[str, ...]) -> tuple[list[int], list[int], list[bool]]:
        """Tokens, targets and mask of one input, unpadded, by way of the oracle."""

    @abc.abstractmethod
    def read_word(self, tokens: list[int]) -> tuple[str, ...]:
        """The input that a token sequence carries; inverse of `lay_out`."""

    @abc.abstractmethod
    def width(self, size: int) -> int:
        """How many tokens the longest example of this size takes."""

    @abc.abstractmethod
    def scored(self, size: int) -> int:
        """At most how many positions of an example of this size are scored."""

    def sizes(self, low: int, high: int, probe: str | None = None) -> tuple[int, ...]:
        """Sizes in the range for which the distribution exists."""
        first = max(low, self.smallest)
        first += (self.smallest - first) % self.step
        return tuple(range(first, min(high, self.longest) + 1, self.step))

    def nearest_sizes(self, low: int, high: int, probe: str | None = None) -> tuple[int, ...]:
        """The closest sizes outside the range that exist, for messages; `longest` set aside."""
        above = self.smallest + -(-max(high + 1 - self.smallest, 0) // self.step) * self.step
        below = above - self.step
        while below >= low:
            below -= self.step
        return (below, above) if below >= self.smallest else (above,)

    @property
    def tables(self) -> ArrayTree:
        """Arrays that `draw` needs besides its class; nothing for most tasks."""
        return ()

    @classmethod
    def stack(cls, tasks: tuple[Task, ...]) -> ArrayTree:
        """Tables of several tasks of this class with a leading member axis."""
        if any(task.tables != () for task in tasks):
            raise NotImplementedError(f"{cls.__name__} has tables and must say how they stack")
        return ()

    @abc.abstractmethod
    def draw(
        self, tables: ArrayTree, key: Key[Array, ""], size: Int[Array, ""], width: int, probe: str
    ) -> Example:
        """One example of that size, padded to `width`. Pure; `size` may be traced."""

    def sample(
        self,
        key: Key[Array, ""],
        sizes: Int[Array, " batch"],
        width: int,
        probe: str | None = None,
        tables: ArrayTree | None = None,
    ) -> Example:
        """A batch, one example for each of the sizes."""
        keys = jax.random.split(key, sizes.shape[0])
        tables = self.tables if tables is None else tables
        chosen = probe or self.probes[0]
        return jax.vmap(lambda one, size: self.draw(tables, one, size, width, chosen))(keys, sizes)

    def as_json(self) -> dict[str, object]:
        """What identifies this task in a question."""
        return {"name": self.name, "longest": self.longest, "sampler": self.sampler}

    def fact(self, name: str) -> Fact | None:
        """The declared fact of that name, if any."""
        return next((fact for fact in self.facts if fact.name == name), None)
