"""Sandboxes as an experiment: a cell each, claims kept beside what was measured."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from foretell.plain import catalogue
from foretell.protocols._asking import Budget
from foretell.reproductions import Cell, Experiment
from foretell.sandboxes import Claim, Comparison, Findings, Sandbox, compare, load
from foretell.sandboxes.settings import choose, require
from foretell.training.engine import Progress

SUITES = ("learning", "representation")


class Sandboxes(Experiment):
    """All sandboxes of one part of the tutorial."""

    part: ClassVar[str]

    def cells(self, budget: Budget, seeds: int | None = None) -> tuple[Cell, ...]:
        """A sandbox each, by name; the essential ones, or all on an accelerator.

        A number of seeds goes to those that train several models.
        """
        return self._cells(budget, seeds, first=True)

    def further_cells(self, budget: Budget, seeds: int | None = None) -> tuple[Cell, ...]:
        """The others."""
        return self._cells(budget, seeds, first=False)

    def _cells(self, budget: Budget, seeds: int | None, *, first: bool) -> tuple[Cell, ...]:
        found = [load(name) for name in names_of(self.part)]
        chosen = [each for each in found if (each.essential or budget is Budget.GPU) is first]
        return tuple(
            sandbox_cell(
                each, self.part, budget, seeds if "seeds" in each.settings(budget) else None
            )
            for each in chosen
        )

    def parts(self, cells: Sequence[Cell]) -> list[tuple[Cell, ...]]:
        """One by one: they share no program."""
        return [(cell,) for cell in cells]

    def compute(
        self, part: Sequence[Cell], show: Callable[[Progress], None]
    ) -> list[dict[str, Any]]:
        """Claims first, then the run."""
        return [run_sandbox(cell, show) for cell in part]


def names_of(part: str) -> tuple[str, ...]:
    """Sandboxes of one part, by name."""
    return tuple(
        entry.name for entry in catalogue.entries("sandboxes") if entry.path.parent.name == part
    )


def sandbox_cell(
    sandbox: Sandbox, part: str, budget: Budget, seeds: int | None = None, text: str = ""
) -> Cell:
    """Everything that decides its run."""
    settings = choose(sandbox, budget, text, seeds)
    require(sandbox, settings)
    return Cell(part, sandbox.name, {"kind": sandbox.name, **settings})


def run_sandbox(cell: Cell, show: Callable[[Progress], None]) -> dict[str, Any]:
    """What theory says, then what comes out."""
    sandbox = load(cell.label)
    settings = settings_of(cell)
    require(sandbox, settings)
    claims = sandbox.claims(settings)
    found = sandbox.measure(settings, show)
    compare(claims, found)  # every claim has its measurement, or it fails here
    return {
        "claims": [dataclasses.asdict(claim) for claim in claims],
        "measured": {claim.quantity: found.values[claim.quantity] for claim in claims},
        "curves": dict(found.curves),
    }


def settings_of(cell: Cell) -> dict[str, Any]:
    """What decides the run of a sandbox, without its name."""
    return {name: value for name, value in cell.settings.items() if name != "kind"}


def comparisons(values: dict[str, Any]) -> tuple[Comparison, ...]:
    """The rows of a stored cell."""

    def plain(value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    claims = [Claim(**{**each, "predicted": plain(each["predicted"])}) for each in values["claims"]]
    measured = {name: plain(value) for name, value in values["measured"].items()}
    return compare(claims, Findings(measured))
