"""`foretell decide`: is a regular language definable in C-RASP? With a certificate."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from foretell.plain.errors import BadInput


def decide(
    regex: Annotated[str | None, typer.Option(help="A regular expression.")] = None,
    alphabet: Annotated[
        str | None, typer.Option(help="Its letters, if it does not name all: abc, or up,down.")
    ] = None,
    dfa: Annotated[Path | None, typer.Option(help="An automaton: .json or AT&T .att.")] = None,
    sink: Annotated[
        bool, typer.Option("--sink", help="Lead missing transitions to a rejecting state.")
    ] = False,
    batch: Annotated[
        Path | None, typer.Option(help="Many languages, one JSON object a line; - is stdin.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the batch there; what is there already is kept.")
    ] = None,
    accept: Annotated[
        str, typer.Option(help="last-letter, or every-prefix: what may be seen when deciding.")
    ] = "last-letter",
    explain: Annotated[bool, typer.Option("--explain", help="The argument in words.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Re-check the certificates.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Decide C-RASP definability of a regular language, with certificates either way."""
    from foretell.cli import _start

    given = [
        name for name, value in (("--regex", regex), ("--dfa", dfa), ("--batch", batch)) if value
    ]
    if len(given) != 1:
        raise BadInput(
            "name exactly one of --regex, --dfa and --batch",
            seen=" ".join(given) or "none of them",
            hint='foretell decide --regex "(ab)*"',
        )
    if out is not None and batch is None:
        raise BadInput("only a batch is written to a file", hint="--json > FILE")
    _start.require_folder(out)
    with _start.computing():
        from rich.console import Console

        from foretell.reports import decided

        if batch is not None:
            _batch(batch, out, accept)
            return
        language = decided.read_language(regex, alphabet, dfa, sink)
        answer = decided.answer_for(language, accept)
        if as_json:
            print(json.dumps(answer.as_json(checked=check), ensure_ascii=False))
        else:
            decided.show(Console(), answer, explain=explain, check=check)


def _batch(batch: Path, out: Path | None, accept: str) -> None:
    """Line by line, errors too; with --out a killed run continues where it was."""
    from foretell.plain.files import read_text
    from foretell.reports import decided

    text = sys.stdin.read() if str(batch) == "-" else read_text(batch)
    lines = [line for line in text.splitlines() if line.strip()]
    done = decided.lines_done(out) if out is not None else 0
    refused = 0
    with decided.opened(out) as write:
        for number, line in enumerate(lines[done:], start=done + 1):
            answer = decided.answer_line(line, number, accept)
            refused += "error" in answer
            write(json.dumps(answer, ensure_ascii=False))
            if number % 200 == 0:
                print(f"{number:,} of {len(lines):,}", file=sys.stderr, flush=True)
    if refused:
        raise BadInput(
            "some lines of the batch could not be read",
            seen=f"{refused:,} of {len(lines):,}",
            why="their answers carry the reason under `error`",
        )
