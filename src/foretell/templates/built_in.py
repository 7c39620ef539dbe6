"""The template tasks that have a name, some with numbers to choose: one table, no registration.

Each entry is a text in the template language, or a function that makes the set from its settings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import final

from foretell.plain.catalogue import suggest
from foretell.plain.errors import BadInput
from foretell.templates.parsing import EXAMPLE
from foretell.templates.patterns import majority, symbolic_majority
from foretell.templates.puzzles import distribution_of_three, match_to_sample, raven
from foretell.templates.random_templates import random_templates
from foretell.templates.sentences import symbolic_word_problem, word_problems
from foretell.templates.template_set import TemplateSet

_SETTING = re.compile(r"\s*([A-Za-z_-]+)\s*=\s*(\S*)\s*")
_WHOLE = re.compile(r"\d{1,9}", re.ASCII)
_ASSIGN = "α=1;β='-1';print"
_QUOTE = "α=\\'γ\\';β=\\'δ\\';print"


@final
@dataclass(frozen=True)
class BuiltIn:
    """A named task: what it asks, how it is made, and its settings with their usual values."""

    what: str
    made: str | Callable[..., TemplateSet]
    settings: Mapping[str, int] = field(default_factory=dict)

    def make(self, name: str, settings: Mapping[str, int]) -> TemplateSet:
        """The set with those settings, named so that reading its name gives it again."""
        chosen = {**self.settings, **settings}
        title = ",".join((name, *(f"{key}={value}" for key, value in chosen.items())))
        if isinstance(self.made, str):
            return TemplateSet.parse(self.made, title)
        return replace(self.made(**chosen), name=title)


BUILT_INS: Mapping[str, BuiltIn] = MappingProxyType(
    {
        "same-different": BuiltIn("are two symbols the same?", "aa -> +1; ab -> -1"),
        "aba-abb": BuiltIn("is the last symbol the first or the second?", "aba -> +1; abb -> -1"),
        "aabb-abab": BuiltIn("in pairs, or alternating?", "aabb -> +1; abab -> -1"),
        "copy": BuiltIn("say the symbol", "a -> a"),
        "print": BuiltIn("say what a program prints", 'print("a") -> a'.replace('"', '\\"')),
        "program": BuiltIn(
            "the value, 1 or -1, of the variable that a program prints (Figure 1)",
            f'"{_ASSIGN}(α)" -> +1; "{_ASSIGN}(β)" -> -1',
        ),
        "program-symbols": BuiltIn(
            "the symbol that the printed variable holds (Figure 2)",
            f'"{_QUOTE}(α)" -> γ; "{_QUOTE}(β)" -> δ',
        ),
        "majority": BuiltIn("is the first symbol in the majority?", majority, {"length": 4}),
        "symbolic-majority": BuiltIn(
            "say the more frequent of two symbols", symbolic_majority, {"length": 3}
        ),
        "random": BuiltIn(
            "templates and labels drawn at random",
            random_templates,
            {"templates": 2, "wildcards": 2, "regular": 0, "length": 5, "seed": 0},
        ),
        "distribution-of-3": BuiltIn(
            "the option that completes a row of three", distribution_of_three
        ),
        "match-to-sample": BuiltIn("the row with the pattern of the first", match_to_sample),
        "raven": BuiltIn("the last entry of a matrix, one feature", raven),
        "word-problems": BuiltIn("the number of a sentence", word_problems, {"numbers": 9}),
        "symbolic-word-problem": BuiltIn(
            "what stands for the number in a sentence", symbolic_word_problem
        ),
    }
)


def built_in(text: str) -> TemplateSet:
    """The task of that name, with settings after commas.

    >>> print(built_in("majority,length=2").text, built_in("majority").name)
    aa -> +1; ab -> -1 majority,length=4
    """
    name, *settings = (part.strip() for part in text.split(","))
    entry = BUILT_INS.get(name)
    if entry is None:
        raise BadInput(
            "unknown template task",
            seen=name or "nothing",
            why=f"built in are {', '.join(BUILT_INS)}",
            hint=f"{suggest(name, BUILT_INS) or ''} or write templates: {EXAMPLE}".strip(),
        )
    return entry.make(name, _read_settings(name, settings, entry.settings))


def _read_settings(name: str, given: Sequence[str], known: Mapping[str, int]) -> dict[str, int]:
    found: dict[str, int] = {}
    usual = ",".join((name, *(f"{key}={value}" for key, value in known.items())))
    for part in given:
        setting = _SETTING.fullmatch(part)
        if setting is None or not _WHOLE.fullmatch(setting[2]):
            raise BadInput(
                "a setting is a name and a whole number", seen=part or "nothing", hint=usual
            )
        key = setting[1]
        if key not in known:
            why = f"{name} has {', '.join(known) or 'none'}"
            hint = suggest(key, known) or usual
            raise BadInput(f"unknown setting of {name}", seen=key, why=why, hint=hint)
        if key in found:
            raise BadInput("a setting is given twice", seen=key)
        found[key] = int(setting[2])
    return found
