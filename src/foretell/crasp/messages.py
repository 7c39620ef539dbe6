"""Refusals that point at the source: line, caret, why, what to try."""

from __future__ import annotations

from foretell.crasp.tree import Place
from foretell.plain.errors import BadInput

WIDEST = 100  # characters of a source line that are shown


def refuse(
    source: str, place: Place | None, what: str, why: str | None = None, hint: str | None = None
) -> BadInput:
    """The error to raise for a piece of a program.

    >>> print(refuse("x(i) := 1 + ", Place(1, 13, 1, 13), "the line ends too early"))
    the line ends too early
      seen: line 1, column 13
            x(i) := 1 +
                        ^
    """
    seen = excerpt(source, place) if place and source else None
    return BadInput(what, seen=seen, why=why, hint=hint)


def excerpt(source: str, place: Place) -> str:
    """The line with a caret under the piece, cut to what fits."""
    lines = source.split("\n")
    text = lines[min(place.line, len(lines)) - 1].replace("\t", " ")
    end = place.end_column if place.end_line == place.line else len(text) + 1
    first = max(0, place.column - 1 - WIDEST // 2) if len(text) > WIDEST else 0
    shown = text[first : first + WIDEST].rstrip()
    at = place.column - 1 - first
    carets = "^" * max(1, min(end - place.column, WIDEST - at))
    return f"line {place.line}, column {place.column}\n        {shown}\n        {' ' * at}{carets}"
