"""HTML built from values: text is escaped unless it was made here, so nothing is forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import final

ENDED_BY_THE_NEXT = frozenset(("td", "th", "tr", "thead", "tbody", "li"))  # HTML needs no end tag
EMPTY = frozenset(("path", "rect", "use"))  # of SVG, closed where they begin
MOST_COLUMNS = 24  # beyond, a cell says itself that it holds a number


@final
class Markup(str):
    """HTML that may stand in a page as it is."""

    __slots__ = ()


def element(name: str, *children: str, **attributes: str) -> Markup:
    """One element; a trailing underscore lets Python's own words be attribute names.

    >>> element("p", "1 < 2 ", element("b", "yes"), class_="note")
    '<p class="note">1 &lt; 2 <b>yes</b></p>'
    """
    given = "".join(
        f' {attribute.rstrip("_").replace("_", "-")}="{escape(value, quote=True)}"'
        for attribute, value in attributes.items()
    )
    if name in EMPTY:
        return Markup(f"<{name}{given}/>")
    end = "" if name in ENDED_BY_THE_NEXT else f"</{name}>"
    return Markup(f"<{name}{given}>{together(children)}{end}")


def together(children: Iterable[str]) -> Markup:
    """Several pieces in a row, those that are plain text escaped."""
    return Markup(
        "".join(
            child if isinstance(child, Markup) else escape(child, quote=True) for child in children
        )
    )


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], numeric: Iterable[int] = ()
) -> Markup:
    """A table that scrolls by itself on a narrow screen; `numeric` columns are right-aligned."""
    right = set(numeric).intersection(range(len(heads)))

    def cell(kind: str, place: int, text: str) -> Markup:
        apart = place in right and place >= MOST_COLUMNS
        return element(kind, text, class_="number") if apart else element(kind, text)

    head = element("tr", *(cell("th", place, text) for place, text in enumerate(heads)))
    body = [
        element("tr", *(cell("td", place, text) for place, text in enumerate(row))) for row in rows
    ]
    names = " ".join(f"n{place}" for place in sorted(right) if place < MOST_COLUMNS)
    named = {"class_": names} if names else {}
    whole = element("table", element("thead", head), element("tbody", *body), **named)
    return element("div", whole, class_="scroll")


def numeric_columns() -> str:
    """The style of `table`'s numbers, told once a column: a class on every cell filled pages."""
    cells = [f":where(.n{place} tr)>:nth-child({place + 1})" for place in range(MOST_COLUMNS)]
    return ",".join(cells) + "{text-align:right;white-space:nowrap}"


def pairs(items: Iterable[tuple[str, str]]) -> Markup:
    """Names and their values, side by side."""
    lines = [element("tr", element("th", name), element("td", text)) for name, text in items]
    return element(
        "div", element("table", element("tbody", *lines), class_="pairs"), class_="scroll"
    )


def bullets(items: Iterable[str]) -> Markup:
    """A plain list."""
    return element("ul", *(element("li", item) for item in items))
