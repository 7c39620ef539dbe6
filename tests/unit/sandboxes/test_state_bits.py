"""States of few bits: partitions against a plain count, registers, and refusals."""

from __future__ import annotations

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.models.recurrent import Lstm
from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.representation.state_bits import StateBits
from foretell.worlds.state_fleets import attention_summaries, random_cells
from foretell.worlds.state_partitions import (
    all_words,
    known,
    read_words,
    same_state,
    wrong_disjoint,
)

SANDBOX = StateBits()
WORDS = all_words(4)


def plain(states: list[tuple[int, ...]]) -> tuple[int, list[float], float]:
    """States, accuracy of each bit and share copied, one word at a time."""
    words = [tuple(word) for word in WORDS.tolist()]
    groups = {
        state: [w for w, s in zip(words, states, strict=True) if s == state] for state in states
    }
    right = [
        sum(max(sum(w[i] for w in own), sum(1 - w[i] for w in own)) for own in groups.values())
        for i in range(4)
    ]
    return len(groups), [each / len(words) for each in right], len(groups) / len(words)


def test_counting_is_that_of_a_plain_loop() -> None:
    states = np.random.default_rng(0).integers(0, 3, (5, 16, 2))
    found = known(same_state(states), WORDS)
    for place, own in enumerate(states):
        count, right, copied = plain([tuple(row) for row in own.tolist()])
        assert found.states[place] == count
        np.testing.assert_allclose(found.accuracies[place], right)
        assert found.copied[place] == pytest.approx(copied)


def test_disjointness_is_guessed_as_well_as_can_be() -> None:
    groups = np.random.default_rng(1).integers(0, 3, (1, 8))
    wrong = 0
    for state, other in itertools.product(range(3), range(8)):
        answers = [(own & other) == 0 for own in range(8) if groups[0, own] == state]
        wrong += min(answers.count(True), answers.count(False))
    assert wrong_disjoint(groups).tolist() == [wrong]
    assert wrong_disjoint(np.arange(8)[None]).tolist() == [0]


def test_a_cell_is_rounded_after_every_step() -> None:
    cell = jax.tree.map(lambda leaf: leaf[0], random_cells(1, 3, seed=0))
    found = read_words(cell, jnp.array([True, True, False]), jnp.int32(2), jnp.asarray(WORDS))
    weight, bias, states = (np.asarray(each) for each in (*vars(cell.inputs).values(), cell.states))
    for word, given in zip(WORDS, np.asarray(found), strict=True):
        state = np.zeros(3)
        for bit in word:
            sums = (2 * bit - 1) * weight[0] + bias + state @ states
            levels = np.clip(np.floor((np.tanh(sums) + 1) * 2), 0, 3)
            state = np.where([True, True, False], (levels + 0.5) / 2 - 1, 0)
        assert given.tolist() == [*levels[:2].astype(int), 0]


def test_an_lstm_keeps_two_numbers_a_unit_and_obeys_the_bound() -> None:
    cell = Lstm.create(1, 2, root_key(0))
    states = read_words(cell, jnp.ones(2, bool), jnp.int32(1), jnp.asarray(WORDS))
    assert states.shape == (16, 4)
    found = known(same_state(np.asarray(states)[None]), WORDS)
    assert found.information[0] <= math.log2(found.states[0]) + 1e-9 <= 4 + 2e-9


def test_sizes_of_attention_count_numerators_and_denominators() -> None:
    states, sizes = attention_summaries(WORDS, 30, [1, 3], seed=0)
    for own, numbers in zip(states, sizes.numbers, strict=True):
        assert (own.max(axis=0) > 0).sum() <= numbers
    assert sizes.numbers.max() == 10 and sizes.numbers.min() == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"precision": [0, 2]}, "precision of 0 bits"),
        ({"bits": 0}, "at least one bit"),
        ({"bits": 40}, "too many bits"),
    ],
)
def test_bad_settings_are_refused(wrong: dict[str, object], message: str) -> None:
    settings = {**SANDBOX.settings(Budget.SMOKE), **wrong}
    with pytest.raises(BadInput, match=message):
        SANDBOX.claims(settings)
    with pytest.raises(BadInput, match=message):
        SANDBOX.measure(settings, lambda progress: None)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_every_claim_holds_on_a_cpu(seed: int) -> None:
    settings = {**SANDBOX.settings(Budget.CPU), "seed": seed}
    rows = compare(SANDBOX.claims(settings), SANDBOX.measure(settings, lambda progress: None))
    assert [row.claim.quantity for row in rows if not row.agrees] == []
