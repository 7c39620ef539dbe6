"""`foretell scoreboard`: everything measured so far against everything predicted."""

from __future__ import annotations

import contextlib
import gc
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import typer

from foretell.plain.errors import BadInput


def scoreboard(
    store: Annotated[
        str | None,
        typer.Option(help="Folder of runs. (default: FORETELL_STORE or ./foretell-runs)"),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write the page there.")] = None,
    parquet: Annotated[Path | None, typer.Option(help="Write every score there.")] = None,
    sql: Annotated[str | None, typer.Option(help="Query the table `scores` instead.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Prediction beside measurement for every run in the store, and each theory's record."""
    from rich.console import Console

    from foretell.cli import _start
    from foretell.plain.files import write_atomically
    from foretell.reports.scoreboard import build_scoreboard, scoreboard_json
    from foretell.reports.terminal import show_scoreboard
    from foretell.training.store import Store

    _start.require_folder(html)
    _start.require_folder(parquet)
    runs = Store.at(store)
    if store is not None and not runs.root.is_dir():
        raise BadInput("there is no run store", seen=store, why="no such folder")
    if sql is not None:
        from foretell.training.queries import query

        if html is not None or parquet is not None:
            raise BadInput("a query has no page and no file", seen=sql, hint="without --sql")
        found = query(runs, sql, _named)
        print(json.dumps(found, indent=None if as_json else 1, default=_plain))
        return
    if parquet is not None:
        from foretell.training.queries import export_parquet

        count = export_parquet(runs, parquet, _named)
        typer.echo(f"{count} scores written to {parquet}", err=True)
    _start.prepare_jax()  # fits of capture are compiled, and should be once
    with _not_collecting():
        board, problems = build_scoreboard(runs)
    if html is not None:
        from foretell.reports.scoreboard_page import scoreboard_page

        write_atomically(html, scoreboard_page(board, problems))
    if as_json:
        print(json.dumps(scoreboard_json(board, problems)))
    else:
        show_scoreboard(Console(), board, problems)


def _named(problem: Exception) -> None:
    """A run that is left out is told of, beside the answer."""
    typer.echo(f"left out: {problem}", err=True)


@contextlib.contextmanager
def _not_collecting() -> Iterator[None]:
    """Scores of a large store are millions of values without cycles: no use walking over them."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _plain(value: object) -> object:
    """What SQL has and JSON has not: sums are Decimal, and times are times."""
    return float(value) if isinstance(value, Decimal) else str(value)
