import json

import pytest

from foretell.core.alphabet import Alphabet
from foretell.languages.dfa import DFA
from foretell.languages.dfa_json import dfa_as_json, dfa_from_json
from foretell.plain.errors import BadInput

GOOD = {"alphabet": ["a", "b"], "start": 0, "final": [1], "delta": [[1, 0], [1, 1]]}


def test_there_and_back():
    dfa = DFA(Alphabet(("a", "b")), ((1, 0), (1, 1)), 0, frozenset({1}))
    assert dfa_as_json(dfa) == GOOD
    assert dfa_from_json(GOOD) == dfa == dfa_from_json(json.dumps(GOOD))
    assert dfa_from_json(json.dumps(GOOD).encode()) == dfa


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"alphabet": "ab"}, "alphabet must be a list"),
        ({"alphabet": [1, 2]}, "every entry of alphabet must be a string"),
        ({"alphabet": ["a", "a"]}, "twice"),
        ({"start": "0"}, "start must be a whole number"),
        ({"start": True}, "start must be a whole number"),
        ({"start": 0.0}, "start must be a whole number"),
        ({"start": 2}, "the start is 2"),
        ({"final": 1}, "final must be a list"),
        ({"final": [7]}, "a final state is 7"),
        ({"final": [None]}, "every entry of final must be a whole number"),
        ({"delta": {}}, "delta must be a list"),
        ({"delta": [1]}, "every entry of delta must be a list"),
        ({"delta": [[1, "x"], [1, 1]]}, r"every entry of delta\[0\] must be a whole number"),
        ({"delta": [[1], [1, 1]]}, "state 0 has 1 transitions"),
        ({"delta": [[1, 5], [1, 1]]}, "the transition of state 0 on 'b' is 5"),
        ({"delta": []}, "no states"),
        ({"delta": [[0, 0]] * 20_001}, "too large"),
        ({"states": 2}, "'states'"),
    ],
)
def test_bad_files(change, says):
    with pytest.raises(BadInput, match=says):
        dfa_from_json({**GOOD, **change})


@pytest.mark.parametrize("missing", GOOD)
def test_missing_keys(missing):
    with pytest.raises(BadInput, match=f"{missing} is missing"):
        dfa_from_json({key: value for key, value in GOOD.items() if key != missing})


@pytest.mark.parametrize("source", ["", "{", "[1]", "3", None, [], "[" * 100_000, b"\xff"])
def test_not_an_object(source):
    with pytest.raises(BadInput, match="an automaton file cannot be read"):
        dfa_from_json(source)
