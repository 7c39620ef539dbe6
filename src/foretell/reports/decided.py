"""Decide a language that a user names: one, or thousands line by line."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from foretell.core.alphabet import Alphabet
from foretell.crasp.deciding.decide import decide
from foretell.crasp.deciding.decision import Decision
from foretell.languages.automaton_file import read_automaton
from foretell.languages.classes import ClassReport, class_report
from foretell.languages.dfa_json import dfa_from_json
from foretell.languages.regular import RegularLanguage
from foretell.plain.errors import BadInput
from foretell.plain.files import explain_disk_trouble
from foretell.reports.arguments import argue

STYLE = {"yes": "bold green", "no": "bold red"}
CAVEAT = (
    "\nThat a program exists, or that none does, is proved. What follows for training is not: a "
    "yes rests on a theorem about an idealised learner, a no on what is observed."
)
KEYS = {"id", "regex", "alphabet", "dfa"}


@dataclass(frozen=True)
class LanguageAnswer:
    """A language, the decision about it, and the classes it belongs to."""

    language: RegularLanguage
    decision: Decision

    @cached_property
    def classes(self) -> ClassReport:
        """The class report, made when it is asked for."""
        return class_report(self.decision.dfa)

    def as_json(self, checked: bool = False) -> dict[str, Any]:
        """The form promised by `foretell decide --json`."""
        document: dict[str, Any] = self.decision.as_json(self.language.name)
        document["classes"] = self.classes.as_json()
        if checked:
            for answer in self.decision.answers:
                if answer.certificate is not None:
                    found = answer.certificate.check()
                    document["fragments"][answer.fragment]["checked"] = vars(found)
        return document


def read_language(
    regex: str | None, alphabet: str | None, dfa: Path | None, sink: bool = False
) -> RegularLanguage:
    """From a regular expression or from a file."""
    letters = _letters(alphabet)
    if regex is not None:
        return RegularLanguage.from_regex(regex, letters, regex)
    assert dfa is not None
    return RegularLanguage.from_dfa(read_automaton(dfa, alphabet=letters, sink=sink), name=dfa.stem)


def _letters(alphabet: Any) -> Alphabet | None:
    if alphabet is None or isinstance(alphabet, str):
        split = alphabet.split(",") if alphabet and "," in alphabet else alphabet
        return Alphabet(tuple(split)) if split else None
    if not isinstance(alphabet, list) or not all(isinstance(each, str) for each in alphabet):
        raise BadInput("an alphabet is a list of letters", seen=alphabet, hint='["a", "b"]')
    return Alphabet(tuple(alphabet))


def answer_for(language: RegularLanguage, accept: str) -> LanguageAnswer:
    """Decide it."""
    return LanguageAnswer(language, decide(language.dfa, accept))


def answer_line(line: str, number: int, accept: str) -> dict[str, Any]:
    """One line of a batch: the answer, or what is wrong with it; the id comes back either way."""
    name: Any = number
    try:
        try:
            given = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadInput(
                "a line of the batch is not JSON", seen=line[:80], why=str(error)
            ) from None
        if not isinstance(given, dict) or not {"regex", "dfa"} & set(given):
            raise BadInput(
                "a line of the batch names no language",
                seen=line[:80],
                hint='{"id": 1, "alphabet": ["a", "b"], "regex": "(ab)*"}',
            )
        name = given.get("id", number)
        return {"id": name, **answer_for(_described(given), accept).as_json()}
    except BadInput as problem:
        return {"id": name, **problem.as_json()}


def _described(given: dict[str, Any]) -> RegularLanguage:
    unknown = sorted(set(given) - KEYS)
    if unknown:
        raise BadInput("a line has a key that means nothing", seen=unknown[0], hint=", ".join(KEYS))
    if "dfa" in given:
        return RegularLanguage.from_dfa(dfa_from_json(given["dfa"]), name=str(given.get("id", "")))
    if not isinstance(given["regex"], str):
        raise BadInput("a regular expression is a text", seen=given["regex"])
    return RegularLanguage.from_regex(
        given["regex"], _letters(given.get("alphabet")), given["regex"]
    )


def lines_done(out: Path) -> int:
    """Whole answer lines that a file already holds; half a line of a killed run is cut off."""
    if not out.exists():
        return 0
    content = out.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        with explain_disk_trouble(out), out.open("r+b") as file:
            file.truncate(whole)
    return content[:whole].count(b"\n")


@contextlib.contextmanager
def opened(out: Path | None) -> Iterator[Callable[[str], None]]:
    """A function that writes a line, to the file or to standard output."""
    if out is None:
        yield print
        return
    with explain_disk_trouble(out), out.open("a", encoding="utf-8") as file:

        def write(line: str) -> None:
            file.write(line + "\n")
            file.flush()

        yield write


def show(console: Console, answer: LanguageAnswer, explain: bool, check: bool) -> None:
    """Answers, what they rest on, and the classes."""
    decision = answer.decision
    letters = " ".join(decision.dfa.alphabet.symbols)
    states = len(decision.dfa.delta)
    console.print(Text(f"{answer.language.name}", style="bold"), end="")
    console.print(
        Text(f"   over {letters}, {states} states, accept: {decision.accept}", style="dim")
    )
    lines = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for one in decision.answers:
        evidence = one.certificate.summary if one.certificate else ""
        lines.add_row(Text(one.name), Text(one.answer, style=STYLE[one.answer]), Text(evidence))
    console.print(lines)
    if check:
        for one in decision.answers:
            if one.certificate is not None:
                found = one.certificate.check()
                said = "re-checked, holds" if found.holds else "DOES NOT HOLD"
                console.print(Text(f"{one.name}: {said}: {found.how}"), soft_wrap=True)
    inside = [name for name, one in answer.classes.classes.items() if one.answer == "yes"]
    console.print(Text(f"classes: {', '.join(inside).replace('_', ' ') or 'none'}", style="dim"))
    if explain:
        _explain(console, answer)


def _explain(console: Console, answer: LanguageAnswer) -> None:
    """The argument: the program where there is one, the obstruction where there is none."""
    decision = answer.decision
    shown: set[int] = set()
    for one in decision.answers:
        if one.certificate is None or id(one.certificate) in shown:
            continue
        shown.add(id(one.certificate))
        console.print(Text(f"\nWhy {one.answer} for {one.name}", style="bold"))
        if one.program is not None:
            console.print(Text("This program accepts exactly the language:"))
            console.print(Padding(Text(one.program.show()), (0, 0, 0, 2)))
        else:
            for paragraph in argue(one.certificate):
                console.print(Text(paragraph), soft_wrap=True)
    console.print(Text("\nLayers and training length", style="bold"))
    for statement in (decision.layers, *decision.training_length):
        console.print(Text(f"- {statement.says} (if {statement.assumes})"), soft_wrap=True)
    console.print(Text(CAVEAT), soft_wrap=True)
