"""Programs that are written out are right: also where stages are entered in several places.

Uniform automata are nearly all undefinable, and connected ones have one stage. Here words go
through several stages, pass some of them by, and enter a cycle at different states.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretell.core.alphabet import Alphabet
from foretell.crasp.deciding.decide import decide
from foretell.crasp.deciding.machines import ACCEPT
from foretell.languages.dfa import DFA

# The run-time type checker looks at random elements of containers, also inside strategies.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")


def forward(generator: random.Random) -> DFA:
    """Steps that stay or go on, and at the end a cycle (or not) that can be entered anywhere."""
    letters = generator.choice((3, 3, 4))
    before, ring = generator.randint(2, 3), generator.choice((0, 2, 2, 3))
    dead = before + max(ring, 2)
    delta = [[dead] * letters for _ in range(dead + 1)]
    for state in range(before if ring else dead):
        for letter in range(letters):
            if generator.random() < 0.5:
                delta[state][letter] = generator.randrange(max(state, 1), dead)
    for place in range(ring):
        delta[before + place][generator.randrange(letters)] = before + (place + 1) % ring
    final = frozenset(state for state in range(dead) if generator.random() < 0.5)
    return DFA(Alphabet("abcd"[:letters]), tuple(map(tuple, delta)), 0, final).minimal()


automata = st.integers(0, 2**32).map(lambda seed: forward(random.Random(seed)))


def every_program_holds(dfa: DFA) -> None:
    for accept in ACCEPT:
        answers = decide(dfa, accept).answers
        for certificate in {id(one.certificate): one.certificate for one in answers}.values():
            if certificate.answer == "yes":
                checked = certificate.check()
                assert checked.holds, checked.how


@settings(max_examples=40, deadline=None)
@given(automata)
def test_every_program_holds(dfa):
    every_program_holds(dfa)


@pytest.mark.slow
@settings(max_examples=3000, deadline=None)
@given(automata)
def test_every_program_holds_often(dfa):
    every_program_holds(dfa)
