"""The scanner of regular expressions: text into tokens, each with the column it came from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import final

from foretell.plain.errors import BadInput

HIGHEST_BOUND = 1000
_WINDOW = 60
_BOUNDS = re.compile(r"\{\s*(\d+)\s*(,?)\s*(\d*)\s*\}")
_REPEATS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_KINDS = {".": "any", "%": "empty", "|": "|", "&": "&", "#": "#", "~": "~", "(": "(", ")": ")"}


@final
@dataclass(frozen=True)
class Token:
    """One piece of a regular expression.

    Kinds: letter, any, class, other-class, empty, repeat, end, and the signs `| & # ~ ( )`.
    """

    kind: str
    column: int
    letters: tuple[str, ...] = ()
    low: int = 0
    high: int | None = None


def complaint(
    text: str, column: int, why: str, hint: str | None = None, what: str | None = None
) -> BadInput:
    """The error that shows the expression with a caret under the offending column."""
    first = max(0, column - _WINDOW // 2)
    shown = re.sub(r"\s", " ", text[first : first + _WINDOW])
    before = "…" if first else ""
    after = "…" if first + _WINDOW < len(text) else ""
    # The first line of `seen` is printed after eight characters ("  seen: ").
    caret = " " * (8 + len(before) + column - first) + "^"
    return BadInput(
        what or "a regular expression cannot be read",
        seen=f"{before}{shown}{after}\n{caret} column {column + 1}",
        why=why,
        hint=hint,
    )


def tokens(text: str) -> list[Token]:
    """Every token of the text, closed by one of kind `end`. Blanks between tokens are skipped.

    >>> [token.kind for token in tokens("a (b|'push')*")]
    ['letter', '(', 'letter', '|', 'letter', ')', 'repeat', 'end']
    """
    found = []
    column = 0
    while column < len(text):
        if text[column].isspace():
            column += 1
            continue
        token, column = _token_at(text, column)
        found.append(token)
    return [*found, Token("end", len(text))]


def _token_at(text: str, column: int) -> tuple[Token, int]:
    sign = text[column]
    if sign in _KINDS:
        return Token(_KINDS[sign], column), column + 1
    if sign in _REPEATS:
        low, high = _REPEATS[sign]
        return Token("repeat", column, low=low, high=high), column + 1
    if sign == "{":
        return _bounds_at(text, column)
    if sign == "[":
        return _class_at(text, column)
    if sign in "^$":
        raise complaint(
            text,
            column,
            "there are no anchors: an expression always describes whole words",
            f"leave it out, or write \\{sign} for the letter",
        )
    if sign in "]}":
        raise complaint(
            text,
            column,
            f"{sign!r} closes nothing; expected one of: a letter, '.', '[', '(', '%', '~'",
            f"write \\{sign} for the letter",
        )
    letter, after = _letter_at(text, column)
    return Token("letter", column, letters=(letter,)), after


def _letter_at(text: str, column: int) -> tuple[str, int]:
    """A plain letter, an escaped one or a quoted token, and the column after it."""
    if text[column] == "'":
        return _quoted_at(text, column)
    if text[column] != "\\":
        return text[column], column + 1
    if column + 1 == len(text):
        raise complaint(
            text, column, "expected a character after the backslash", "write \\\\ for a backslash"
        )
    return text[column + 1], column + 2


def _quoted_at(text: str, column: int) -> tuple[str, int]:
    symbol = ""
    after = column + 1
    while after < len(text) and text[after] != "'":
        after += text[after] == "\\" and after + 1 < len(text)
        symbol += text[after]
        after += 1
    if after >= len(text):
        raise complaint(text, column, "this quote is never closed; expected one of: '''")
    if not symbol:
        raise complaint(text, column, "a quoted token is empty", "write % for the empty word")
    return symbol, after + 1


def _class_at(text: str, column: int) -> tuple[Token, int]:
    after = column + 1
    negated = text[after : after + 1] == "^"
    after += negated
    letters: list[str] = []
    while after < len(text) and text[after] != "]":
        if text[after].isspace():
            after += 1
            continue
        if text[after] in "-[^":
            raise complaint(
                text,
                after,
                f"{text[after]!r} has no meaning inside a class: there are no ranges or nesting; "
                "expected one of: a letter, ']'",
                f"list the letters one by one, or write \\{text[after]} for the letter",
            )
        letter, after = _letter_at(text, after)
        letters.append(letter)
    if after >= len(text):
        raise complaint(text, column, "this '[' is never closed; expected one of: a letter, ']'")
    if not letters:
        raise complaint(
            text, column, "a class lists no letter; expected one of: a letter", "write . for any"
        )
    kind = "other-class" if negated else "class"
    return Token(kind, column, letters=tuple(letters)), after + 1


def _bound(digits: str) -> int:
    """Nine digits of it are more than any bound may have; zeros in front are none."""
    return int(digits.lstrip("0")[:9] or "0")


def _bounds_at(text: str, column: int) -> tuple[Token, int]:
    found = _BOUNDS.match(text, column)
    if found is None or (found[3] and not found[2]):
        raise complaint(
            text,
            column,
            "expected one of: {m}, {m,}, {m,n} with whole numbers",
            "write {0,n} for at most n, or \\{ for the letter",
        )
    low, high = _bound(found[1]), _bound(found[3]) if found[3] else None
    if not found[2]:
        high = low
    if max(low, high or 0) > HIGHEST_BOUND:
        raise complaint(text, column, f"a repetition may count to {HIGHEST_BOUND} at most")
    if high is not None and low > high:
        raise complaint(text, column, "the lower bound is above the upper one", f"{{{high},{low}}}")
    return Token("repeat", column, low=low, high=high), found.end()
