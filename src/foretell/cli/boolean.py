"""`foretell boolean`: one Boolean function, from its spectrum to bounds for learning it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def boolean(
    function: Annotated[
        str,
        typer.Argument(
            help='"x1 xor x2 and not x3", "parity,T=10", "degree=3,sparsity=7,T=20", or a .json.'
        ),
    ],
    samples: Annotated[int, typer.Option(help="Training inputs that the bounds are for.")] = 8192,
    delta: Annotated[float, typer.Option(help="Chance that a bound may fail.")] = 0.05,
    constant: Annotated[
        float, typer.Option(help="Sub-Gaussian constant of the loss, as published.")
    ] = 0.01,
    attention_scale: Annotated[
        float, typer.Option(help="Of the transformer: a factor of ln T in its logits.")
    ] = 2.0,
    ramp: Annotated[
        str, typer.Option(help="Of its MLP: narrow, as published, or wide.")
    ] = "narrow",
    query_only: Annotated[
        bool, typer.Option("--query-only", help="Ask for values only, as of a black box.")
    ] = False,
    html: Annotated[Path | None, typer.Option(help="Write a page there.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Spectrum, explicit transformer, curvature, bounds and chain of thought of one function."""
    from foretell.cli import _start

    _start.require_folder(html)
    with _start.computing():
        from rich.console import Console

        from foretell.plain.files import write_atomically
        from foretell.reports.boolean import function as boolean_function
        from foretell.reports.boolean import page as boolean_page
        from foretell.reports.boolean import shown as boolean_shown

        asked = boolean_function.Asked(samples, delta, constant, attention_scale, ramp, query_only)
        named = boolean_function.read(function)
        _start.prepare_jax()
        with Console(stderr=True).status("building and measuring the transformer"):
            found = boolean_function.examine(named, asked)
        if as_json:
            print(json.dumps(found.as_json(), allow_nan=False))
        else:
            boolean_shown.show(Console(), found)
        if html is not None:
            write_atomically(html, boolean_page.boolean_page(found))
