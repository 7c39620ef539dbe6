"""Published tables and figures, run again: what to ask, and what was published.

One file a reproduction, found by its name. A reproduction lists lines; training, storing and
reading are the protocols' work, and rendering ours beside theirs is the reports'.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass

from foretell.plain.catalogue import find
from foretell.protocols._asking import Budget
from foretell.protocols._running import Asked


@dataclass(frozen=True)
class Line:
    """One measured row: its place in the table, what we ask, and what was published, if anything.

    `published` holds a share for the training range and for each longer range.
    """

    group: str
    label: str
    asked: Asked
    published: tuple[float, ...] | None = None
    note: str | None = None


class Reproduction(abc.ABC):
    """Something published (or planned as if it were) that one command runs again."""

    @property
    @abc.abstractmethod
    def title(self) -> str:
        """Heading of the page."""

    @property
    @abc.abstractmethod
    def source(self) -> str:
        """Where the published numbers come from."""

    @abc.abstractmethod
    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Every row, in the table's order."""


def load(name: str) -> Reproduction:
    """The reproduction of that name."""
    made: Reproduction = find(name, ("reproductions",)).load()()
    return made
