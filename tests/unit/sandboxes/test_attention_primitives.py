"""Averaging and selecting: every claim of the CPU preset, and formulas by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.representation.attention_primitives import (
    AttentionPrimitives,
    gap_for,
    selected_weight,
)

SANDBOX = AttentionPrimitives()


@pytest.mark.parametrize("seed", [0, 1])
def test_every_claim_holds(seed: int) -> None:
    settings = SANDBOX.settings(Budget.CPU) | {"lengths": [8, 100], "seed": seed}
    rows = compare(SANDBOX.claims(settings), SANDBOX.measure(settings, lambda progress: None))
    assert [row for row in rows if not row.agrees] == []


def test_the_formula_by_hand() -> None:
    scores = np.array([3.0, 0.0, 0.0, 0.0])
    by_hand = math.exp(3) / np.exp(scores).sum()
    assert selected_weight(3.0, 4) == pytest.approx(by_hand)
    assert selected_weight(gap_for(0.01, 4), 4) == pytest.approx(0.99)
    assert selected_weight(0.0, 4) == 0.25


def test_a_claim_can_fail() -> None:
    claims = {claim.quantity: claim for claim in SANDBOX.claims(SANDBOX.settings(Budget.CPU))}
    assert not claims["uniform: largest difference from the mean"].holds(1e-9)
    assert not claims["selection: least weight above 1 - (T-1)exp(-κ)"].holds(-1e-9)


@pytest.mark.parametrize(("missed", "length"), [(0.0, 8), (1.0, 8), (0.1, 1)])
def test_bad_input(missed: float, length: int) -> None:
    with pytest.raises(BadInput, match="nothing to be ahead of"):
        gap_for(missed, length)
