"""The small tools below the decision."""

from fractions import Fraction

import pytest

from foretell.core.alphabet import Alphabet
from foretell.crasp import tree
from foretell.crasp.deciding.elimination import RowSpace
from foretell.crasp.deciding.formulas import conjoin, disjoin, in_past, negate, within
from foretell.crasp.deciding.graphs import components, cyclic, shortest_word
from foretell.crasp.deciding.karoubi import karoubi_definable
from foretell.crasp.deciding.machines import Machine
from foretell.crasp.deciding.tower import build_tower
from foretell.languages.regular import RegularLanguage

HEIGHT = tree.Reference("height")


def test_components_are_listed_last_first():
    home, parts = components([[1], [2, 3], [1], [3], [0]])
    assert parts == [[3], [1, 2], [0], [4]]
    assert home == [2, 1, 1, 0, 3]


def test_periods():
    assert cyclic([0, 1, 2], [[1], [2], [0, 3], []]) == (3, [0, 1, 2])
    assert cyclic([0, 1, 2], [[1], [2, 0], [0]])[0] == 1
    assert cyclic([0], [[1], []]) == (0, [0])


def test_shortest_words():
    def step(number, letter):
        return (number * 2 + letter) % 11

    assert shortest_word(1, step, 2, lambda number: number == 1) == ()
    word = shortest_word(1, step, 2, lambda number: number == 0)
    assert word == (0, 1, 1)
    assert shortest_word(0, lambda number, _: number, 2, lambda number: number == 1) is None


def test_elimination_keeps_whole_numbers_and_remembers_rows():
    space = RowSpace(may_pivot=lambda column: isinstance(column, str))
    assert space.add({"x": 2, "y": 1, 0: 1}) and space.add({"x": 1, "y": -1, 1: 1})
    assert not space.add({"x": 3, 2: 1})
    rest = space.reduce({"x": 1})
    assert rest == {0: Fraction(-1, 3), 1: Fraction(-1, 3)}
    one = RowSpace()
    one.add({"x": 2})
    assert one.reduce({"x": 5, "y": 4}) == {"y": 4}


def test_formulas_simplify():
    a, b = tree.Letter("a"), tree.Letter("b")
    assert conjoin(True, a, a) == a and conjoin(a, False) is False and conjoin() is True
    assert disjoin(a, disjoin(b, a)) == tree.Junction("or", (a, b)) and disjoin() is False
    assert negate(negate(a)) == a and negate(True) is False
    assert in_past(False, strict=True) is False and in_past(True, strict=False) is True


@pytest.mark.parametrize(
    ("wanted", "possible", "text"),
    [
        ({0}, {0, 1, 2}, "height(i) <= 0"),
        ({2}, {0, 1, 2}, "height(i) > 1"),
        ({1}, {0, 1, 2}, "height(i) == 1"),
        ({-1, 3}, {-1, 0, 1, 2, 3}, "not (height(i) >= 0 and height(i) <= 2)"),
        ({1, 2}, {0, 1, 2, 3}, "height(i) > 0 and height(i) <= 2"),
        ({0, 2}, {0, 1, 2, 3}, "height(i) <= 0 or height(i) == 2"),
    ],
)
def test_ranges_of_heights(wanted, possible, text):
    from foretell.crasp.printing import write

    assert write(within(HEIGHT, wanted, possible)) == text


def test_letters_that_act_alike_are_one():
    language = RegularLanguage.from_regex("[abc]*d", Alphabet("abcd"))
    machine = Machine.of(language.dfa, "last-letter")
    assert machine.groups == ((0, 1, 2), (3,))
    assert machine.spell((0, 1)) == ("a", "d")


def test_a_tower_with_two_levels():
    word = "abbbaa"
    arrows = [(i, "ab".index(x), (i + 1) % 6) for i, x in enumerate(word)]
    tower = build_tower(range(6), arrows, dict.fromkeys(range(6), 0))
    assert tower.separates and len(tower.levels) == 2


def test_the_textbook_route_says_when_it_is_too_large():
    dfa = RegularLanguage.from_regex("(a|b)*a(a|b)(a|b)(a|b)(a|b)").dfa
    assert karoubi_definable(dfa, most=10) is None and karoubi_definable(dfa, 1, most=10) is None
