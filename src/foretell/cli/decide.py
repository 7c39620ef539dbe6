"""`foretell decide`: is a regular language definable in C-RASP? With a certificate."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foretell.plain.errors import BadInput

if TYPE_CHECKING:
    from foretell.reports.programs.decided import Asked

FAILED = 1  # the exit code for a failure of ours


def decide(
    regex: Annotated[str | None, typer.Option(help="A regular expression.")] = None,
    alphabet: Annotated[
        str | None, typer.Option(help="Its letters, if it does not name all: abc, or up,down.")
    ] = None,
    dfa: Annotated[Path | None, typer.Option(help="An automaton: .json or AT&T .att.")] = None,
    sink: Annotated[
        bool, typer.Option("--sink", help="Lead missing transitions to a rejecting state.")
    ] = False,
    determinize: Annotated[
        bool, typer.Option("--determinize", help="Allow several transitions for one letter.")
    ] = False,
    trim: Annotated[
        bool, typer.Option("--trim", help="Allow accepting states that no word reaches.")
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
    modulus: Annotated[
        list[str] | None, typer.Option(help="Also with this period alone: 2, or 2,3,4.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="The argument in words.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Re-check the certificates.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Decide C-RASP definability of a regular language, with certificates either way."""
    from foretell.cli import _start

    named = {"--regex": regex, "--dfa": dfa, "--batch": batch}
    given = [name for name, value in named.items() if value is not None]
    if len(given) != 1:
        raise BadInput(
            "name exactly one of --regex, --dfa and --batch",
            seen=" ".join(given) or "none of them",
            hint='foretell decide --regex "(ab)*"',
        )
    _fitting(given[0], {"--out": out, "--alphabet": alphabet}, {"--explain": explain})
    _start.require_folder(out)
    with _start.computing():
        from rich.console import Console

        from foretell.reports.programs import decided, decided_shown

        moduli = decided.read_moduli(modulus or [])
        asked = decided.Asked(accept, moduli, check, sink, determinize, trim)
        if batch is not None:
            _batch(batch, out, asked)
            return
        if regex is not None:
            answer = decided.answer_regex(regex, alphabet, asked)
        else:
            assert dfa is not None
            answer = decided.answer_file(dfa, alphabet, asked)
        if as_json:
            # not in a batch: the semigroup of the states may take longer than the decision
            told = {**answer.as_json(checked=check), "depth": answer.depth.as_json()}
            print(json.dumps(told, ensure_ascii=False))
        else:
            decided_shown.show(Console(), answer, explain=explain, check=check)
        if check and not all(found.holds for found in answer.checks.values()):
            _failed("a certificate does not hold")


def _fitting(given: str, values: dict[str, object], flags: dict[str, bool]) -> None:
    """Refuse options that would mean nothing."""
    if given != "--batch" and values["--out"] is not None:
        raise BadInput("only a batch is written to a file", hint="--json > FILE")
    useless = [name for name in ("--alphabet",) if values[name] is not None]
    useless += [name for name, there in flags.items() if there]
    if given == "--batch" and useless:
        raise BadInput(
            "an option means nothing for a batch",
            seen=useless[0],
            why="lines name their own letters, and their answers are JSON",
            hint='"alphabet": ["a", "b"] in the line, or one language at a time',
        )


def _failed(what: str) -> None:
    print(f"foretell: {what}; this is a failure of ours, please report it", file=sys.stderr)
    raise typer.Exit(FAILED)


def _batch(batch: Path, out: Path | None, asked: Asked) -> None:
    """Line by line, errors too; with --out a killed run continues where it was."""
    from foretell.plain.files import read_standard_input, read_text
    from foretell.reports.programs import batches

    text = read_standard_input() if str(batch) == "-" else read_text(batch)
    lines = batches.numbered(text)

    def show(done: int) -> None:
        if done % 200 == 0:
            print(f"{done:,} of {len(lines):,}", file=sys.stderr, flush=True)

    tally = batches.run(lines, out, asked, show)
    if tally.failed:
        _failed(f"{tally.failed:,} of {tally.lines:,} lines of the batch failed")
    if tally.refused:
        raise BadInput(
            "some lines of the batch could not be read",
            seen=f"{tally.refused:,} of {tally.lines:,}",
            why="their answers carry the reason under `error`",
        )
