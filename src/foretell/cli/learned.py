"""`foretell learned`: what a fitted model makes of its Boolean function."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def learned(
    run: Annotated[Path, typer.Argument(help="Folder of a run of `check boolean:…`.")],
    exact: Annotated[
        bool | None,
        typer.Option(
            "--exact/--query-only",
            help="Ask for all values (usual up to 16 bits, possible up to 20), or for some.",
        ),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page there.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Which components a fitted model has, and which attention rows look for them."""
    from foretell.cli import _start

    _start.require_folder(html)
    with _start.computing():
        from rich.console import Console

        from foretell.plain.files import write_atomically
        from foretell.reports.boolean import learned as report
        from foretell.reports.boolean import learned_shown

        found = report.inspect(run, exact)
        if as_json:
            print(json.dumps(found.as_json()))
        else:
            learned_shown.show(Console(), found)
        if html is not None:
            write_atomically(html, learned_shown.learned_page(found))
