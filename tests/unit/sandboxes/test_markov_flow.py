"""The flow of two parameters: numbers of the specification, and formulas against brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.markov_flow import MarkovFlow
from foretell.worlds.binary_chain import entropy_rate
from foretell.worlds.markov_energy import (
    SADDLE,
    SADDLE_ENERGY,
    attention_slope,
    best_slope,
    border_line,
    energy,
    excess,
    minima_line,
    trap_probability,
    trapped,
)


def brute_force_loss(e: float, w: float, a: float, p: float, q: float, length: int) -> float:
    """Mean over positions and over all sequences; the bias is the best one at a = 0."""
    rise = e**2 * (1 + 2 * w * abs(w))
    root = np.sqrt((p - q) ** 2 + 4 * p * q * np.exp(rise))
    bias = e**2 / 2 + np.log((p - q + root) / (2 * q * np.exp(rise)))
    moves, start = np.array([[1 - p, p], [q, 1 - q]]), np.array([q, p]) / (p + q)
    total = 0.0
    for word in itertools.product((0, 1), repeat=length):
        chance = start[word[0]] * np.prod([moves[pair] for pair in itertools.pairwise(word)])
        for n in range(1, length + 1):
            last, mean = word[n - 1], np.mean(word[:n])
            stream = (last - 0.5) + a * (mean - 0.5)
            logit = e**2 * (stream + 4 * w * abs(w) * max(stream, 0)) + bias
            right = moves[last, 1] * np.log1p(np.exp(-logit))
            total += chance * (right + moves[last, 0] * np.log1p(np.exp(logit))) / length
    return float(total)


@pytest.mark.parametrize(
    ("spread", "often", "seldom"),
    [(0.02, 1, 0), (0.1, 1, 0), (0.5, 0.8116, 0.0321), (1, 0.6192, 0.1133), (2, 0.5349, 0.1837)],
)
def test_the_chance_of_a_trap_is_that_of_the_specification(
    spread: float, often: float, seldom: float
) -> None:
    # the specification's numbers were sampled: they are right to about 0.001
    assert trap_probability(float(spread), switching=True) == pytest.approx(often, abs=1.2e-3)
    assert trap_probability(float(spread), switching=False) == pytest.approx(seldom, abs=1.2e-3)


@pytest.mark.parametrize("switching", [True, False])
def test_the_chance_of_a_trap_is_the_weight_of_the_trapped_set(switching: bool) -> None:
    drawn = 0.8 * np.random.default_rng(0).normal(size=(2, 400_000))
    share = trapped(*drawn, switching=switching).mean()
    assert trap_probability(0.8, switching=switching) == pytest.approx(share, abs=3e-3)


def test_energy_at_the_saddle_and_on_the_border() -> None:
    assert pytest.approx(-0.84657, abs=5e-6) == SADDLE_ENERGY
    assert float(energy(np.array(0.0), np.array(SADDLE))) == pytest.approx(SADDLE_ENERGY)
    w = np.array([-1.5, -0.9, -0.3])
    np.testing.assert_allclose(energy(border_line(w), w), SADDLE_ENERGY)


def test_the_good_start_is_trapped_on_no_chain_and_the_origin_only_if_it_switches_often() -> None:
    good, near = (np.array([each]) for each in (0.5, -1.0)), (np.array([0.01]), np.array([-0.01]))
    e, w = good
    assert energy(e, w)[0] == -0.75
    assert not trapped(e, w, switching=True)[0] and not trapped(e, w, switching=False)[0]
    assert trapped(*near, switching=True)[0] and not trapped(*near, switching=False)[0]
    assert trapped(np.array([2.0]), np.array([0.0]), switching=True)[0]


@pytest.mark.parametrize(("p", "q"), [(0.2, 0.3), (0.5, 0.8)])
def test_the_force_vanishes_at_the_minima_and_is_the_curvature_of_the_landscape_at_zero(
    p: float, q: float
) -> None:
    assert excess(np.exp(best_slope(p, q)), p, q) == pytest.approx(0, abs=1e-12)
    assert excess(1.0, p, q) == pytest.approx(p * q / (p + q) ** 2 * (p + q - 1))
    w = -0.4 if p + q < 1 else -1.2
    e = float(minima_line(np.array([w]), p, q)[0])
    assert brute_force_loss(e, w, 0.0, p, q, 1) == pytest.approx(entropy_rate(p, q))
    assert np.isnan(minima_line(np.array([-w]), p, q)[0]) == (p + q > 1)


@pytest.mark.parametrize(("p", "q", "w"), [(0.2, 0.3, -0.4), (0.9, 0.9, -0.4), (0.5, 0.8, 0.0)])
def test_the_slope_along_attention_is_that_of_all_sequences_enumerated(
    p: float, q: float, w: float
) -> None:
    step, length = 1e-5, 5
    above, below = (brute_force_loss(0.7, w, a, p, q, length) for a in (step, -step))
    formula = attention_slope(0.7, w, p, q, length)[-1]
    assert formula == pytest.approx((above - below) / (2 * step), abs=1e-9)


def test_the_slope_along_attention_dies_out_only_if_p_is_q_or_w_is_zero() -> None:
    far = {
        chain: abs(attention_slope(0.3, -0.4, *chain, 100_000)[-1])
        for chain in [(0.9, 0.9), (0.5, 0.8)]
    }
    assert far[0.9, 0.9] < 1e-5 < 4e-4 < far[0.5, 0.8]
    assert abs(attention_slope(0.3, 0.0, 0.5, 0.8, 100_000)[-1]) < 1e-5


def test_a_probability_outside_is_refused() -> None:
    settings = MarkovFlow().settings(Budget.SMOKE)
    with pytest.raises(BadInput, match="q is no switching probability"):
        MarkovFlow().claims({**settings, "chains": [[0.5, 1.0]]})


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_every_claim_holds_on_a_cpu(seed: int) -> None:
    sandbox = MarkovFlow()
    settings = {**sandbox.settings(Budget.CPU), "seed": seed}
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert [row for row in rows if not row.agrees] == []
