"""`foretell attention`: where the heads of a trained model look as inputs grow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from foretell.plain.errors import BadInput


def attention(
    weights: Annotated[Path, typer.Argument(help="Folder of a run, or a GPT-2's safetensors.")],
    heads: Annotated[
        int | None, typer.Option(help="Of a GPT-2 without its config.json: heads a layer.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page there.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """What every head looks at in short inputs, and whether that fades in longer ones."""
    from foretell.cli import _start

    _start.require_folder(html)
    if heads is not None and heads < 1:
        raise BadInput("a model has at least one head", seen=heads, hint="--heads 12")
    with _start.computing():
        from rich.console import Console

        from foretell.plain.files import write_atomically
        from foretell.protocols._attending import attending
        from foretell.reports.positions import attending as report

        found = attending(weights, heads)
        if as_json:
            print(json.dumps(report.as_json(found)))
        else:
            report.show(Console(), found)
        if html is not None:
            write_atomically(html, report.attending_page(found))
