"""A bound on the risk as a value: its parts, what it rests on, and whether it says anything."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.numbers import Real
from foretell.boolean.bounds.sub_gaussian import prior_constant
from foretell.boolean.bounds.terms import Form, Sizes, full_sharpness
from foretell.core.prediction import Assumption, Bound, Standing
from foretell.plain.errors import BadInput

TRIVIAL = 0.25  # the risk of the best constant: the variance at l2 norm 1
NORM = "domination in norm: the network has at most the construction's squared norm"
SHARPNESS = "domination in sharpness: the network's Hessian has at most the construction's trace"
INTERPOLATION = "interpolation: the training loss of the network is 0"
COEFFICIENTS = "coefficients: each is at least bits⁻⁴"
TRAINED_TAIL = "sub-Gaussian loss: the constant holds for the trained network"
PRIOR_TAIL = "sub-Gaussian loss: the constant holds for almost every network of the prior"
GRADIENT = "sharpness term: no gradient of the construction is left out"

WRONG_NORM = (
    "the published norm term allows 16k²(k+1) for the MLP's output weights, whose squares sum to "
    "64k²(⌊k/2⌋+1)"
)
WRONG_TAIL = (
    "the proof averages over networks drawn from the prior, so the sub-Gaussian constant has to "
    "hold for them and not only for the trained one; they answer about 0, which needs 1/2 or more"
)


@final
@dataclass(frozen=True, kw_only=True)
class Setting:
    """How many samples there are, the loss's sub-Gaussian constant, and the risk of being wrong.

    >>> Setting(samples=8192, constant=0.01).log_confidence > 0
    True
    """

    samples: Real
    constant: Real
    delta: Real = 0.05

    def __post_init__(self) -> None:
        if not 1 <= self.samples < math.inf:
            raise BadInput("a bound needs at least one sample", seen=self.samples)
        if not 0 < self.constant < math.inf:
            raise BadInput("the sub-Gaussian constant is larger than 0", seen=self.constant)
        if not 0 < self.delta < 1:
            raise BadInput(
                "delta lies strictly between 0 and 1",
                seen=self.delta,
                why="it is the probability that the bound fails",
                hint="0.05",
            )

    @property
    def log_confidence(self) -> float:
        """ln(1/delta)."""
        return -math.log(self.delta)


@final
@dataclass(frozen=True, kw_only=True)
class RiskBound:
    """What the expected squared error of the network, with noise on its weights, cannot exceed.

    `norm_limit` and `trace_limit` are what the assumptions of domination compare with.
    """

    name: str
    form: Form
    family: FunctionClass
    setting: Setting
    noise: float  # standard deviation
    sharpness: float
    perturbation: float
    norm: float
    confidence: float  # what delta adds
    norm_limit: float  # of the squared norm
    trace_limit: float  # of the Hessian's trace
    assumptions: tuple[Assumption, ...]
    reason: str  # how published and corrected form differ

    @property
    def value(self) -> float:
        """The sum of all parts."""
        return self.sharpness + self.perturbation + self.norm + self.confidence

    @property
    def vacuous(self) -> bool:
        """True if answering one constant is known to do as well."""
        return not self.value < TRIVIAL

    @property
    def beyond_one(self) -> bool:
        """True if it does not even reach the weaker mark of 1, which some authors use."""
        return not self.value < 1

    @property
    def violated(self) -> bool:
        """True if an assumption is known to fail: then the number means nothing."""
        return any(each.standing is Standing.VIOLATED for each in self.assumptions)

    def as_bound(self) -> Bound:
        """What a prediction carries."""
        return Bound(f"risk ({self.name}, {self.form})", self.value, TRIVIAL)

    def against(
        self,
        *,
        norm: Real | Sequence[Real] | None = None,
        trace: Real | Sequence[Real] | None = None,
        training_loss: Real | Sequence[Real] | None = None,
        tolerance: Real = 0,
    ) -> RiskBound:
        """The same bound with its assumptions compared with trained networks, the worst deciding.

        `norm` is the Euclidean norm (not squared); a training loss up to `tolerance` counts as 0.
        """
        checks = {
            NORM: (None if norm is None else np.square(norm), self.norm_limit),
            SHARPNESS: (trace, self.trace_limit),
            INTERPOLATION: (training_loss, tolerance),
        }
        standings = {
            text: _standing(measured, limit)
            for text, (measured, limit) in checks.items()
            if measured is not None
        }
        assumptions = tuple(
            Assumption(each.text, standings.get(each.text, each.standing))
            for each in self.assumptions
        )
        return dataclasses.replace(self, assumptions=assumptions)

    def as_json(self) -> dict[str, object]:
        """Plain values."""
        numbers = ("value", "noise", "sharpness", "perturbation", "norm", "confidence")
        return {
            "name": self.name,
            "form": self.form.value,
            "class": dataclasses.asdict(self.family),
            "setting": dataclasses.asdict(self.setting),
            **{each: getattr(self, each) for each in numbers},
            "vacuous": self.vacuous,
            "beyond_one": self.beyond_one,
            "assumptions": [
                {"text": each.text, "standing": each.standing.value} for each in self.assumptions
            ],
            "reason": self.reason,
        }


def assumptions_of(
    form: Form, family: FunctionClass, setting: Setting, noise: float, sizes: Sizes
) -> tuple[Assumption, ...]:
    """What a bound rests on; what the numbers decide is decided.

    The published form lists what the paper asks for, the corrected form what its proof needs.
    """
    found = [Assumption(text, Standing.ASSUMED) for text in (NORM, SHARPNESS, INTERPOLATION)]
    found.append(Assumption(COEFFICIENTS, Standing.ASSUMED))
    if Form(form) is Form.PUBLISHED:
        return (*found, Assumption(TRAINED_TAIL, Standing.ASSUMED))
    short = setting.constant < prior_constant(noise)
    found.append(Assumption(PRIOR_TAIL, Standing.VIOLATED if short else Standing.ASSUMED))
    covered = sizes.sharpness >= full_sharpness(family, sizes.ramp)
    found.append(Assumption(GRADIENT, Standing.CHECKED if covered else Standing.ASSUMED))
    return tuple(found)


def _standing(measured: Real | Sequence[Real] | np.ndarray, limit: Real) -> Standing:
    worst = float(np.max(np.asarray(measured, float)))
    if math.isnan(worst):
        raise BadInput("a measured size is no number", seen=measured)
    return Standing.CHECKED if worst <= limit else Standing.VIOLATED
