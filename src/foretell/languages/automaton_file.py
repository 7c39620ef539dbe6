"""Automata in files; the suffix says how to read them."""

from __future__ import annotations

from pathlib import Path

from foretell.core.alphabet import Alphabet
from foretell.languages.att import dfa_from_att
from foretell.languages.dfa import DFA
from foretell.languages.dfa_json import dfa_from_json
from foretell.plain.errors import BadInput
from foretell.plain.files import read_text

SUFFIXES = (".json", ".att")


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
        return dfa_from_att(read_text(file), alphabet, **allowed)
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
