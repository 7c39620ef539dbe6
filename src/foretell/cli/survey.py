"""`foretell survey`: how many random languages are definable in C-RASP?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def survey(
    states: Annotated[int, typer.Option(help="States of the minimal automata.")] = 5,
    alphabet: Annotated[int, typer.Option(help="Letters.")] = 2,
    count: Annotated[int, typer.Option(help="How many automata.")] = 1000,
    seed: Annotated[int, typer.Option(help="Of the random draw.")] = 0,
    html: Annotated[Path | None, typer.Option(help="Write a page there.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Decide random minimal automata; fractions with intervals, and how long it takes."""
    from foretell.cli import _start

    _start.require_folder(html)
    with _start.computing():
        from rich.console import Console

        from foretell.plain.files import write_atomically
        from foretell.reports.programs import surveyed

        found = surveyed.survey(states, alphabet, count, seed)
        if as_json:
            print(json.dumps(found.as_json()))
        else:
            surveyed.show(Console(), found)
        if html is not None:
            write_atomically(html, surveyed.survey_page(found))
