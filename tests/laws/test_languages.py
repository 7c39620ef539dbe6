"""Laws of regular languages over random expressions."""

from itertools import product

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretell.core.alphabet import Alphabet
from foretell.languages.compiling import compiled
from foretell.languages.dfa import DFA
from foretell.languages.dfa_json import dfa_as_json, dfa_from_json
from foretell.languages.matching import matches
from foretell.languages.regex import Regex, parse
from foretell.languages.regular import RegularLanguage
from foretell.languages.sampling import draw_word, sampling_table
from foretell.languages.syntax import (
    Complement,
    Concatenation,
    EmptyWord,
    Intersection,
    OneOf,
    Repeat,
    Union,
    write,
)
from foretell.numerics.keys import root_key

AB = Alphabet(("a", "b"))
WORDS = ["".join(w) for n in range(7) for w in product("ab", repeat=n)]
# The run-time type checker looks at random elements of containers, also inside strategies.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")
few = settings(max_examples=60, deadline=None)


def _above(parts):
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    bounds = st.sampled_from([(0, None), (1, None), (0, 1), (2, 2), (1, 3), (2, None), (0, 0)])
    return st.one_of(
        several.map(Concatenation),
        several.map(Concatenation),
        several.map(Union),
        several.map(Intersection),
        parts.map(Complement),
        st.builds(lambda body, low_high: Repeat(body, *low_high), parts, bounds),
    )


letters = st.sampled_from([("a",), ("b",), ("a", "b"), ()]).map(OneOf)
trees = st.recursive(st.one_of(letters, letters, st.just(EmptyWord())), _above, max_leaves=8)
automata = trees.map(lambda tree: compiled(Regex("", tree, AB)))


@st.composite
def tables(draw):
    size = draw(st.integers(1, 6))
    state = st.integers(0, size - 1)
    delta = draw(st.lists(st.tuples(state, state), min_size=size, max_size=size))
    return DFA(AB, tuple(delta), draw(state), frozenset(draw(st.sets(state))))


def members(dfa):
    return {word for word in WORDS if dfa.accepts(word)}


@few
@given(trees)
def test_reading_what_was_written_changes_nothing(tree):
    assert parse(write(tree, AB), AB).tree == tree


@few
@given(trees)
def test_automaton_is_the_matcher(tree):
    dfa = compiled(Regex("", tree, AB))
    assert members(dfa) == {word for word in WORDS if matches(tree, word)}


@few
@given(automata, automata)
def test_operations_are_those_of_sets(left, right):
    mine, theirs = members(left), members(right)
    assert members(left & right) == mine & theirs
    assert members(left | right) == mine | theirs
    assert members(left - right) == mine - theirs
    assert members(left.complement()) == set(WORDS) - mine
    assert left.complement().complement() == left
    assert (left | right).complement() == left.complement() & right.complement()


@few
@given(tables(), tables())
def test_minimal_automata_are_equal_exactly_for_equal_languages(left, right):
    # Two automata of at most six states differ, if at all, on a word of fewer than 12 letters.
    # The symmetric difference decides it without looking at words.
    different = (left - right) | (right - left)
    assert (left.minimal() == right.minimal()) == different.is_empty


@few
@given(tables(), st.randoms(use_true_random=False))
def test_names_of_states_do_not_matter(dfa, random):
    order = list(range(len(dfa.delta)))
    random.shuffle(order)
    delta = [(0, 0)] * len(order)
    for state, row in enumerate(dfa.delta):
        delta[order[state]] = tuple(order[target] for target in row)
    renamed = DFA(AB, tuple(delta), order[dfa.start], frozenset(order[s] for s in dfa.final))
    assert renamed.minimal() == dfa.minimal()
    assert members(dfa.minimal()) == members(dfa)
    assert len(dfa.minimal().delta) == _nerode_classes(dfa)


def _nerode_classes(dfa):
    """Distinguishable reachable states, counted by what they accept."""
    words = [w for n in range(6) for w in product("ab", repeat=n)]
    reached = {dfa.state_after(word) for word in words}

    def accepted(start):
        return tuple(DFA(AB, dfa.delta, start, dfa.final).accepts(word) for word in words)

    return len({accepted(state) for state in reached})


@few
@given(tables())
def test_json_and_back(dfa):
    assert dfa_from_json(dfa_as_json(dfa)) == dfa


@few
@given(automata)
def test_counting_is_enumeration(dfa):
    ours = RegularLanguage("ours", dfa)
    for length in range(7):
        brute = [word for word in WORDS if len(word) == length and dfa.accepts(word)]
        assert ["".join(word) for word in ours.words(length)] == brute
        assert ours.count(length) == len(brute)
        assert (length in ours.lengths(0, 6)) == bool(brute)


@few
@given(automata)
def test_legal_next_is_what_leads_to_members(dfa):
    ours = RegularLanguage("ours", dfa)
    for prefix in WORDS[:15]:
        legal = {letter for letter in "ab" if dfa.state_after(prefix + letter) in dfa.live}
        if dfa.accepts(prefix):
            legal.add("<eos>")
        assert ours.legal_next(prefix) == legal


def edits(word):
    for place in range(len(word) + 1):
        for letter in "ab":
            yield word[:place] + letter + word[place:]
            if place < len(word):
                yield word[:place] + letter + word[place + 1 :]
        if place < len(word):
            yield word[:place] + word[place + 1 :]


@few
@given(automata)
def test_near_non_members_are_one_edit_away(dfa):
    near = RegularLanguage("ours", dfa).near_non_members()
    for word in WORDS[:63]:
        close = not dfa.accepts(word) and any(dfa.accepts(other) for other in edits(word))
        assert near.accepts(word) == close, word


@jax.jit
def draw_many(table, keys, size):
    return jax.vmap(lambda key: draw_word(table, key, size, 9))(keys)


@settings(max_examples=15, deadline=None)
@given(automata, st.integers(0, 2**31 - 1))
def test_draws_are_members(dfa, seed):
    ours = RegularLanguage("ours", dfa)
    table = sampling_table(dfa, 9)
    keys = jax.random.split(root_key(seed), 16)
    for size in ours.lengths(0, 9):
        for word in np.asarray(draw_many(table, keys, size))[:, :size]:
            assert ours.accepts(["ab"[letter] for letter in word])
