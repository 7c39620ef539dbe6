import pytest

from foretell.core.alphabet import Alphabet
from foretell.languages.att import dfa_as_att, dfa_from_att
from foretell.languages.automaton_file import read_automaton
from foretell.languages.dfa import DFA
from foretell.languages.dfa_json import dfa_from_json
from foretell.plain.errors import BadInput

PAIRS = "0\t1\ta\ta\n1\t0\tb\tb\n0\n"


def test_there_and_back():
    dfa = DFA(Alphabet(("a", "push")), ((1, 0), (2, 1), (2, 2)), 1, frozenset({2, 0}))
    again = dfa_from_att(dfa_as_att(dfa), trim=True)
    assert again.minimal() == dfa.minimal()


@pytest.mark.parametrize(
    "text",
    [
        PAIRS,
        PAIRS.replace("\t", " "),
        "0 1 a\n1 0 b\n\n0",
        "0 1 a 0.5\n1 0 b 1e-3\n0 0\n1 inf",
        "0\t1\ta\ta\t0.5\n1\t0\tb\tb\t0\n1\t1\ta\ta\tInfinity\n0\t0\n",
        "7 3 a a\n3 7 b b\n7",
        "0 1 a\r\n1 0 b\r\n0\r\n",
    ],
)
def test_forms_of_one_automaton(text):
    dfa = dfa_from_att(text, sink=True)
    assert dfa.alphabet.symbols == ("a", "b")
    assert [word for word in ("", "a", "ab", "abab", "ba", "abb") if dfa.accepts(word)] == [
        "",
        "ab",
        "abab",
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "needs a start"),
        ("\n \n", "needs a start"),
        (PAIRS, "none from 0 by 'b', and 1 more"),
        (PAIRS, "sink=True"),
        ("0 0 a\n5", "line 2: state 5 accepts"),
        ("0 0 a\n0\n0", "line 2 and line 3: state 0 accepts"),
        ("0 0 a\n0 0 a\n0", "line 1 and line 2: from 0 by 'a' to 0"),
        ("0 0 a\n0 1 a\n1 1 a\n0", "not deterministic"),
        ("0 0 a\n0 1 a\n1 1 a\n0", "determinize=True"),
        ("0 1 <eps>\n1 1 a\n0 0 a\n1", "line 1: a transition that reads no letter"),
        ("0 0 a b\n0", "transducer"),
        ("0 x a\n0", "'x'"),
        ("0 0 a a 1 2", "at most five"),
        ("0 0 a a heavy", "a weight, a number"),
        ("0\t0\t\n0", "state"),
        ("0 0 a\n1 1 a\n1", "no word reaches"),
        ("0 0 a\n1 1 a\n1", "trim=True"),
        ("0", "no letters"),
    ],
)
def test_refused(text, says):
    with pytest.raises(BadInput) as caught:
        dfa_from_att(text)
    assert says in str(caught.value)


def test_choices_and_empty_moves_when_asked_for():
    text = "0 0 a\n0 0 b\n0 1 a\n1 2 b\n2 3 @0@\n3"
    dfa = dfa_from_att(text, determinize=True)
    assert [w for w in ("ab", "aab", "a", "abb", "") if dfa.accepts(w)] == ["ab", "aab"]
    loop = dfa_from_att("0 1 <eps>\n1 0 <eps>\n1 1 a\n0", determinize=True)
    assert loop.accepts("") and loop.accepts("aaa")


def test_unreachable_accepting_states_are_dropped_when_asked_for():
    assert dfa_from_att("0 0 a\n1 1 a\n1", trim=True).is_empty


def test_a_wider_alphabet():
    dfa = dfa_from_att("0 0 a\n0", Alphabet(("a", "b")), sink=True)
    assert dfa.accepts("aa") and not dfa.accepts("ab")
    with pytest.raises(BadInput, match="line 1: 'a'"):
        dfa_from_att("0 0 a\n0", Alphabet(("b",)))


def test_files_by_suffix(tmp_path):
    (tmp_path / "pairs.att").write_text(PAIRS)
    text = '{"alphabet": ["a", "b"], "start": 0, "final": [0], "delta": [[1, null], [null, 0]]}'
    (tmp_path / "pairs.json").write_text(text)
    att = read_automaton(tmp_path / "pairs.att", sink=True)
    assert att == read_automaton(str(tmp_path / "pairs.json"), sink=True)
    with pytest.raises(BadInput, match="missing transitions"):
        read_automaton(tmp_path / "pairs.json")
    with pytest.raises(BadInput, match="its own alphabet"):
        read_automaton(tmp_path / "pairs.json", alphabet=Alphabet(("a",)))
    with pytest.raises(BadInput, match="unknown suffix"):
        read_automaton(tmp_path / "pairs.txt")
    with pytest.raises(BadInput, match="no such file"):
        read_automaton(tmp_path / "other.att")


def json_table(delta, final="[0]"):
    return f'{{"alphabet": ["a"], "start": 0, "final": {final}, "delta": {delta}}}'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (json_table("[[null]]"), "none from 0 by 'a'"),
        (json_table("[[[0, 1]], [1]]"), "not deterministic"),
        (json_table("[[[0, 0]]]"), "twice"),
        (json_table("[[[0, 4]]]"), "holds 4"),
        (json_table('[["x"]]'), "whole number"),
        (json_table('[[[0, "x"]]]'), "whole number"),
        (json_table("[[true]]"), "whole number"),
        (json_table("[[0]]", "[0, 0]"), "holds 0 twice"),
        ('{"start": 0, "start": 1}', "there twice"),
    ],
)
def test_refused_json(text, says):
    with pytest.raises(BadInput, match=says):
        dfa_from_json(text)


def test_json_when_asked_for():
    assert dfa_from_json(json_table("[[null]]"), sink=True).delta == ((1,), (1,))
    both = dfa_from_json(json_table("[[[0, 1]], [1]]", "[1]"), determinize=True)
    assert both.accepts("a") and not both.accepts("")
    with pytest.raises(BadInput, match="no word reaches"):
        dfa_from_json(json_table("[[0], [1]]", "[1]"), trim=False)
    assert dfa_from_json(json_table("[[0], [1]]", "[1]")).is_empty
