"""Tasks with settings in their names: `multi-hop:hops=3`, `shortest-path:degree=6,torus`.

The settings of a task are the keyword-only fields of its class. What differs from the default is
part of the name, so a name says everything and reads back as the same value.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, ClassVar

from foretell.core.task import ArrayTree, Task
from foretell.plain.catalogue import suggest
from foretell.plain.errors import BadInput


@dataclass(frozen=True)
class SettledTask(Task):
    """A task whose name carries its settings."""

    longest: int = 150
    title: ClassVar[str]

    def __post_init__(self) -> None:
        if self.longest < self.smallest:
            raise BadInput(
                f"{self.name} has no input that small",
                seen=self.longest,
                why=f"its smallest size is {self.smallest}",
            )

    @property
    def name(self) -> str:
        """The catalogue name, then the settings that are not the usual ones."""
        pairs = [(field, getattr(self, field.name)) for field in settings_of(type(self))]
        said = [_written(field.name, value) for field, value in pairs if value != field.default]
        return f"{self.title}:{','.join(said)}" if said else self.title

    @classmethod
    def from_settings(cls, text: str, longest: int) -> SettledTask:
        """The task with the settings that stand after the colon of its name."""
        known = {field.name: field for field in settings_of(cls)}
        given: dict[str, Any] = {}
        for part in filter(None, text.split(",")):
            name, equals, value = part.partition("=")
            if name not in known or name in given:
                raise BadInput(
                    f"{cls.title} has no such setting" if name not in known else "said twice",
                    seen=part,
                    why=f"its settings are {', '.join(known) or 'none'}",
                    hint=suggest(name, known),
                )
            given[name] = _read(known[name], value if equals else None, part)
        return cls(longest, **given)

    @classmethod
    def stack(cls, tasks: tuple[Task, ...]) -> ArrayTree:
        """Nothing to stack; but settings decide how examples are drawn, so they must agree."""
        names = sorted({task.name for task in tasks})
        if len(names) > 1:
            raise BadInput(
                "one fleet draws its examples with one sampler",
                seen=" and ".join(names),
                why="these settings need samplers of their own",
                hint="train them one after the other",
            )
        return super().stack(tasks)


def settings_of(kind: type[SettledTask]) -> tuple[dataclasses.Field[Any], ...]:
    """The fields that a name may set."""
    return tuple(field for field in dataclasses.fields(kind) if field.kw_only)


def whole_number(what: str, value: int, low: int, high: int) -> None:
    """Refuse a setting outside its range."""
    if not low <= value <= high:
        raise BadInput(
            f"{what} is out of range", seen=value, why=f"it goes from {low:,} to {high:,}"
        )


def power_of_two(number: int) -> int:
    """The smallest power of two that is at least that large.

    >>> power_of_two(5), power_of_two(8)
    (8, 8)
    """
    return 1 << max(number - 1, 0).bit_length()


def _written(name: str, value: object) -> str:
    if value is True:
        return name
    return f"{name}={value:.12g}" if isinstance(value, float) else f"{name}={value}"


def _read(field: dataclasses.Field[Any], value: str | None, seen: str) -> object:
    if isinstance(field.default, bool):
        if value is None:
            return True
        raise BadInput(f"{field.name} is said or left out", seen=seen, hint=field.name)
    number: float | int
    try:
        number = float(value or "") if isinstance(field.default, float) else int(value or "")
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadInput("a setting is a number", seen=seen, hint=f"{field.name}=4")
    return number
