"""The benchmark's regular languages: one row each in `benchmark.toml`."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal, final

from foretell.core.alphabet import Alphabet
from foretell.languages.regular import RegularLanguage
from foretell.plain.errors import BadInput

_FILE = Path(__file__).with_name("benchmark.toml")


@final
@dataclass(frozen=True)
class LanguageFacts:
    """What is known about a language; None where nobody says, or the notion does not apply."""

    crasp: Literal["yes", "no"] | None = None
    crasp_periodic_local: Literal["yes", "no"] | None = None
    star_free: bool | None = None
    ac0: bool | None = None
    dot_depth: int | None = None


@final
@dataclass(frozen=True)
class LanguageRow:
    """One row: definition, a plain sentence, examples, facts, and where they come from."""

    name: str
    regex: str
    alphabet: tuple[str, ...]
    what: str
    members: tuple[str, ...]
    non_members: tuple[str, ...]
    facts: LanguageFacts
    sources: Mapping[str, str]
    note: str | None = None


@lru_cache(maxsize=1)
def _rows() -> dict[str, LanguageRow]:
    with _FILE.open("rb") as file:
        content = tomllib.load(file)
    sources = MappingProxyType(content["sources"])
    rows = (
        LanguageRow(
            name=entry["name"],
            regex=entry["regex"],
            alphabet=tuple(entry["alphabet"]),
            what=entry["what"],
            members=tuple(entry["members"]),
            non_members=tuple(entry["non_members"]),
            facts=LanguageFacts(**entry.get("facts", {})),
            sources={**sources, **entry.get("sources", {})},
            note=entry.get("note"),
        )
        for entry in content["language"]
    )
    return {row.name: row for row in rows}


def names() -> tuple[str, ...]:
    """Every language of the benchmark, in its order.

    >>> names()[:3], len(names())
    (('tomita-1', 'tomita-2', 'tomita-3'), 19)
    """
    return tuple(_rows())


def row(name: str) -> LanguageRow:
    """What the data file says about a language.

    >>> row("d-2").regex, row("d-2").facts.dot_depth
    ('(a(ab)*b)*', 2)
    """
    if name not in _rows():
        close = difflib.get_close_matches(name, names(), n=3)
        raise BadInput(
            "unknown language",
            seen=name,
            why="the benchmark has no language of that name",
            hint=", ".join(close or names()),
        )
    return _rows()[name]


@cache
def load(name: str) -> RegularLanguage:
    """The language itself.

    >>> load("tomita-4").count(3)
    7
    """
    found = row(name)
    return RegularLanguage.from_regex(found.regex, Alphabet(found.alphabet), name)
