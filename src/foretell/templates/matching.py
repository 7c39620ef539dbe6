"""Does a string come from a template, and by which substitution?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, final

from foretell.templates.notation import Symbol, Wildcard
from foretell.templates.template import Template


@final
@dataclass(frozen=True)
class Substitution:
    """A token for each wildcard."""

    pairs: tuple[tuple[Wildcard, str], ...]

    def __bool__(self) -> Literal[True]:
        return True

    def __str__(self) -> str:
        return ", ".join(f"{wildcard} = {token}" for wildcard, token in self.pairs)

    @property
    def tokens(self) -> dict[Wildcard, str]:
        """As a mapping."""
        return dict(self.pairs)

    def value(self, label: float | Symbol) -> float | str:
        """What a label says: the token of a wildcard, anything else as it is."""
        return self.tokens[label] if isinstance(label, Wildcard) else label


@final
@dataclass(frozen=True)
class Mismatch:
    """Why a string does not match; false, so that `if match(…)` reads well."""

    why: str

    def __bool__(self) -> Literal[False]:
        return False


def match(template: Template, word: Sequence[str]) -> Substitution | Mismatch:
    """The substitution that turns the template into the word, or why there is none.

    >>> template = Template.parse("ααβST")
    >>> print(match(template, "QQRST"))
    α = Q, β = R
    >>> match(template, "QQQST").why
    'α and β would both be Q'
    >>> match(template, "QQSST").why
    'β would be S, a token of the template'
    """
    if len(word) != len(template):
        return Mismatch(f"it has {len(word)} tokens, the template {len(template)}")
    found: dict[Wildcard, str] = {}
    for place, (symbol, token) in enumerate(zip(template.symbols, word, strict=True), start=1):
        expected = found.setdefault(symbol, token) if isinstance(symbol, Wildcard) else symbol
        if token != expected:
            name = f"{symbol}, which is {expected}" if isinstance(symbol, Wildcard) else expected
            return Mismatch(f"token {place} is {token}, where the template has {name}")
    of_token: dict[str, Wildcard] = {}
    for wildcard, token in found.items():
        if token in template.tokens:
            return Mismatch(f"{wildcard} would be {token}, a token of the template")
        if of_token.setdefault(token, wildcard) != wildcard:
            return Mismatch(f"{of_token[token]} and {wildcard} would both be {token}")
    return Substitution(tuple(found.items()))
