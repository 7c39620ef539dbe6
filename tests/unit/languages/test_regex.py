import pytest

from foretell.core.alphabet import Alphabet
from foretell.languages.regex import DEEPEST, parse
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
from foretell.plain.errors import BadInput

A, B, C = (OneOf((letter,)) for letter in "abc")
ABC = Alphabet(tuple("abc"))


def star(node):
    return Repeat(node, 0, None)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a", A),
        ("ab", Concatenation((A, B))),
        ("a b\n", Concatenation((A, B))),
        ("a|b", Union((A, B))),
        ("a|b&c", Union((A, Intersection((B, C))))),
        ("ab&c", Intersection((Concatenation((A, B)), C))),
        ("ab*", Concatenation((A, star(B)))),
        ("(ab)*", star(Concatenation((A, B)))),
        ("~a*b", Concatenation((Complement(star(A)), B))),
        ("~~a", Complement(Complement(A))),
        ("a~b", Concatenation((A, Complement(B)))),
        ("a+", Repeat(A, 1, None)),
        ("a?", Repeat(A, 0, 1)),
        ("a{3}", Repeat(A, 3, 3)),
        ("a{3,}", Repeat(A, 3, None)),
        ("a{ 3, 5 }", Repeat(A, 3, 5)),
        ("a{0}", Repeat(A, 0, 0)),
        ("a*?", Repeat(star(A), 0, 1)),
        (".", OneOf(("a", "b", "c"))),
        ("[ca]", OneOf(("a", "c"))),
        ("[^a]", OneOf(("b", "c"))),
        ("[^abc]", OneOf(())),
        ("%", EmptyWord()),
        ("%|a", Union((EmptyWord(), A))),
        (r"\a", A),
        ("'a'b", Concatenation((A, B))),
        ("((a))", A),
    ],
)
def test_trees(text, tree):
    assert parse(text, ABC).tree == tree
    assert parse(write(tree, ABC), ABC).tree == tree


def test_letters_that_are_signs_elsewhere():
    assert parse(r"\(\*\\\'").alphabet.symbols == ("'", "(", "*", "\\")
    assert parse(r"'it\'s' [\]\^]").alphabet.symbols == ("]", "^", "it's")


def test_tokens_of_several_characters():
    found = parse("'push' ('pop'|'push')*")
    assert found.alphabet.symbols == ("pop", "push")
    assert found.tree.children[0] == OneOf(("push",))
    assert parse("['push' 'pop']").tree == OneOf(("pop", "push"))


@pytest.mark.parametrize("text", ["%", ".", "~.", ".*", "()", "", "  ", "|", "*"])
def test_an_alphabet_cannot_be_inferred_without_letters(text):
    with pytest.raises(BadInput, match="no letter"):
        parse(text)


@pytest.mark.parametrize("text", ["a" * 3, ".", "~a", "[^a]"])
def test_an_empty_alphabet(text):
    with pytest.raises(BadInput, match="alphabet is empty"):
        parse(text, Alphabet(()))


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("", 1, "expected one of: a letter"),
        ("()", 2, "expected one of: a letter"),
        ("a|", 3, "empty word"),
        ("|a", 1, "expected one of"),
        ("a||b", 3, "expected one of"),
        ("a&", 3, "expected one of"),
        ("~", 2, "expected one of"),
        ("a~|b", 3, "expected one of"),
        ("*a", 1, "expected one of"),
        ("a(*)", 3, "expected one of"),
        ("(a", 1, "never closed"),
        ("a)", 2, "closes nothing"),
        ("a]", 2, "closes nothing"),
        ("a}", 2, "closes nothing"),
        ("[ab", 1, "never closed"),
        ("[]", 1, "lists no letter"),
        ("[^]", 1, "lists no letter"),
        ("[a-c]", 3, "no ranges"),
        ("a{", 2, "expected one of: {m}"),
        ("a{x}", 2, "expected one of: {m}"),
        ("a{,3}", 2, "{0,n}"),
        ("a{2 3}", 2, "expected one of: {m}"),
        ("a{3,2}", 2, "{2,3}"),
        ("a{1001}", 2, "1000 at most"),
        ("a{99999999999999999999}", 2, "1000 at most"),
        ("'a", 1, "never closed"),
        ("''", 1, "empty"),
        ("a\\", 2, "after the backslash"),
        ("^a$", 1, "no anchors"),
        ("a$", 2, "no anchors"),
    ],
)
def test_complaints_show_the_place(text, column, says):
    with pytest.raises(BadInput) as caught:
        parse(text, ABC)
    message = str(caught.value)
    assert says in message
    assert f"^ column {column}\n" in message
    shown, caret = message.split("\n")[1:3]
    assert caret.index("^") - len("  seen: ") == column - 1
    assert shown == f"  seen: {text}"


def test_a_letter_outside_the_alphabet_suggests_the_larger_one():
    with pytest.raises(BadInput) as caught:
        parse("a(x|y|x)", ABC)
    assert "'x' is not in the alphabet a b c" in str(caught.value)
    assert caught.value.hint == "the alphabet abcxy"
    with pytest.raises(BadInput) as caught:
        parse("a'push'", ABC)
    assert caught.value.hint == "the alphabet a b c push"


def test_reserved_tokens_are_not_letters():
    with pytest.raises(BadInput, match="reserved"):
        parse("'<eos>'")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000 + "a" + ")" * 10_000,
        "(" * 10_000,
        "~" * 10_000 + "a",
        "a" + "*" * 10_000,
        "(a|" * 10_000 + "a" + ")*" * 10_000,
        "~(" * 10_000 + "a" + ")" * 10_000,
    ],
)
def test_depth_is_refused_not_crashed(text):
    with pytest.raises(BadInput, match=f"more than {DEEPEST} deep") as caught:
        parse(text, ABC)
    assert len(str(caught.value)) < 500


def test_depth_within_the_limit():
    assert parse("(" * DEEPEST + "a" + ")" * DEEPEST).tree == A


def test_long_texts_show_a_window():
    with pytest.raises(BadInput) as caught:
        parse("a" * 500 + ")" + "b" * 500)
    shown, caret = str(caught.value).split("\n")[1:3]
    assert shown[caret.index("^")] == ")"
    assert shown.endswith("…")


def test_zeros_before_a_bound_are_no_digits():
    assert parse("a{0000000002}", ABC).tree == parse("a{2}", ABC).tree
    assert parse("a{000000000001,0000000000003}", ABC).tree == parse("a{1,3}", ABC).tree
    with pytest.raises(BadInput, match="at most"):
        parse("a{10000000000}", ABC)
