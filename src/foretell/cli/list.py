"""`foretell list`: what is in the catalogue."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from foretell.cli._template_tasks import template_tasks
from foretell.plain import catalogue
from foretell.plain.errors import BadInput


def list_names(
    kind: Annotated[str, typer.Argument(help="|".join(catalogue.KINDS))] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """What there is: tasks, languages, predictors, protocols, positional encodings, problems."""
    if kind and kind not in catalogue.KINDS:
        raise BadInput(
            "there is no such part of the catalogue",
            seen=kind,
            hint=catalogue.suggest(kind, catalogue.KINDS) or ", ".join(catalogue.KINDS),
        )
    kinds = (kind,) if kind else catalogue.KINDS
    if as_json:
        found = {
            each: [{"name": e.name, "title": e.title} for e in _entries(each)] for each in kinds
        }
        print(json.dumps(found))
        return
    console = Console()
    for each in kinds:
        table = Table(title=each, title_justify="left", box=None, show_header=False, padding=(0, 2))
        for entry in _entries(each):
            table.add_row(Text(entry.name, style="bold"), Text(entry.title))
        console.print(table)
        console.print()


def _entries(kind: str) -> tuple[catalogue.Entry, ...]:
    """As the catalogue has them; behind the tasks those that are named sets of templates."""
    return catalogue.entries(kind) + (template_tasks() if kind == "tasks" else ())
