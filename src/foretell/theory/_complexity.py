"""What one prediction of a model costs as inputs grow, by regime, with a certificate that recounts.

Costs are polynomials in T with whole coefficients, so their degree is found exactly: the first
order of differences at T = 1, 2, 3, … that is constant. Fitted exponents stand beside it, since
they are what one sees at sizes one can run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np

from foretell.core.architecture import Architecture
from foretell.core.prediction import Certificate, Checked
from foretell.kernels.cost import ForwardPass, fitted_exponent, kernel_operations
from foretell.tasks.complexity import Order

LENGTHS = (64, 256, 1024, 4096, 16384)
HIDDEN = 4  # times the width: the MLP of our transformers
BLOCK = 1 + 2 * HIDDEN  # square matrices of a block beside its recurrence: output and MLP
MATRICES = {"rnn": 2, "elman": 2 + BLOCK, "gru": 6 + BLOCK, "lstm": 8 + BLOCK}
MATRICES |= dict.fromkeys(("ssm", "ssm-signed"), 3 + BLOCK)
HYBRID = "hybrid"
MOST_DEGREE = 6


@final
@dataclass(frozen=True)
class Shape:
    """What the counts need of an architecture."""

    kind: str
    layers: int
    heads: int
    width: int

    @staticmethod
    def of(architecture: Architecture) -> Shape:
        """The shape of that architecture."""
        return Shape(architecture.kind, architecture.layers, architecture.heads, architecture.width)

    @property
    def regime(self) -> str | None:
        """How a model of this kind answers; None where inputs have one length."""
        if self.kind in MATRICES:
            return "recurrent pass"
        return "forward pass" if self.kind == HYBRID or self.is_transformer else None

    @property
    def is_transformer(self) -> bool:
        """Does every layer attend?"""
        return self.kind.startswith("transformer")


def forward(shape: Shape, length: int) -> int:
    """A transformer's pass over one input: all pairs of tokens meet, in a hybrid once."""
    part = max(1, shape.width // shape.heads)
    attending = 1 if shape.kind == HYBRID else shape.layers
    attention = ForwardPass(
        length=length,
        width=shape.width,
        heads=shape.heads,
        key_width=part,
        value_width=part,
        hidden=HIDDEN * shape.width,
        layers=attending,
    ).operations
    beside = Shape("ssm", shape.layers - attending, 1, shape.width)
    return attention + recurrent(beside, length)


def limited(shape: Shape, length: int) -> int:
    """The same pass if attention had at most the rank of its keys: no pairs, one sum for all."""
    part = max(1, shape.width // shape.heads)
    pairs = ForwardPass(
        length=1,
        width=shape.width,
        heads=shape.heads,
        key_width=part,
        value_width=part,
        hidden=HIDDEN * shape.width,
        layers=shape.layers,
    ).operations
    return length * (pairs + shape.layers * shape.heads * 4 * part * part)


def kernel(shape: Shape, length: int) -> int:
    """One draw of the kernel of the infinitely wide model, for one pair of inputs."""
    return kernel_operations(length, shape.width, draws=1, layers=shape.layers)


def recurrent(shape: Shape, length: int) -> int:
    """A recurrent pass: so many square matrices a layer and a token."""
    return length * shape.layers * MATRICES.get(shape.kind, 2) * 2 * shape.width**2


REGIMES: dict[str, Callable[[Shape, int], int]] = {
    "kernel by Monte Carlo": kernel,
    "forward pass": forward,
    "rank-limited attention": limited,
    "recurrent pass": recurrent,
}


def degree(cost: Callable[[int], int]) -> int:
    """The degree of a polynomial, from its values at whole numbers.

    >>> degree(lambda length: 3 * length**2 + 1000 * length)
    2
    """
    values = np.array([cost(length) for length in range(1, MOST_DEGREE + 4)], dtype=object)
    for order in range(MOST_DEGREE + 1):
        if len(set(values)) == 1:
            return order
        values = np.diff(values)
    raise ArithmeticError(f"this cost is no polynomial of degree {MOST_DEGREE} or less")


def inference(shape: Shape, regime: str) -> Order:
    """The order of a prediction's cost in that regime.

    >>> shape = Shape("transformer", 2, 4, 64)
    >>> [str(inference(shape, each)) for each in tuple(REGIMES)[:3]]
    ['T^3', 'T^2', 'T']
    """
    power = degree(lambda length: REGIMES[regime](shape, length))
    return Order(False, Fraction(power), Fraction(0))


def counts(shape: Shape, regime: str) -> tuple[int, ...]:
    """Operations at `LENGTHS`."""
    return tuple(REGIMES[regime](shape, length) for length in LENGTHS)


@final
@dataclass(frozen=True)
class CostCertificate(Certificate):
    """Operations at several lengths, their order, and whether the task's order is above it."""

    shape: Shape
    regime: str
    declared: str
    bound: str
    operations: tuple[int, ...]
    exponent: float
    above: bool

    @staticmethod
    def of(shape: Shape, regime: str, declared: Order) -> CostCertificate:
        """Count, and compare."""
        bound, operations = inference(shape, regime), counts(shape, regime)
        exponent = fitted_exponent(LENGTHS, operations)
        above = declared.exceeds(bound)
        return CostCertificate(
            shape, regime, str(declared), str(bound), operations, exponent, above
        )

    @property
    def summary(self) -> str:
        """In a few words."""
        relation = "above" if self.above else "not above"
        return f"{self.declared} is {relation} {self.bound}, the cost of a {self.regime}"

    def check(self) -> Checked:
        """Count again, and compare the polynomial's growth far out with the order claimed."""
        again = CostCertificate.of(self.shape, self.regime, Order.parse(self.declared))
        far = 10**12, 10**13
        costs = [float(REGIMES[self.regime](self.shape, each)) for each in far]
        last = fitted_exponent(far, costs)
        claimed = float(Order.parse(self.bound).power)
        holds = again == self and abs(last - claimed) < 1e-3
        how = (
            f"counted again: {again.summary}; the exponent is {again.exponent:.3f} from "
            f"T = {LENGTHS[0]} to {LENGTHS[-1]:,} and {last:.4f} at T = 10^12"
        )
        return Checked(holds, how)

    def as_json(self) -> dict[str, Any]:
        """Everything that a check needs."""
        return {
            "type": "inference-cost",
            "regime": self.regime,
            "shape": vars(self.shape),
            "lengths": list(LENGTHS),
            "operations": list(self.operations),
            "exponent": self.exponent,
            "declared": self.declared,
            "inference": self.bound,
            "above": self.above,
        }
