"""Published tables and figures, run again: what to ask, and what was published.

One file a reproduction, found by its name. A reproduction lists lines; training, storing and
reading are the protocols' work, and rendering ours beside theirs is the reports'. An experiment
asks nothing of a task: it lists cells and computes them itself.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from foretell.core.measurement import Measurement
from foretell.plain.canonical import content_hash
from foretell.plain.catalogue import find
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.protocols._running import Asked
from foretell.training.engine import Progress


@dataclass(frozen=True)
class Line:
    """One measured row: its place in the table, what we ask, and what was published, if anything.

    `published` holds a share for the training range and for each longer range; `setting` names one
    of several ways to train, where a table has more than one.
    """

    group: str
    label: str
    asked: Asked
    published: tuple[float, ...] | None = None
    note: str | None = None
    setting: str | None = None

    @property
    def heading(self) -> str:
        """Group and setting."""
        return f"{self.group}; {self.setting}" if self.setting else self.group


class Published(abc.ABC):
    """What every reproduction says of itself."""

    of_any_task: ClassVar[bool] = False  # can be asked as `NAME:WHAT`

    @property
    @abc.abstractmethod
    def title(self) -> str:
        """Heading of the page."""

    @property
    @abc.abstractmethod
    def source(self) -> str:
        """Where the published numbers come from."""


class Reproduction(Published):
    """Something published (or planned as if it were) that one command runs again."""

    about: ClassVar[str] = "length"  # what its rows measure: how it is shown hangs on that
    forecast: ClassVar[str | None] = None  # the predictor that its rows were drawn to test
    in_order: ClassVar[bool] = False  # train from the table's top, instead of small shapes first

    @abc.abstractmethod
    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Every row, in the table's order."""

    def wanted(
        self, lines: Sequence[Line], measured: Callable[[Line], Measurement | None]
    ) -> tuple[Line, ...]:
        """Those worth training, given what is known: all, unless a search has found its answer."""
        del measured
        return tuple(lines)


@dataclass(frozen=True)
class Cell:
    """One computed entry of a table: its place, all that decides it, and what was published."""

    group: str
    label: str
    settings: Mapping[str, Any]
    published: tuple[float, ...] | None = None

    @property
    def hash(self) -> str:
        """Content hash of what decides it: names its file in the store."""
        return content_hash(self.settings)


class Experiment(Published):
    """Something published that needs no task: cells, computed in parts and stored one by one."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """Its name in the catalogue, and of its folder in the store."""

    @abc.abstractmethod
    def cells(self, budget: Budget, seeds: int | None = None) -> tuple[Cell, ...]:
        """Every cell, in the table's order."""

    def further_cells(self, budget: Budget, seeds: int | None = None) -> tuple[Cell, ...]:
        """Cells that are computed if somebody names them, and shown where the store has them."""
        del budget, seeds
        return ()

    @abc.abstractmethod
    def parts(self, cells: Sequence[Cell]) -> list[tuple[Cell, ...]]:
        """Cells that one compiled program computes together, the quickest first."""

    @abc.abstractmethod
    def compute(
        self, part: Sequence[Cell], show: Callable[[Progress], None]
    ) -> list[dict[str, Any]]:
        """The values of each cell of a part, plain enough for JSON. Pure but for showing."""


def load(name: str) -> Reproduction | Experiment:
    """The reproduction or experiment of that name; of `NAME:WHAT`, asked of a task of one's own."""
    name, _, what = name.partition(":")
    kind: Any = find(name, ("reproductions",)).load()
    if what and not kind.of_any_task:
        raise BadInput(
            "only a search can be asked of another task",
            seen=f"{name}:{what}",
            why="the rows of a published table are what they are",
            hint=f"{name}, or length-search:{what}",
        )
    made: Reproduction | Experiment = kind(what) if what else kind()
    return made
