"""Experiments, each shown in its own way: gathered from the store, then printed or made a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from rich.console import Console

from foretell.plain.catalogue import suggest
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.reports.capture import lazy_curves, lazy_shown
from foretell.reports.landscape import (
    looked_inside,
    looked_inside_shown,
    perturbed,
    perturbed_shown,
)
from foretell.reports.positions import fitted as fitted_positions
from foretell.reports.sandboxes import sandboxed
from foretell.reproductions import Cell, Experiment
from foretell.reproductions._computing import stored_cell
from foretell.reproductions._sandboxed import Sandboxes
from foretell.sandboxes.settings import require_seeds
from foretell.training.store import Store


class Whole(Protocol):
    """An experiment as far as it was run."""

    @property
    def experiment(self) -> Experiment:
        """What was run."""

    def as_json(self) -> dict[str, Any]:
        """The form of `foretell reproduce NAME --json`."""


class View(NamedTuple):
    """How one experiment is gathered from its cells, printed, and made a page."""

    collect: Callable[..., Any]
    show: Callable[[Console, Any], None]
    page: Callable[[Any], str]


VIEWS = {
    "lazy-capture": View(lazy_curves.collect, lazy_shown.show, lazy_shown.lazy_page),
    "parity-lookup": View(
        looked_inside.collect, looked_inside_shown.show, looked_inside_shown.inside_page
    ),
    "perturbed-trace": View(
        perturbed.collect, perturbed_shown.show, perturbed_shown.perturbed_page
    ),
    "position-fit": View(
        fitted_positions.collect, fitted_positions.show, fitted_positions.fits_page
    ),
    "sandbox-learning": View(sandboxed.collect, sandboxed.show, sandboxed.gallery_page),
    "sandbox-representation": View(sandboxed.collect, sandboxed.show, sandboxed.gallery_page),
}


def chosen(
    experiment: Experiment, budget: str, seeds: int | None, only: str | None
) -> tuple[Cell, ...]:
    """The cells somebody wants to compute: all, or those of some groups or kinds."""
    cells = experiment.cells(read_budget(budget), seeds)
    if only is not None:
        cells = _named(cells + experiment.further_cells(read_budget(budget), seeds), only)
    if seeds is not None and isinstance(experiment, Sandboxes):
        require_seeds(seeds, {cell.label: cell.settings for cell in cells})
    return cells


def _named(cells: tuple[Cell, ...], only: str) -> tuple[Cell, ...]:
    """Those of some groups or kinds."""
    wanted = [name.strip() for name in only.split(",")]
    names = dict.fromkeys(name for cell in cells for name in (cell.settings["kind"], cell.group))
    for name in wanted:
        if name not in names:
            raise BadInput(
                "the experiment has no such row",
                seen=name,
                why=f"rows: {', '.join(names)}",
                hint=suggest(name, names),
            )
    return tuple(cell for cell in cells if {cell.settings["kind"], cell.group} & {*wanted})


def read_budget(text: str) -> Budget:
    """One of the three budgets."""
    try:
        return Budget(text)
    except ValueError:
        choices = " or ".join(option.value for option in Budget)
        raise BadInput("unknown budget", seen=text, hint=choices) from None


def collect(experiment: Experiment, budget: str, seeds: int | None, store: Store) -> Any:
    """Every cell with what the store has for it, in the experiment's own form.

    Cells that are computed only if they are named come last, where they were.
    """
    size = read_budget(budget)
    found = [(cell, stored_cell(experiment, cell, store)) for cell in experiment.cells(size, seeds)]
    for cell in experiment.further_cells(size, seeds):
        if (known := stored_cell(experiment, cell, store)) is not None:
            found.append((cell, known))
    return VIEWS[experiment.name].collect(experiment, budget, found)


def show(console: Console, whole: Whole) -> None:
    """On the terminal."""
    VIEWS[whole.experiment.name].show(console, whole)


def fits_page(whole: Whole) -> str:
    """As one self-contained page."""
    return VIEWS[whole.experiment.name].page(whole)
