"""What is printed: readable, with no more brackets than it takes."""

import pytest

from foretell.crasp.printing import position, write_letter
from foretell.crasp.program import Program

HEAD = "alphabet a b\nparameter n = 2\nlet p[x](i) := Q_x(i)\nc(i) := #[j <= i] Q_a(j)\n"


def printed(expression):
    text = f"{HEAD}x(i) := {expression}\naccept(i) := Q_a(i)\n"
    return Program.parse(text).show().splitlines()[4].removeprefix("x(i) := ")


@pytest.mark.parametrize(
    "text",
    [
        "Q_a(i) and (Q_b(i) or Q_a(i))",
        "(Q_a(i) and Q_b(i)) and Q_a(i)",
        "not (Q_a(i) and Q_b(i))",
        "not c(i) <= 1",
        "not Q_a(i) implies Q_b(i)",
        "Q_a(i) implies (Q_b(i) implies Q_a(i))",
        "(exists_past Q_a(i)) and Q_b(i)",
        "exists_past (not Q_a(i))",
        "exists_past exists_past Q_a(i)",
        "c(i) - (c(i) - 1)",
        "c(i) + -3",
        "2*(c(i) + 1)",
        "(-2)*c(i)",
        "n*c(i)",
        "3*#[j <= i] Q_a(j)",
        "#[j < i] not Q_a(j)",
        "#[j <= i - 3] Q_a(j)",
        "#[j <= i, j == i - 1] Q_a(j)",
        "#[j <= i, j == i] Q_a(j)",
        "#[i - 3 <= j <= i - 1] Q_a(j)",
        "#[j <= i, i - j in {0, 2}] Q_a(j)",
        "#[j <= i] (#[k <= j] (#[l <= k] (#[m1 <= l] Q_a(m1) >= 1) >= 1) >= 1)",
        "Q_a(i) ? (Q_b(i) ? 1 : 2) : Q_b(i) ? 3 : 4",
        "any x != a: (Q_x(i) and p[x](i))",
        "sum x in {a, b}: #[j <= i] Q_x(j)",
        "max x: #[j <= i] Q_x(j)",
        "max(c(i), 1, min(c(i), 2), abs(c(i)))",
        "i mod 2 == 0",
        "not i mod 2 == 0",
        "i mod 4 in {1, 2}",
        "i mod n == 0",
        "true xor false",
    ],
)
def test_what_is_printed_is_what_was_written(text):
    assert printed(text) == text


def test_the_paper_is_printed_in_ascii():
    assert printed("¬Q_a(i) ∧ (c(i) ≤ 1)") == "not Q_a(i) and c(i) <= 1"


def test_statements():
    text = (
        'alphabet a "(" <sep>\nparameter n = -3\nlet f[x, y](i) := Q_x(i) or Q_y(i)\n'
        'accept(i) := f[a, "("](i)\nnext["("](i) := true\nnext[<eos>](i) := false\n'
        'empty accept\nempty next "(" <eos>\n'
    )
    assert Program.parse(text).show() == text


QUOTED = [("1a", '"1a"'), ("(", '"("'), ('"', '"\\""'), ("and", '"and"'), ("<x>", '"<x>"')]
QUOTED += [
    ("é", '"é"'),
    ("a'", '"a\'"'),
    ("a", "a"),
    ("a1", "a1"),
    ("12", "12"),
    ("<sep>", "<sep>"),
]


@pytest.mark.parametrize(("letter", "written"), QUOTED)
def test_letters_are_quoted_when_they_must_be(letter, written):
    assert write_letter(letter) == written
    program = Program.parse(f"alphabet {written}\naccept(i) := Q_{written}(i)")
    assert program.letters == (letter,)
    assert program.run([letter])


def test_positions_have_names_at_every_depth():
    assert [position(depth) for depth in range(6)] == ["i", "j", "k", "l", "m1", "m2"]
