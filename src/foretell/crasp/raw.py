"""Small readings of Lark's tree that everything above it needs: letters, numbers, places."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from foretell.crasp.messages import refuse
from foretell.crasp.tree import Place

DEEPEST = 64  # expressions inside expressions, brackets not counted
LARGEST = 2**63 - 1
PLAIN = {
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "⩽": "<=",
    "⩾": ">=",
    "=": "==",
    "→": "implies",
    "⇒": "implies",
}
PLAIN |= {"⟹": "implies", "↔": "iff", "⇔": "iff"}


def is_tree(raw: Any) -> bool:
    """A node of the grammar, not a token."""
    return hasattr(raw, "data")


def plain(token: Any) -> str:
    """A sign or connective in ASCII."""
    return PLAIN.get(str(token), str(token))


def letter(raw: Any) -> str:
    """The letter that a `letter` node names."""
    return unquote(str(raw.children[0]))


def unquote(text: str) -> str:
    """What stands between the quotes, if there are any."""
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except json.JSONDecodeError:
        return text[1:-1]


def integer(source: str, token: Any) -> int:
    """A number of the text."""
    digits = str(token).lstrip("0") or "0"
    if len(digits) > 19 or int(digits) > LARGEST:
        fail(source, token, "the number does not fit into 64 bits", f"the largest is {LARGEST}")
    return int(digits)


def unwrapped(raw: Any) -> Any:
    """The expression without the brackets around it."""
    while is_tree(raw) and raw.data == "parens":
        raw = raw.children[0]
    return raw


def place(raw: Any) -> Place | None:
    """Where a node or a token stands."""
    found = getattr(raw, "meta", raw)
    if getattr(found, "line", None) is None:
        return None
    return Place(found.line, found.column, found.end_line, found.end_column)


def text_of(source: str, raws: list[Any]) -> str:
    """The piece of the source from the first to the last of the nodes."""
    first, last = getattr(raws[0], "meta", raws[0]), getattr(raws[-1], "meta", raws[-1])
    return source[first.start_pos : last.end_pos]


def fail(
    source: str, raw: Any, what: str, why: str | None = None, hint: str | None = None
) -> NoReturn:
    """Refuse a piece of the source."""
    raise refuse(source, place(raw), what, why, hint)


def check_depth(source: str, raw: Any) -> None:
    """Refuse what later, recursive readings could not follow."""
    pending = [(raw, 0)]
    while pending:
        node, depth = pending.pop()
        if not is_tree(node):
            continue
        depth += node.data != "parens"
        if depth > DEEPEST:
            fail(
                source,
                node,
                f"expressions are nested more than {DEEPEST} deep",
                hint="give the inner parts names of their own",
            )
        pending.extend((child, depth) for child in node.children)
