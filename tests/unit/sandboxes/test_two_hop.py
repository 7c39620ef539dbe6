"""Questions of two hops, what guessers can get right, and the run on a CPU."""

from __future__ import annotations

import math

import jax
import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.two_hop import (
    MOST,
    STAY,
    TwoHop,
    guess_by_place,
    longest_stay,
    sample_two_hop,
)


def test_the_answer_is_two_facts_away_and_first_facts_come_first() -> None:
    keys = jax.random.split(jax.random.key(0), 200)
    drawn = jax.jit(jax.vmap(lambda key: sample_two_hop(key, 3, 12)))(keys)
    places = []
    for word, chains in zip(*map(np.asarray, drawn), strict=True):
        assert word[0] == 0 and word[-1] == chains[0, 0]
        pairs = word[1:-1].reshape(-1, 2).tolist()
        facts = dict(pairs)
        assert len(facts) == 6 and facts[facts[int(word[-1])]] == chains[0, 2]
        assert set(chains[:, 2].tolist()) == set(facts.values()) - set(facts)
        for source, bridge, end in chains.tolist():
            assert pairs.index([source, bridge]) < pairs.index([bridge, end])
        places.append(pairs.index(chains[0, 1:].tolist()))
    assert set(places) == {1, 2, 3, 4, 5}


def _simulated(chains: int, draws: int) -> tuple[float, float]:
    """The guesser by brute force: facts in a random order, a posterior over the second ones."""
    random, losses, right = np.random.default_rng(0), [], []
    for _ in range(draws):
        order = np.argsort(np.sort(random.random((2, chains)), axis=0).ravel())
        begun, left, seen, chances = 0, 1.0, False, {}
        for fact in order.tolist():
            if fact < chains:
                begun, seen = begun + 1, seen or fact == 0
            else:
                chance = left / begun if seen else 0.0
                chances[fact - chains] = chance
                begun, left = begun - 1, left - chance
        losses.append(-math.log(chances[0]))
        right.append(max(chances.values()))
    return float(np.mean(losses)), float(np.mean(right))


@pytest.mark.parametrize("chains", [1, 2, 3, 4])
def test_what_places_betray_is_counted_exactly(chains: int) -> None:
    assert guess_by_place(chains) == pytest.approx(_simulated(chains, 4000), abs=0.03)
    assert guess_by_place(chains)[0] <= math.log(chains)
    assert guess_by_place(chains)[1] >= 1 / chains


def test_the_longest_stay_is_found() -> None:
    assert longest_stay(np.zeros(4, bool)) == (0, 0)
    assert longest_stay(np.array([1, 1, 0, 1, 1, 1], bool)) == (3, 6)


def test_what_is_claimed_can_fail() -> None:
    sandbox = TwoHop()
    claims = {each.quantity: each for each in sandbox.claims(sandbox.settings(Budget.CPU))}
    assert claims[MOST].holds(0.5) and not claims[MOST].holds(0.57)
    assert not claims[MOST].holds(float("nan")) and not claims[STAY].holds(99.0)


def test_bad_input() -> None:
    with pytest.raises(BadInput, match="too few symbols"):
        sample_two_hop(jax.random.key(0), 4, 11)


@pytest.mark.slow
def test_every_claim_holds() -> None:
    sandbox = TwoHop()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert not [row for row in rows if not row.agrees]
