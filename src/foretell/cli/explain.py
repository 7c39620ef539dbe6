"""`foretell explain`: what a name means."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from foretell.cli._template_tasks import PREFIX, find_template_task
from foretell.plain import catalogue


def explain(
    name: Annotated[str, typer.Argument(help="A name from `foretell list`.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """What it is, its definition, an example, its known limits, its sources."""
    is_template = name.startswith(PREFIX)
    entry = find_template_task(name) if is_template else catalogue.find(name)
    if as_json:
        sections = {title.lower().replace(" ", "_"): text for title, text in entry.sections}
        print(json.dumps({"name": entry.name, "kind": entry.kind, "title": entry.title} | sections))
        return
    console = Console()
    console.print(Text(f"{entry.name}: {entry.title}", style="bold"), end=" ")
    console.print(Text(f"({entry.kind})", style="dim"))
    if entry.kind == "programs":
        console.print(Text(f"\nforetell crasp show {entry.name}", style="dim"))
    elif entry.name in {each.name for each in catalogue.entries("programs")}:
        console.print(Text(f"\nIt has a program: foretell explain program:{name}", style="dim"))
    for title, text in entry.sections:
        console.print(Text(f"\n{title}", style="bold"))
        flowing = text if title == "Example" else " ".join(text.split())
        console.print(Padding(Text(flowing), (0, 0, 0, 2)))
