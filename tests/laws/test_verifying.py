"""Laws of verification: whatever an exact method claims, brute force on short words agrees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretell.core.alphabet import Alphabet
from foretell.crasp.builder import Builder
from foretell.crasp.operations import Core
from foretell.crasp.verifying import depth_one, finite_state, unary
from foretell.crasp.verifying.automata import AutomatonReference
from foretell.crasp.verifying.exhaustive import affordable, exhaust
from foretell.crasp.verifying.joint import join
from foretell.crasp.verifying.programs import ProgramReference
from foretell.crasp.verifying.reference import Oracle
from foretell.crasp.words import Words
from foretell.languages.dfa import DFA

# The run-time type checker looks at random elements of containers, also inside strategies.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")
few = settings(max_examples=80, deadline=None)
MEANS = {"states": 400, "work": 3_000_000}


class Shape:
    """A random program, steered by whole numbers."""

    def __init__(self, choices: list[int], letters: str, nested: bool = True, near: bool = True):
        self.choices, self.builder = iter(choices), Builder(tuple(letters))
        self.nested, self.near = nested, near
        self.booleans = [self.builder.letter(letter) for letter in (*letters, letters[0])]
        self.plain = list(self.booleans)  # what a program of depth one may count
        self.counts = [self.builder.number(1)]

    def pick(self, items):
        return items[next(self.choices) % len(items)]

    def grow(self) -> None:
        build, kind = self.builder, self.pick("nabwwcccpllllls+-??")
        if kind == "n":
            self._boolean(build.negate, self.booleans)
        elif kind == "a":
            self._boolean(build.both, self.booleans, self.booleans)
        elif kind == "b":
            self._boolean(build.either, self.booleans, self.booleans)
        elif kind == "p":
            modulus = self.pick([2, 3])
            residue = self.pick([0, 1])
            self._plain(build.periodic(modulus, (residue,)))
        elif kind == "w" and self.near:
            offsets = self.pick([(1,), (0, 1), (2,), (1, 2)])
            self.counts.append(build.count(self.pick(self.booleans), offsets))
        elif kind in "cw":
            body = self.pick(self.booleans if self.nested else self.plain)
            self.counts.append(build.count(body))
        elif kind == "l":
            bound = self.pick([*self.counts, *map(build.number, (0, 1, 2, 3))])
            self.booleans.append(build.at_most(self.pick(self.counts), bound))
        elif kind == "s":
            self.counts.append(build.times(self.pick([-1, 2, 3]), self.pick(self.counts)))
        elif kind == "+":
            self.counts.append(build.add(self.pick(self.counts), self.pick(self.counts)))
        elif kind == "-":
            self.counts.append(build.subtract(self.pick(self.counts), self.pick(self.counts)))
        elif kind == "?":
            parts = self.pick(self.booleans), self.pick(self.counts), self.pick(self.counts)
            self.counts.append(build.choose(*parts))

    def _boolean(self, make, *pools) -> None:
        parts = [self.pick(pool) for pool in pools]
        place = make(*parts)
        self.booleans.append(place)
        if all(part in self.plain for part in parts):
            self.plain.append(place)

    def _plain(self, place: int) -> None:
        self.booleans.append(place)
        self.plain.append(place)

    def core(self, steps: int) -> Core:
        for _ in range(steps):
            self.grow()
        # The last two together, so that more of the program matters.
        join = self.pick([self.builder.differ, self.builder.both, self.builder.either])
        accept = join(self.booleans[-1], self.booleans[-2])
        return Core(self.builder.letters, tuple(self.builder.operations), (), accept)


def core_of(choices, letters="ab", steps=12, **limits) -> Core:
    return Shape(choices, letters, **limits).core(steps)


def acceptor(core: Core) -> ProgramReference:
    return ProgramReference(core, "accept")


def brute_force(left, right, length: int):
    """The first word on which they differ, by running the interpreter on every word."""
    for size in range(1, length + 1):
        words = Words.all_of_length(len(left.letters), size)
        wrong = np.flatnonzero(left.at_ends(words).differs(right.at_ends(words)))
        if len(wrong):
            return words.word(int(wrong[0]))
    return None


def holds(decision, left, right, length: int) -> None:
    """The claim, confronted with every short word."""
    if decision.outcome == "does not apply":
        return
    found = brute_force(left, right, length)
    if decision.outcome == "agree":
        assert found is None
        return
    words = Words.of([decision.word])
    assert left.at_ends(words).differs(right.at_ends(words))[0]
    if decision.shortest:
        if len(decision.word) <= length:
            assert found is not None and len(found) == len(decision.word)
        else:
            assert found is None


numbers = st.lists(st.integers(0, 10_000), min_size=80, max_size=80)
tables = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=4, max_size=4)
finals = st.frozensets(st.integers(0, 3))


@few
@given(numbers, numbers)
def test_the_finite_state_decision_between_programs(one, two):
    left, right = acceptor(core_of(one)), acceptor(core_of(two))
    holds(finite_state.decide(join(left, right), **MEANS), left, right, 8)


@few
@given(numbers, st.integers(4, 16))
def test_the_finite_state_decision_between_nearly_equal_programs(choices, steps):
    """The same beginning, another end: agreement is common here."""
    left, right = acceptor(core_of(choices)), acceptor(core_of(choices, steps=steps))
    holds(finite_state.decide(join(left, right), **MEANS), left, right, 8)


@few
@given(numbers, tables, finals)
def test_the_finite_state_decision_against_automata(choices, delta, final):
    left = acceptor(core_of(choices))
    dfa = DFA(Alphabet("ab"), tuple(delta), 0, final).minimal()
    right = AutomatonReference(dfa, "accept")
    holds(finite_state.decide(join(left, right), **MEANS), left, right, 8)


@few
@given(numbers)
def test_a_search_that_ends_yields_the_language(choices):
    """A program against the automaton of its own short behaviour: proofs happen, and hold."""
    left = acceptor(core_of(choices, steps=10))
    dfa = residual_automaton(left, 4)
    right = AutomatonReference(dfa, "accept")
    holds(finite_state.decide(join(left, right), **MEANS), left, right, 9)


@few
@given(numbers, numbers)
def test_the_unary_decision(one, two):
    left, right = acceptor(core_of(one, "a")), acceptor(core_of(two, "a"))
    holds(unary.decide(join(left, right)), left, right, 120)


@few
@given(numbers, st.integers(4, 16))
@pytest.mark.slow
def test_the_unary_decision_between_nearly_equal_programs(choices, steps):
    left, right = acceptor(core_of(choices, "a")), acceptor(core_of(choices, "a", steps))
    holds(unary.decide(join(left, right)), left, right, 120)


@few
@given(numbers, numbers)
def test_the_depth_one_decision(one, two):
    left = acceptor(core_of(one, nested=False))
    right = acceptor(core_of(two, nested=False))
    holds(depth_one.decide(join(left, right), 50_000), left, right, 8)


@few
@given(numbers, st.integers(4, 16))
def test_the_depth_one_decision_between_nearly_equal_programs(choices, steps):
    left = acceptor(core_of(choices, nested=False))
    right = acceptor(core_of(choices, steps=steps, nested=False))
    holds(depth_one.decide(join(left, right), 50_000), left, right, 8)


@few
@given(numbers, numbers)
def test_exact_methods_agree_with_each_other(one, two):
    joint = join(acceptor(core_of(one, nested=False)), acceptor(core_of(two, nested=False)))
    found = {
        decision.outcome
        for decision in (finite_state.decide(joint, **MEANS), depth_one.decide(joint, 50_000))
    }
    assert len(found - {"does not apply"}) <= 1


@few
@given(numbers)
def test_the_tree_of_all_words_says_what_the_interpreter_says(choices):
    side = acceptor(core_of(choices, "abc", steps=10))
    tree = side.tree()
    for length in range(1, 6):
        said = tree.grow().values
        assert np.array_equal(said, side.at_ends(Words.all_of_length(3, length)).values)


@few
@given(numbers, tables, finals)
def test_exhausting_finds_what_brute_force_finds(choices, delta, final):
    left = acceptor(core_of(choices))
    dfa = DFA(Alphabet("ab"), tuple(delta), 0, final)
    oracle = Oracle(("a", "b"), "accept", lambda word: dfa.accepts(word))
    first = brute_force(left, oracle, 6)
    for right in (AutomatonReference(dfa, "accept"), oracle):
        budget = 2**7 if right is not oracle else 2**6 * 12
        assert affordable(2, budget, right.slow) >= 5
        found = exhaust(left, right, budget)
        if 0 in final:
            assert found.word == ()  # programs reject the empty word here
        elif first is not None and len(first) <= found.length:
            assert found.word == first
        else:
            assert found.word is None or len(found.word) > 6 or found.word == first


def residual_automaton(side: ProgramReference, length: int) -> DFA:
    """States are what the program says about the next `length` letters."""
    states: dict[bytes, int] = {}
    words: list[tuple[int, ...]] = []
    delta: list[list[int]] = []
    final: set[int] = set()

    def visit(word: tuple[int, ...]) -> int:
        future = [Words.all_of_length(2, size) for size in range(1, length + 1)]
        rows = [word + more.word(n) for more in future for n in range(len(more))]
        now = bool(word) and bool(side.at_ends(Words.of([word])).values[0, 0])
        key = bytes([now]) + side.at_ends(Words.of(rows)).values.tobytes()
        if key not in states:
            states[key] = len(words)
            words.append(word)
            delta.append([])
            if now:
                final.add(states[key])
        return states[key]

    visit(())
    for state, word in enumerate(words):  # grows while it is walked
        if len(words) > 60:
            delta[state] = [state, state]
        else:
            delta[state] = [visit((*word, letter)) for letter in (0, 1)]
    return DFA(Alphabet("ab"), tuple(map(tuple, delta)), 0, frozenset(final)).minimal()
