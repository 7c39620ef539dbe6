"""Laws of monoids and of the class report, over random automata."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretell.core.alphabet import Alphabet
from foretell.languages.algebra.counters import counters
from foretell.languages.algebra.green import Green
from foretell.languages.algebra.local import Local
from foretell.languages.algebra.maps import word_map
from foretell.languages.algebra.monoid import monoid_of
from foretell.languages.algebra.stability import stability
from foretell.languages.classes import class_report
from foretell.languages.dfa import DFA
from foretell.languages.operations import (
    equivalent,
    left_quotient,
    reversal,
    right_quotient,
    separating_word,
    shuffle,
    symmetric_difference,
    words_in_order,
)

AB = Alphabet(("a", "b"))
WORDS = ["".join(w) for n in range(7) for w in product("ab", repeat=n)]
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")
few = settings(max_examples=60, deadline=None)
some = settings(max_examples=80, deadline=None)
VARIETIES = (
    "star_free",
    "piecewise_testable",
    "r_trivial",
    "l_trivial",
    "da",
    "locally_testable",
    "locally_threshold_testable",
    "dot_depth_one",
    "quasi_aperiodic",
    "solvable",
)
INCLUSIONS = [
    ("finite", "piecewise_testable"),
    ("finite", "strictly_local"),
    ("finite", "locally_testable"),
    ("cofinite", "piecewise_testable"),
    ("cofinite", "locally_testable"),
    ("piecewise_testable", "r_trivial"),
    ("piecewise_testable", "l_trivial"),
    ("r_trivial", "da"),
    ("l_trivial", "da"),
    ("da", "star_free"),
    ("strictly_local", "locally_testable"),
    ("strictly_piecewise", "piecewise_testable"),
    ("locally_testable", "locally_threshold_testable"),
    ("locally_threshold_testable", "dot_depth_one"),
    ("piecewise_testable", "dot_depth_one"),
    ("dot_depth_one", "star_free"),
    ("star_free", "quasi_aperiodic"),
    ("star_free", "solvable"),
]


@st.composite
def ordered(draw, states=5, letters="ab"):
    """Mostly forward automata: loops and steps ahead, so that many small classes occur."""
    size = draw(st.integers(1, states))
    rows = []
    for state in range(size):
        target = st.integers(state, size - 1)
        back = st.integers(0, size - 1)
        rows.append(tuple(draw(st.one_of(target, target, target, back)) for _ in letters))
    final = frozenset(draw(st.sets(st.integers(0, size - 1))))
    return DFA(Alphabet(tuple(letters)), tuple(rows), 0, final)


@st.composite
def tables(draw, states=5, letters="ab"):
    size = draw(st.integers(1, states))
    state = st.integers(0, size - 1)
    rows = st.lists(st.tuples(*[state for _ in letters]), min_size=size, max_size=size)
    final = frozenset(draw(st.sets(state)))
    return DFA(Alphabet(tuple(letters)), tuple(draw(rows)), draw(state), final)


automata = st.one_of(tables(), ordered(), ordered(6), ordered(5, "abc"), tables(3, "abc"))
small = st.one_of(tables(4), ordered(4))


def answers(dfa):
    found = class_report(dfa)
    assert "too-large" not in {one.answer for one in found.classes.values()}
    return {name: one.answer == "yes" for name, one in found.classes.items()}


@some
@given(automata)
def test_every_no_has_words_that_show_it(dfa):
    for name, one in class_report(dfa).classes.items():
        assert (one.answer == "no") == (one.witness is not None), name
        if one.witness is not None:
            assert one.witness.check(dfa), (name, one.witness)


@some
@given(automata)
def test_small_classes_are_inside_larger_ones(dfa):
    found = answers(dfa)
    for smaller, larger in INCLUSIONS:
        assert found[larger] or not found[smaller], (smaller, larger)
    both = found["r_trivial"] and found["l_trivial"]
    assert found["piecewise_testable"] == found["j_trivial"] == both


@few
@given(automata)
def test_complement_changes_no_variety(dfa):
    ours, others = answers(dfa), answers(dfa.complement())
    assert [ours[name] for name in VARIETIES] == [others[name] for name in VARIETIES]
    assert ours["finite"] == others["cofinite"]


@few
@given(automata)
def test_reversal_swaps_left_and_right(dfa):
    ours, others = answers(dfa), answers(reversal(dfa))
    assert ours["r_trivial"] == others["l_trivial"]
    assert ours["l_trivial"] == others["r_trivial"]
    for name in set(ours) - {"r_trivial", "l_trivial"}:
        assert ours[name] == others[name], name


@few
@given(automata, st.sampled_from(["a", "b", "ab", "ba", "abb"]))
def test_quotients_stay_inside(dfa, word):
    ours = answers(dfa)
    for part in (left_quotient(dfa, word), right_quotient(dfa, word)):
        theirs = answers(part)
        assert all(theirs[name] for name in VARIETIES if ours[name])


@few
@given(ordered(4), ordered(4))
def test_intersection_stays_inside(one, other):
    ours, theirs, both = answers(one), answers(other), answers(one & other)
    for name in (*VARIETIES, "finite", "cofinite", "strictly_local", "strictly_piecewise"):
        assert both[name] or not (ours[name] and theirs[name]), name


@few
@given(small)
def test_the_empty_word_does_not_matter_to_local_classes(dfa):
    ours = answers(dfa)
    empty = DFA(AB, ((1, 1), (1, 1)), 0, frozenset({0}))
    others = answers(symmetric_difference(dfa, empty))
    for name in ("locally_testable", "locally_threshold_testable", "dot_depth_one"):
        assert ours[name] == others[name], name


@few
@given(small)
def test_products_of_elements_are_those_of_words(dfa):
    smallest = dfa.minimal()
    monoid = monoid_of(dfa)
    words = [[smallest.alphabet.symbols[a] for a in monoid.word(i)] for i in range(len(monoid))]
    assert {tuple(row) for row in monoid.maps.tolist()} == _closure(smallest)
    for element, word in enumerate(words):
        assert (word_map(smallest, word) == monoid.maps[element]).all()
        for letter, symbol in enumerate(smallest.alphabet.symbols):
            after = monoid.maps[monoid.right[element, letter]]
            assert (word_map(smallest, [*word, symbol]) == after).all()
            before = monoid.maps[monoid.left[element, letter]]
            assert (word_map(smallest, [symbol, *word]) == before).all()
    lengths = [len(word) for word in words]
    assert lengths == sorted(lengths)


def _closure(dfa):
    letters = list(zip(*dfa.delta, strict=True))
    found = [tuple(range(len(dfa.delta)))]
    for row in found:  # grows while it is walked
        for letter in letters:
            longer = tuple(letter[state] for state in row)
            if longer not in found:
                found.append(longer)
    return set(found)


@few
@given(st.one_of(tables(3), ordered(3)))
def test_green_is_its_definition(dfa):
    monoid = monoid_of(dfa)
    green, table = Green(monoid), monoid.table()
    size = range(len(monoid))
    right = [frozenset(table[i].tolist()) for i in size]
    left = [frozenset(table[:, i].tolist()) for i in size]
    both = [frozenset(int(table[x, j]) for j in right[i] for x in size) for i in size]
    for i, j in product(size, repeat=2):
        assert (green.r[i] == green.r[j]) == (right[i] == right[j])
        assert (green.l[i] == green.l[j]) == (left[i] == left[j])
        assert (green.j[i] == green.j[j]) == (both[i] == both[j])
        assert (green.h[i] == green.h[j]) == (right[i] == right[j] and left[i] == left[j])


@few
@given(small)
def test_powers_and_stability_are_their_definitions(dfa):
    monoid = monoid_of(dfa)
    table = monoid.table()
    for element in range(len(monoid)):
        powers = [element]
        while (after := int(table[powers[-1], element])) not in powers:
            powers.append(after)
        assert int(monoid.omega[element]) in powers
        assert monoid.idempotent[monoid.omega[element]]
        assert monoid.aperiodic[element] == (after == powers[-1])
    letters = {int(element) for element in monoid.right[0]}

    def longer(those):
        return {int(monoid.right[i, a]) for i in those for a in range(len(AB.symbols))}

    layers = [letters]
    while len(layers) < 3000:
        layers.append(longer(layers[-1]))
    found = stability(monoid)
    least = next(s for s in range(1, 1500) if layers[s - 1] == layers[2 * s - 1])
    assert found.index == least
    assert set(np.flatnonzero(found.stable).tolist()) == layers[least - 1]


@some
@given(st.one_of(tables(4), tables(6), ordered(6)))
def test_counters_are_the_groups(dfa):
    monoid = monoid_of(dfa)
    found = counters(dfa)
    assert found.complete
    assert (found.turn is None) == bool(monoid.aperiodic.all())
    stable = stability(monoid).stable
    assert (found.even_turn is None) == bool(monoid.aperiodic[stable].all())


@few
@given(st.one_of(tables(3), ordered(4), ordered(3, "abc")))
def test_local_laws_are_their_definitions(dfa):
    """All idempotents and all elements, instead of one idempotent for each J-class."""
    monoid = monoid_of(dfa)
    if len(monoid) > 40:
        return
    table = monoid.table()
    inside = np.flatnonzero(monoid.in_semigroup)
    idempotents = [int(e) for e in inside if monoid.idempotent[e]]

    def between(e, f):
        return sorted({int(table[table[e, s], f]) for s in inside})

    def times(*factors):
        found = factors[0]
        for factor in factors[1:]:
            found = int(table[found, factor])
        return found

    omega = monoid.omega
    testable = threshold = shallow = True
    for e, f in product(idempotents, repeat=2):
        across, back = between(e, f), between(f, e)
        if e == f:
            testable &= all(times(s, s) == s for s in across)
            testable &= all(times(s, t) == times(t, s) for s, t in product(across, repeat=2))
        for s, t, u in product(across, back, across):
            threshold &= times(s, t, u) == times(u, t, s)
        ends = {(int(omega[times(u, v)]), v) for u, v in product(across, back)}
        for s, t in product(across, back):
            first = int(omega[times(s, t)])
            shallow &= all(times(first, s, v, last) == times(first, last) for last, v in ends)
    local = Local(Green(monoid))
    assert (local.not_locally_testable() is None) == testable
    assert (local.not_threshold_testable() is None) == (threshold and monoid.aperiodic.all())
    assert (local.deeper_than_one() is None) == shallow


@few
@given(ordered(4))
@pytest.mark.slow
def test_strictly_local_is_about_windows(dfa):
    found = class_report(dfa)["strictly_local"]
    long = ["".join(w) for n in range(9) for w in product("ab", repeat=n)]
    for width in (1, 2, 3):
        seen = {window for word in long if dfa.accepts(word) for window in windows(word, width)}
        exact = all(dfa.accepts(word) == (windows(word, width) <= seen) for word in long)
        if width == 1:  # a window of one sign cannot forbid the empty word
            exact |= dfa.is_empty
        assert exact == (found.answer == "yes" and found.parameter <= width)


def windows(word, width):
    if width == 1:
        return set(word)  # without ends there is nothing to see in the empty word
    marked = f"<{word}>"
    if len(marked) < width:
        return {marked}
    return {marked[i : i + width] for i in range(len(marked) - width + 1)}


def subsequences(word, longest):
    found = {""}
    for letter in word:
        found |= {part + letter for part in found if len(part) < longest}
    return frozenset(found)


@few
@given(ordered(4))
@pytest.mark.slow
def test_piecewise_classes_are_about_subsequences(dfa):
    report = class_report(dfa)
    found = report["strictly_piecewise"]
    long = ["".join(w) for n in range(9) for w in product("ab", repeat=n)]
    for width in (1, 2, 3):
        seen = set().union(*(subsequences(w, width) for w in long if dfa.accepts(w)))
        exact = all(dfa.accepts(w) == (subsequences(w, width) <= seen) for w in long)
        assert exact == (found.answer == "yes" and found.parameter <= width)
        together = {}
        for word in long:
            together.setdefault(subsequences(word, width), set()).add(dfa.accepts(word))
        if all(len(sides) == 1 for sides in together.values()) and len(dfa.delta) <= 3:
            # Words of nine letters and more add nothing for so few states and letters.
            assert report["piecewise_testable"].answer == "yes"
    if report["piecewise_testable"].answer == "yes":
        # The least height is at most the depth of the automaton (Klíma & Polák 2013).
        height = len(dfa.minimal().delta) - 1
        together = {}
        for word in long:
            together.setdefault(subsequences(word, height), set()).add(dfa.accepts(word))
        assert all(len(sides) == 1 for sides in together.values())


@few
@given(tables(4), tables(4))
def test_operations_are_those_of_words(one, other):
    backwards = reversal(one)
    assert all(backwards.accepts(word) == one.accepts(word[::-1]) for word in WORDS)
    assert reversal(backwards) == one.minimal()
    for word in ("", "a", "ba"):
        left, right = left_quotient(one, word), right_quotient(one, word)
        assert all(left.accepts(rest) == one.accepts(word + rest) for rest in WORDS)
        assert all(right.accepts(rest) == one.accepts(rest + word) for rest in WORDS)
    apart = separating_word(one, other)
    assert (apart is None) == (one.minimal() == other.minimal()) == equivalent(one, other)
    if apart is not None:
        assert one.accepts(apart) != other.accepts(apart)
        shorter = [word for word in WORDS if len(word) < len(apart)]
        assert all(one.accepts(word) == other.accepts(word) for word in shorter)


@few
@given(tables(3), tables(3))
def test_shuffle_is_interleaving(one, other):
    mixed = shuffle(one, other)
    assert mixed == shuffle(other, one)
    for word in WORDS[:63]:
        ways = product((0, 1), repeat=len(word))
        parts = (
            [[x for x, o in zip(word, way, strict=True) if o == s] for s in (0, 1)] for way in ways
        )
        assert mixed.accepts(word) == any(one.accepts(u) and other.accepts(v) for u, v in parts)


def _given(word, way, side):
    return [letter for letter, owner in zip(word, way, strict=True) if owner == side]


@few
@given(tables(4))
def test_enumeration_is_in_order(dfa):
    expected = [word for word in WORDS if dfa.accepts(word)]
    found = []
    for word in words_in_order(dfa):
        if len(word) > 6:
            break
        found.append("".join(word))
    assert found == expected
