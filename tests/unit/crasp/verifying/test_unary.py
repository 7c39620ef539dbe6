import numpy as np
import pytest

from foretell.crasp.program import Program
from foretell.crasp.verifying import unary
from foretell.crasp.verifying.automata import AutomatonReference
from foretell.crasp.verifying.joint import join
from foretell.crasp.verifying.programs import ProgramReference
from foretell.crasp.words import Words
from foretell.languages.regular import RegularLanguage


def program(text, kind="accept"):
    return ProgramReference(Program.parse(text).core, kind)


def decide(left, right):
    if isinstance(right, RegularLanguage):
        return unary.decide(join(left, AutomatonReference(right.dfa, left.kind)))
    return unary.decide(join(left, right))


SEVENTH = """alphabet a
early(i) := #[j <= i] true <= 100
odd(i) := i mod 2 == 1
gap(i) := 3 * #[j <= i] odd(j) - #[j <= i] true
accept(i) := early(i) or gap(i) >= 200"""


def test_a_change_of_mind_far_away_is_found():
    always = program("alphabet a\naccept(i) := true")
    decision = decide(program(SEVENTH), always)
    assert (decision.outcome, len(decision.word), decision.shortest) == ("differ", 101, True)
    late = program("alphabet a\naccept(i) := #[j <= i] true <= 54321")
    assert len(decide(late, always).word) == 54322


def test_deep_programs():
    text = """alphabet a
one(i) := #[j <= i] true >= 5 and i mod 3 == 0
two(i) := #[j <= i] one(j) >= #[j <= i, j == i - 1] one(j) + 4
accept(i) := #[j <= i] two(j) >= 7"""
    core = program(text)
    threshold = next(n for n in range(1, 100) if core.at_ends(_power(n)).values[0, 0])
    settled = program(f"alphabet a\naccept(i) := #[j <= i] true >= {threshold}")
    assert decide(core, settled).outcome == "agree"
    wrong = program(f"alphabet a\naccept(i) := #[j <= i] true >= {threshold + 1}")
    assert len(decide(core, wrong).word) == threshold


def _power(size):
    return Words.of([[0] * size])


@pytest.mark.parametrize("size", [1, 2, 4, 6])
def test_against_automata(size):
    text = f"alphabet a\naccept(i) := i mod {size} == 0"
    language = RegularLanguage.from_regex(f"({'a' * size})*")
    assert decide(program(text), language).outcome == "agree"
    other = RegularLanguage.from_regex(f"({'a' * (size + 1)})*")
    decision = decide(program(text), other)
    assert (decision.outcome, len(decision.word)) == ("differ", size)


def test_next_symbols():
    text = "alphabet a\nnext[a](i) := true\nnext[<eos>](i) := i mod 2 == 0"
    language = RegularLanguage.from_regex("(aa)*")
    assert decide(program(text, "next"), language).outcome == "agree"
    # After aaa nothing is legal, and nobody asks what the program says there.
    short = RegularLanguage.from_regex("aa?")
    text = "alphabet a\nnext[a](i) := #[j<=i] true <= 1\nnext[<eos>](i) := true"
    assert decide(program(text, "next"), short).outcome == "agree"
    assert len(decide(program(text.replace("<= 1", "<= 2"), "next"), short).word) == 2


def test_it_says_when_it_does_not_apply():
    two = "alphabet a b\naccept(i) := Q_a(i)"
    assert decide(program(two), program(two)).outcome == "does not apply"
    slow = "alphabet a\naccept(i) := 2 * #[j <= i] true <= 90000001"
    decision = decide(program(slow), program("alphabet a\naccept(i) := true"))
    assert decision.outcome == "does not apply"
    assert "repeat" in decision.reason
    primes = " and ".join(f"i mod {p} == 0" for p in (97, 101, 103, 107))
    decision = decide(program(f"alphabet a\naccept(i) := {primes}"), program(slow))
    assert decision.outcome == "does not apply"


def test_large_factors_stay_exact():
    big = 2**60
    left = program(f"alphabet a\naccept(i) := {big} * #[j <= i] true >= {big * 3 + 1}")
    right = program("alphabet a\naccept(i) := #[j <= i] true >= 4")
    assert decide(left, right).outcome == "agree"
    assert len(decide(left, program("alphabet a\naccept(i) := false")).word) == 4


def test_stretching_keeps_the_values():
    steps = np.array([3, 3])
    sequence = unary.Sequence(2, np.array([0, 5, 6]), steps)  # 0 5 6 8 9 11 12 …
    longer = sequence.stretched(5, 4)
    assert longer.values.tolist() == [0, 5, 6, 8, 9, 11, 12, 14]
    assert longer.steps.tolist() == [6, 6, 6, 6]
