"""Decide a language that a user names: one, or a line of a batch."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from foretell.core.alphabet import Alphabet
from foretell.core.prediction import Checked
from foretell.crasp.deciding.decide import decide
from foretell.crasp.deciding.decision import Decision
from foretell.languages.algebra.depth import DepthClass, depth_class
from foretell.languages.automaton_file import read_automaton, state_names
from foretell.languages.classes import ClassReport, class_report
from foretell.languages.compiling import compiled
from foretell.languages.dfa import DFA
from foretell.languages.dfa_json import dfa_from_json, no_key_twice
from foretell.languages.regex import parse
from foretell.languages.regular import RegularLanguage
from foretell.plain.errors import BadInput

KEYS = ("id", "regex", "alphabet", "dfa", "moduli")
EXAMPLE = '{"id": 1, "alphabet": ["a", "b"], "regex": "(ab)*"}'


@dataclass(frozen=True)
class Asked:
    """How a language is to be read and decided; the last three are about automata in files."""

    accept: str = "last-letter"
    moduli: tuple[int, ...] = ()
    check: bool = False
    sink: bool = False
    determinize: bool = False
    trim: bool = False

    @property
    def allowed(self) -> dict[str, bool]:
        """What an automaton may lack, as its readers call it."""
        return {"sink": self.sink, "determinize": self.determinize, "trim": self.trim}


@dataclass(frozen=True)
class LanguageAnswer:
    """A language, the decision about it, and the classes it belongs to.

    `file_states` tells, for an automaton from a file, what became of its states.
    """

    language: RegularLanguage
    decision: Decision
    file_states: tuple[tuple[str, int | None], ...] = ()

    @cached_property
    def classes(self) -> ClassReport:
        """The class report, made when it is asked for."""
        return class_report(self.decision.dfa)

    @cached_property
    def depth(self) -> DepthClass | BadInput:
        """How deep a transformer must be to follow the states; or why that was not computed."""
        try:
            return depth_class(self.decision.dfa)
        except BadInput as too_large:
            return too_large

    @cached_property
    def checks(self) -> Mapping[str, Checked]:
        """What re-checking the certificates found, by fragment; each is checked once."""
        found: dict[int, Checked] = {}
        for answer in self.decision.answers:
            if answer.certificate is not None and id(answer.certificate) not in found:
                found[id(answer.certificate)] = answer.certificate.check()
        return {
            answer.fragment: found[id(answer.certificate)]
            for answer in self.decision.answers
            if answer.certificate is not None
        }

    def as_json(self, checked: bool = False) -> dict[str, Any]:
        """The form promised by `foretell decide --json`."""
        document: dict[str, Any] = self.decision.as_json(self.language.name)
        document["classes"] = self.classes.as_json()
        document["witnesses"] = self.classes.witnesses_as_json()
        for fragment, found in self.checks.items() if checked else ():
            document["fragments"][fragment]["checked"] = vars(found)
        return document


def answer_regex(regex: str, alphabet: Any, asked: Asked) -> LanguageAnswer:
    """Decide the language of a regular expression, which may have no words at all."""
    dfa = compiled(parse(regex, read_letters(alphabet)))
    return _answer(RegularLanguage(regex, dfa, regex), asked)


def answer_file(path: Path, alphabet: str | None, asked: Asked) -> LanguageAnswer:
    """Decide the language of an automaton in a file."""
    dfa = read_automaton(path, alphabet=read_letters(alphabet), **asked.allowed)
    found = _answer(RegularLanguage(path.stem, dfa), asked)
    if asked.determinize:
        return found  # the subset construction leaves no trace of the states
    names, became = state_names(path), _became(dfa)
    states = [(name, became.get(number)) for number, name in enumerate(names)]
    if len(dfa.delta) > len(names):
        states.append(("the added sink", became.get(len(names))))
    return replace(found, file_states=tuple(states))


def _became(dfa: DFA) -> dict[int, int]:
    """For each state that some word reaches, its state in the minimal automaton."""
    smallest = dfa.minimal()
    found = {dfa.start: smallest.start}
    order = [dfa.start]
    for state in order:  # grows while it is walked
        for target, there in zip(dfa.delta[state], smallest.delta[found[state]], strict=True):
            if target not in found:
                found[target] = there
                order.append(target)
    return found


def _answer(language: RegularLanguage, asked: Asked) -> LanguageAnswer:
    return LanguageAnswer(language, decide(language.dfa, asked.accept, moduli=asked.moduli))


def read_letters(alphabet: Any) -> Alphabet | None:
    """Letters one after the other, or separated by commas, or as a list."""
    if alphabet is None:
        return None
    if isinstance(alphabet, str):
        return Alphabet(tuple(alphabet.split(",") if "," in alphabet else alphabet))
    if not isinstance(alphabet, list) or not all(isinstance(each, str) for each in alphabet):
        raise BadInput("an alphabet is a list of letters", seen=alphabet, hint='["a", "b"]')
    return Alphabet(tuple(alphabet))


def read_moduli(values: Iterable[Any]) -> tuple[int, ...]:
    """Whole numbers, given as such or as texts with commas between them."""
    found: list[int] = []
    for value in values:
        for part in value.split(",") if isinstance(value, str) else [value]:
            text = str(part).strip()
            if isinstance(part, bool) or not text.isdecimal():
                raise BadInput("a modulus is a whole number", seen=repr(part), hint="--modulus 2,4")
            found.append(int(text.lstrip("0")[:9] or "0"))
    return tuple(found)


def input_digest(line: str, accept: str, asked: Asked | None = None) -> str:
    """What an answer line is the answer to: the line, and how it was asked."""
    asked = replace(asked or Asked(), accept=accept)
    content = json.dumps([line.strip(), vars(asked)], sort_keys=True, default=list)
    return hashlib.blake2s(content.encode("utf-8", "backslashreplace"), digest_size=6).hexdigest()


def answer_line(
    line: str, number: int, accept: str = "last-letter", asked: Asked | None = None
) -> dict[str, Any]:
    """One line of a batch: the answer, or what is wrong with it; the id comes back either way."""
    asked = replace(asked or Asked(), accept=accept)
    head: dict[str, Any] = {"id": number, "input": input_digest(line, accept, asked)}
    try:
        given = _loaded(line)
        head["id"] = given.get("id", number)
        return {**head, **_described(given, asked).as_json(checked=asked.check)}
    except BadInput as problem:
        return {**head, **problem.as_json()}
    except Exception as problem:  # one line must not end a batch of thousands
        text = f"{type(problem).__name__}: {problem}"[:300]
        return {**head, "error": "a failure of ours", "seen": line[:80], "why": text, "try": None}


def _loaded(line: str) -> dict[str, Any]:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON")

    def finite(text: str) -> float:
        if not math.isfinite(float(text)):
            refuse(text)
        return float(text)

    try:
        given = json.loads(
            line, object_pairs_hook=no_key_twice, parse_constant=refuse, parse_float=finite
        )
    except (ValueError, RecursionError) as error:
        raise BadInput("a line of the batch is not JSON", seen=line[:80], why=str(error)) from None
    if not isinstance(given, dict):
        raise BadInput("a line of the batch is no JSON object", seen=line[:80], hint=EXAMPLE)
    return given


def _described(given: dict[str, Any], asked: Asked) -> LanguageAnswer:
    unknown = sorted(set(given).difference(KEYS))
    if unknown:
        raise BadInput("a line has a key that means nothing", seen=unknown[0], hint=", ".join(KEYS))
    if ("regex" in given) == ("dfa" in given):
        raise BadInput(
            "a line of the batch names one language",
            seen="both regex and dfa" if "regex" in given else "neither regex nor dfa",
            hint=EXAMPLE,
        )
    if "moduli" in given:
        if not isinstance(given["moduli"], list):
            raise BadInput("moduli is a list of numbers", seen=given["moduli"], hint="[2, 4]")
        asked = replace(asked, moduli=read_moduli(given["moduli"]))
    if "regex" in given:
        if not isinstance(given["regex"], str):
            raise BadInput("a regular expression is a text", seen=given["regex"])
        return answer_regex(given["regex"], given.get("alphabet"), asked)
    if "alphabet" in given:
        raise BadInput("an automaton has its own alphabet", seen=given["alphabet"])
    dfa = dfa_from_json(given["dfa"], **asked.allowed)
    return _answer(RegularLanguage(str(given.get("id", "")), dfa), asked)
