"""A template: a string of wildcards and regular tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import final

from foretell.core.alphabet import Alphabet
from foretell.plain.errors import BadInput
from foretell.templates.notation import (
    LETTERS,
    SYMBOLS,
    Symbol,
    Wildcard,
    complaint,
    symbol_at,
    write_symbols,
)

LONGEST = 1_000  # symbols of one template


@final
@dataclass(frozen=True)
class Template:
    """Wildcards stand for different tokens, and for none that is in the template itself.

    >>> template = Template.parse("aabST")
    >>> template.wildcards, template.tokens, len(template)
    ((Wildcard(letter='a'), Wildcard(letter='b')), ('S', 'T'), 5)
    >>> template.equivalent(Template.parse("bbcST")), template.equivalent(Template.parse("abbST"))
    (True, False)
    """

    symbols: tuple[Symbol, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "symbols", tuple(self.symbols))
        if not 1 <= len(self.symbols) <= LONGEST:
            raise BadInput(
                "a template has no symbols" if not self.symbols else "a template is too long",
                seen=f"{len(self.symbols)} symbols",
                why=f"it has from 1 to {LONGEST:,}",
            )
        _ = Alphabet(self.tokens)  # which refuses what no model could read

    @classmethod
    def parse(cls, text: str) -> Template:
        """The symbols of a text, one after the other; double quotes around it may be there."""
        start = len(text) - len(text.lstrip())
        quoted = text.startswith('"', start)
        symbols: list[Symbol] = []
        place = start + quoted
        while place < len(text) and not (quoted and text[place] == '"'):
            if text[place].isspace():
                place += 1
                continue
            symbol, place = symbol_at(text, place)
            symbols.append(symbol)
        if quoted and text[place:].rstrip() != '"':
            raise complaint(text, min(place, len(text)), "expected one of: '\"' at the end")
        if not symbols:
            raise complaint(text, 0, f"the template is empty; expected one of: {SYMBOLS}", "aba")
        return cls(tuple(symbols))

    def __len__(self) -> int:
        return len(self.symbols)

    def __str__(self) -> str:
        return write_symbols(self.symbols)

    @cached_property
    def wildcards(self) -> tuple[Wildcard, ...]:
        """The different wildcards, in the order in which they first occur."""
        return tuple(dict.fromkeys(s for s in self.symbols if isinstance(s, Wildcard)))

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The different regular tokens, in the order in which they first occur."""
        return tuple(dict.fromkeys(s for s in self.symbols if isinstance(s, str)))

    @cached_property
    def mask(self) -> tuple[bool, ...]:
        """Where the wildcards stand."""
        return tuple(isinstance(symbol, Wildcard) for symbol in self.symbols)

    @cached_property
    def form(self) -> tuple[int | str, ...]:
        """What equivalent templates share: tokens, and wildcards numbered as they first occur."""
        numbers = {wildcard: number for number, wildcard in enumerate(self.wildcards)}
        return tuple(numbers[s] if isinstance(s, Wildcard) else s for s in self.symbols)

    def equivalent(self, other: Template) -> bool:
        """Do they differ in the names of their wildcards only?"""
        return self.form == other.form

    def renamed(self) -> Template:
        """The equivalent template whose wildcards are a, b, c, … in order."""
        return template_of(self.form)

    def substitute(self, tokens: Mapping[Wildcard, str]) -> tuple[str, ...]:
        """The string with a token for each wildcard; no two the same, none of the template's."""
        missing = [wildcard.letter for wildcard in self.wildcards if wildcard not in tokens]
        if missing:
            raise BadInput("a wildcard gets no token", seen=", ".join(missing), why=f"in {self}")
        given = [tokens[wildcard] for wildcard in self.wildcards]
        if len({*given, *self.tokens}) < len(given) + len(self.tokens):
            raise BadInput(
                "a substitution is not injective, or takes a token of the template",
                seen=", ".join(f"{w} = {tokens[w]}" for w in self.wildcards),
                why=f"what comes out would not match {self}",
            )
        return tuple(tokens[s] if isinstance(s, Wildcard) else s for s in self.symbols)


def template_of(form: tuple[int | str, ...]) -> Template:
    """The template with the letter of that number where a number stands.

    >>> print(template_of((0, 1, 0, "S")))
    abaS
    """
    highest = max((symbol for symbol in form if isinstance(symbol, int)), default=0)
    if highest >= len(LETTERS):
        raise BadInput(
            "a template has more wildcards than there are letters for them",
            seen=highest + 1,
            why=f"the letters are a … z and α … ω, {len(LETTERS)} together",
        )
    return Template(tuple(Wildcard(LETTERS[s]) if isinstance(s, int) else s for s in form))
