"""Many cells at once, to be asked what their states know: random ones, registers, attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from foretell.models.layers import Linear
from foretell.models.recurrent import Elman

SATURATING = 40.0  # a unit of a shift register is at -1 or 1


class Sizes(NamedTuple):
    """Of each member of a fleet: numbers kept and bits for each."""

    numbers: Int[np.ndarray, " member"]
    precision: Int[np.ndarray, " member"]

    @property
    def bits(self) -> Int[np.ndarray, " member"]:
        """Width × precision."""
        return self.numbers * self.precision


def random_cells(count: int, hidden: int, seed: int) -> Elman:
    """Cells as a fleet; some forget at once, some are chaotic, and the units have biases."""
    drawn = np.random.default_rng([seed, 2])
    gain = drawn.uniform(0.3, 3.0, (count, 1, 1))
    states = gain * drawn.normal(size=(count, hidden, hidden)) / hidden**0.5
    weight, bias = gain * drawn.normal(size=(count, 1, hidden)), drawn.normal(size=(count, hidden))
    return _elman(weight, bias, states)


def shift_registers(hidden: int) -> Elman:
    """A register of each width: unit 1 takes the bit, each other unit what the one before had."""
    first, passed_on = SATURATING * np.eye(1, hidden), SATURATING * np.eye(hidden, k=1)
    repeated = (np.stack([each] * hidden) for each in (first, np.zeros(hidden), passed_on))
    return _elman(*repeated)


def _elman(weight: np.ndarray, bias: np.ndarray, states: np.ndarray) -> Elman:
    """From NumPy: nothing has to be compiled to make weights."""
    given = (jnp.asarray(each, jnp.float32) for each in (weight, bias, states))
    return jax.vmap(lambda weight, bias, states: Elman(Linear(weight, bias), states))(*given)


def attention_summaries(
    words: Int[np.ndarray, "batch bit"], count: int, precision: Sequence[int], seed: int
) -> tuple[Int[np.ndarray, "member batch part"], Sizes]:
    """Sums over the word's positions with weights and values of their own; last a binary number."""
    bits, most = words.shape[1], (2, 5)  # heads; numbers of each, the last being the denominator
    drawn = np.random.default_rng([seed, 1])
    weights = np.exp(2 * drawn.normal(size=(count, most[0], 1, bits, 2)))
    values = drawn.normal(size=(count, *most, bits, 2))
    values[:, :, -1] = 1.0
    chosen = np.stack([1 - words, words], axis=-1)
    sums = np.einsum("chmjb,wjb->cwhm", weights * values, chosen)
    heads, width = drawn.integers(1, most[0] + 1, count), drawn.integers(1, most[1], count)
    used = (np.arange(most[0]) < heads[:, None])[..., None] & (
        (np.arange(most[1]) < width[:, None]) | (np.arange(most[1]) == most[1] - 1)
    )[:, None]
    rounding = drawn.integers(precision[0], precision[1] + 1, count)
    numbers = (sums * used[:, None]).reshape(count, len(words), -1)
    binary = np.zeros((1, len(words), numbers.shape[2]))
    binary[0, :, 0] = words @ 2.0 ** np.arange(bits)  # its denominator is always the same
    sizes = Sizes(np.append(heads * (width + 1), 2), np.append(rounding, bits))
    return _rounded(np.concatenate([numbers, binary]), sizes.precision), sizes


def _rounded(
    numbers: Float[np.ndarray, "member batch part"], precision: Int[np.ndarray, " member"]
) -> Int[np.ndarray, "member batch part"]:
    """To 2^p levels between the least and the largest value of each number."""
    least, most = numbers.min(axis=1, keepdims=True), numbers.max(axis=1, keepdims=True)
    share = (numbers - least) / np.where(most > least, most - least, 1.0)
    levels = 2.0 ** precision[:, None, None]
    return np.minimum(np.floor(share * levels), levels - 1).astype(np.int64)
