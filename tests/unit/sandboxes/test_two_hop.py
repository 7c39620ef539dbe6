"""Questions of two hops, their reading, and the run on a CPU."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.two_hop import TwoHop, sample_two_hop


def test_the_answer_is_two_facts_away_and_all_orders_occur() -> None:
    keys = jax.random.split(jax.random.key(0), 200)
    drawn = jax.jit(jax.vmap(lambda key: sample_two_hop(key, 3, 12)))(keys)
    places = []
    for word, chains in zip(*map(np.asarray, drawn), strict=True):
        facts = dict(word[:-1].reshape(-1, 2).tolist())
        assert len(facts) == 6 and facts[facts[int(word[-1])]] == chains[0, 2]
        assert set(chains[:, 2].tolist()) == set(facts.values()) - set(facts)
        places.append(word.tolist().index(chains[0, 2]))
    assert set(places) == {1, 3, 5, 7, 9, 11}


def test_guessing_among_the_ends_is_claimed_at_one_in_k() -> None:
    sandbox = TwoHop()
    claims = {each.quantity: each for each in sandbox.claims(sandbox.settings(Budget.CPU))}
    guess = claims["accuracy during the stay"]
    assert guess.predicted == pytest.approx(1 / 3)
    assert not guess.holds(0.5) and not guess.holds(float("nan"))


def test_bad_input() -> None:
    with pytest.raises(BadInput, match="too few symbols"):
        sample_two_hop(jax.random.key(0), 4, 11)


@pytest.mark.slow
def test_the_run_on_a_cpu_holds_every_claim() -> None:
    sandbox = TwoHop()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert [row.claim.quantity for row in rows if not row.agrees] == []
