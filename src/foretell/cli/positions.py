"""`foretell positions`: what positions alone do in the heads of a trained model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from foretell.plain.errors import BadInput


def positions(
    weights: Annotated[Path, typer.Argument(help="Folder of a run, or a GPT-2's safetensors.")],
    heads: Annotated[
        int | None, typer.Option(help="Of a GPT-2 without its config.json: heads a layer.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page there.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Offset variance of every head, and the regularizer on products of positions."""
    from foretell.cli import _start

    _start.require_folder(html)
    if heads is not None and heads < 1:
        raise BadInput("a model has at least one head", seen=heads, hint="--heads 12")
    with _start.computing():
        from rich.console import Console

        from foretell.plain.files import write_atomically
        from foretell.reports.positions import products as report

        found = report.inspect(weights, heads)
        if as_json:
            print(json.dumps(found.as_json()))
        else:
            report.show(Console(), found)
        if html is not None:
            write_atomically(html, report.positions_page(found))
