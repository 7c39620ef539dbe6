import json

import numpy as np
import pytest

from foretell.core.alphabet import Alphabet
from foretell.languages import benchmark
from foretell.languages.algebra.green import Green, components
from foretell.languages.algebra.groups import group_at, is_solvable
from foretell.languages.algebra.maps import letter_maps
from foretell.languages.algebra.monoid import generate, monoid_of
from foretell.languages.algebra.stability import stability, word_of_length
from foretell.languages.algebra.witness import Witness
from foretell.languages.classes import CLASSES, class_report
from foretell.languages.compiling import compiled
from foretell.languages.dfa import DFA
from foretell.languages.regex import parse
from foretell.plain.errors import BadInput

AB, ABC = Alphabet(("a", "b")), Alphabet(("a", "b", "c"))


def automaton(text, alphabet=AB):
    return compiled(parse(text, alphabet))


def yes(report):
    return {name for name, one in report.classes.items() if one.answer == "yes"}


def permutation_automaton(*letters):
    """States are points, letters permute (or merge) them, the first point accepts."""
    alphabet = Alphabet(tuple("abcdef"[: len(letters)]))
    return DFA(alphabet, tuple(zip(*letters, strict=True)), 0, frozenset({0}))


TOP = {"quasi_aperiodic", "solvable"}
LOCAL = {"locally_testable", "locally_threshold_testable", "dot_depth_one", "star_free", *TOP}
TRIVIAL = {"piecewise_testable", "j_trivial", "r_trivial", "l_trivial", "da"}
PIECES = {*TRIVIAL, "dot_depth_one", "star_free", *TOP}


@pytest.mark.parametrize(
    ("text", "alphabet", "expected"),
    [
        ("a*", AB, {*LOCAL, *PIECES, "strictly_local", "strictly_piecewise"}),
        (".*", AB, {*LOCAL, *PIECES, "strictly_local", "strictly_piecewise", "cofinite"}),
        ("a&b", AB, {*LOCAL, *PIECES, "strictly_local", "strictly_piecewise", "finite"}),
        ("ab|ba", AB, {*LOCAL, *PIECES, "strictly_local", "finite"}),
        ("~(ab|ba)", AB, {*LOCAL, *PIECES, "strictly_local", "cofinite"}),
        ("(ab)*", AB, {*LOCAL, "strictly_local"}),
        (".*ab.*", ABC, LOCAL),
        (".*a.*b.*", ABC, PIECES),
        ("~(.*aa.*)", AB, {*LOCAL, "strictly_local"}),
        ("a.*", AB, {*LOCAL, "strictly_local", "r_trivial", "da"}),
        (".*a", AB, {*LOCAL, "strictly_local", "l_trivial", "da"}),
        ("[^a]*a[^a]*", AB, {*PIECES, "locally_threshold_testable"}),
        ("[^a]*a[^a]*", ABC, {*PIECES, "locally_threshold_testable"}),
        ("(aa)*", AB, TOP),
        ("b*(ab*ab*)*", AB, {"solvable"}),
        ("(c*ac*b)*c*", ABC, {"star_free", *TOP}),
        ("(abab)*", AB, TOP),
    ],
)
def test_known_languages(text, alphabet, expected):
    assert yes(class_report(automaton(text, alphabet))) == expected


@pytest.mark.parametrize("name", benchmark.names())
def test_the_benchmark_agrees(name):
    facts = benchmark.row(name).facts
    report = class_report(benchmark.load(name).dfa)
    assert (report["star_free"].answer == "yes") == facts.star_free
    assert (report["quasi_aperiodic"].answer == "yes") == facts.ac0
    if facts.dot_depth is not None:
        assert (report["dot_depth_one"].answer == "yes") == (facts.dot_depth == 1)
    for one in report.classes.values():
        assert one.witness is None or one.witness.check(benchmark.load(name).dfa)


@pytest.mark.parametrize(
    ("text", "local", "piecewise"),
    [
        (".*", 1, 1),
        ("a*", 1, 1),
        ("(ab)*", 2, None),
        ("~(.*aaa.*)", 3, None),
        ("~(.*a.*b.*a.*)", None, 3),
        ("a*b*", 2, 2),
        ("aab", 3, None),
        ("%|a|aa", 3, 3),
        (".*ab", 3, None),
        ("(aa)*", None, None),
    ],
)
def test_parameters(text, local, piecewise):
    report = class_report(automaton(text))
    assert report["strictly_local"].parameter == local
    assert report["strictly_piecewise"].parameter == piecewise


