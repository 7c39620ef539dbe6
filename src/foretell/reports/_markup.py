"""HTML built from values: text is escaped unless it was made here, so nothing is forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import final


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
    return Markup(f"<{name}{given}>{together(children)}</{name}>")


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
    right = set(numeric)

    def cell(kind: str, place: int, text: str) -> Markup:
        return element(kind, text, class_="number") if place in right else element(kind, text)

    head = element("tr", *(cell("th", place, text) for place, text in enumerate(heads)))
    body = [
        element("tr", *(cell("td", place, text) for place, text in enumerate(row))) for row in rows
    ]
    whole = element("table", element("thead", head), element("tbody", *body))
    return element("div", whole, class_="scroll")


def pairs(items: Iterable[tuple[str, str]]) -> Markup:
    """Names and their values, side by side."""
    lines = [
        element("tr", element("th", name, scope="row"), element("td", text)) for name, text in items
    ]
    return element(
        "div", element("table", element("tbody", *lines), class_="pairs"), class_="scroll"
    )


def bullets(items: Iterable[str]) -> Markup:
    """A plain list."""
    return element("ul", *(element("li", item) for item in items))
