"""Automata as JSON: `{"alphabet": ["a","b"], "start": 0, "final": [1], "delta": [[1,0],[1,1]]}`."""

from __future__ import annotations

import json

from foretell.core.alphabet import Alphabet
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


def dfa_from_json(source: object) -> DFA:
    """The automaton in a JSON text, or in the value that `json.loads` made of one.

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
    return DFA(
        Alphabet(tuple(symbols)),
        tuple(tuple(_list_of(row, f"delta[{i}]", int)) for i, row in enumerate(delta)),
        _list_of([value["start"]], "start", int)[0],
        frozenset(_list_of(value["final"], "final", int)),
    )


def _loaded(text: str | bytes) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise _refused(_short(text), f"not JSON: {problem}") from problem


def _list_of(value: object, name: str, kind: type) -> list:
    words = {str: "a string", int: "a whole number", list: "a list"}
    if not isinstance(value, list):
        raise _refused(f"{name} = {_short(value)}", f"{name} must be a list")
    for item in value:
        if not isinstance(item, kind) or isinstance(item, bool):
            whose = name if name == "start" else f"every entry of {name}"
            raise _refused(f"{name} holds {_short(item)}", f"{whose} must be {words[kind]}")
    return value


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "…"


def _refused(seen: str, why: str) -> BadInput:
    return BadInput("an automaton file cannot be read", seen=seen, why=why, hint=_FORM)
