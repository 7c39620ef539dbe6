"""Depth classes of automata: the specification's ten rows, brute force beside them, bad input."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest

from foretell.languages.algebra.depth import depth_class, depth_class_of, derived_series
from foretell.languages.regular import RegularLanguage
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.representation.automata_algebra import AutomataAlgebra, expected
from foretell.worlds.automata import (
    BUILT_IN,
    automaton,
    bounded_brackets,
    follow,
    from_maps,
    random_automaton,
    relabelled,
)

ROWS = {
    "parity": ("commutative", 2, 1),
    "mod-7": ("commutative", 7, 1),
    "flip-flop": ("aperiodic", 3, 0),
    "gridworld-5": ("aperiodic", 34, 0),
    "brackets-3": ("aperiodic", 30, 0),
    "dihedral-4": ("solvable", 8, 2),
    "symmetric-3": ("solvable", 6, 2),
    "symmetric-4": ("solvable", 24, 3),
    "alternating-5": ("non-solvable", 60, None),
    "symmetric-5": ("non-solvable", 120, None),
}


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_ten_rows_of_the_specification(name: str) -> None:
    found = depth_class(automaton(name))
    assert (found.rung, found.size, found.derived_length) == ROWS[name]
    assert json.loads(json.dumps(found.as_json()))["upper"] == found.upper


def test_every_claim_of_the_cpu_preset_holds() -> None:
    sandbox = AutomataAlgebra()
    settings = sandbox.settings(Budget.CPU) | {"relabellings": 3}
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert [row for row in rows if not row.agrees] == []


def _slowly(letters: list[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """The semigroup by sets of tuples."""
    found = set(letters)
    while True:
        more = {tuple(b[q] for q in a) for a in found for b in letters} - found
        if not more:
            return found
        found |= more


def _groups_slowly(found: set[tuple[int, ...]]) -> set[int]:
    """Orders of the units of eSe, for every idempotent e."""

    def times(*maps: tuple[int, ...]) -> tuple[int, ...]:
        row = tuple(range(len(maps[0])))
        for each in maps:
            row = tuple(each[q] for q in row)
        return row

    orders = set()
    for e in (e for e in found if times(e, e) == e):
        local = {times(e, s, e) for s in found}
        orders.add(sum(any(times(a, b) == e == times(b, a) for b in local) for a in local))
    return orders


@pytest.mark.parametrize("seed", range(12))
def test_random_automata_against_brute_force(seed: int) -> None:
    dfa = random_automaton(4, 2, seed)
    letters = [tuple(row) for row in np.array(dfa.delta).T.tolist()]
    found = depth_class_of(np.array(letters))
    slow = _slowly(letters)
    assert found.size == len(slow)
    assert found.idempotents == sum(tuple(s[q] for q in s) == s for s in slow)
    assert {orders[0] for orders in found.series} == _groups_slowly(slow)


@pytest.mark.parametrize("seed", range(3))
def test_names_of_states_do_not_matter(seed: int) -> None:
    dfa = automaton("gridworld-5")
    order = np.random.default_rng(seed).permutation(5)
    other = relabelled(dfa, order)
    assert depth_class(other) == depth_class(dfa)
    words = np.random.default_rng(seed).integers(0, 2, (3, 20))
    np.testing.assert_array_equal(follow(other, words), order[follow(dfa, words)])


def test_states_that_are_never_reached_play_no_part() -> None:
    # On states 2 to 6 the letters act as the symmetric group; the start sees parity only.
    swap, cycle = [1, 0, 3, 2, 4, 5, 6], [0, 1, 3, 4, 5, 6, 2]
    dfa = from_maps({"a": swap, "b": cycle})
    assert depth_class(dfa).rung == "commutative"
    assert depth_class_of(np.array([swap, cycle])).rung == "non-solvable"


def test_a_group_deep_inside_is_found() -> None:
    """Five points permuted and a sixth that everything may be reset to."""
    table = {"swap": [1, 0, 2, 3, 4, 5], "cycle": [1, 2, 3, 4, 0, 5], "reset": [5] * 6}
    found = depth_class(from_maps(table))
    assert found.rung == "non-solvable" and found.size == 121
    assert found.series == ((120, 60, 60), (1,))


def test_a_language_is_asked_by_its_minimal_automaton() -> None:
    assert depth_class(RegularLanguage.from_regex("(aaa)*").dfa.minimal()).series == ((3, 1),)
    assert depth_class(bounded_brackets(1).minimal()).size == expected("brackets-1").size == 5


def test_series_of_whole_groups() -> None:
    every = np.array(list(itertools.permutations(range(5))), np.uint8)
    assert derived_series(every) == (math.factorial(5), 60, 60)
    assert derived_series(every[:1]) == (1,)


def test_bounds_are_never_told_as_the_least_depth() -> None:
    for name in BUILT_IN:
        text = str(depth_class(automaton(name)))
        assert "upper bound" in text and "conditional lower bound" in text
    assert "unless TC⁰ = NC¹" in depth_class(automaton("symmetric-5")).lower
    assert "none" in depth_class(automaton("symmetric-4")).lower


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: depth_class(random_automaton(9, 3, 0)), "22,600 elements reached"),
        (lambda: depth_class(automaton("symmetric-5"), limit=119), "elements reached"),
        (lambda: from_maps({"a": [0, 1], "b": [0]}), "incomplete"),
        (lambda: from_maps({}), "no letters"),
        (lambda: from_maps({"a": [0, 2]}), "does not have"),
        (lambda: depth_class_of(np.array([[0, -1]])), "incomplete"),
        (lambda: depth_class_of(np.zeros((0, 3), int)), "empty"),
        (lambda: automaton("gridworld"), "no automaton of that name"),
        (lambda: automaton("mod-1"), "N ≥ 2"),
        (lambda: random_automaton(0, 1, 0), "no such automaton"),
    ],
)
def test_bad_input(make, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        make()


def test_the_cap_is_on_the_semigroup_itself() -> None:
    assert depth_class(automaton("symmetric-5"), limit=120).size == 120
    assert depth_class(automaton("gridworld-5"), limit=34).size == 34
    with pytest.raises(BadInput):
        depth_class(automaton("gridworld-5"), limit=33)
