"""Columns on a terminal: as wide as what stands in them, never wrapped."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text


def print_columns(
    console: Console, heads: Sequence[str], rows: Sequence[Sequence[str]], gap: str = "  "
) -> None:
    """A line of heads, then a line a row."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for style, row in (("dim", heads), *(("", row) for row in rows)):
        padded = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        console.print(Text(gap.join(padded).rstrip(), style=style), soft_wrap=True)
