"""A covering-number bound for the same construction, as a comparison that leans its way.

Each layer's weights are replaced by the nearest of finitely many; an error ε_l in the output of
layer l reaches the network's output as ρ_l·ε_l. With inputs of norm B_l and weights of (2,1)-norm
M_l the best split of the errors gives

    gap ≤ √(C/n),   C = (Σ_l (ρ_l·B_l·M_l)^⅔)³ · ln(D·n·(T+1)).

All absolute constants of covering, chaining and the loss are set to 1, so a full proof gives more.

The paper quotes 1.01 for its example (2-parities tiling 20 bits, 10⁶ samples). Its formula cannot
be restored from the text, and no reading tried here comes near: quote it, do not rely on it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, final

import numpy as np

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.numbers import Real
from foretell.boolean.bounds.risk_bound import TRIVIAL
from foretell.boolean.bounds.terms import Form, Ramp, activation_energy, norm_blocks
from foretell.plain.errors import BadInput

QUOTED = 1.01  # published, not reproducible


class Reading(StrEnum):
    """What is known of the networks in the class."""

    CONSTRUCTION = "construction"  # activations and slopes as in the construction: favourable
    NORMS = "norms"  # only that no block of weights has a larger norm


class Layer(NamedTuple):
    """One block of weights: ρ, B and M."""

    name: str
    lipschitz: float
    input: float
    weights: float

    @property
    def product(self) -> float:
        """ρ·B·M."""
        return self.lipschitz * self.input * self.weights


@final
@dataclass(frozen=True, kw_only=True)
class CoveringBound:
    """A bound on the gap between training and true loss."""

    family: FunctionClass
    samples: Real
    reading: Reading
    layers: tuple[Layer, ...]

    @property
    def complexity(self) -> float:
        """C."""
        width, places = self.family.bits + 2, self.family.bits + 1
        sizes = np.array([layer.product for layer in self.layers])
        return float(np.sum(np.cbrt(sizes) ** 2) ** 3) * math.log(width * self.samples * places)

    @property
    def value(self) -> float:
        """√(C/n)."""
        return math.sqrt(self.complexity / self.samples)

    @property
    def vacuous(self) -> bool:
        """True if answering one constant is known to do as well."""
        return not self.value < TRIVIAL


def covering(
    family: FunctionClass, samples: Real, reading: Reading = Reading.CONSTRUCTION
) -> CoveringBound:
    """The bound for the published (narrow) construction.

    >>> tiling = FunctionClass(degree=2, sparsity=10, bits=20)
    >>> round(covering(tiling, 1e6).value), covering(tiling, 1e6).vacuous
    (189, True)
    """
    if not 1 <= samples < math.inf:
        raise BadInput("a bound needs at least one sample", seen=samples)
    norms = {
        name: math.sqrt(squared) for name, squared in norm_blocks(family, Form.CORRECTED).items()
    }
    find = _at_construction if Reading(reading) is Reading.CONSTRUCTION else _by_norms
    return CoveringBound(
        family=family, samples=samples, reading=Reading(reading), layers=find(family, norms)
    )


def _weights(family: FunctionClass, norms: dict[str, float]) -> dict[str, float]:
    """(2,1)-norms: at most the Frobenius norm times the root of the number of outputs."""
    wide, hidden = math.sqrt(family.bits + 2), math.sqrt(4 * (family.degree + 1))
    return {
        "value 2": norms["value 2"],
        "attention 2": norms["attention 2"] * wide,
        "output": norms["output"] * wide,
        "hidden": math.hypot(norms["hidden"], norms["bias"]) * hidden,
        "value 1": norms["value 1"] * wide,
        "attention 1": norms["attention 1"] * wide,
    }


def _at_construction(family: FunctionClass, norms: dict[str, float]) -> tuple[Layer, ...]:
    """Sizes at the construction: an embedding is a place and a bit, the MLP's answer is in [0, 1].

    A change d of attention logits moves an average of numbers in [0, c] by their covariance with
    d, at most c/2 times the largest change.
    """
    place = math.sqrt(2)
    total = norms["value 2"]
    slope = total * Ramp.NARROW.slope(family.degree)
    answer = total * (1 + place * norms["attention 2"])
    activation = math.sqrt(activation_energy(family.degree, Ramp.NARROW))
    weights = _weights(family, norms)
    return (
        Layer("value 2", 1.0, place, weights["value 2"]),
        Layer("attention 2", total / 2 * place, place, weights["attention 2"]),
        Layer("output", answer, activation, weights["output"]),
        Layer("hidden", total * norms["output"], place, weights["hidden"]),
        Layer("value 1", slope, place, weights["value 1"]),
        Layer("attention 1", slope / 2 * place, place, weights["attention 1"]),
    )


def _by_norms(family: FunctionClass, norms: dict[str, float]) -> tuple[Layer, ...]:
    """Every size as large as the norms of the blocks before it allow."""
    place = math.sqrt(2)
    attended = norms["value 1"] * place
    activation = norms["hidden"] * attended + norms["bias"]
    answer = 1 + norms["output"] * activation
    total = norms["value 2"]
    after_output = total * (1 + 2 * norms["attention 2"] * answer**2)
    after_hidden = after_output * norms["output"]
    after_attention = after_hidden * norms["hidden"]
    weights = _weights(family, norms)
    return (
        Layer("value 2", 1.0, answer, weights["value 2"]),
        Layer("attention 2", total * answer**2, answer, weights["attention 2"]),
        Layer("output", after_output, activation, weights["output"]),
        Layer("hidden", after_hidden, math.hypot(attended, 1), weights["hidden"]),
        Layer("value 1", after_attention, place, weights["value 1"]),
        Layer("attention 1", after_attention * attended * place, place, weights["attention 1"]),
    )
