"""Automata as JSON: `{"alphabet": ["a","b"], "start": 0, "final": [1], "delta": [[1,0],[1,1]]}`.

A transition may be `null` (missing) or a list of states (a choice); both are refused unless asked
for, since a deterministic automaton has neither.
"""

from __future__ import annotations

import json
from collections import Counter

from foretell.core.alphabet import Alphabet
from foretell.languages.arcs import Arc, Reading, automaton
from foretell.languages.dfa import DFA, STATE_LIMIT, too_large
from foretell.plain.errors import BadInput

_FORM = '{"alphabet": ["a", "b"], "start": 0, "final": [1], "delta": [[1, 0], [1, 1]]}'
_KEYS = ("alphabet", "start", "final", "delta")


def dfa_as_json(dfa: DFA) -> dict[str, object]:
    """The automaton as a value that `json.dumps` can write and `dfa_from_json` reads back."""
    return {
        "alphabet": list(dfa.alphabet.symbols),
        "start": dfa.start,
        "final": sorted(dfa.final),
        "delta": [list(row) for row in dfa.delta],
    }


def dfa_from_json(
    source: object, *, sink: bool = False, determinize: bool = False, trim: bool = True
) -> DFA:
    """The automaton in a JSON text, or in the value that `json.loads` made of one.

    `sink` allows missing transitions, `determinize` several states for one letter; without `trim`
    accepting states that no word reaches are refused.

    >>> dfa_from_json('{"alphabet": ["a"], "start": 0, "final": [0], "delta": [[1], [0]]}').final
    frozenset({0})
    >>> dfa_from_json({"alphabet": ["a"], "start": 0, "final": [0]})
    Traceback (most recent call last):
    ...
    foretell.plain.errors.BadInput: an automaton file cannot be read
      seen: alphabet, start, final
      why:  delta is missing
      try:  {"alphabet": ["a", "b"], "start": 0, "final": [1], "delta": [[1, 0], [1, 1]]}
    """
    value = _loaded(source) if isinstance(source, str | bytes) else source
    if not isinstance(value, dict):
        raise _refused(_short(value), "an automaton is a JSON object")
    for missing in (key for key in _KEYS if key not in value):
        raise _refused(", ".join(map(str, value)) or "{}", f"{missing} is missing")
    for unknown in (key for key in value if key not in _KEYS):
        raise _refused(repr(unknown), f"the only keys are {', '.join(_KEYS)}")
    symbols = _list_of(value["alphabet"], "alphabet", str)
    delta = _list_of(value["delta"], "delta", list)
    if len(delta) > STATE_LIMIT:
        raise too_large(STATE_LIMIT)
    rows = [_list_of(row, f"delta[{i}]", object) for i, row in enumerate(delta)]
    plain = DFA(
        Alphabet(tuple(symbols)),
        tuple(tuple(_first(entry, i) for entry in row) for i, row in enumerate(rows)),
        _list_of([value["start"]], "start", int)[0],
        frozenset(_once(_list_of(value["final"], "final", int))),
    )
    if trim and all(type(entry) is int for row in rows for entry in row):
        return plain
    return _from_entries(plain, rows, Reading(sink, determinize, trim))


def _first(entry: object, state: int) -> int:
    """One state out of an entry, each of them checked to be a number; 0 for a missing one."""
    several = entry if isinstance(entry, list) else [] if entry is None else [entry]
    return next(iter(_list_of(several, f"delta[{state}]", int)), 0)


def _once(states: list[int]) -> list[int]:
    """The states, none of them listed twice."""
    for state, times in Counter(states).items():
        if times > 1:
            raise _refused(f"final holds {state} twice", "an accepting state is listed once")
    return states


def _from_entries(plain: DFA, rows: list[list], reading: Reading) -> DFA:
    states = range(len(rows))
    arcs = []
    for state, row in enumerate(rows):
        for symbol, entry in zip(plain.alphabet.symbols, row, strict=True):
            targets = entry if isinstance(entry, list) else [] if entry is None else [entry]
            for target in targets:
                if target not in states:
                    raise _refused(
                        f"delta[{state}] holds {target}", f"the states are 0 to {len(rows) - 1}"
                    )
                arcs.append(Arc(state, symbol, target, f"delta[{state}]"))
    return automaton(plain.alphabet, states, arcs, plain.start, sorted(plain.final), reading)


def _loaded(text: str | bytes) -> object:
    try:
        return json.loads(text, object_pairs_hook=no_key_twice)
    except (ValueError, RecursionError) as problem:
        raise _refused(_short(text), f"not JSON: {problem}") from problem


def no_key_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """For `json.loads`: a JSON object whose keys are all different."""
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise _refused(repr(key), "the key is there twice")
        found[key] = value
    return found


def _list_of(value: object, name: str, kind: type) -> list:
    words = {str: "a string", int: "a whole number", list: "a list"}
    if not isinstance(value, list):
        raise _refused(f"{name} = {_short(value)}", f"{name} must be a list")
    for item in value:
        if not isinstance(item, kind) or (kind is int and isinstance(item, bool)):
            whose = name if name == "start" else f"every entry of {name}"
            raise _refused(f"{name} holds {_short(item)}", f"{whose} must be {words[kind]}")
    return value


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "…"


def _refused(seen: str, why: str) -> BadInput:
    return BadInput("an automaton file cannot be read", seen=seen, why=why, hint=_FORM)
