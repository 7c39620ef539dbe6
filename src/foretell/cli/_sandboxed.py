"""One sandbox from the command line: what its formulas say, and what its run gives."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foretell.plain import catalogue
from foretell.plain.errors import BadInput

if TYPE_CHECKING:
    from foretell.reports.sandboxed import Played
    from foretell.training.store import Store

NAMED = ("tasks", "languages", "programs", "sandboxes")  # what check and predict know by name


def is_sandbox(name: str) -> bool:
    """Read from file names, without loading anything; a name that nothing has is refused.

    It is refused here, because the nearest names are those of tasks and of sandboxes.
    """
    if not re.fullmatch(r"[\w-]+", name):  # written out, with settings, or a file
        return False
    return catalogue.find(name, NAMED).kind == "sandboxes"


def predict(name: str, settings: Mapping[str, Any], as_json: bool) -> None:
    """The claims of `--budget cpu`, before anything is run."""
    import dataclasses

    from rich.console import Console

    from foretell.protocols._asking import Budget
    from foretell.reports.sandboxed import show_claims
    from foretell.sandboxes import load

    _refuse(settings)
    sandbox = load(name)
    claims = sandbox.claims(sandbox.settings(Budget.CPU))
    if as_json:
        said = [dataclasses.asdict(claim) for claim in claims]
        print(json.dumps({"sandbox": name, "claims": said}))
    else:
        show_claims(Console(), sandbox, claims)


def check(
    name: str, settings: Mapping[str, Any], store: str | None, html: Path | None, as_json: bool
) -> None:
    """Run it unless the store has it, and show every claim beside its measurement."""
    from rich.console import Console

    from foretell.cli import _start
    from foretell.plain.files import write_atomically
    from foretell.reports import sandboxed
    from foretell.training.store import Store

    chosen = dict(settings)
    budget, seeds = chosen.pop("budget", None) or "cpu", chosen.pop("seeds", None)
    _refuse(chosen)
    _start.prepare_jax(budget)
    played = _run(name, budget, seeds, Store.at(store))
    if as_json:
        print(json.dumps(played.as_json()))
    else:
        console = Console()
        sandboxed.show_played(console, played)
        for told in sandboxed.summary([played]):
            console.print(told, style="bold", highlight=False)
    if html is not None:
        write_atomically(html, sandboxed.played_page(played))


def _run(name: str, budget: str, seeds: int | None, store: Store) -> Played:
    from foretell.cli import _progress
    from foretell.reports.fitted import read_budget
    from foretell.reports.sandboxed import Played
    from foretell.reproductions import Experiment
    from foretell.reproductions import load as load_reproduction
    from foretell.reproductions._computing import compute_part, stored_cell
    from foretell.reproductions._sandboxed import sandbox_cell
    from foretell.sandboxes import load

    part = catalogue.find(name, ("sandboxes",)).path.parent.name
    experiment = load_reproduction(f"sandbox-{part}")
    assert isinstance(experiment, Experiment)
    cell = sandbox_cell(load(name), part, read_budget(budget), seeds)
    if stored_cell(experiment, cell, store) is None:
        with _progress.bar() as show:
            compute_part(experiment, (cell,), store, show)
    return Played(cell, stored_cell(experiment, cell, store), budget)


def _refuse(settings: Mapping[str, Any]) -> None:
    given = [name for name, value in settings.items() if value not in (None, False)]
    if given:
        raise BadInput(
            "a sandbox has settings of its own",
            seen=", ".join(f"--{name.replace('_', '-')}" for name in given),
            hint="only --budget, --seeds, --store, --html and --json",
        )
