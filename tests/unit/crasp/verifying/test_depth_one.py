import itertools
import math

import pytest

from foretell.crasp.program import Program
from foretell.crasp.verifying import depth_one
from foretell.crasp.verifying.automata import AutomatonReference
from foretell.crasp.verifying.joint import join
from foretell.crasp.verifying.minors import _hadamard, determinant, largest_minor
from foretell.crasp.verifying.programs import ProgramReference
from foretell.crasp.words import Words
from foretell.languages.regular import RegularLanguage

MORE = "alphabet a b\naccept(i) := #[j <= i] Q_a(j) >= #[j <= i] Q_b(j)"


def program(text):
    return ProgramReference(Program.parse(text).core, "accept")


def decide(one, two, **means):
    left, right = program(one), program(two)
    decision = depth_one.decide(join(left, right), **means)
    if decision.word is not None:
        words = Words.of([decision.word])
        assert left.at_ends(words).differs(right.at_ends(words))[0]
    return decision


def test_two_ways_to_say_at_least_as_many():
    other = "alphabet a b\naccept(i) := not (#[j <= i] Q_a(j) + 1 <= #[j <= i] Q_b(j))"
    assert decide(MORE, other).outcome == "agree"
    assert decide(MORE, other.replace("+ 1 ", "")).outcome == "differ"
    assert decide(MORE, other.replace("+ 1", "+ 2")).outcome == "differ"


def test_half_of_the_length():
    half = "alphabet a b c\naccept(i) := 2 * #[j <= i] Q_a(j) >= #[j <= i] true"
    others = "alphabet a b c\naccept(i) := #[j<=i] Q_a(j) >= #[j<=i] Q_b(j) + #[j<=i] Q_c(j)"
    assert decide(half, others).outcome == "agree"
    third = half.replace("2 *", "3 *")
    assert decide(half, third).outcome == "differ"


def test_a_difference_far_from_the_origin_is_inside_the_box():
    far = "#[j <= i] Q_a(j) >= 40 and #[j <= i] Q_b(j) >= 2 * #[j <= i] Q_a(j) + 5"
    text = f"alphabet a b\naccept(i) := {far}"
    decision = decide(text, "alphabet a b\naccept(i) := false")
    assert decision.outcome == "differ"
    assert len(decision.word) >= 125


def test_windows_and_choices_at_the_end():
    one = """alphabet a b
last(i) := #[j <= i, j == i - 1] Q_b(j)
accept(i) := (last(i) >= 1 ? #[j <= i] Q_a(j) : 0) >= #[j <= i] Q_b(j)"""
    two = """alphabet a b
last(i) := #[j <= i, j == i - 1] Q_b(j)
more(i) := #[j <= i] Q_a(j) >= #[j <= i] Q_b(j)
accept(i) := last(i) >= 1 and more(i) or last(i) == 0 and #[j <= i] Q_b(j) <= 0"""
    assert decide(one, two).outcome == "agree"
    assert decide(one, two.replace("<= 0", "<= 1")).outcome == "differ"
    assert decide(one, two.replace("j == i - 1", "j == i - 2", 1)).outcome == "differ"


def test_residues():
    one = """alphabet a b
odd(i) := i mod 2 == 1
here(i) := Q_a(i) and odd(i)
accept(i) := 2 * #[j <= i] here(j) >= #[j <= i] odd(j)"""
    two = one.replace(
        "2 * #[j <= i] here(j) >= #[j <= i] odd(j)", "4 * #[j<=i] here(j) >= #[j<=i] true"
    )
    assert decide(one, two).outcome == "agree"
    assert decide(one, two.replace("4 *", "5 *")).outcome == "differ"
    assert decide(one, one.replace("== 1", "== 0")).outcome == "differ"


def test_letters_that_nobody_tells_apart_are_one():
    letters = " ".join("abcdefghijklmnopqrstuvwxyz")
    one = f"alphabet {letters}\naccept(i) := 2 * #[j <= i] Q_a(j) >= #[j <= i] true"
    two = f"alphabet {letters}\naccept(i) := #[j <= i] Q_a(j) >= #[j <= i] not Q_a(j)"
    decision = decide(one, two)
    assert decision.outcome == "agree"
    assert "2 counts" in decision.reason


def test_no_count_at_all():
    one = "alphabet a b\naccept(i) := #[j <= i, j == i - 1] Q_a(j) >= 1 and Q_b(i)"
    two = "alphabet a b\naccept(i) := not (#[j <= i, j == i - 1] Q_a(j) < 1 or Q_a(i))"
    assert decide(one, two).outcome == "agree"
    assert decide(one, one.replace("Q_b(i)", "Q_a(i)")).outcome == "differ"


def test_it_says_when_it_does_not_apply():
    nested = "alphabet a b\nx(i) := #[j <= i] Q_a(j) >= 2\naccept(i) := #[j <= i] x(j) >= 2"
    assert "another count" in decide(MORE, nested).reason
    huge = "alphabet a b\naccept(i) := 1000 * #[j <= i] Q_a(j) >= 999 * #[j <= i] Q_b(j) + 10000"
    assert "points" in decide(MORE + " and Q_a(i)", huge, points=1000).reason
    dfa = AutomatonReference(RegularLanguage.from_regex("(ab)*").dfa, "accept")
    assert depth_one.decide(join(program(MORE), dfa)).outcome == "does not apply"


def test_minors():
    rows = [(3, -1, 0), (2, 5, 1), (0, 4, -7)]
    brute = 0
    for size in (1, 2):
        for some in itertools.combinations(rows, size):
            for columns in itertools.combinations(range(3), size):
                brute = max(brute, abs(_leibniz([[row[c] for c in columns] for row in some])))
    assert largest_minor(rows, 2) == brute
    assert largest_minor(rows, 3) == max(brute, abs(_leibniz([list(row) for row in rows])))
    assert _hadamard(rows, 3) >= largest_minor(rows, 3)
    assert largest_minor([], 3) == 1


@pytest.mark.parametrize("seed", range(5))
def test_determinants(seed):
    import random

    source = random.Random(seed)
    matrix = [[source.randint(-3, 3) for _ in range(4)] for _ in range(4)]
    assert determinant(matrix) == _leibniz(matrix)


def _leibniz(matrix):
    total = 0
    for order in itertools.permutations(range(len(matrix))):
        swaps = sum(a > b for a, b in itertools.combinations(order, 2))
        total += (-1) ** swaps * math.prod(matrix[r][c] for r, c in enumerate(order))
    return total
