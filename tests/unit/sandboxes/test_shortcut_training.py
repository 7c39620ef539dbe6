"""Training on automata: the pieces against slow oracles, fast; the CPU preset, slow."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.representation.shortcut_training import (
    RANKS,
    ShortcutTraining,
    _agreement,
    least_depth,
)
from foretell.worlds.automata import automaton, follow
from foretell.worlds.automaton_training import machines, right, states_after

SANDBOX = ShortcutTraining()
NAMES = ("parity", "flip-flop", "symmetric-5")


def test_padded_tables_lead_where_the_automata_do() -> None:
    simulated = machines(NAMES)
    assert simulated.tables.shape == (3, 3, 5) and simulated.tokens == 5
    draw = np.random.default_rng(0)
    for member, name in enumerate(NAMES):
        word = draw.integers(0, int(simulated.letters[member]), 12)
        table, start = simulated.tables[member], simulated.starts[member]
        said = states_after(jnp.asarray(table), jnp.asarray(start), jnp.asarray(word))
        np.testing.assert_array_equal(said, follow(automaton(name), word))


def test_a_reader_that_knows_the_automaton_is_right_on_both_kinds_of_words() -> None:
    simulated = machines(("parity", "parity"))
    plan = {"length": 6, "seed": 0}

    def reader(weights, words):
        parity = jnp.cumsum(words, axis=1) % 2
        return jnp.stack([1 - parity, parity], axis=-1) * weights

    found = right(reader, jnp.array([1.0, -1.0]), simulated, plan, 0.9)
    assert found.shape == (2, 2, 6)
    assert (found[:, 0] == 1).all() and (found[:, 1] == 0).all()


def test_the_least_depth_is_the_first_that_is_good_enough() -> None:
    assert least_depth([0.99, 0.5], [1, 2]) == 1
    assert least_depth([0.5, 0.98], [1, 2]) == 4


def test_depths_that_are_all_the_same_agree_with_nothing() -> None:
    assert _agreement([0, 1, 2], [4, 4, 4]) == 0
    assert _agreement([0, 1, 2], [1, 2, 4]) == pytest.approx(1)


def test_bad_input() -> None:
    settings = SANDBOX.settings(Budget.SMOKE)
    with pytest.raises(BadInput, match="cannot be compared"):
        SANDBOX.claims(settings | {"automata": ["flip-flop"]})
    with pytest.raises(BadInput, match="no automaton to simulate"):
        machines(())


@pytest.mark.slow
def test_the_run_on_a_cpu_holds_every_claim_but_the_one_that_parity_breaks() -> None:
    settings = SANDBOX.settings(Budget.CPU)
    rows = compare(SANDBOX.claims(settings), SANDBOX.measure(settings, lambda progress: None))
    assert [row.claim.quantity for row in rows if not row.agrees] in ([], [RANKS])
