"""`foretell learned`: what a fitted model makes of its Boolean function."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def learned(
    run: Annotated[Path, typer.Argument(help="Folder of a run of `check boolean:…`.")],
    query_only: Annotated[
        bool, typer.Option("--query-only", help="Ask for some values only; no exact spectrum.")
    ] = False,
    html: Annotated[Path | None, typer.Option(help="Write a page there.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Which components a fitted model has, and which attention rows look for them."""
    from foretell.cli import _start

    _start.require_folder(html)
    with _start.computing():
        from rich.console import Console

        from foretell.plain.files import write_atomically
        from foretell.reports import learned as report
        from foretell.reports import learned_shown

        found = report.inspect(run, query_only)
        if as_json:
            print(json.dumps(found.as_json()))
        else:
            learned_shown.show(Console(), found)
        if html is not None:
            write_atomically(html, learned_shown.learned_page(found))
