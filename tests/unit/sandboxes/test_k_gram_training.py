"""Training on k-grams: words, the best predictor, and what is claimed."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.k_gram_training import (
    KGramTraining,
    best_and_unigram,
    sample_order,
)


def test_the_best_counts_with_the_right_order_and_adds_one() -> None:
    word = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1])
    row = np.array([0.3, 0.7])
    counted = np.ones(2)  # what followed 0, 1 before, and one each
    for place in range(2, len(word)):
        if word[place - 2] == 0 and word[place - 1] == 1:
            counted[word[place]] += 1
    alone = np.bincount(word, minlength=2) + 1
    expected = [-row @ np.log(each / each.sum()) for each in (counted, alone)]
    found = jax.jit(lambda *each: best_and_unigram(*each, 2))(jnp.asarray(word), jnp.asarray(row))
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_word_has_the_law_of_its_end() -> None:
    word, row = jax.jit(lambda key: sample_order(key, 2, 20))(jax.random.key(0))
    assert word.shape == (20,) and set(np.asarray(word).tolist()) <= {0, 1}
    assert float(row.sum()) == pytest.approx(1, abs=1e-5)


def test_order_one_is_claimed_on_a_cpu_and_more_on_an_accelerator() -> None:
    sandbox = KGramTraining()
    small, full = (sandbox.claims(sandbox.settings(each)) for each in (Budget.CPU, Budget.GPU))
    assert [claim.quantity[:3] for claim in small] == ["k=1", "k=1"]
    assert len(full) == 4 + 8
    assert small[0].holds(0.029) and not small[0].holds(0.031)


@pytest.mark.parametrize(
    ("changed", "message"),
    [({"orders": [0]}, "no such"), ({"depths": [4]}, "no such"), ({"length": 3}, "too short")],
)
def test_bad_input(changed: dict[str, object], message: str) -> None:
    sandbox = KGramTraining()
    with pytest.raises(BadInput, match=message):
        sandbox.claims(sandbox.settings(Budget.CPU) | changed)


@pytest.mark.slow
def test_every_claim_holds() -> None:
    sandbox = KGramTraining()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert not [row for row in rows if not row.agrees]
