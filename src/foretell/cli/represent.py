"""`foretell represent`: can a model represent it at every length, and how large must it be?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from foretell.reports.representation.represented import Options, Represented


def represent(
    what: Annotated[
        str,
        typer.Argument(
            help="A name from `foretell list problems`; a regular language by name, regex:…, "
            ".json or .att; an automaton: symmetric-5."
        ),
    ],
    depth: Annotated[
        str | None, typer.Option(help="Of a transformer: constant or logarithmic in the length.")
    ] = None,
    precision: Annotated[
        str | None, typer.Option(help="Bits a number: constant or logarithmic.")
    ] = None,
    steps: Annotated[
        str | None, typer.Option(help="Of thought: none, logarithmic, linear or polynomial.")
    ] = None,
    length: Annotated[
        int | None, typer.Option(help="Of index, copy and the like: how many. Usually 1000.")
    ] = None,
    bits: Annotated[int | None, typer.Option(help="Bits a number there. Usually 16.")] = None,
    heads: Annotated[int | None, typer.Option(help="Of the one layer. Usually 1.")] = None,
    width: Annotated[
        int | None, typer.Option(help="Of a model: up to which length is it not excluded?")
    ] = None,
    accuracy: Annotated[
        float | None, typer.Option(help="Of an index: 0.5 to 1. Usually 1.")
    ] = None,
    symbols: Annotated[
        int | None, typer.Option(help="That a copy is made of: how many kinds. Usually 26.")
    ] = None,
    alphabet: Annotated[
        str | None, typer.Option(help="Letters of a regex, if it does not name all: abc.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page there.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Can a sequence model represent it at every length, and how large must it be?"""
    from foretell.cli import _start

    _start.require_folder(html)
    with _start.computing():
        from rich.console import Console

        from foretell.reports.representation import represented, represented_shown

        options = represented.Options(
            depth, precision, steps, length, bits, heads, width, accuracy, symbols, alphabet
        )
        found = _answer(what, options)
        if as_json:
            print(json.dumps(found.as_json(), ensure_ascii=False, allow_nan=False))
        else:
            represented_shown.show(Console(), found)
        if html is not None:
            from foretell.plain.files import write_atomically
            from foretell.reports.representation.represented_page import represented_page

            write_atomically(html, represented_page(found))


def _answer(what: str, options: Options) -> Represented:
    """Problems are answered without JAX, which the algebra of languages would load."""
    from foretell.reports.representation.represented import represent_problem
    from foretell.worlds.problems import PROBLEMS

    if what in PROBLEMS:
        return represent_problem(what, options)
    from rich.console import Console

    from foretell.reports.representation.represent import represent as represent_any

    with Console(stderr=True).status("working out the groups of the language"):
        return represent_any(what, **options.given())
