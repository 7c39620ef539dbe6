"""One sandbox from the command line: what its formulas say, and what its run gives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foretell.plain.errors import BadInput


def predict(what: str, settings: Mapping[str, Any], as_json: bool) -> None:
    """The claims on top of `--budget cpu`, before anything is run."""
    import dataclasses

    from rich.console import Console

    from foretell.reports.sandboxes.playing import foretold
    from foretell.reports.sandboxes.sandboxed import changes_json, show_claims

    _refuse(settings)
    said = foretold(what)
    if as_json:
        claims = [dataclasses.asdict(claim) for claim in said.claims]
        changes = changes_json(said.changed, said.budget)
        print(json.dumps({"sandbox": said.sandbox.name, "claims": claims, **changes}))
    else:
        show_claims(Console(), said.sandbox, said.claims, said.changed, what)


def check(
    what: str, settings: Mapping[str, Any], store: str | None, html: Path | None, as_json: bool
) -> None:
    """Run it unless the store has it, and show every claim beside its measurement."""
    from rich.console import Console

    from foretell.cli import _progress, _start
    from foretell.plain.files import write_atomically
    from foretell.reports.sandboxes import playing, sandboxed
    from foretell.training.store import Store

    chosen = dict(settings)
    budget, seeds = chosen.pop("budget", None) or "cpu", chosen.pop("seeds", None)
    _refuse(chosen)
    _start.prepare_jax(budget)
    with _progress.bar() as show:
        played = playing.played(what, budget=budget, seeds=seeds, store=Store.at(store), show=show)
    if as_json:
        print(json.dumps(played.as_json()))
    else:
        console = Console()
        sandboxed.show_played(console, played)
        for told in sandboxed.summary([played]):
            console.print(told, style="bold", highlight=False)
    if html is not None:
        write_atomically(html, sandboxed.played_page(played))


def _refuse(settings: Mapping[str, Any]) -> None:
    given = [name for name, value in settings.items() if value not in (None, False)]
    if given:
        raise BadInput(
            "a sandbox has settings of its own",
            seen=", ".join(f"--{name.replace('_', '-')}" for name in given),
            why="beside --budget, --seeds, --store, --html and --json they follow its name",
            hint="NAME:steps=100,width=16; foretell explain NAME --settings lists them",
        )
