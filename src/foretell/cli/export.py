"""`foretell export`: a task as a data set for people who train elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foretell.plain.errors import BadInput

MOST = 10_000_000  # examples in one file


def export(
    task: Annotated[str, typer.Argument(help="A name, `regex:…` or a DFA file.")],
    sizes: Annotated[str, typer.Option(help="As in 1..50.")] = "1..50",
    count: Annotated[int, typer.Option(help="How many examples.")] = 1_000,
    file_format: Annotated[str, typer.Option("--format", help="jsonl or parquet.")] = "jsonl",
    out: Annotated[
        Path | None, typer.Option(help="File to write. (default: TASK.jsonl or TASK.parquet)")
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="The same seed gives the same data.")
    ] = 0,
    probe: Annotated[str | None, typer.Option(help="members, non-members, … (languages).")] = None,
) -> None:
    """Write examples: input, target, mask, size, label."""
    from foretell.cli import _start

    if file_format not in ("jsonl", "parquet"):
        raise BadInput("unknown format", seen=file_format, hint="jsonl or parquet")
    if count > MOST:
        raise BadInput(f"at most {MOST:,} examples go into one file", seen=count)
    _start.require_folder(out)
    with _start.computing():
        _export(task, sizes, count, file_format, out, seed, probe)


def _export(
    task: str,
    sizes: str,
    count: int,
    file_format: str,
    out: Path | None,
    seed: int,
    probe: str | None,
) -> None:
    from foretell.protocols._sizes import parse_range
    from foretell.reports.export import export_task
    from foretell.tasks.lookup import find_task

    wanted = parse_range(sizes)
    chosen = find_task(task, wanted.high)
    name = "".join(c if c.isalnum() or c in "-_." else "_" for c in chosen.name)
    path = out or Path(f"{name}.{file_format}")
    written = export_task(chosen, wanted, count, path, file_format, seed, probe)
    typer.echo(f"{written} examples of {chosen.name} written to {path}", err=True)
