"""Norm and sharpness of an explicit transformer bound the gap.

What: An explicit transformer computes every sum of few parities of one degree, with known norm and
    sharpness. A network that fits the training inputs with no more of either inherits a PAC-Bayes
    bound on its loss on fresh inputs. Loss on fresh inputs ≤ gap asked for means yes.
Definition: With noise s on all weights the loss is at most s²G + S·√((L/s² + 2·ln(1/δ))/n), at the
    best s: L bounds the squared norm of the construction, 2G the trace of its Hessian, n counts
    training inputs, δ is 0.05. The proof needs the sub-Gaussian constant S for networks drawn from
    the prior, which answer about 0: half the squared sum of the coefficients, 1/2 or more, is
    enough. The number with S = 0.01, as published, is shown beside it and never decides.
Example:
    >>> from foretell.core import Architecture, SizeRange
    >>> from foretell.boolean.outcome import GapAtMost
    >>> from foretell.core.question import Question
    >>> from foretell.tasks.lookup import find_task
    >>> shape = Architecture(layers=2, heads=1, width=51, positional="one-hot", context=21)
    >>> outcome = GapAtMost(SizeRange(20, 20), samples=8_192, gap=0.05)
    >>> pairs = find_task("boolean:tiling,degree=2,T=20")
    >>> said = SharpnessBound().predict(Question(pairs, shape, outcome))
    >>> said.verdict.value, round(said.bound.value, 1), said.bound.vacuous
    ('undecided', 80.4, True)

Known limits: For a chain of thought (`boolean:parity,T=8,steps`) it is about the mean loss of a
    step, a parity of two bits at any position; see chain-of-thought-gain for its answers.
    An upper bound never says no. For training sets one can afford it is far above 0.25,
    what the best constant loses. The change of the Hessian under noise is left out, and the bound
    is about the network with noise on it. Mixed degrees, mixed signs, other constants and other
    variances are not covered, although networks for them can be built.
Sources: A sharper picture of generalization in transformers, Theorems 2, 5, 10 and 12, Appendix B
"""

from __future__ import annotations

from dataclasses import dataclass

from foretell.boolean.bounds.pac_bayes import fewest_samples, truncated
from foretell.boolean.bounds.risk_bound import TRIVIAL, RiskBound, Setting
from foretell.boolean.bounds.terms import Form
from foretell.boolean.outcome import GapAtMost
from foretell.core.prediction import Bound, NotApplicable, Prediction, Predictor, Strength
from foretell.core.question import Question, Verdict
from foretell.theory._boolean import (
    PAPER,
    PUBLISHED_CONSTANT,
    Covered,
    amount,
    asked_about,
    class_of,
    crowding,
    risk_bound,
    settles,
)


@dataclass(frozen=True)
class SharpnessBound(Predictor):
    """A bound on the loss on fresh inputs, against the gap asked for."""

    name = "sharpness-bound"

    def predict(self, question: Question) -> Prediction | NotApplicable:
        """Bound the loss of the function's class at the number of samples asked about."""
        asked = asked_about(question)
        if isinstance(asked, str):
            return NotApplicable(self.name, question, asked)
        expansion, outcome = asked
        function = class_of(question, expansion)
        if isinstance(function, str):
            return NotApplicable(self.name, question, function)
        bound = risk_bound(function, outcome.samples)
        yes = settles(bound, outcome.gap)
        return Prediction(
            predictor=self.name,
            question=question,
            verdict=Verdict.YES if yes else Verdict.UNDECIDED,
            strength=Strength.CONDITIONAL,
            reason=_reason(function, bound, outcome),
            assumptions=bound.assumptions,
            sources=(f"{PAPER}, Theorems 2, 5, 10 and 12, with corrections",),
            bound=Bound("loss on fresh inputs", bound.value, TRIVIAL),
        )


def published(function: Covered, samples: int) -> RiskBound:
    """The bound as the paper states it, with the constant of its examples."""
    setting = Setting(samples=samples, constant=PUBLISHED_CONSTANT)
    return truncated(function.family, setting, Form.PUBLISHED)


def _reason(function: Covered, bound: RiskBound, outcome: GapAtMost) -> str:
    """The corrected number decides; the published one stands beside it with what is wrong."""
    gap = f"{outcome.gap:g}"
    whose = " of a step" if function.chained else ""
    said = f"the loss{whose} on fresh inputs is at most {bound.value:.3g}"
    if bound.violated:
        said += ", were it not for an assumption that is violated"
    elif bound.vacuous:
        needed = fewest_samples(function.sizes, function.constant, outcome.gap)
        said += (
            f", which says nothing: one constant answer loses {TRIVIAL}; a bound of {gap} takes "
            f"{amount(needed.samples)} samples"
        )
    elif bound.value > outcome.gap:
        said += f", which is more than {gap}, and an upper bound never says no"
    else:
        said += f" with probability {1 - bound.setting.delta:g}, and the gap is no larger"
    return (
        f"{said} (corrected, for {function.family}, with a sub-Gaussian constant of "
        f"{function.constant:.3g}; as published it is "
        f"{published(function, outcome.samples).value:.3g}, with {PUBLISHED_CONSTANT}, where the "
        f"proof needs 1/2 or more){crowding(function.family.bits, outcome.samples)}"
    )
