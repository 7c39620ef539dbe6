"""Triggers and the three memories: words, the solution written down, and what is claimed."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.trigger_memories import (
    ORDER,
    Memories,
    TriggerMemories,
    asked,
    draw_given,
    draw_law,
    given_scores,
    probes,
    sample_word,
)

SYMBOLS, TRIGGERS, LENGTH = 8, 3, 40


@pytest.fixture(scope="module")
def words() -> tuple[np.ndarray, np.ndarray]:
    law = draw_law(0, SYMBOLS, TRIGGERS, 0.3)
    keys = jax.random.split(jax.random.key(0), 40)
    drawn = jax.jit(jax.vmap(lambda key: sample_word(law, TRIGGERS, LENGTH, key)))(keys)
    return np.asarray(drawn[0]), np.asarray(drawn[1])


def test_a_trigger_has_one_output_in_a_word(words: tuple[np.ndarray, np.ndarray]) -> None:
    others = []
    for word, triggers in zip(*words, strict=True):
        assert triggers.sum() == TRIGGERS and len(word) == LENGTH + 1
        after = [set(word[1:][word[:-1] == letter].tolist()) for letter in range(SYMBOLS)]
        assert all(len(after[letter]) <= 1 for letter in np.flatnonzero(triggers))
        others += [len(after[letter]) for letter in np.flatnonzero(~triggers)]
    assert max(others) > 1


def test_only_triggers_seen_before_are_asked(words: tuple[np.ndarray, np.ndarray]) -> None:
    word, triggers = words[0][0], words[1][0]
    expected = [
        bool(triggers[letter]) and letter in word[:place] for place, letter in enumerate(word)
    ]
    assert np.asarray(asked(jnp.asarray(word), jnp.asarray(triggers))).tolist() == expected


def test_the_solution_that_is_written_down_recalls_and_answers() -> None:
    given = draw_given(0, SYMBOLS, 10, 512)
    keys = given.symbols @ given.remap.T
    solution = Memories(
        60 * given.places[1:].T @ given.places[:-1],
        60 * given.symbols.T @ keys,
        20 * given.said.T @ (given.symbols @ given.value.T),
    )
    assert all(float(share) == 1 for share in probes(solution, given).values())
    none = probes(jax.tree.map(jnp.zeros_like, solution), given)
    assert all(float(share) < 0.5 for share in none.values())
    # 3 is followed by 5 early on; at its second time 5 is said, whatever follows other symbols
    word = jnp.array([1, 3, 5, 0, 2, 6, 4, 7, 0, 3])
    assert int(given_scores(solution, given, word)[-1].argmax()) == 5


def test_what_is_claimed_can_fail() -> None:
    sandbox = TriggerMemories()
    claims = {each.quantity: each for each in sandbox.claims(sandbox.settings(Budget.CPU))}
    assert not claims[ORDER].holds(("W_K2", "W_O2", "W_K1"))
    assert not claims["W_O2: pairs recalled"].holds(0.85)


def test_bad_input() -> None:
    with pytest.raises(BadInput, match="number of triggers"):
        draw_law(0, 4, 4, 0.3)
    with pytest.raises(BadInput, match="Dirichlet"):
        draw_law(0, 4, 2, 0.0)


@pytest.mark.slow
def test_every_claim_holds() -> None:
    sandbox = TriggerMemories()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert not [row for row in rows if not row.agrees]
