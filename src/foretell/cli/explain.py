"""`foretell explain`: what a name means."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from foretell.cli._template_tasks import PREFIX, find_template_task
from foretell.plain import catalogue
from foretell.plain.errors import BadInput

SETTINGS = "With these settings"


def explain(
    name: Annotated[str, typer.Argument(help="A name from `foretell list`, or NAME:settings.")],
    settings: Annotated[
        bool, typer.Option("--settings", help="A sandbox's settings, with every budget's values.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """What it is, its definition, an example, its known limits, its sources."""
    entry = _find(name)
    listed = entry.kind == "sandboxes" and (settings or ":" in name)
    if settings and not listed:
        raise BadInput("only sandboxes list their settings", seen=entry.name, why="it is none")
    if as_json:
        sections = {title.lower().replace(" ", "_"): text for title, text in entry.sections}
        told = {"name": entry.name, "kind": entry.kind, "title": entry.title} | sections
        print(json.dumps(told | ({"settings": _settings_json(name)} if listed else {})))
        return
    asked = f"foretell explain {entry.name} --settings lists them, and what each budget takes"
    told_settings = _settings_text(name) if listed else asked  # refused before a line is printed
    console = Console()
    console.print(Text(f"{entry.name}: {entry.title}", style="bold"), end=" ")
    console.print(Text(f"({entry.kind})", style="dim"))
    if entry.kind == "programs":
        console.print(Text(f"\nforetell crasp show {entry.name}", style="dim"))
    elif entry.name in {each.name for each in catalogue.entries("programs")}:
        console.print(Text(f"\nIt has a program: foretell explain program:{name}", style="dim"))
    if entry.name in {each.name for each in catalogue.entries("problems")}:
        console.print(
            Text(f"\nWhat can represent it: foretell represent {entry.name}", style="dim")
        )
    for title, text in entry.sections:
        console.print(Text(f"\n{title}", style="bold"))
        flowing = text if title in ("Example", SETTINGS) else " ".join(text.split())
        console.print(Padding(Text(flowing), (0, 0, 0, 2)))
    if entry.kind == "sandboxes":
        console.print(Text("\nSettings", style="bold"))
        console.print(Padding(Text(told_settings), (0, 0, 0, 2)))


def _find(name: str) -> catalogue.Entry:
    """The entry that a name means: a file's, a named template's, or a task's with its settings."""
    if name.startswith(PREFIX):
        return find_template_task(name)
    first, colon, settings = name.partition(":")
    if colon and first in catalogue.WRITTEN_OUT:
        raise BadInput(
            "a task that is written out says itself what it is",
            seen=name,
            why="only names of the catalogue are explained",
            hint=f"foretell predict '{name}'",
        )
    if settings and first in {each.name for each in catalogue.entries("tasks")}:
        return _with_settings(name, catalogue.find(first, ("tasks",)))
    if colon and first in {each.name for each in catalogue.entries("sandboxes")}:
        return catalogue.find(first, ("sandboxes",))
    return catalogue.find(name)


def _with_settings(name: str, entry: catalogue.Entry) -> catalogue.Entry:
    """The same entry, and what the settings make of it.

    The task is built, so that settings it would refuse are refused here too. That loads JAX.
    """
    from foretell.tasks.lookup import find_task

    smallest = entry.load().smallest  # a vocabulary that is too small for long inputs will do here
    task = find_task(name, smallest)
    told = [f"{task.sampler}; sizes from {smallest:,} on"]
    told += [f"{fact.name}: {fact.value} ({fact.source})" for fact in task.facts]
    sections = ((SETTINGS, "\n".join(told)), *entry.sections)
    return dataclasses.replace(entry, name=task.name, sections=sections)


def _settings_text(name: str) -> str:
    """Loads the sandbox, and JAX with it: that is why it is not said unasked."""
    from foretell.reports.sandboxes.playing import foretold
    from foretell.reports.sandboxes.settings import settings_text

    said = foretold(name)
    return settings_text(said.sandbox, said.settings if said.changed else None)


def _settings_json(name: str) -> list[dict[str, Any]]:
    from foretell.reports.sandboxes.playing import foretold
    from foretell.reports.sandboxes.settings import settings_rows

    said = foretold(name)
    return settings_rows(said.sandbox, said.settings if said.changed else None)
