"""From what a user types, or what a file says, to a task."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foretell.boolean.function import BooleanFunction
from foretell.boolean.reading import read_function, read_steps
from foretell.core.alphabet import Alphabet
from foretell.core.task import Fact, Task
from foretell.crasp import shelf
from foretell.crasp.program import Program
from foretell.languages import benchmark
from foretell.languages.automaton_file import read_automaton
from foretell.languages.dfa_json import dfa_from_json
from foretell.languages.regular import RegularLanguage
from foretell.languages.released_words import made_again
from foretell.plain import catalogue
from foretell.plain.errors import BadInput
from foretell.plain.files import read_text
from foretell.tasks.boolean import BooleanTask
from foretell.tasks.capture._settings import SettledTask
from foretell.tasks.program import ProgramTask
from foretell.tasks.regular import RegularTask
from foretell.tasks.template import TemplateTask
from foretell.tasks.tracking import ASKS, STATES, TrackingTask
from foretell.templates.reading import read_templates
from foretell.templates.template_set import TemplateSet


def find_task(what: str, longest: int = 150, alphabet: str | None = None) -> Task:
    """A catalogue name, `regex:…`, `boolean:…`, `template:…`, an automaton's file, or a program.

    Some names take settings: `multi-hop:hops=3`, `shortest-path:degree=6,torus`.

    `alphabet` gives a regular expression more letters than it names: `abc`, or `up,down`. A regular
    language is asked what may follow each prefix; with `accept:` or `state:` before it, whether
    the prefix is a member, or which state of the minimal automaton it reaches; with
    `accept-before:` or `state-before:` the same, before the letter after it is seen.

    >>> find_task("regex:(ab)*").labels, find_task("accept:regex:(ab)*").labels
    (('{b}', '{<eos>,a}'), ('reject', 'accept'))
    """
    if any("\ud800" <= letter <= "\udfff" for letter in what):
        raise BadInput("that is not valid UTF-8 text", seen=repr(what))
    asks, _, rest = what.partition(":")
    if asks in ASKS:
        return _tracking(asks, rest, longest, alphabet)
    if asks == "boolean":
        text, steps = read_steps(rest)
        return BooleanTask(function=read_function(text), steps=steps)
    if asks == "template":
        return TemplateTask(longest, templates=read_templates(rest))
    if what.startswith("regex:"):
        return RegularTask(longest, language=_read_regex(what, alphabet))
    if alphabet is not None:
        raise BadInput(
            "only a regular expression takes an alphabet",
            seen=f"{what} with the alphabet {alphabet}",
            why="everything else has its own",
        )
    if what.endswith((".json", ".att")):
        dfa = read_automaton(what)
        return RegularTask(longest, language=RegularLanguage.from_dfa(dfa, name=Path(what).stem))
    if what.endswith(".crasp"):
        program = Program.parse(read_text(Path(what)))
        return ProgramTask(longest, program=program, title=Path(what).stem)
    if rest and asks in {entry.name for entry in catalogue.entries("tasks")}:
        return _with_settings(asks, rest, longest)
    entry = catalogue.find(what, ("tasks", "languages", "programs"))
    if entry.kind == "programs":
        return ProgramTask(longest, program=shelf.load(entry.name), title=entry.name)
    if entry.kind == "languages":
        return RegularTask(longest, declared(entry.name), language=benchmark.load(entry.name))
    return entry.load()(longest)


def _with_settings(name: str, settings: str, longest: int) -> Task:
    kind = catalogue.find(name, ("tasks",)).load()
    if not issubclass(kind, SettledTask):
        raise BadInput(f"{name} has no settings", seen=f"{name}:{settings}", hint=name)
    return kind.from_settings(settings, longest)


def _tracking(asks: str, what: str, longest: int, alphabet: str | None) -> TrackingTask:
    task = find_task(what, longest, alphabet)
    if not isinstance(task, RegularTask):
        asked_for = "states" if asks in STATES else "members"
        raise BadInput(
            f"only a regular language has {asked_for} to ask for",
            seen=what,
            hint=f"{asks}:tomita-4 or {asks}:regex:(ab)*",
        )
    return TrackingTask(longest, asks, language=task.language)


def declared(name: str) -> tuple[Fact, ...]:
    """The published facts of a benchmark language."""
    row = benchmark.row(name)
    known = {
        "crasp": (row.facts.crasp, "crasp"),
        "crasp-periodic-local": (row.facts.crasp_periodic_local, "crasp"),
        "star-free": (row.facts.star_free, "classes"),
        "ac0": (row.facts.ac0, "classes"),
    }
    words = {True: "yes", False: "no"}
    return tuple(
        Fact(name, words[value] if isinstance(value, bool) else value, row.sources[of])
        for name, (value, of) in known.items()
        if value is not None
    )


def task_from_json(described: Mapping[str, Any]) -> Task:
    """The task that `Task.as_json` describes; the store uses it to read a run back."""
    name, longest = str(described["name"]), int(described["longest"])
    if "program" in described:
        program = Program.parse(described["program"])
        return ProgramTask(longest, program=program, title=name)
    if "function" in described:
        function = BooleanFunction.from_json(described["function"])
        return BooleanTask(function=function, steps=bool(described.get("steps", False)))
    if "templates" in described:
        return TemplateTask(longest, templates=TemplateSet.from_json(described["templates"]))
    if "dfa" not in described:
        return find_task(name, longest)
    language = RegularLanguage.from_dfa(dfa_from_json(described["dfa"]), name=name)
    probed = tuple(described.get("probes", ()))
    if "asks" in described:
        asks = str(described["asks"])
        own = dataclasses.replace(language, name=name.removeprefix(f"{asks}:"))
        return TrackingTask(longest, asks, language=own, probed=probed)
    known = name in benchmark.names() and benchmark.load(name).dfa == language.dfa
    facts = declared(name) if known else ()  # a file may carry the name of another language
    listed = made_again(language, described["listed"]["hash"]) if "listed" in described else None
    return RegularTask(longest, facts, language=language, probed=probed, listed=listed)


def _read_regex(what: str, alphabet: str | None) -> RegularLanguage:
    text = what.removeprefix("regex:")
    if alphabet is None:
        return RegularLanguage.from_regex(text, name=what)
    letters = Alphabet(tuple(alphabet.split(",") if "," in alphabet else alphabet))
    return RegularLanguage.from_regex(text, letters, f"{what} over {' '.join(letters.symbols)}")
