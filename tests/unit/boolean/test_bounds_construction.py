"""The terms against the weights and gradients of the construction itself."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.terms import (
    Form,
    Ramp,
    full_sharpness,
    last_row_sharpness,
    norm_term,
    sharpness_term,
)

Weights = dict[str, jax.Array]


def weights_of(
    sets: list[list[int]], coefficients, bits: int, ramp: Ramp, second: float
) -> Weights:
    k, log, width = len(sets[0]), np.log(bits), bits + 2
    centre = np.arange(k + 1) / k
    hinge = np.array(ramp.hinges) / k
    attention1, attention2 = np.zeros((width, width)), np.zeros((width, width))
    for place, each in enumerate(sets):
        attention1[place, each] = 2 * log
        attention2[bits, place] = np.log(coefficients[place]) + second * log
    output, hidden = np.zeros((width, 4 * (k + 1))), np.zeros((4 * (k + 1), width))
    even = (np.arange(k + 1) % 2 == 0)[:, None] * np.array([1.0, -1.0, -1.0, 1.0])
    output[-1], hidden[:, -1] = (ramp.slope(k) * even).ravel(), 1
    value1, value2 = np.zeros((width, width)), np.zeros(width)
    value1[-1, -1], value2[-1] = 1, np.sum(coefficients)
    found = {"attention 1": attention1, "value 1": value1, "hidden": hidden, "output": output}
    found |= {"bias": -(centre[:, None] + hinge).ravel()}
    found |= {"attention 2": attention2, "value 2": value2}
    return {name: jnp.asarray(each, jnp.float32) for name, each in found.items()}


def answer(weights: Weights, word: jax.Array) -> jax.Array:
    bits = len(word)
    places = jnp.eye(bits + 1, bits + 2)
    x = places.at[:bits, -1].set(word)
    z = jax.nn.softmax(x @ weights["attention 1"] @ x.T) @ x @ weights["value 1"].T
    y = places + jax.nn.relu(z @ weights["hidden"].T + weights["bias"]) @ weights["output"].T
    return jax.nn.softmax(y[bits] @ weights["attention 2"] @ y.T) @ y @ weights["value 2"]


def sets_of(family: FunctionClass) -> list[list[int]]:
    """Windows of neighbours, round the end: as many different ones as there are bits."""
    steps = range(family.sparsity)
    return [[(at + step) % family.bits for step in range(family.degree)] for at in steps]


def gradients(family: FunctionClass, ramp: Ramp, second: float) -> tuple[np.ndarray, np.ndarray]:
    """Squared gradients at 200 inputs: of all weights, and with only the output's last row."""
    coefficients = np.full(family.sparsity, family.sparsity**-0.5)
    weights = weights_of(sets_of(family), coefficients, family.bits, ramp, second)
    words = np.random.default_rng(0).integers(0, 2, (200, family.bits)).astype(np.float32)
    words[0], words[1] = 0, 1
    found = jax.jit(jax.vmap(jax.grad(answer), (None, 0)))(weights, words)
    by_block = {
        name: np.sum(np.square(each), tuple(range(1, each.ndim))) for name, each in found.items()
    }
    rows = np.sum(np.square(found["output"][:, :-1]), (1, 2))
    everything = sum(by_block.values())
    return np.asarray(everything), np.asarray(everything - rows)


def test_the_published_norm_is_too_small_for_its_own_weights() -> None:
    family = FunctionClass(degree=2, sparsity=10, bits=20)
    sets = [[2 * i, 2 * i + 1] for i in range(10)]
    squared = {}
    for ramp in Ramp:
        weights = weights_of(sets, np.full(10, 10**-0.5), 20, ramp, second=2)
        squared[ramp] = sum(
            float(np.sum(np.square(np.asarray(each, float)))) for each in weights.values()
        )
    assert squared[Ramp.NARROW] == pytest.approx(1492.694, abs=0.01)
    assert squared[Ramp.WIDE] == pytest.approx(1109.163, abs=0.01)
    assert norm_term(family, Form.PUBLISHED) < squared[Ramp.NARROW] <= norm_term(family)
    assert squared[Ramp.WIDE] <= norm_term(family, ramp=Ramp.WIDE)


def test_this_is_the_construction() -> None:
    family = FunctionClass(degree=3, sparsity=5, bits=8)
    words = ((np.arange(256)[:, None] >> np.arange(8)) & 1).astype(np.float32)
    sets = sets_of(family)
    target = sum(1 - words[:, each].sum(1) % 2 for each in sets) / np.sqrt(5)
    for ramp in Ramp:
        weights = weights_of(sets, np.full(5, 5**-0.5), 8, ramp, second=4)
        found = jax.vmap(answer, (None, 0))(weights, words)
        assert np.abs(found - target).max() <= (8 + 1 - 5) * 8.0**-4 * 1.01


@pytest.mark.parametrize("ramp", list(Ramp))
@pytest.mark.parametrize(
    ("degree", "sparsity", "bits"), [(1, 1, 20), (1, 20, 20), (2, 7, 20), (3, 20, 20), (5, 14, 20)]
)
def test_every_sharpness_term_holds_at_twenty_bits(
    degree: int, sparsity: int, bits: int, ramp: Ramp
) -> None:
    family = FunctionClass(degree=degree, sparsity=sparsity, bits=bits)
    everything, last_row = gradients(family, ramp, second=4)
    logits = 4 * np.log(bits) - np.log(sparsity) / 2
    attention = (sparsity * logits**2, logits)
    assert everything.max() <= full_sharpness(family, ramp, attention=attention)
    assert last_row.max() <= last_row_sharpness(family, ramp)
    assert last_row.max() <= sharpness_term(family)


@pytest.mark.parametrize("ramp", list(Ramp))
def test_the_published_sharpness_fails_for_many_single_bits(ramp: Ramp) -> None:
    family = FunctionClass(degree=1, sparsity=64, bits=64)
    everything, last_row = gradients(family, ramp, second=2)
    assert last_row.max() <= last_row_sharpness(family, ramp) < sharpness_term(family)
    assert 1.1 * sharpness_term(family) < everything.max() <= full_sharpness(family, ramp)
