"""Names, sorts, parameters, macros, and how few operations the sugar costs."""

import pytest

from foretell.crasp import builder
from foretell.crasp import operations as op
from foretell.crasp.program import Program
from foretell.plain.errors import BadInput

HEAD = "alphabet a b c\nparameter n = 2\n"


def refused(text, values=None):
    with pytest.raises(BadInput) as caught:
        Program.parse(text, values)
    return caught.value


NAMES = [  # statements, what, what else the message says
    ("accept(i) := foo(i)", "unknown name foo", "nothing is defined so far"),
    ("fob(i) := true\naccept(i) := foo(i)", "unknown name foo", "did you mean fob?"),
    ("accept(i) := Q_d(i)", "d is neither a letter of the alphabet nor a name", "a b c"),
    ('accept(i) := Q_"d"(i)', "d is not a letter of the alphabet", "a b c"),
    ("accept(i) := x(i)\nx(i) := true", "x is used before it is defined", "no recursion"),
    ("accept(i) := accept(i)", "accept is used before it is defined", "no recursion"),
    ("let f[x](i) := f[x](i)\naccept(i) := true", "f is defined by itself", "no recursion"),
    ("let next[x](i) := next[x](i)", "next is defined by itself", "no recursion"),
    ("x(i) := true\nx(i) := true", "x is defined twice", "another name"),
    ("let f[x](i) := true\nf(i) := true", "f is defined twice", "another name"),
    ("f(i) := true\nlet f[x](i) := true", "f is defined twice", "another name"),
    ("next[a](i) := true\nnext[a](i) := true", "next[a] is defined twice", "another name"),
    ("let next[x](i) := true\nlet next[x](i) := true", "next is defined twice", "another name"),
    ("let next[x](i) := true\nnext[a](i) := true", "next[a] is defined twice", "before the macro"),
    ("parameter n = 3\naccept(i) := true", "the parameter n is set twice", "line 3"),
    ("n(i) := true", "n is defined twice", "another name"),
    ("Q_a(i) := true", "Q_a is already the test for the letter a", "line 3"),
    ("accept(i) := 1 <= k1", "unknown number k1", "parameters are: n"),
    ("c1(i) := 1\naccept(i) := 1 <= c1", "unknown number c1", "c1(i)"),
    ("let f[x](i) := true\naccept(i) := f[a, b](i)", "f takes 1 letter, not 2", "[x]"),
    ("let f[x, y](i) := true\naccept(i) := f[a](i)", "f takes 2 letters, not 1", "[x, y]"),
    ("let f[x](i) := true\naccept(i) := f(i)", "f needs letters in brackets", "f[x](i)"),
    ("f(i) := true\naccept(i) := f[a](i)", "f has no such letters", "f(i)"),
    ("let f[x](i) := true\naccept(i) := f[d](i)", "d is not a letter", "a b c"),
    ("let accept[x](i) := true", "accept is one Boolean, not a macro", "accept(i)"),
    ("let next[x, y](i) := true", "next is about one symbol", "let next[x](i)"),
    ("next(i) := true", "next is about one symbol", "next[a](i)"),
    ("next[d](i) := true", "d is not a letter of the alphabet", "<eos> ends a word"),
    ("f[a](i) := true", "only next has a letter in brackets", "let f[x](i)"),
    ("let next[x](i) := Q_x(i)\naccept(i) := next[<eos>](i)", "<eos> is not a letter", "a b c"),
    ("accept(i) := any x < d: Q_x(i)", "d is not a letter of the alphabet", "line 3, column 20"),
    ("accept(i) := (max x < a: #[j <= i] Q_x(j)) >= 1", "max over no letters", "line 3"),
]


@pytest.mark.parametrize(("lines", "what", "more"), NAMES)
def test_names(lines, what, more):
    error = refused(HEAD + lines)
    assert what in error.what
    assert more in str(error)
    assert "line" in error.seen


SORTS = [
    ("not 1", "1 is a count, not a Boolean", "not needs a Boolean"),
    ("1 and Q_a(i)", "1 is a count, not a Boolean", "and needs a Boolean"),
    ("Q_a(i) + 1 <= 2", "Q_a(i) is a Boolean, not a count", "(Q_a(i)) ? 1 : 0"),
    ("Q_a(i) <= 1", "Q_a(i) is a Boolean, not a count", "<= needs counts"),
    ("2*Q_a(i) <= 1", "Q_a(i) is a Boolean, not a count", "* needs counts"),
    ("#[j <= i] 1 >= 1", "1 is a count, not a Boolean", "#[…] needs a Boolean"),
    ("exists_past 1", "1 is a count, not a Boolean", "1 >= 1"),
    ("1 ? 1 : 2", "1 is a count, not a Boolean", "? needs a Boolean"),
    ("(Q_a(i) ? Q_b(i) : 1) >= 1", "Q_b(i) is a Boolean", "? : needs counts"),
    ("max(Q_a(i), 1) >= 1", "Q_a(i) is a Boolean", "max needs counts"),
    ("any x: #[j <= i] Q_x(j)", "is a count, not a Boolean", "any needs a Boolean"),
    ("(sum x: Q_x(i)) >= 1", "is a Boolean, not a count", "sum needs counts"),
    ("1 + 1", "1 + 1 is a count, not a Boolean", "accept answers yes or no"),
    ("i mod 0 == 0", "a modulus is a number from 1 to 10,000", "this one is 0"),
    ("i mod 10001 == 0", "a modulus is a number from 1 to 10,000", "10001"),
    ("i mod 3 == 3", "3 is no residue modulo 3", "0 to 2"),
    ("i mod 2 == n", "2 is no residue modulo 2", "0 to 1"),
]


