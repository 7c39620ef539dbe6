from __future__ import annotations

import numpy as np
import pytest

from foretell.boolean.bounds.sub_gaussian import Tail, prior_constant, sub_gaussian
from foretell.plain.errors import BadInput


def test_rademacher() -> None:
    signs = np.tile([-0.5, 0.5], 5000)
    assert sub_gaussian(signs).constant == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize("p", [0.05, 0.2])
def test_bernoulli_has_a_known_constant(p: float) -> None:
    losses = (np.arange(1000) < 1000 * p).astype(float)
    exact = np.sqrt((1 - 2 * p) / (2 * np.log((1 - p) / p)))
    found = sub_gaussian(losses)
    assert found.constant == pytest.approx(exact, abs=1e-6)
    assert found.at == pytest.approx(2 * np.log((1 - p) / p), rel=1e-3)
    assert not found.at_the_edge


def test_uniform_and_normal() -> None:
    random = np.random.default_rng(0)
    assert sub_gaussian(random.random(10_000)).constant == pytest.approx(12**-0.5, abs=3e-3)
    normal = sub_gaussian(1 + random.normal(0, 0.3, 10_000)).constant
    assert normal == pytest.approx(0.3, abs=6e-3)


@pytest.mark.parametrize("spread", [0.05, 0.1, 0.14])
def test_a_squared_error_is_heavy_above_its_mean_and_light_below(spread: float) -> None:
    losses = np.square(np.random.default_rng(1).normal(0, spread, 10_000))
    both, lower = sub_gaussian(losses), sub_gaussian(losses, Tail.LOWER)
    assert lower.constant == pytest.approx(losses.std(), rel=1e-6)
    assert 1.8 * lower.constant < both.constant < 0.1
    narrow = sub_gaussian(losses, largest=both.largest / 20)
    assert lower.constant <= narrow.constant < both.constant, "the range of t decides"


def test_the_constant_dominates_on_the_whole_range() -> None:
    losses = np.random.default_rng(2).beta(0.5, 3, 2000)
    found = sub_gaussian(losses)
    t = np.linspace(-found.largest, found.largest, 1000)
    logs = np.log(np.mean(np.exp(t[:, None] * (losses - losses.mean())), axis=1))
    assert np.all(logs <= found.constant**2 * t**2 / 2 * (1 + 1e-9))
    smaller = 0.999 * found.constant
    assert np.any(logs > smaller**2 * t**2 / 2)


def test_scaling_and_shifting() -> None:
    losses = np.random.default_rng(3).exponential(size=500)
    once = sub_gaussian(losses, largest=2.0).constant
    assert sub_gaussian(3 * losses + 7, largest=2 / 3).constant == pytest.approx(3 * once)
    assert sub_gaussian(np.full(10, 0.3)).constant == 0


def test_long_samples_go_in_blocks() -> None:
    losses = np.random.default_rng(4).random(200_000)
    assert sub_gaussian(losses).constant == pytest.approx(12**-0.5, abs=1e-3)


@pytest.mark.parametrize("losses", [[0.1], [], [0.1, np.nan], [0.1, np.inf]])
def test_losses_that_say_nothing(losses: list[float]) -> None:
    with pytest.raises(BadInput, match="at least two losses"):
        sub_gaussian(np.array(losses))


def test_other_bad_input() -> None:
    losses = np.array([0.0, 1.0])
    with pytest.raises(BadInput, match="range of t"):
        sub_gaussian(losses, largest=0.0)
    with pytest.raises(BadInput, match="5 points"):
        sub_gaussian(losses, points=2)
    with pytest.raises(BadInput, match="standard deviation"):
        prior_constant(-1.0)


def networks_of_the_prior(noise: float, words: np.ndarray, k: int, draws: int) -> np.ndarray:
    """What networks of the construction's shape answer, all weights drawn at random."""
    random, bits = np.random.default_rng(5), words.shape[1]
    width = bits + 2
    places = np.eye(bits + 1, width)
    x = np.broadcast_to(places, (len(words), bits + 1, width)).copy()
    x[:, :bits, -1] = words

    def soft(logits: np.ndarray) -> np.ndarray:
        weights = np.exp(logits - logits.max(-1, keepdims=True))
        return weights / weights.sum(-1, keepdims=True)

    found = []
    for _ in range(draws):
        first, second, value = noise * random.normal(size=(3, width, width))
        hidden, output = noise * random.normal(size=(2, 4 * (k + 1), width))
        bias, last = noise * random.normal(size=4 * (k + 1)), noise * random.normal(size=width)
        z = soft(x @ first @ x.swapaxes(1, 2)) @ x @ value.T
        y = places + np.maximum(z @ hidden.T + bias, 0) @ output
        logits = np.einsum("bd,de,bne->bn", y[:, bits], second, y)
        found.append(np.einsum("bn,bnd,d->b", soft(logits), y, last))
    return np.array(found)


@pytest.mark.parametrize("noise", [1e-3, 1e-2])
def test_networks_of_the_prior_need_a_large_constant(noise: float) -> None:
    words = (np.arange(256)[:, None] >> np.arange(8)) & 1
    random = np.random.default_rng(6)
    answers = networks_of_the_prior(noise, words, k=2, draws=20)
    for sparsity in (1, 4, 8):
        coefficients = np.abs(random.normal(size=sparsity))
        coefficients /= np.linalg.norm(coefficients)
        parities = np.stack(
            [1 - (words[:, i] + words[:, (i + 1) % 8]) % 2 for i in range(sparsity)]
        )
        losses = np.square(answers - coefficients @ parities)
        smallest = losses.std(axis=1).min()
        assert smallest >= prior_constant(noise, coefficients.sum()) >= prior_constant(noise)
        assert sub_gaussian(losses[0], Tail.LOWER).constant >= prior_constant(noise)
