"""Up to which length floating point is enough: where it is certain, and where it is hopeless.

Let u be the unit roundoff (2⁻²⁴ for float32) and N the number of tokens, SOS included.

*Counts.* Uniform heads have logits 0, weights exp(0) = 1, and sum zeros and ones: exact while
N ≤ 1/u. The one division errs by at most 2u (XLA may multiply by a reciprocal instead), so `one`
and every `count` from a uniform head is within 2u of c / (i + 1).

*Forms.* A unit reads F = Σ c·d + b, t terms with |F's parts| adding up to B. In any order of
summation the computed value is off by at most Σ|c|·e(d) + (t + 1)·B·u: the errors of what is
read, t roundings of products and partial sums, and one more for a weight that is itself
rounded. Second-order terms are covered by a factor 1.02. Exact whole inputs give exact sums
while B < 1/u, so conjunctions and whole-number comparisons have no error at all.

*Choices.* ReLU does not increase errors, and of the units that write one direction only one (or a
pair ±, which together err no more than one) is not 0, because M exceeds every count by 1 or more.
So a choice has the error of its worse branch, and M is part of B there.

*Comparisons* of counts have a gap of 1 / (i + 1) ≥ 1/N, so they are right when e(F)·N < 1. Where
B·u·N ≥ 1 floats of the size of the parts are further apart than the gap: no order of summation
could be trusted, and this is called hopeless.

*Looking back and finding SOS.* Weights exp(a·log|x|) have a relative error below
(4·log N + 6)·u, sums of N of them N·u more. The gaps are 5/11 for a look-back (|x| = 3, i = 2)
and 1 / (i + 1) relative to a value near it for SOS: (N + 80)·u < 1/60 is enough for both, hence
N ≤ 1/(64 u), 262,144 for float32. The copied residues need an error below 1/4 before rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from foretell.compiler.network import Gap, Network, Unit
from foretell.plain.errors import BadInput

DIVISION = 2.0  # roundoffs in a quotient
SECOND_ORDER = 1.02
POSITIONAL = 64  # local and periodic heads are safe up to 1 / (64 u)
TYPES = ("float32", "float64")


@dataclass(frozen=True)
class Precision:
    """For one floating-point type: right up to here for certain, not to be tried from there.

    Both count tokens, SOS included. `because` names what limits the guarantee.
    """

    dtype: str
    guaranteed_up_to: int
    hopeless_from: int
    because: str

    def warning(self, context: int) -> str | None:
        """What to tell whoever runs it at this context; nothing if it is certain to be right."""
        if context <= self.guaranteed_up_to:
            return None
        return (
            f"{self.dtype} is certain to be exact up to {self.guaranteed_up_to:,} tokens only, "
            f"not at {context:,} ({self.because})"
        )

    def refuse_hopeless(self, context: int) -> None:
        """Bad input where the type cannot hold the differences that decide."""
        if context >= self.hopeless_from:
            raise BadInput(
                f"{self.dtype} cannot tell the counts of this program apart at this context",
                seen=f"{context:,} tokens",
                why=f"from {self.hopeless_from:,} tokens on, numbers of that size are further "
                f"apart than the differences that decide ({self.because})",
                hint=f"a context below {self.hopeless_from:,}, or smaller factors in the program",
            )

    def as_json(self) -> dict[str, object]:
        """Plain values."""
        return dict(vars(self))


def precision_of(network: Network, dtype: str = "float32") -> Precision:
    """The bounds for a network, by following its errors from step to step."""
    if dtype not in TYPES:
        raise BadInput("unknown floating-point type", seen=dtype, hint=" or ".join(TYPES))
    inverse = 2 / float(np.finfo(dtype).eps)  # 1/u; eps is the spacing at 1, twice u
    errors = dict.fromkeys(network.directions, 0.0)
    sizes = dict(zip(network.directions, network.sizes, strict=True))
    sure, hopeless, because = inverse, inverse, "sums of ones are exact no further"
    if network.places or any(step.offset for layer in network.layers for step in layer.gathers):
        sure, because = inverse / POSITIONAL, "heads that look at positions"
    for layer in network.layers:
        for step in layer.gathers:
            errors[step.direction] = DIVISION
        made = [(unit, *_unit(unit, errors, sizes, inverse)) for unit in layer.units]
        for unit, error, size in made:
            if unit.gap is None and error:
                errors[unit.direction] = max(errors[unit.direction], error + sizes[unit.direction])
            elif unit.gap is Gap.COUNT:
                hopeless = min(hopeless, inverse / size)
            if unit.gap is Gap.COUNT and inverse / error < sure:
                sure, because = inverse / error, f"the comparison {unit.direction!r}"
            if unit.gap is Gap.WHOLE and error >= inverse:
                sure, hopeless, because = 0.0, 0.0, f"the comparison {unit.direction!r}"
    return Precision(dtype, math.floor(sure), max(1, math.ceil(hopeless)), because)


def _unit(
    unit: Unit, errors: dict[str, float], sizes: dict[str, int], inverse: float
) -> tuple[float, float]:
    """Error of a unit's input, in roundoffs, and the size B of its parts."""
    inherited = sum(abs(weight) * errors[name] for name, weight in unit.form.terms)
    size = sum(abs(weight) * sizes[name] for name, weight in unit.form.terms) + abs(unit.bias)
    if not inherited and size < inverse:
        return 0.0, float(size)
    terms = len(unit.form.terms) + bool(unit.bias)
    return SECOND_ORDER * (inherited + (terms + 1) * size), float(size)
