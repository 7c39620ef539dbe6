"""Laws of the decision: what is made of definable languages is definable; names do not matter.

All languages have a cycle, and what is made of them is counted only if it has one too: without
cycles every language is definable, and no test could fail.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from operator import and_, or_, sub
from typing import NamedTuple

import pytest

from foretell.core.alphabet import Alphabet
from foretell.crasp.deciding.decide import decide
from foretell.crasp.deciding.graphs import components
from foretell.crasp.deciding.karoubi import karoubi_definable
from foretell.crasp.deciding.machines import ACCEPT, Machine
from foretell.crasp.deciding.pairs import PairSystem
from foretell.languages.dfa import DFA, explore
from foretell.languages.operations import left_quotient, right_quotient, symmetric_difference

FRAGMENTS = ("crasp", "crasp_local", "crasp_periodic_2_local", "crasp_periodic_local")
WINDOWED = FRAGMENTS[1:]
MODULI = (1, 2, None)
LAST, EVERY = ACCEPT
some_and_many = pytest.mark.parametrize("size", [60, pytest.param(1000, marks=pytest.mark.slow)])


def smallest(dfa: DFA, accept: str) -> str:
    """The smallest fragment that defines the language, or "none"; the larger ones must as well."""
    found = decide(dfa, accept, moduli=(2,), certificates=False)
    answers = [answer.answer for answer in found.answers]
    assert answers == sorted(answers)
    return (*FRAGMENTS, "none")[answers.count("no")]


def no_larger(fragment: str) -> tuple[str, ...]:
    return FRAGMENTS[: FRAGMENTS.index(fragment) + 1]


def has_cycle(dfa: DFA) -> bool:
    return max(map(len, components(dfa.minimal().delta)[1])) > 1


# Closure: from languages that a fragment defines to one that it must define.

Made = Callable[[random.Random, DFA, DFA], DFA]


def joined(generator: random.Random, one: DFA, two: DFA) -> DFA:
    return generator.choice((and_, or_, sub, symmetric_difference))(one, two)


def some_word(generator: random.Random, dfa: DFA) -> list[str]:
    return generator.choices(dfa.alphabet.symbols, k=generator.randint(1, 3))


def walk(generator: random.Random, dfa: DFA, length: int) -> list[int]:
    """Letters along a path that stays in a strong component: other words mostly lead out of all."""
    home, parts = components(dfa.delta)
    state = generator.choice(max(parts, key=len))
    found = []
    for _ in range(length):
        row = list(enumerate(dfa.delta[state]))
        inside = [(letter, target) for letter, target in row if home[target] == home[state]]
        letter, state = generator.choice(inside)
        found.append(letter)
    return found


def inverse_image(generator: random.Random, dfa: DFA, least: int, most: int) -> DFA:
    """The words whose letters, replaced by words of such lengths, make a word of the language."""
    letters = generator.randint(2, 4)
    images = [walk(generator, dfa, generator.randint(least, most)) for _ in range(letters)]

    def after(state: int, image: list[int]) -> int:
        for letter in image:
            state = dfa.delta[state][letter]
        return state

    return explore(
        Alphabet("uvwx"[:letters]),
        dfa.start,
        lambda state: [after(state, image) for image in images],
        lambda state: state in dfa.final,
    )


def uniform_inverse_image(generator: random.Random, dfa: DFA, _: DFA) -> DFA:
    length = generator.randint(1, 3)
    return inverse_image(generator, dfa, length, length)


def marked(generator: random.Random, dfa: DFA, _: DFA) -> DFA:
    """K σ Σ*: a word of the language, then that letter, then anything."""
    mark = generator.randrange(len(dfa.alphabet.symbols))
    done = len(dfa.delta)

    def step(state: int) -> list[int]:
        if state == done:
            return [done] * len(dfa.alphabet.symbols)
        row = list(dfa.delta[state])
        row[mark] = done if state in dfa.final else row[mark]
        return row

    return explore(dfa.alphabet, dfa.start, step, lambda state: state == done)


class Law(NamedTuple):
    """In these fragments, from languages definable under one convention to another."""

    make: Made
    before: str
    after: str
    fragments: tuple[str, ...] = FRAGMENTS


def under_both(make: Made, fragments: tuple[str, ...] = FRAGMENTS) -> list[Law]:
    return [Law(make, accept, accept, fragments) for accept in ACCEPT]


LAWS = {
    "and, or, but not, either or": under_both(joined),
    "left quotient": under_both(lambda g, one, _: left_quotient(one, some_word(g, one))),
    # The word that is cut off held the last letter, so nothing is visible any more.
    "right quotient": [
        Law(lambda g, one, _: right_quotient(one, some_word(g, one)), before, EVERY)
        for before in ACCEPT
    ],
    "inverse image, uniform": under_both(uniform_inverse_image),
    # Positions in the image then have other residues, but windows are still windows.
    "inverse image, no letter vanishes": under_both(
        lambda g, one, _: inverse_image(g, one, 1, 3), ("crasp", "crasp_local")
    ),
    # A letter without image hides the last letter.
    "inverse image": [Law(lambda g, one, _: inverse_image(g, one, 0, 2), EVERY, EVERY, ("crasp",))],
    # Without windows the state must be known before the mark is read.
    "marked": [*under_both(marked, WINDOWED), Law(marked, EVERY, EVERY, ("crasp",))],
}


def results_with_cycles(law: Law, fragment: str, languages, cases: int) -> int:
    """Make that many; each must be definable. The first language needs the whole fragment."""
    generator = random.Random(f"{law.before} {fragment} {cases}")
    of = {name: [x.dfa for x in languages if x.smallest[law.before] == name] for name in FRAGMENTS}
    cycles = 0
    for _ in range(cases):
        one = generator.choice(of[fragment])
        others = of[generator.choice(no_larger(fragment))]
        two = generator.choice([dfa for dfa in others if dfa.alphabet == one.alphabet])
        made = law.make(generator, one, two)
        assert smallest(made, law.after) in no_larger(fragment), (law, fragment, one, two)
        cycles += has_cycle(made)
    return cycles


@pytest.mark.parametrize(
    ("size", "cases"), [(150, 20), pytest.param(1000, 200, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", LAWS)
def test_closure(drawn, name, size, cases):
    found = [
        results_with_cycles(law, fragment, drawn(size), cases)
        for law in LAWS[name]
        for fragment in law.fragments
    ]
    assert min(found) > 0 and sum(found) >= len(found) * cases // 10, found


# What must not matter.


def other_empty_word(dfa: DFA) -> DFA:
    start = len(dfa.delta)
    flipped = dfa.final if dfa.start in dfa.final else dfa.final | {start}
    return DFA(dfa.alphabet, (*dfa.delta, dfa.delta[dfa.start]), start, flipped)


def other_names(dfa: DFA) -> DFA:
    """New letters, in another order; states in another order."""
    last = len(dfa.delta) - 1
    delta = tuple(tuple(last - state for state in row[::-1]) for row in dfa.delta[::-1])
    letters = Alphabet(tuple(f"{symbol}'" for symbol in dfa.alphabet.symbols))
    return DFA(letters, delta, last - dfa.start, frozenset(last - state for state in dfa.final))


def letter_twice(dfa: DFA) -> DFA:
    letters = Alphabet((*dfa.alphabet.symbols, "twin"))
    return DFA(letters, tuple((*row, row[0]) for row in dfa.delta), dfa.start, dfa.final)


@some_and_many
@pytest.mark.parametrize(
    "change",
    [other_empty_word, other_names, letter_twice, DFA.complement],
    ids=lambda x: x.__name__,
)
def test_verdicts_do_not_depend_on(drawn, change, size):
    for dfa, expected in drawn(size):
        changed = change(dfa)
        assert changed.minimal() != dfa
        assert {accept: smallest(changed, accept) for accept in ACCEPT} == expected


@some_and_many
def test_random_languages_are_of_all_kinds(drawn, size):
    """Otherwise equal verdicts would say little."""
    for accept in ACCEPT:
        counts = Counter(known.smallest[accept] for known in drawn(size))
        assert min(counts[name] for name in (*FRAGMENTS, "none")) > size // 40, counts


# Several routes, one answer.


@some_and_many
def test_the_last_letter_is_all_that_is_free(drawn, size):
    """Definable means: before every letter it is known whether the word may end with it."""
    order = (*FRAGMENTS, "none")
    for dfa, expected in drawn(size):
        before = [smallest(right_quotient(dfa, [a]), EVERY) for a in dfa.alphabet.symbols]
        assert max(before, key=order.index) == expected[LAST]


@some_and_many
def test_larger_fragments_define_no_less_by_equations_of_their_own(drawn, size):
    """A yes for a small fragment is handed on to larger ones; their own equations must agree."""
    for dfa, expected in drawn(size):
        for accept in ACCEPT:
            machine = Machine.of(dfa, accept)
            own = [PairSystem(machine, modulus).definable for modulus in MODULI]
            assert own == [expected[accept] in no_larger(fragment) for fragment in WINDOWED]


@pytest.mark.parametrize("size", [30, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_textbook_route_agrees_where_it_is_short(drawn, size):
    seen: Counter[tuple[str, bool]] = Counter()
    for dfa, expected in drawn(size):
        for fragment, modulus in zip(WINDOWED, MODULI, strict=True):
            textbook = karoubi_definable(dfa, modulus, most=50)
            if textbook is not None:
                assert textbook == (expected[LAST] in no_larger(fragment)), (fragment, dfa)
                seen[fragment, textbook] += 1
    assert len(seen) == 6 and min(seen.values()) >= size // 30, seen
