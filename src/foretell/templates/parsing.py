"""From text to labelled templates, by recursive descent, with errors that point.

text      = statement ((";" | end of line) statement)*      # starts a comment
statement = declaration | template "->" label ("@" probability)?
template  = symbol+ | '"' symbol+ '"'        in quotes, ; @ # -> are tokens like any other
label     = number | symbol
declaration = "tokens" symbol+               further regular tokens, that labels may be
            | "symbols" (count | symbol+)    what wildcards stand for in training
            | "noise" number                 standard deviation of what is added to real labels
            | "apart"                        wildcards never stand for a regular token
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from foretell.plain.errors import BadInput
from foretell.templates.notation import (
    ARROWS,
    KEYWORDS,
    SYMBOLS,
    Symbol,
    Wildcard,
    complaint,
    symbol_at,
)
from foretell.templates.template import Template

EXAMPLE = "aba -> +1; abb -> -1"
_NUMBER = re.compile(r"[+\-−]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WORD = re.compile(rf"({'|'.join(KEYWORDS)})(?=[\s;#]|$)")
_COUNT = re.compile(r"\d{1,9}(?=\s*([;#\n]|$))", re.ASCII)
_SEPARATORS = (";", "\n", "#", "")  # what ends a statement; the empty one is the end of the text


@dataclass
class Written:
    """What a text says, before anything is checked but its form."""

    templates: list[Template] = field(default_factory=list)
    labels: list[float | Symbol] = field(default_factory=list)
    probabilities: list[float | None] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    symbols: int | list[str] | None = None
    noise: float | None = None
    apart: bool = False


def parse(text: str) -> Written:
    """Everything that the text declares.

    >>> written = parse("noise 0.1; aa -> +1 @ 1/4; ab -> -1 @ 3/4")
    >>> [str(template) for template in written.templates], written.labels, written.noise
    (['aa', 'ab'], [1.0, -1.0], 0.1)
    """
    parser = _Parser(text)
    while parser.to_statement():
        parser.statement()
    return parser.written


class _Parser:
    """Reads characters from the left; `place` is the next one."""

    def __init__(self, text: str) -> None:
        self.text, self.place, self.written = text, 0, Written()

    @property
    def next(self) -> str:
        """The next character, or nothing at the end."""
        return self.text[self.place : self.place + 1]

    def blanks(self) -> None:
        """Skip blanks on this line."""
        while self.next.isspace() and self.next != "\n":
            self.place += 1

    def to_statement(self) -> bool:
        """Skip to where the next statement begins, or say that there is none."""
        while self.next and (self.next.isspace() or self.next in ";#"):
            end = self.text.find("\n", self.place)
            comment = self.next == "#"
            self.place = self.place + 1 if not comment else len(self.text) if end < 0 else end
        return bool(self.next)

    def statement(self) -> None:
        word = _WORD.match(self.text, self.place)
        if word is not None:
            self.place = word.end()
            self.declaration(word[1], word.start())
            self.ends(f"';', the end of the line, the end after {word[1]}")
            return
        template = self.template()
        self.arrow()
        label = self.label()
        chance = self.probability()
        hint = "a label is one number or one symbol; 'print' in quotes is one"
        self.ends("';', the end" if chance is not None else "'@', ';', the end", hint)
        self.written.templates.append(template)
        self.written.labels.append(label)
        self.written.probabilities.append(chance)

    def ends(self, expected: str, hint: str | None = None) -> None:
        self.blanks()
        if self.next not in _SEPARATORS:
            raise self.refused(expected, hint)

    def refused(self, expected: str, hint: str | None = None) -> BadInput:
        early = not self.next or self.next in ";\n#"
        why = "the statement ends too early" if early else "this does not fit here"
        return complaint(self.text, self.place, f"{why}; expected one of: {expected}", hint)

    def at_arrow(self) -> bool:
        return self.text.startswith(ARROWS, self.place)

    def template(self) -> Template:
        start = self.place
        if self.next == '"':
            self.place += 1
            symbols = self.symbols('"', "\n")
            if self.next != '"':
                raise complaint(self.text, start, "this quote is never closed", EXAMPLE)
            self.place += 1
        else:
            symbols = self.symbols(*_SEPARATORS, "@", '"')
        if not symbols:
            raise complaint(
                self.text, start, f"the template is empty; expected one of: {SYMBOLS}", EXAMPLE
            )
        return Template(tuple(symbols))

    def symbols(self, *ends: str) -> list[Symbol]:
        """Symbols up to one of these signs; outside of double quotes an arrow is one of them."""
        found: list[Symbol] = []
        self.blanks()
        while self.next and self.next not in ends and ("" not in ends or not self.at_arrow()):
            symbol, self.place = symbol_at(self.text, self.place)
            found.append(symbol)
            self.blanks()
        return found

    def arrow(self) -> None:
        self.blanks()
        if not self.at_arrow():
            raise self.refused("'->' and a label", EXAMPLE)
        self.place += 2 if self.next == "-" else 1
        self.blanks()

    def label(self) -> float | Symbol:
        if _NUMBER.match(self.text, self.place):
            return self.number("a label")
        if not self.next or self.next in ';\n#@"':
            raise self.refused(f"a number, {SYMBOLS}", EXAMPLE)
        symbol, self.place = symbol_at(self.text, self.place)
        return symbol

    def probability(self) -> float | None:
        self.blanks()
        if self.next != "@":
            return None
        self.place += 1
        self.blanks()
        chance = self.number("a probability")
        if self.next == "/":
            self.place += 1
            start = self.place
            below = self.number("a probability")
            if not below:
                raise complaint(self.text, start, "nothing can be divided by 0", "1/3")
            chance /= below
        return chance

    def number(self, what: str) -> float:
        found = _NUMBER.match(self.text, self.place)
        if found is None:
            raise self.refused(f"a number (0.5, -1, 1e-3) as {what}")
        value = float(found[0].replace("−", "-"))
        if not math.isfinite(value):
            raise complaint(self.text, self.place, f"{what} must be a finite number")
        self.place = found.end()
        return value

    def declaration(self, word: str, start: int) -> None:
        said, before = self.written, self.place
        self.blanks()
        if self.at_arrow():
            why = f"{word} begins a declaration"
            raise complaint(self.text, start, why, f'"{word}" -> … if it is a template')
        if (word == "noise" and said.noise is not None) or (word == "symbols" and said.symbols):
            raise complaint(self.text, start, f"{word} is declared twice")
        count = _COUNT.match(self.text, self.place) if word == "symbols" else None
        if word == "apart":
            said.apart, self.place = True, before
        elif word == "noise":
            said.noise = self.number("noise")
        elif count is not None:
            said.symbols, self.place = int(count[0]), count.end()
        elif word == "symbols":
            said.symbols = self.tokens("a number")
        else:
            said.tokens += self.tokens("a token")

    def tokens(self, otherwise: str) -> list[str]:
        """One regular token or more."""
        found: list[str] = []
        self.blanks()
        while self.next not in _SEPARATORS:
            symbol, end = symbol_at(self.text, self.place)
            if isinstance(symbol, Wildcard):
                why = f"{symbol} is a wildcard, and here stand regular tokens"
                raise complaint(self.text, self.place, why, "quotes around it: 'yes'")
            found.append(symbol)
            self.place = end
            self.blanks()
        if not found:
            raise self.refused(f"{otherwise}, tokens (S, 7, 'yes')")
        return found
