"""The grammar: what is read, how tightly it binds, and where the caret points when it is not."""

import pytest

from foretell.crasp.program import Program
from foretell.plain.errors import BadInput

HEAD = "alphabet a b\nparameter n = 2\nlet p[x](i) := Q_x(i)\nc(i) := #[j <= i] Q_a(j)\n"


def read(expression, count=False):
    text = f"x(i) := {expression}\naccept(i) := " + ("x(i) >= 1" if count else "x(i)")
    return Program.parse(HEAD + text)


PRECEDENCE = [  # loosest first, as the grammar's head says
    ("Q_a(i) implies Q_b(i) implies Q_a(i)", "Q_a(i) implies (Q_b(i) implies Q_a(i))"),
    ("Q_a(i) or Q_b(i) implies Q_a(i)", "(Q_a(i) or Q_b(i)) implies Q_a(i)"),
    ("Q_a(i) or Q_b(i) iff Q_a(i)", "(Q_a(i) or Q_b(i)) iff Q_a(i)"),
    ("Q_a(i) xor Q_b(i) or Q_a(i)", "(Q_a(i) xor Q_b(i)) or Q_a(i)"),
    ("Q_a(i) and Q_b(i) xor Q_a(i)", "(Q_a(i) and Q_b(i)) xor Q_a(i)"),
    ("Q_a(i) or Q_b(i) and Q_a(i)", "Q_a(i) or (Q_b(i) and Q_a(i))"),
    ("not Q_a(i) and Q_b(i)", "(not Q_a(i)) and Q_b(i)"),
    ("not c(i) <= 1", "not (c(i) <= 1)"),
    ("c(i) <= 1 and Q_a(i)", "(c(i) <= 1) and Q_a(i)"),
    ("c(i) + 1 <= c(i) - 1", "(c(i) + 1) <= (c(i) - 1)"),
    ("2*c(i) + 1 <= 3", "((2*c(i)) + 1) <= 3"),
    ("c(i) - 1 - 2 <= 0", "(c(i) - 1 - 2) <= 0"),
    ("-c(i) + 1 <= 0", "((-1)*c(i)) + 1 <= 0"),
    ("#[j <= i] Q_a(j) + 1 <= 2", "((#[j <= i] Q_a(j)) + 1) <= 2"),
    ("2 * #[j <= i] Q_a(j) <= 2", "2*(#[j <= i] Q_a(j)) <= 2"),
    ("#[j <= i] not Q_a(j) == 0", "(#[j <= i] (not Q_a(j))) == 0"),
    ("any x: p[x](i) and Q_a(i)", "(any x: p[x](i)) and Q_a(i)"),
    ("sum x: #[j <= i] Q_x(j) + 1 <= 2", "((sum x: (#[j <= i] Q_x(j))) + 1) <= 2"),
    ("max x: #[j <= i] Q_x(j) <= 2", "(max x: (#[j <= i] Q_x(j))) <= 2"),
    ("i mod 2 == 0 and Q_a(i)", "(i mod 2 == 0) and Q_a(i)"),
    ("not i mod 2 == 0", "i mod 2 != 0"),
]


@pytest.mark.parametrize(("loose", "explicit"), PRECEDENCE)
def test_precedence(loose, explicit):
    assert read(loose) == read(explicit)


def test_choice_binds_loosest_and_groups_to_the_right():
    loose = read("Q_a(i) or Q_b(i) ? 1 + 1 : Q_b(i) ? 2 : 3", count=True)
    assert loose == read("(Q_a(i) or Q_b(i)) ? (1 + 1) : (Q_b(i) ? 2 : 3)", count=True)


PAPER = [
    ("c(i) ≤ 1", "c(i) <= 1"),
    ("c(i) ≥ 1 ∧ c(i) ≠ 2", "c(i) >= 1 and c(i) != 2"),
    ("¬Q_a(i) ∨ ⊤", "not Q_a(i) or true"),
    ("Q_a(i) → Q_b(i)", "Q_a(i) implies Q_b(i)"),
    ("Q_a(i) ⇔ Q_b(i)", "Q_a(i) iff Q_b(i)"),
    ("Q_a(i) ⊕ ⊥", "Q_a(i) xor false"),
    ("←∃ Q_a(i)", "exists_past Q_a(i)"),
    ("∃← Q_a(i)", "exists_past Q_a(i)"),
    ("i ≡ 1 (mod 2)", "i mod 2 == 1"),
    ("i mod 3 ∈ {1, 2}", "i mod 3 in {1, 2}"),
    ("2·c(i) − 1 = 3", "2*c(i) - 1 == 3"),
    ("(i mod 2) == 1", "i mod 2 == 1"),
]


@pytest.mark.parametrize(("paper", "plain"), PAPER)
def test_the_signs_of_the_paper(paper, plain):
    assert read(paper) == read(plain)


