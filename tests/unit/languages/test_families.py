"""Random automata of every family are what their family says."""

import numpy as np
import pytest

from foretell.languages.families import FAMILIES, random_automaton


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("letters", [2, 3])
def test_they_are_minimal_and_repeatable(family, letters):
    drawn = [random_automaton(np.random.default_rng(seed), family, letters) for seed in range(20)]
    again = [random_automaton(np.random.default_rng(seed), family, letters) for seed in range(20)]
    assert drawn == again
    assert len(set(drawn)) > 3
    assert all(dfa == dfa.minimal() for dfa in drawn)


def test_ordered_automata_never_return():
    for seed in range(30):
        dfa = random_automaton(np.random.default_rng(seed), "ordered", 2)
        reach = np.eye(len(dfa.delta), dtype=bool)
        for _ in dfa.delta:
            for state, row in enumerate(dfa.delta):
                reach[state] |= reach[list(row)].any(axis=0)
        assert not (np.triu(reach & reach.T, 1)).any()


def test_windows_forbid_short_factors_only():
    """Whether a word may go on depends on its last two letters."""
    for seed in range(20):
        dfa = random_automaton(np.random.default_rng(seed), "window", 2)
        ends = {}
        for number in range(2**6):
            word = tuple("ab"[number >> place & 1] for place in range(6))
            if dfa.accepts(word):
                ends.setdefault(word[-2:], set()).add(dfa.state_after(word))
        assert all(len(states) == 1 for states in ends.values())
