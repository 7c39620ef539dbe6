"""Ask a sandbox: its claims alone, or its run beside them. Command line and Python share this."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

from foretell.plain import catalogue
from foretell.plain.settings import changed
from foretell.protocols._asking import Budget
from foretell.reports.reproduced.fitted import read_budget
from foretell.reports.sandboxes.sandboxed import Played
from foretell.reproductions import Experiment
from foretell.reproductions import load as load_reproduction
from foretell.reproductions._computing import compute_part, stored_cell
from foretell.reproductions._sandboxed import sandbox_cell
from foretell.sandboxes import Claim, Sandbox, load
from foretell.sandboxes.settings import choose, require
from foretell.training.engine import Progress
from foretell.training.store import Store


@final
@dataclass(frozen=True)
class Foretold:
    """What a sandbox claims at some settings."""

    sandbox: Sandbox
    settings: dict[str, Any]
    budget: str

    @property
    def claims(self) -> tuple[Claim, ...]:
        """From formulas, before anything runs."""
        return self.sandbox.claims(self.settings)

    @property
    def changed(self) -> dict[str, tuple[Any, Any]]:
        """Settings that are not the preset's."""
        return changed(self.sandbox.settings(Budget(self.budget)), self.settings)


def foretold(what: str, budget: str = "cpu") -> Foretold:
    """The claims of `NAME` or `NAME:settings`, on top of the preset of a budget.

    >>> said = foretold("markov-landscape:p=0.2,q=0.3").claims
    >>> f"{said[0].quantity}: {said[0].predicted:.4f}"
    'p=0.2, q=0.3: loss at the point: 0.6730'
    """
    name, _, text = what.partition(":")
    sandbox, chosen = load(name), read_budget(budget)
    settings = choose(sandbox, chosen, text)
    require(sandbox, settings)
    return Foretold(sandbox, settings, chosen.value)


def played(
    what: str,
    *,
    budget: str = "cpu",
    seeds: int | None = None,
    store: Store,
    show: Callable[[Progress], None] = lambda progress: None,
) -> Played:
    """Run it, unless the store has it: every claim beside its measurement."""
    name, _, text = what.partition(":")
    part = catalogue.find(name, ("sandboxes",)).path.parent.name
    experiment = load_reproduction(f"sandbox-{part}")
    assert isinstance(experiment, Experiment)
    cell = sandbox_cell(load(name), part, read_budget(budget), seeds, text)
    if stored_cell(experiment, cell, store) is None:
        compute_part(experiment, (cell,), store, show)
    return Played(cell, stored_cell(experiment, cell, store), budget)
