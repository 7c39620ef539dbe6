"""What is said about a C-RASP program in the terminal. Loads no JAX: `crasp run` is quick."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from foretell.crasp.analysis import Analysis
from foretell.crasp.tracing import Trace


def answer_line(word: str, answer: Mapping[str, Any]) -> Text:
    """One word and what the program says of it."""
    line = Text(f"{word or 'ε'}  ")
    if "accept" in answer:
        yes = answer["accept"]
        line.append("accept" if yes else "reject", style="bold green" if yes else "bold red")
    if "next" in answer:
        line.append("  next: " if "accept" in answer else "next: ", style="dim")
        line.append(" ".join(answer["next"]) or "nothing")
    return line


def show_trace(console: Console, trace: Trace) -> None:
    """One row an operation, one column a position; split into blocks that fit the window."""
    names = max((len(row.name) for row in trace.rows), default=0)
    widest = max((len(cell(v)) for row in trace.rows for v in row.values), default=1)
    each = max(widest, *map(len, trace.word), len(str(len(trace.word)))) + 1 if trace.word else 2
    fitting = max(1, (console.width - names - 2) // each)
    for first in range(0, max(1, len(trace.word)), fitting):
        table = Table(box=None, padding=(0, 1, 0, 0), show_header=True, header_style="dim")
        table.add_column("")
        last = min(first + fitting, len(trace.word))
        for place in range(first, last):
            table.add_column(f"{place + 1}\n{trace.word[place]}", justify="right")
        for row in trace.rows:
            cells = [_styled(value) for value in row.values[first:last]]
            table.add_row(Text(row.name, style="bold"), *cells)
        console.print(table)
        console.print()
    console.print(answer_line("".join(trace.word) or "", trace.answer))


def cell(value: bool | int) -> str:
    """A value in a table: Booleans as 1 and ·, so that ones stand out."""
    return ("1" if value else "·") if isinstance(value, bool) else str(value)


def _styled(value: bool | int) -> Text:
    if isinstance(value, bool):
        return Text("1" if value else "·", style="green" if value else "dim")
    return Text(str(value), style="cyan" if value else "dim cyan")


def show_analysis(console: Console, analysis: Analysis) -> None:
    """What can be read off a program, as comments: the whole output is a program."""
    lines = analysis.lines()
    width = max(len(name) for name, _ in lines)
    for name, text in lines:
        console.print(Text(f"# {name.ljust(width)}  {text}", style="dim"), soft_wrap=True)
