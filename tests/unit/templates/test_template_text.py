"""The template language: what is read, what is printed, and errors that point."""

import pytest

from foretell.plain.errors import BadInput
from foretell.templates.notation import LETTERS, Wildcard
from foretell.templates.reading import read_templates
from foretell.templates.template import Template, template_of
from foretell.templates.template_set import TemplateSet

A, B = Wildcard("a"), Wildcard("b")


@pytest.mark.parametrize(
    "text",
    [
        '"aba" -> +1; "abb" -> -1',
        "aba->+1;abb->-1",
        "aba -> 1 @ 1/2; abb -> -1 @ 0.5;",
        "a b a → 1.0\nabb→−1  # the last two are the same\n\n",
        "# two templates\naba -> 1e0  # a comment\nabb -> -1.000",
    ],
)
def test_ways_to_write_the_same_set(text):
    read = TemplateSet.parse(text)
    assert read == TemplateSet.parse("aba -> +1; abb -> -1")
    assert read.text == "aba -> +1; abb -> -1"
    assert read.is_real and read.labels == (1.0, -1.0) and read.probabilities == (0.5, 0.5)


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("aabST", (A, A, B, "S", "T")),
        ("print(a)", ("print", "(", A, ")")),
        ("'print' ( a )", ("print", "(", A, ")")),
        ("ab (a)", (A, B, "(", A, ")")),
        ("a(b)", (A, "(", B, ")")),
        ("α=1;β='-1'", (Wildcard("α"), "=", "1", ";", Wildcard("β"), "=", "-1")),
        ('"a@b;c"', (A, "@", B, ";", Wildcard("c"))),
        (r"\a\'\"\\", ("a", "'", '"', "\\")),
        (r"'don\'t'a", ("don't", A)),
        ('"a->b"', (A, "-", ">", B)),
    ],
)
def test_symbols(text, symbols):
    template = Template.parse(text)
    assert template.symbols == symbols
    assert Template.parse(str(template)) == template


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("print(a) -> a", "\"'print'(a)\" -> a"),
        ("tokens 'yes' 'no'; aa -> 'yes'; ab -> 'no'", None),
        ("tokens T F S; aSa -> T; aSb -> F", "tokens T F; aSa -> T; aSb -> F"),
        ("symbols 64; noise 0.5; aa -> 1 @ 0.25; ab -> -2.5 @ 0.75", None),
        ("symbols P Q S; apart; aa -> 1; ab -> 2", "symbols P Q S; apart; aa -> +1; ab -> +2"),
        (r"symbols \7; a -> 1", r"symbols \7; a -> +1"),
        (r"1a -> \1; 2a -> a", r"1a -> \1; 2a -> a"),
        ('"noise" -> 1', '"noise" -> +1'),
        ("a -> +0.1", "a -> +0.1"),
    ],
)
def test_printing_and_reading_back(text, canonical):
    read = TemplateSet.parse(text)
    assert canonical is None or read.text == canonical
    assert TemplateSet.parse(read.text) == read
    assert hash(TemplateSet.parse(read.text)) == hash(read)
    assert TemplateSet.from_json(read.as_json()) == read


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("aa ->", "aa ->\n             ^ column 6"),
        ("aa -> 1\nab = 2", "ab = 2\n              ^ line 2, column 7"),
        ("aa -> 1x", "expected one of: '@', ';', the end"),
        ("-> 1", "the template is empty; expected one of: a wildcard"),
        ('"" -> 1', "the template is empty"),
        ('"aa -> 1', "never closed"),
        ("a'b -> 1", "never closed"),
        ("a'' -> 1", "not empty"),
        ("a'b c' -> 1", "without blanks"),
        ("a'<pad>' -> 1", "<pad>"),
        ("aa -> 1e999", "finite"),
        ("aa -> 1 @ x", "expected one of: a number"),
        ("aa -> 1 @ 1/0", "divided by 0"),
        ("tokens yes; aa -> 'yes'", "y is a wildcard"),
        ("tokens; aa -> 1", "expected one of: a token"),
        ("noise 1; noise 2; aa -> 1", "declared twice"),
        ("symbols 3; symbols P Q; aa -> 1", "declared twice"),
        ("noise -> 1", "noise begins a declaration"),
        ("aa\\", "backslash"),
    ],
)
def test_errors_point(text, message):
    with pytest.raises(BadInput) as refused:
        TemplateSet.parse(text)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no template is given"),
        ("noise 1;", "there is no template"),
        ("majorty", "did you mean majority"),
        ("majority,lenght=3", "did you mean length"),
        ("majority,length=x", "whole number"),
        ("majority,length=4,length=4", "twice"),
        ("aba", "aba -> +1; abb -> -1"),
        ("aa -> 1; bb -> 2", "two templates are equivalent"),
        ("aa -> 1; aa -> 1", "they are the same, so"),
        ("aS -> 1; ab -> 2", "seen: A S matches aS and ab"),
        ("aS -> a; bc -> c", "its label would be A and S"),
        ("aa -> 1; ab -> b", "which is a wildcard"),
        ("aa -> b", "a symbolic label is not in its template"),
        ("aa -> T", "a symbolic label is not in any template"),
        ("symbols 1; ab -> 1", "1 symbol for ab"),
        ("symbols P S; abS -> 1", "1 symbol for abS"),
        ("symbols P P; ab -> 1", "listed twice"),
        ("apart; symbols P S; aS -> 1", "a symbol is a regular token"),
        ("aa -> 1 @ 0.3; ab -> 2 @ 0.5", "0.3 + 0.5 = 0.8"),
        ("aa -> 1 @ 0.3; ab -> 2", "1 of 2"),
        ("aa -> 1 @ 0; ab -> 2 @ 1", "above 0"),
        ("noise 1; aa -> a", "only real labels"),
        ("noise -1; aa -> 1", "0 or more"),
    ],
)
def test_what_is_no_task_is_refused(text, message):
    with pytest.raises(BadInput) as refused:
        read_templates(text)
    assert message in str(refused.value)


def test_overlapping_templates_may_agree_or_keep_apart():
    assert len(TemplateSet.parse("aS -> 1; ab -> 1").overlaps()) == 1
    assert len(TemplateSet.parse("aS -> a; bc -> b").overlaps()) == 1
    assert TemplateSet.parse("apart; aS -> 1; ab -> 2").overlaps() == []


def test_different_lengths_are_a_set_but_no_kernel():
    mixed = TemplateSet.parse("aa -> 1; aba -> 2")
    assert mixed.longest == 3
    with pytest.raises(BadInput, match="2, 3"):
        _ = mixed.length


def test_the_label_of_a_string():
    read = TemplateSet.parse("print(a) -> a; show(a) -> a")
    assert read.value(("show", "(", "Q", ")")) == "Q"
    with pytest.raises(BadInput, match="no template matches"):
        read.value(("show", "(", "show", ")"))
    apart = TemplateSet.parse("apart; aS -> 1; ab -> 2")
    assert apart.value("QS") == 1.0  # ab would take the regular token S
    assert TemplateSet.parse("apart; ab -> 2; aS -> 1").value("QS") == 1.0


def test_there_are_only_so_many_wildcards():
    with pytest.raises(BadInput, match="more wildcards than there are letters"):
        template_of(tuple(range(len(LETTERS) + 1)))
    with pytest.raises(BadInput, match="lower-case"):
        Wildcard("S")
