"""Constructions of the k-gram: every claim of the CPU preset."""

from __future__ import annotations

import pytest

from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.k_gram_constructions import (
    AT,
    CONSTRUCTIONS,
    KGramConstructions,
    counted,
    largest_error,
    uniform_words,
)


def test_an_error_is_measured_against_the_count_itself() -> None:
    words = uniform_words(2, 32, 2, 0)
    truth = counted(words, 1, 2)
    network = CONSTRUCTIONS["2 layers, k heads"].build(1, 2, 32)
    assert largest_error(network, words, truth, 60.0) < 1e-12
    assert largest_error(network, words, 1 - truth, 60.0) > 0.1


def test_claims_can_fail() -> None:
    sandbox = KGramConstructions()
    claims = {claim.quantity: claim for claim in sandbox.claims(sandbox.settings(Budget.CPU))}
    assert not claims[f"3 layers, 1 head, norm: {AT}"].holds(2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_the_run_on_a_cpu_holds_every_claim(seed: int) -> None:
    sandbox = KGramConstructions()
    settings = sandbox.settings(Budget.CPU) | {"seed": seed}
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert [row.claim.quantity for row in rows if not row.agrees] == []