def test_groups():
    five, swap = (1, 2, 3, 4, 0), (1, 0, 2, 3, 4)
    symmetric = permutation_automaton(five, swap)
    report = class_report(symmetric)
    assert report["solvable"].answer == "no"
    assert report["solvable"].witness.check(symmetric)
    assert not report["solvable"].witness.check(automaton("(aa)*"))
    rotations = permutation_automaton(five, (0, 4, 3, 2, 1))
    assert class_report(rotations)["solvable"].answer == "yes"
    assert len(group_at(monoid_of(symmetric), 0)) == 120
    merged = (*range(1, 6), 0, 0)  # the same group, one state further in
    deeper = permutation_automaton((*five, 5, 0), (*swap, 5, 1), (0, 1, 2, 3, 4, 0, 5), merged)
    assert class_report(deeper)["solvable"].answer == "no"
    assert is_solvable(np.array([[1, 0, 2, 3], [1, 2, 3, 0]], np.uint8))


def test_sizes_and_limits():
    order_preserving = [[*range(i), i + 1, *range(i + 1, 8)] for i in range(7)]
    order_preserving += [[*range(i + 1), i, *range(i + 2, 8)] for i in range(7)]
    assert len(generate(np.array(order_preserving, np.uint8))) == 6435
    full = permutation_automaton((1, 2, 3, 4, 0), (1, 0, 2, 3, 4), (1, 1, 2, 3, 4))
    assert len(monoid_of(full)) == 5**5
    with pytest.raises(BadInput, match="more than 1,000 elements"):
        monoid_of(full, limit=1000)
    with pytest.raises(BadInput, match="monoid is too large"):
        monoid_of(full).table()


def test_too_large_is_said():
    order_preserving = [[*range(i), i + 1, *range(i + 1, 8)] for i in range(7)]
    order_preserving += [[*range(i + 1), i, *range(i + 2, 8)] for i in range(7)]
    alphabet = Alphabet(tuple("abcdefghijklmn"))
    dfa = DFA(alphabet, tuple(zip(*order_preserving, strict=True)), 0, frozenset({0}))
    report = class_report(dfa, limit=500)
    assert report["star_free"].answer == "too-large"
    assert report["finite"].answer == "no"
    assert report.as_json()["star_free"] is None
    assert report.monoid_size is None
    whole = class_report(dfa)
    assert whole["star_free"].answer == "yes"
    assert whole.monoid_size == 6435


def test_many_states_use_random_keys():
    ring = [*range(1, 40), 0]
    reset = [0] * 40
    found = generate(np.array([ring, reset], np.uint8))
    assert not found.key_of.exact
    assert len(found) == 80
    assert found.find(found.maps).tolist() == list(range(80))
    assert found.find(np.array([ring[::-1]], np.uint8)).tolist() == [-1]
    everything = np.arange(80)
    assert (found.product(everything, np.zeros(80, int)) == everything).all()


def test_lengths():
    monoid = monoid_of(automaton("(abab)*"))
    found = stability(monoid)
    for element in np.flatnonzero(found.stable):
        word = word_of_length(monoid, int(element), found.index)
        assert len(word) == found.index
        state = 0
        for letter in word:
            state = monoid.right[state, letter]
        assert state == element


def test_graphs_with_double_edges_end():
    assert components(np.array([[1, 1], [0, 0], [0, 2], [-1, -1]])).tolist() == [0, 0, 1, 2]
    green = Green(generate(letter_maps(benchmark.load("d-12").dfa)))
    assert len(set(green.j.tolist())) == 14


def test_a_report_is_json():
    report = class_report(automaton("(ab)*"))
    found = json.loads(json.dumps(report.as_json()))
    assert found["star_free"] is True
    assert found["strictly_local_k"] == 2
    assert found["strictly_piecewise"] is False and found["strictly_piecewise_k"] is None
    assert set(CLASSES) <= set(found)
    shown = json.loads(json.dumps(report.witnesses_as_json()))
    assert shown["finite"]["words"]["loop"] == ["a", "b"]
    assert "context" in shown["da"]


def test_witnesses_can_be_wrong():
    dfa = automaton("(ab)*")
    right = class_report(dfa)["r_trivial"].witness
    assert right.check(dfa)
    assert not Witness(right.law, {"x": ("a",), "y": ()}, right.before, right.after).check(dfa)
    assert not right.check(automaton("a*"))
