"""Induction heads: the construction on hard words, its bits, the targets of training."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.constructions.induction_head import (
    bits_for,
    induction_head,
    one_hot_codes,
    said,
    score_bits,
    sign_codes,
)
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.representation.induction_depth import InductionDepth
from foretell.worlds.induction_words import follower, mixed_words, targets

SANDBOX = InductionDepth()


@pytest.mark.parametrize("code", [one_hot_codes, sign_codes])
@pytest.mark.parametrize("symbols", [2, 5, 16])
def test_the_construction_is_the_plain_oracle(code, symbols: int) -> None:
    words = mixed_words(symbols, 32, 300, seed=1)
    network = induction_head(32, code(symbols))
    np.testing.assert_array_equal(said(network, words), follower(words, none=symbols))
    assert network.heads == (1, 1)


@pytest.mark.parametrize(
    ("word", "answer"),
    [
        ([1, 2, 3, 0], 4),  # no match
        ([0, 2, 3, 0], 2),  # at the first place
        ([0, 1, 0, 2, 0, 3, 0], 3),  # several: the latest
        ([0, 0], 0),  # the symbol itself follows
        ([3], 4),  # nothing before
        ([0] + [1] * 510 + [0], 1),  # far away
    ],
)
def test_adversarial_words(word: list[int], answer: int) -> None:
    network = induction_head(512, one_hot_codes(4))
    assert said(network, np.array([word])).tolist() == [answer]


def test_mixed_words_are_of_every_kind() -> None:
    words = mixed_words(16, 40, 100, seed=0)
    before = (words[:, :-1] == words[:, -1:]).sum(axis=1)
    assert (before[:20] == 0).all() and (before[20:40] == 1).all() and (before[40:60] == 39).all()
    assert (words[20:40, 0] == words[20:40, -1]).all()


def test_widths_do_not_grow_with_the_length_and_bits_grow_by_one_a_doubling() -> None:
    assert induction_head(8, sign_codes(16)).width == induction_head(99, sign_codes(16)).width == 15
    assert [score_bits(2**k) for k in (5, 6, 7, 8, 9)] == [8, 9, 10, 11, 12]
    assert [bits_for(symbols) for symbols in (2, 3, 4, 5, 16)] == [1, 2, 2, 3, 4]


def test_targets_of_training_are_the_oracle_at_every_position() -> None:
    words = np.random.default_rng(0).integers(0, 5, (20, 12))
    found, matched = (np.asarray(each) for each in jax.vmap(targets)(jnp.asarray(words)))
    for end in range(12):
        truth = follower(words[:, : end + 1], none=-1)
        np.testing.assert_array_equal(np.where(matched, found, -1)[:, end], truth)


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadInput, match="nothing to tell apart"):
        sign_codes(1)
    with pytest.raises(BadInput, match="no word to look into"):
        induction_head(0, one_hot_codes(3))
    settings = {**SANDBOX.settings(Budget.SMOKE), "symbols": 1}
    with pytest.raises(BadInput, match="no induction head"):
        SANDBOX.claims(settings)
    with pytest.raises(BadInput, match="no induction head"):
        SANDBOX.measure(settings, lambda progress: None)


@pytest.mark.slow
def test_every_claim_holds_on_a_cpu() -> None:
    settings = SANDBOX.settings(Budget.CPU)
    rows = compare(SANDBOX.claims(settings), SANDBOX.measure(settings, lambda progress: None))
    assert [row.claim.quantity for row in rows if not row.agrees] == []
