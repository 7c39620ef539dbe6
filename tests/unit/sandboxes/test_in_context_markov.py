"""Bayes by enumeration, and the table as the CPU budget makes it."""

from __future__ import annotations

import numpy as np
import pytest

from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.in_context_markov import (
    InContextMarkov,
    enumerate_losses,
    word_law,
)
from foretell.worlds.chains import every_word


def test_the_law_of_words_sums_to_one_and_is_that_of_urns() -> None:
    words = every_word(2, 5)
    law = word_law(words, 0.5)
    assert np.isclose(law.sum(), 1)
    # 0, then 0 again from an urn of (.5, .5), then 0 from (1.5, .5), then 1 from (2.5, .5),
    # then 1 from the other urn, still (.5, .5)
    chance = 0.5 * 0.5 * 0.75 * (0.5 / 3) * 0.5
    assert np.isclose(law[words.tolist().index([0, 0, 0, 1, 1])], chance)


@pytest.mark.parametrize("alpha", [0.3, 1.0])
def test_bayes_is_below_every_other_estimator_on_all_words(alpha: float) -> None:
    found = enumerate_losses(6, alpha)
    law = word_law(every_word(2, 6), alpha)
    total, lead = found.values()
    assert abs(total - (-law @ np.log(law) - np.log(2))) < 1e-8
    assert lead >= -1e-12


def test_predictions_of_the_table() -> None:
    sandbox = InContextMarkov()
    settings = sandbox.settings(Budget.CPU)
    said = {claim.quantity: claim.predicted for claim in sandbox.claims(settings)}
    assert abs(said["S=2, n=2: 1-gram level"] - 0.563827) < 1e-6
    assert abs(said["S=3, n=2: loss of the 2-gram at the end"] - 0.845) < 0.01
    assert abs(said["S=2, n=2: loss of the 2-gram at the end"] - 0.491) < 0.001
    assert said["S=2, n=2: 2-gram level"] < said["S=2, n=2: mean entropy of a row"]
    assert "S=3, n=3: loss of the 3-gram at the end" not in said  # too short a word


@pytest.mark.slow
def test_every_claim_holds_on_a_cpu() -> None:
    sandbox = InContextMarkov()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert [row.claim.quantity for row in rows if not row.agrees] == []
