"""Automata in files; the suffix says how to read them."""

from __future__ import annotations

import json
from pathlib import Path

from foretell.core.alphabet import Alphabet
from foretell.languages import att
from foretell.languages.dfa import DFA
from foretell.languages.dfa_json import dfa_from_json
from foretell.plain.errors import BadInput
from foretell.plain.files import read_text

SUFFIXES = (".json", ".att")


def state_names(path: Path | str) -> list[str]:
    """What the file calls the states, in the order of the automaton; made ones are not among them.

    In a JSON file the rows have no names but their numbers.
    """
    file = Path(path)
    if file.suffix == ".att":
        return att.state_names(read_text(file))
    return [str(number) for number in range(len(json.loads(read_text(file))["delta"]))]


def read_automaton(
    path: Path | str,
    *,
    alphabet: Alphabet | None = None,
    sink: bool = False,
    determinize: bool = False,
    trim: bool = False,
) -> DFA:
    """The automaton in a `.json` or `.att` file.

    `sink` leads missing transitions to a state that refuses everything, `determinize` allows
    several transitions for one letter and transitions without one, `trim` allows accepting states
    that no word reaches. `alphabet` is for `.att` files, which may not show all letters.
    """
    file = Path(path)
    allowed = {"sink": sink, "determinize": determinize, "trim": trim}
    if file.suffix == ".att":
        return att.dfa_from_att(read_text(file), alphabet, **allowed)
    if file.suffix != ".json":
        raise BadInput(
            "an automaton file has an unknown suffix",
            seen=str(file),
            why=f"the suffix says how to read it, one of {', '.join(SUFFIXES)}",
            hint="rename the file",
        )
    if alphabet is not None:
        raise BadInput(
            "a JSON automaton has its own alphabet",
            seen=" ".join(alphabet.symbols),
            why="its file lists the letters",
            hint="leave the alphabet out",
        )
    return dfa_from_json(read_text(file), **allowed)