def test_lines_continue_when_indented_or_in_brackets_and_comments_are_free():
    text = """
    # indented as a whole, with a comment first
    alphabet a b   # letters
    x(i) := Q_a(i)
        or         # goes on
        Q_b(i)
    # between

    y(i) := (Q_a(i)
  and Q_b(i))
    accept(i) := x(i) and not y(i)"""
    flat = "alphabet a b\nx(i) := Q_a(i) or Q_b(i)\ny(i) := (Q_a(i) and Q_b(i))\n"
    assert Program.parse(text) == Program.parse(flat + "accept(i) := x(i) and not y(i)")
    assert Program.parse(flat.replace("\n", "\r\n")) == Program.parse(flat)


def test_the_names_of_positions_do_not_matter():
    one = Program.parse("alphabet a\nx(i) := #[j <= i] Q_a(j) >= 1")
    assert one == Program.parse("alphabet a\nx(here) := #[there <= here] Q_a(there) >= 1")


def test_words_of_the_language_can_be_letters():
    head = 'alphabet and next accept "(" 12 "é"\n'
    program = Program.parse(head + 'accept(i) := Q_and(i) or Q_"("(i) or Q_12(i) or Q_accept(i)')
    assert program.letters == ("and", "next", "accept", "(", "12", "é")
    assert [program.run([letter]) for letter in program.letters] == [
        True,
        False,
        True,
        True,
        True,
        False,
    ]
    assert Program.parse(program.show()) == program


REFUSED = [  # text, what, line, column, why or hint
    ("", "the program is empty", None, None, "alphabet a b"),
    ("x(i) := 1", "'x' cannot stand here", 1, 1, "alphabet a b"),
    ("# only this\nx(i) := true", "'x' cannot stand here", 2, 1, "alphabet a b"),
    ("alphabet\nx(i) := true", "stops in the middle", 1, 9, "a name"),
    ("alphabet a\n  x(i) := true", "'(' cannot stand here", 2, 4, "indented line continues"),
    ("alphabet a\nalphabet b", "the alphabet is listed twice", 2, 1, "one alphabet"),
    ("alphabet a\nx(i) := Q_a(i) $", "the character '$'", 2, 16, "expected one of"),
    ("alphabet a\nx(i) := 1/2 <= 1", "the character '/'", 2, 10, "* by a fixed number"),
    ("alphabet a\nx(i) := Q_a", "stops in the middle", 2, 12, "`(`"),
    ("alphabet a\nx(i) := Q_a(i) Q_a(i)", "'Q_a' cannot stand here", 2, 16, "and"),
    ("alphabet a\nx(i) = Q_a(i)", "'=' cannot stand here", 2, 6, "`:=`"),
    ("alphabet a\nx := true", "':=' cannot stand here", 2, 3, "`(`"),
    ("alphabet a\nx(i) := true iff true iff true", "'iff' cannot stand here", 2, 23, "a new line"),
    ("alphabet a\nx(i) := (true\ny(i) := true", "'y' cannot stand here", 3, 1, "`)`"),
    (
        "alphabet a\nx(i) := " + "(" * 10_000 + "true" + ")" * 10_000,
        "nested more than 200",
        2,
        209,
        "",
    ),
    ("alphabet a\nx(i) := " + "not " * 10_000 + "true", "nested more than 64", 2, None, "names"),
    ("alphabet a\nx(i) := " + "-" * 10_000 + "1 <= 1", "nested more than 64", 2, None, "names"),
    (
        "alphabet a\nx(i) := #[j <= " + "-" * 10_000 + "i] true >= 1",
        "nested more",
        2,
        None,
        "names",
    ),
    ("alphabet a\nx(i) := 1 <= " + "true ? 1 : " * 500 + "2", "nested more than", 2, None, "names"),
    ("alphabet a\nx(i) := true" + " implies true" * 500, "nested more than", 2, None, "names"),
    ("a" * 2_000_001, "the program is too long", None, None, ""),
]


@pytest.mark.parametrize(
    ("text", "what", "line", "column", "more"), REFUSED, ids=range(len(REFUSED))
)
def test_refusals_point_at_the_place(text, what, line, column, more):
    with pytest.raises(BadInput) as caught:
        Program.parse(text)
    message = str(caught.value)
    assert what in caught.value.what
    assert more in message
    if line:
        assert f"line {line}, column {column or ''}" in message
        *_, shown, carets = str(caught.value.seen).splitlines()
        assert carets.strip("^ ") == ""
        assert len(shown) <= 110
    if column and column < 50:  # the line is shown from its start: the caret stands below
        assert carets.index("^") - 8 == column - 1


def test_a_hundred_brackets_and_sixty_negations_are_fine():
    assert read("(" * 150 + "Q_a(i)" + ")" * 150) == read("Q_a(i)")
    assert read("not " * 60 + "Q_a(i)").run("a")
    assert read(" + ".join(["c(i)"] * 2_000) + " <= 1").run("b")
