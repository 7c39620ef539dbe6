"""What is asked: a task, an architecture, an outcome."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, final

from foretell.core.architecture import Architecture
from foretell.core.task import Task
from foretell.plain.canonical import content_hash
from foretell.plain.errors import BadInput


class Verdict(StrEnum):
    """The three answers."""

    YES = "yes"
    NO = "no"
    UNDECIDED = "undecided"


@dataclass(frozen=True, order=True)
class SizeRange:
    """Sizes from `low` to `high`, both included."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if type(self.low) is not int or type(self.high) is not int:
            raise BadInput("sizes are whole numbers", seen=f"{self.low}-{self.high}")
        if self.low < 0 or self.high < self.low:
            raise BadInput(
                "a size range is empty or reversed",
                seen=f"{self.low}-{self.high}",
                why="it must run from a smaller to a larger size",
                hint=f"{max(0, min(self.low, self.high))}-{max(0, self.low, self.high)}",
            )

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"


class Outcome(abc.ABC):
    """A thing one can ask of a model on a task. One final frozen dataclass per kind of question.

    Fields are numbers, ranges of sizes or tuples of those; the base reads and writes them.
    """

    name: ClassVar[str]

    @property
    @abc.abstractmethod
    def sentence(self) -> str:
        """The question in words, for reports."""

    @property
    def largest(self) -> int:
        """Largest size the model will meet when this is measured."""
        parts = [part if isinstance(part, tuple) else (part,) for part in vars(self).values()]
        return max(p.high for part in parts for p in part if isinstance(p, SizeRange))

    def as_json(self) -> dict[str, Any]:
        """Plain values, for hashing and for files."""
        return {"name": self.name} | {key: _plain(value) for key, value in vars(self).items()}

    @staticmethod
    def read(described: Mapping[str, Any]) -> Outcome:
        """The outcome of any kind that `as_json` described."""
        kinds, given = {kind.name: kind for kind in Outcome.__subclasses__()}, dict(described)
        kind = kinds.get(given.pop("name"))
        if kind is None:
            raise BadInput("unknown outcome", seen=described["name"], hint=", ".join(kinds))
        return kind(**{name: _ranges(value) for name, value in given.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, SizeRange):
        return [value.low, value.high]
    return [*map(_plain, value)] if isinstance(value, tuple) else value


def _ranges(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        return value
    return SizeRange(*value) if isinstance(value[0], int) else tuple(map(_ranges, value))


@final
@dataclass(frozen=True)
class GeneralizesInLength(Outcome):
    """Trained on the sizes `seen`, is it right on the sizes `asked`?"""

    name: ClassVar[str] = "length-generalizes"
    seen: SizeRange
    asked: tuple[SizeRange, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "asked", tuple(self.asked))
        if not self.asked:
            raise BadInput("a length question needs at least one range of sizes to ask about")
        for place, sizes in enumerate(self.asked):
            earlier = (self.seen, *self.asked[:place])
            if sizes.low <= max(other.high for other in earlier):
                raise BadInput(
                    "a length question asks about longer and longer sizes, each size once",
                    seen=f"trained on {self.seen}, asked about {sizes}",
                    hint=f"ranges in ascending order, from {self.seen.high + 1} on",
                )

    @property
    def sentence(self) -> str:
        """The question in words."""
        asked = ", ".join(map(str, self.asked))
        return f"trained on sizes {self.seen}, is it still right at {asked}?"


@final
@dataclass(frozen=True)
class IsComputed(Outcome):
    """Is a network that was built, not trained, right on the sizes `asked`?"""

    name: ClassVar[str] = "computed"
    asked: tuple[SizeRange, ...]

    @property
    def sentence(self) -> str:
        """The question in words."""
        return f"built, not trained: is the network right at {', '.join(map(str, self.asked))}?"


@dataclass(frozen=True)
class Question:
    """Task × architecture × outcome. Its hash is cache key, join key and file name."""

    task: Task
    architecture: Architecture
    outcome: Outcome

    def __post_init__(self) -> None:
        largest = self.outcome.largest
        if largest > self.task.longest:
            raise BadInput(
                "the question asks about sizes the task was not built for",
                seen=largest,
                why=f"this {self.task.name} goes up to {self.task.longest}",
                hint="build the task with a larger `longest`",
            )
        needed = self.task.width(largest)
        if self.architecture.context < needed:
            raise BadInput(
                "the context is shorter than the longest test input",
                seen=f"context {self.architecture.context}",
                why=f"{self.task.name} at size {largest} takes {needed} tokens",
                hint=f"--context {needed}, or smaller test sizes",
            )

    def as_json(self) -> dict[str, object]:
        """Plain values: what the hash is taken of."""
        return {
            "task": self.task.as_json(),
            "architecture": self.architecture.as_json(),
            "outcome": self.outcome.as_json(),
        }

    @property
    def hash(self) -> str:
        """Content hash of the question."""
        return content_hash(self.as_json())
