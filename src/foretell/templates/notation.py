"""How symbols of a template are written: one wildcard or one regular token at a time.

    a … z, α … ω       a wildcard
    any other sign     a regular token of that one character: S, 7, =, (
    'print'            a regular token of any length, in single quotes
    print(             two or more Latin letters right before a parenthesis are a token too
    \\a                 the regular token a: a backslash takes the next character as it is

Blanks between symbols mean nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from foretell.core.alphabet import RESERVED
from foretell.plain.errors import BadInput

LETTERS = "abcdefghijklmnopqrstuvwxyzαβγδεζηθικλμνξοπρςστυφχψω"
ARROWS = ("->", "→")
KEYWORDS = ("tokens", "symbols", "noise", "apart")
SYMBOLS = "a wildcard (a … z, α … ω), a token (S, 7, =, 'print')"
_SHOWN = 60
_NAME = re.compile(r"[a-z]{2,}(?=\()")
_PLAIN = re.compile(rf"[A-Z0-9{LETTERS}]+")


@final
@dataclass(frozen=True, order=True)
class Wildcard:
    """A placeholder, named by one lower-case letter; which one matters only inside a template."""

    letter: str

    def __post_init__(self) -> None:
        if len(self.letter) != 1 or self.letter not in LETTERS:
            raise BadInput(
                "a wildcard is one lower-case Latin or Greek letter",
                seen=self.letter,
                why="everything else is a regular token",
            )

    def __str__(self) -> str:
        return self.letter


Symbol = Wildcard | str


def complaint(text: str, place: int, why: str, hint: str | None = None) -> BadInput:
    """The error that shows one line of the text with a caret under the offending place."""
    start = text.rfind("\n", 0, place) + 1
    line = text[start:].split("\n", 1)[0]
    column = place - start
    first = max(0, column - _SHOWN // 2)
    shown = re.sub(r"\s", " ", line[first : first + _SHOWN])
    before, after = "…" if first else "", "…" if first + _SHOWN < len(line) else ""
    caret = " " * (len("  seen: ") + len(before) + column - first) + "^"
    where = f"line {text.count(chr(10), 0, place) + 1}, " if "\n" in text.strip("\n") else ""
    return BadInput(
        "templates cannot be read",
        seen=f"{before}{shown}{after}\n{caret} {where}column {column + 1}",
        why=why,
        hint=hint,
    )


def symbol_at(text: str, place: int) -> tuple[Symbol, int]:
    """The symbol that begins at that place, which is no blank, and where it ends.

    >>> symbol_at("print(a)", 0), symbol_at("print(a)", 6), symbol_at("ab", 0)
    (('print', 5), (Wildcard(letter='a'), 7), (Wildcard(letter='a'), 1))
    """
    name = _NAME.match(text, place)
    if name is not None:
        return name[0], name.end()
    if text[place] == "'":
        return _quoted(text, place)
    if text[place] == "\\":
        if place + 1 == len(text) or text[place + 1].isspace():
            why = "a backslash takes the next character as it is, and there is none"
            raise complaint(text, place, why)
        place += 1
    elif text[place] in LETTERS:
        return Wildcard(text[place]), place + 1
    if not text[place].isprintable():
        raise complaint(text, place, "this character is not printable, so it is no token")
    return text[place], place + 1


def _quoted(text: str, opened: int) -> tuple[str, int]:
    token, place = "", opened + 1
    while place < len(text) and text[place] != "'":
        place += text[place] == "\\" and place + 1 < len(text)
        token += text[place]
        place += 1
    if place >= len(text):
        hint = "\\' if you mean the sign itself"
        raise complaint(text, opened, 'this quote is never closed; expected one of: "\'"', hint)
    bad = token in RESERVED or not token.isprintable() or any(map(str.isspace, token))
    if bad or not token:
        why = f"a token is printable, without blanks, not empty, and none of {' '.join(RESERVED)}"
        raise complaint(text, opened, why)
    return token, place + 1


def write_symbol(symbol: Symbol) -> str:
    """One symbol as `symbol_at` reads it.

    >>> [write_symbol(symbol) for symbol in (Wildcard("a"), "a", "S", "print", "'")]
    ['a', '\\\\a', 'S', "'print'", "\\\\'"]
    """
    if isinstance(symbol, Wildcard):
        return symbol.letter
    if len(symbol) > 1:
        inside = symbol.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{inside}'"
    return f"\\{symbol}" if symbol in LETTERS or symbol in "'\"\\" else symbol


def write_symbols(symbols: Sequence[Symbol]) -> str:
    """A template's text; in double quotes unless it is letters and digits only.

    >>> write_symbols((Wildcard("a"), "=", "1")), write_symbols((Wildcard("a"), "S"))
    ('"a=1"', 'aS')
    """
    written = ""
    for before, symbol in zip((None, *symbols), symbols, strict=False):
        # Letters right before a parenthesis would be read as the name of one token.
        name = symbol == "(" and isinstance(before, Wildcard)
        word = _is_word(symbol) or (_is_word(before) and symbol != "(")
        written += (" " if name or (word and before) else "") + write_symbol(symbol)
    plain = _PLAIN.fullmatch(written) and not written.startswith(KEYWORDS)
    return written if plain else f'"{written}"'


def _is_word(symbol: Symbol | None) -> bool:
    return isinstance(symbol, str) and len(symbol) > 1 and symbol.isalpha()


def write_number(value: float) -> str:
    """A number with its sign, as short as it can be read back exactly.

    >>> write_number(1.0), write_number(-0.25)
    ('+1', '-0.25')
    """
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):+d}"
    return f"{'+' if value >= 0 else ''}{value!r}"
