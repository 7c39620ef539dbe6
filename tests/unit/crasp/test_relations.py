"""Which relations a count may use, and why the others leave the language."""

import pytest

from foretell.crasp import tree
from foretell.crasp.program import Program
from foretell.plain.errors import BadInput


def window(relation):
    program = Program.parse(f"alphabet a\naccept(i) := #[{relation}] Q_a(j) >= 1")
    return program.statements[0].body.left.window


@pytest.mark.parametrize(
    ("relation", "wanted"),
    [
        ("j <= i", tree.Window()),
        ("i >= j", tree.Window()),
        ("j <= i, true", tree.Window()),
        ("(j <= i)", tree.Window()),
        ("j < i", tree.Window(None, 1)),
        ("j + 1 <= i", tree.Window(None, 1)),
        ("j <= i - 3", tree.Window(None, 3)),
        ("2*j <= 2*i - 3", tree.Window(None, 2)),
        ("j <= i, j == i - 1", tree.Window((1,))),
        ("j = i - 1", tree.Window((1,))),
        ("i - j == 2", tree.Window((2,))),
        ("2*(i - j) == 4", tree.Window((2,))),
        ("-j == 2 - i", tree.Window((2,))),
        ("i - 3 <= j <= i", tree.Window((0, 1, 2, 3))),
        ("i-3 < j < i", tree.Window((1, 2))),
        ("j <= i, i - 2 <= j", tree.Window((0, 1, 2))),
        ("j <= i, i - j in {3, 1}", tree.Window((1, 3))),
        ("i - j in {1, 3}", tree.Window((1, 3))),
        ("j - i in {0}", tree.Window((0,))),
        ("j < i, i - j in {0, 1, 5}, i - 4 <= j", tree.Window((1,))),
        ("j <= i - 2, i - 4 <= j", tree.Window((2, 3, 4))),
        ("j == i", tree.Window((0,))),
    ],
)
def test_windows(relation, wanted):
    assert window(relation) == wanted


@pytest.mark.parametrize(
    ("relation", "what", "more"),
    [
        ("j <= i, j == 2*i", "not translation-invariant", "j == 2*i"),
        ("j <= i, j + i <= 7", "not translation-invariant", "the distance i - j"),
        ("j <= i, j == 1", "about j alone", "in the body of the count"),
        ("j <= i, i >= 7", "about i alone", "outside the count"),
        ("j <= i, 1 <= 2", "compares two constants", "does not mention i or j"),
        ("j <= i, i - i == 0", "compares two constants", "does not mention"),
        ("j <= i, j != i - 1", "not local", "subtract the window"),
        ("j <= i, i*j == 4", "neither j <= i nor local", "i*j is not a sum"),
        ("j <= i, j*j <= i", "neither j <= i nor local", "translation-invariant"),
        ("j <= i, j mod 2 == 0", "periodic, not local", "j mod 2 == 0)"),
        ("j <= i, i mod j == 0", "neither local nor periodic", "a fixed number"),
        ("j <= i, P(j)", "not a relation between positions", "in the body"),
        ("j <= i, Q_a(j)", "not a relation between positions", "in the body"),
        ("j <= i, j == i-1 or j == i-2", "not a relation between positions", "i - j in {1, 3}"),
        ("j <= i, not j == i - 1", "not a relation between positions", "i - j in {1, 3}"),
        ("j <= i, max(i, j) == i", "neither j <= i nor local", "translation-invariant"),
        ("j >= i", "does not say that j comes no later", "causal"),
        ("i - 3 <= j", "does not say that j comes no later", "causal"),
        ("j <= i + 1", "does not say that j comes no later", "causal"),
        ("j == i + 1", "looks into the future", "j = i + 1"),
        ("j <= i, i - j in {}", "no position satisfies", "always be 0"),
        ("j < i, j == i", "no position satisfies", "always be 0"),
        ("2*j == 2*i - 1", "no position satisfies", "always be 0"),
        ("j <= i, j == i - 20000", "at most 10,000 positions", "20,000"),
        ("i - 20000 <= j <= i", "at most 10,000 positions", "20,000"),
        ("i - 999999999999 <= j <= i", "at most 10,000 positions", "999,999,999,999"),
        ("j <= i, i - j in {i}", "a distance is a number", "i - j in {1, 3}"),
        ("j <= i, j == i - n", "a number, not a parameter", "fixed when the program is read"),
        ("j <= i, i - j in {n}", "a number, not a parameter", "fixed when the program is read"),
        ("j <= i, j in {1, 2}", "only a distance can be tested", "i - j in {1, 3}"),
        ("j <= k", "between two positions", "mentions j, k"),
        ("true", "between two positions", "mentions none"),
        ("i <= i", "between two positions", "mentions i"),
        ("j <= i, j == i - 99999999999999999999", "does not fit into 64 bits", "largest"),
    ],
)
def test_relations_that_leave_the_language(relation, what, more):
    text = f"alphabet a\nparameter n = 1\naccept(i) := #[{relation}] Q_a(j) >= 1"
    with pytest.raises(BadInput) as caught:
        Program.parse(text)
    assert what in caught.value.what
    assert more in str(caught.value)
    assert "line 3, column" in caught.value.seen
    assert "^" in caught.value.seen