@pytest.mark.parametrize(("expression", "what", "more"), SORTS)
def test_sorts(expression, what, more):
    error = refused(f"{HEAD}accept(i) := {expression}")
    assert what in error.what
    assert more in str(error)
    assert "line 3, column" in error.seen


def test_a_macro_nobody_uses_is_checked_too():
    assert "unknown name g" in refused(f"{HEAD}let f[x](i) := g(i)\naccept(i) := true").what
    assert "not a Boolean" in refused(f"{HEAD}let next[x](i) := 1").what


@pytest.mark.parametrize("lines", ["", "c1(i) := 1", "let f[x](i) := Q_x(i)"])
def test_a_program_without_an_accepting_operation(lines):
    error = refused(HEAD + lines)
    assert "no accepting operation" in error.what
    assert error.hint == "accept(i) := …"


def test_macros_that_use_macros_end_somewhere():
    lines = ["let f0[x](i) := Q_x(i)"]
    lines += [f"let f{k}[x](i) := not f{k - 1}[x](i)" for k in range(1, 500)]
    shallow = Program.parse(HEAD + "\n".join(lines) + "\naccept(i) := f40[b](i)")
    assert (shallow.run("b"), shallow.run("a")) == (True, False)
    error = refused(HEAD + "\n".join(lines) + "\naccept(i) := f499[b](i)")
    assert "with the macros they use, are nested more than 100 deep" in error.what
    backwards = "\n".join(reversed(lines))
    assert "used before it is defined" in refused(f"{HEAD}{backwards}\naccept(i) := true").what


def test_too_many_operations_are_refused(monkeypatch):
    monkeypatch.setattr(builder, "MOST", 1_000)  # instead of 200,000, which take a while
    letters = " ".join(f"s{k}" for k in range(30))
    text = f"alphabet {letters}\naccept(i) := any x: any y: (Q_x(i) and #[j <= i] Q_y(j) >= 1)"
    assert "more than 1,000 operations" in refused(text).what


def test_parameters_are_set_from_outside():
    text = f"{HEAD}accept(i) := #[j <= i] Q_a(j) >= n"
    assert [Program.parse(text, {"n": n}).run("aaa") for n in (2, 3, 4)] == [True, True, False]
    assert Program.parse(text).run("aa")
    assert "no such parameter" in refused(text, {"m": 1}).what
    assert "whole number" in refused(text, {"n": 2**70}).what


EMPTY = "let next[x](i) := true\naccept(i) := true\n"


@pytest.mark.parametrize(
    ("lines", "accepts", "following"),
    [
        ("", False, set()),
        ("empty accept", True, set()),
        ("empty reject", False, set()),
        ("empty next a <eos>", False, {"a", "<eos>"}),
        ("empty next", False, set()),
        ("empty accept\nempty next b", True, {"b"}),
        ("empty next b\nempty accept", True, {"b"}),
    ],
)
def test_the_empty_word(lines, accepts, following):
    core = Program.parse(HEAD + EMPTY + lines).core
    assert (core.accepts_empty, core.next_of_empty) == (accepts, following)


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (EMPTY + "empty accept\nempty reject", "settled twice"),
        (EMPTY + "empty next a\nempty next b", "settled twice"),
        (EMPTY + "empty next d", "d is not a letter"),
        ("accept(i) := true\nempty next a", "does not predict symbols"),
    ],
)
def test_the_empty_word_is_settled_once(lines, what):
    assert what in refused(HEAD + lines).what


def operations(expression):
    return Program.parse(f"{HEAD}accept(i) := {expression}").core.operations


def test_operations_are_shared_and_negations_cancel():
    assert operations("Q_a(i) and Q_a(i)") == (op.Letter(0), op.And(0, 0))
    assert operations("not not Q_a(i)") == (op.Letter(0), op.Not(0))  # the inner one was met first
    assert len(operations("Q_a(i) or Q_b(i) or Q_c(i)")) == 3 + 3 + 2 + 1
    assert sum(isinstance(o, op.Add) for o in operations("1 <= 1000000")) <= 2 * 20


def test_all_ranges_of_an_alphabet_cost_as_much_as_the_longest():
    def size(letters, sign):
        names = " ".join(f"s{k}" for k in range(letters))
        lines = f"let f[x](i) := any y {sign} x: not Q_y(i)\naccept(i) := all x: f[x](i)"
        return len(Program.parse(f"alphabet {names}\n{lines}").core.operations)

    for sign in ("<", "<=", ">", ">=", "!="):
        assert size(40, sign) < 2.2 * size(20, sign)


def test_next_speaks_about_every_letter_in_their_order():
    program = Program.parse(
        f"{HEAD}next[<eos>](i) := true\nnext[c](i) := false\nlet next[x](i) := Q_x(i)"
    )
    assert program.symbols == ("a", "b", "c", "<eos>")
    assert program.run("c") == {"<eos>"}
    assert not program.is_acceptor
