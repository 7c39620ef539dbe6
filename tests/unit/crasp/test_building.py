"""From the parse to the tree: positions, letters, numbers, statements, and what is refused."""

import pytest

from foretell.crasp import tree
from foretell.crasp.program import Program
from foretell.plain.errors import BadInput


def body(expression, head="alphabet a b\n"):
    program = Program.parse(f"{head}x(i) := {expression}\naccept(i) := Q_a(i)")
    return next(item.body for item in program.statements if getattr(item, "name", "") == "x")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("-3", tree.Number(-3)),
        ("-(3)", tree.Product(-1, tree.Number(3))),
        ("007", tree.Number(7)),
        ("9223372036854775807", tree.Number(2**63 - 1)),
        ("2*3*4", tree.Product(2, tree.Product(3, tree.Number(4)))),
        ("true ? 1 : 2", tree.Choice(tree.Truth(True), tree.Number(1), tree.Number(2))),
        (
            "1 - 2 + 3",
            tree.Sum(((True, tree.Number(1)), (False, tree.Number(2)), (True, tree.Number(3)))),
        ),
        ("i mod 3 in {}", tree.Residue(3, ())),
        ("i mod 3 in {2, 1, 2}", tree.Residue(3, (2, 1, 2))),
        ("i mod 3 != 1", tree.Not(tree.Residue(3, (1,)))),
        (
            "all y = a: Q_y(i)",
            tree.Each("all", "y", tree.LetterRange("in", ("a",)), tree.Letter("y")),
        ),
        ("min(1, 2)", tree.Function("min", (tree.Number(1), tree.Number(2)))),
        ('Q_"a"(i)', tree.Letter("a")),
    ],
)
def test_trees(text, wanted):
    assert body(text) == wanted


def test_factors_may_stand_on_either_side():
    head = "alphabet a b\nparameter n = 3\nc(i) := #[j <= i] Q_a(j)\n"
    c = tree.Reference("c")
    assert body("c(i)*2*3", head) == tree.Product(2, tree.Product(3, c))
    assert body("2*c(i)*n", head) == tree.Product(2, tree.Product("n", c))


def test_a_test_of_no_letter_is_a_name():
    program = Program.parse("alphabet a b\nQ_ab'(i) := true\naccept(i) := Q_ab'(i) and Q_a(i)")
    assert program.run("a")
    assert Program.parse(program.show()) == program


ALPHABETS = [
    ("a a", "lists a twice"),
    ('""', "at least one visible character"),
    ('" "', "at least one visible character"),
    ('"a b"', "without spaces"),
    ('"\\n"', "visible"),
    ('"\\ud800"', "visible"),
    ("<eos>", "<eos> cannot be a letter"),
    ('"<pad>"', "<pad> cannot be a letter"),
]


@pytest.mark.parametrize(("letters", "what"), ALPHABETS)
def test_bad_alphabets(letters, what):
    with pytest.raises(BadInput, match=what) as caught:
        Program.parse(f"alphabet {letters}\naccept(i) := true")
    assert "line 1, column 1" in caught.value.seen


REFUSED = [  # an expression, what, what else the message says
    ("Q_a(j)", "there is no position called j", "the position is called i"),
    ("#[j <= i] Q_a(i) >= 1", "inside this count the position is j", "write j"),
    ("#[j <= i] (#[k <= j] Q_a(j) >= 1) >= 1", "inside this count the position is k", "write k"),
    ("P(i, j)", "P depends on two positions", "local"),
    ("i == 5", "the position i itself is not a count", "not periodic"),
    ("#[j <= i] (j >= 2) >= 1", "the position j itself is not a count", "not periodic"),
    ("i mod i == 0", "the modulus is a position", "periodic"),
    ("i ≡ 0 (mod i)", "the modulus is a position", "periodic"),
    ("i mod 2 <= 1", "only be tested for equality", "i mod 4 in {1, 2}"),
    ("i mod 2 == -1", "only be tested for equality", "i mod 4 == 1"),
    ("i mod 2 + 1 == 1", "i mod m is not a count", "periodic"),
    ("1 == i mod 2", "i mod m is not a count", "i mod 2 == 0"),
    ("1 in {1}", "only i mod m can be tested", "i mod 4 in {1, 2}"),
    ("1 <= 2 <= 3", "only two counts can be compared", "join two comparisons with and"),
    ("#[j <= i] true * #[j <= i] true >= 1", "two counts cannot be multiplied", "3*C(i)"),
    ("exists_past Q_a(i) and Q_b(i)", "can be read in two ways", "exists_past (P(i) and Q(i))"),
    ("exists_past Q_a(i) implies Q_b(i)", "can be read in two ways", "exists_past (P(i)"),
    ("abs(1, 2) >= 1", "abs takes one count", "line 2"),
    ("99999999999999999999 >= 1", "does not fit into 64 bits", "9223372036854775807"),
    ("9223372036854775808 >= 1", "does not fit into 64 bits", "9223372036854775807"),
    ("i mod 99999999999999999999 == 1", "does not fit into 64 bits", "line 2, column 15"),
    ("any a: true", "a is already a letter here", "another name"),
    ("any y: any y: true", "y is already a letter here", "another name"),
    ("any and: true", "and is a word of the language", "another name"),
]


@pytest.mark.parametrize(("expression", "what", "more"), REFUSED)
def test_refusals(expression, what, more):
    with pytest.raises(BadInput) as caught:
        Program.parse(f"alphabet a b\nx(i) := {expression}\naccept(i) := Q_a(i)")
    assert what in caught.value.what
    assert more in str(caught.value)
    assert "line 2, column" in caught.value.seen


STATEMENTS = [
    ("and(i) := true", "and is a word of the language"),
    ("let(i) := true", "let is a word of the language"),
    ("parameter mod = 1", "mod is a word of the language"),
    ("parameter j = 1", "a parameter cannot be called j"),
    ("parameter n = 99999999999999999999", "64 bits"),
    ("let f[a](i) := true", "a cannot be a parameter of f"),
    ("let f[x, x](i) := true", "x cannot be a parameter of f"),
    ("let f[1](i) := true", "1 cannot be a parameter of f"),
    ("let f[<eos>](i) := true", "<eos> cannot be a parameter of f"),
    ("let Q_f[x](i) := true", "a macro cannot be called Q_f"),
]


@pytest.mark.parametrize(("statement", "what"), STATEMENTS)
def test_bad_statements(statement, what):
    with pytest.raises(BadInput) as caught:
        Program.parse(f"alphabet a b\n{statement}\naccept(i) := true")
    assert what in caught.value.what
    assert "line 2, column" in caught.value.seen
