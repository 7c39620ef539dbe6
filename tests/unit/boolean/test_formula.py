"""Formulas: precedence, printing back, and errors that point."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretell.boolean.formula import Formula
from foretell.boolean.formula_parsing import DEEPEST
from foretell.boolean.formula_tree import Bit, Chain, Constant, Majority, Node, Not
from foretell.boolean.truth_table import every_input
from foretell.plain.errors import BadInput


def in_python(text, bits):
    """The same text with every operation written for Python, in full parentheses."""
    return [
        int(eval(text, {f"x{i + 1}": bool(v) for i, v in enumerate(row)}))
        for row in every_input(bits)
    ]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("x1 xor x2 and not x3", "x1 ^ (x2 and (not x3))"),
        ("x1 or x2 xor x3", "x1 or (x2 ^ x3)"),
        ("x1 and x2 xor x3 and x1", "(x1 and x2) ^ (x3 and x1)"),
        ("not x1 and x2", "(not x1) and x2"),
        ("x1 -> x2 -> x3", "(not x1) or ((not x2) or x3)"),
        ("(x1 -> x2) -> x3", "not ((not x1) or x2) or x3"),
        ("x1 or x2 -> x3", "(not (x1 or x2)) or x3"),
        ("x1 <-> x2 -> x3", "x1 == ((not x2) or x3)"),
        ("x1 <-> x2 <-> x3", "(x1 == x2) == x3"),
        ("maj(x1, x2, not x3)", "int(x1) + int(x2) + int(not x3) > 1"),
        ("maj(x2)", "x2"),
        ("~x1 ^ !x2 & x3 | x1", "((not x1) ^ ((not x2) and x3)) or x1"),
        ("X1 XOR x2 And 1 or 0", "x1 ^ x2"),
    ],
)
def test_it_means_what_the_precedence_says(text, meaning):
    formula = Formula.parse(text, 3)
    assert formula(every_input(3)).tolist() == in_python(meaning, 3)


def nodes():
    leaves = st.one_of(st.builds(Constant, st.booleans()), st.builds(Bit, st.integers(0, 6)))

    def larger(inner):
        several = st.lists(inner, min_size=2, max_size=4).map(tuple)
        two = st.tuples(inner, inner)
        odd = st.sampled_from([1, 3, 5]).flatmap(
            lambda n: st.lists(inner, min_size=n, max_size=n).map(tuple)
        )
        return st.one_of(
            st.builds(Not, inner),
            st.builds(Chain, st.sampled_from(["and", "or", "xor", "<->"]), several),
            st.builds(Chain, st.just("->"), two),
            st.builds(Majority, odd),
        )

    return st.recursive(leaves, larger, max_leaves=12)


@given(nodes())
@settings(max_examples=150, deadline=None)
def test_printing_parses_back_to_the_same_tree(tree: Node):
    assert Formula.parse(str(tree)).tree == tree


def test_bits_are_the_largest_named_or_more():
    assert Formula.parse("x3 and x1").bits == 3
    assert Formula.parse("x3 and x1", 9).bits == 9
    assert Formula.parse("1").bits == 1 and Formula.parse("0", 4)(every_input(4)).sum() == 0
    assert Formula.parse("x7 or x2").mentioned == (1, 6)
    with pytest.raises(BadInput, match="x3 with T=2"):
        Formula.parse("x3 and x1", 2)
    with pytest.raises(BadInput, match="at least one bit"):
        Formula.parse("1", 0)


def test_long_chains_are_not_deep():
    count = 3000
    text = " xor ".join(f"x{i % 5 + 1}" for i in range(count))
    formula = Formula.parse(text)
    assert str(formula) == text
    ones = every_input(5).sum(axis=1) * (count // 5) % 2
    assert (formula(every_input(5)) == ones).all()


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "ends too early; expected one of: a bit"),
        ("x1 xor", 7, "ends too early; expected one of: a bit"),
        ("x1 x2", 4, "expected one of: an operation, the end"),
        (
            "(x1 and x2",
            11,
            r"'\(' at column 1 is still open\); expected one of: an operation, '\)'",
        ),
        ("x1)", 3, "does not fit"),
        ("and x1", 1, "expected one of: a bit"),
        ("maj x1", 5, r"expected one of: '\(' after maj"),
        ("maj(x1,x2)", 1, "odd number"),
        ("maj(x1 x2)", 8, "expected one of: an operation, ',', '"),
        ("x0", 1, "numbered from x1"),
        ("x1 and x123456", 8, "numbered from x1"),
        ("x1 and 2", 8, "x2 if you mean that bit"),
        ("x1 nand x2", 4, "did you mean and"),
        ("x1 @ x2", 4, "'@' has no meaning"),
        ("x1 - x2", 4, "'-' has no meaning"),
        ("x1 = x2", 4, "'=' has no meaning"),
    ],
)
def test_errors_show_where(text, column, message):
    with pytest.raises(BadInput, match=message) as caught:
        Formula.parse(text)
    caret = str(caught.value).splitlines()[2]
    assert caret.index("^") == len("  seen: ") + column - 1 and f"column {column}" in caret


@pytest.mark.parametrize("opening", ["(", "not ", "x1 -> ", "maj("])
def test_too_deep_is_an_error_and_not_a_crash(opening):
    closing = ")" if "(" in opening else ""
    deep = opening * (DEEPEST - 1) + "x1" + closing * (DEEPEST - 1)
    assert Formula.parse(str(Formula.parse(deep))).bits == 1
    with pytest.raises(BadInput, match="deep"):
        Formula.parse(opening * 5000 + "x1" + closing * 5000)


def test_far_errors_are_cut_out():
    with pytest.raises(BadInput) as caught:
        Formula.parse("x1 and " * 100 + "? " + "and x1 " * 100)
    line, caret = str(caught.value).splitlines()[1:3]
    assert len(line) < 80 and line[caret.index("^")] == "?"


def test_trees_that_cannot_be_are_refused():
    with pytest.raises(BadInput, match="odd"):
        Majority((Bit(0), Bit(1)))
    for operation, count in (("->", 3), ("and", 1), ("nand", 2)):
        with pytest.raises(BadInput, match="joined"):
            Chain(operation, (Bit(0),) * count)


def test_any_truthy_rows_and_column_order():
    formula = Formula.parse("x1 -> x2")
    table = {pair: float(pair != (1, 0)) for pair in itertools.product((0, 1), repeat=2)}
    for kind in (np.int8, np.int32, bool, float):
        rows = np.array(list(table), kind)
        assert formula(rows).tolist() == list(table.values())


def test_zeros_before_the_number_of_a_bit_are_no_digits():
    assert Formula.parse("x000000010").tree == Formula.parse("x10").tree
    with pytest.raises(BadInput, match="numbered"):
        Formula.parse("x0")
