"""Can the algorithm be captured at all? What a prediction costs against what the task takes.

What: A model that captured a task is itself a heuristic for it: adapt on some log T samples, then
    run once. If every heuristic for the task takes a larger power of T than that, the task cannot
    be captured. The other way round nothing follows: what could be computed need not be learned.
Definition: Heuristics of complexity T^k (EPTHS): for every δ > 0 some implementation is right on
    all but a share δ of the instances within f(1/δ)·T^k steps; an algorithm that takes T^k on
    average is one, by Markov. The task declares the order of the best known (fact
    `heuristic-complexity`).
    A prediction's order is the degree in T of the operations of this architecture's pass, counted:
    T² for softmax attention, T for a recurrent model. Factors of log T, and so any ε > 0 in
    T^(k + ε), do not count. Above: no, conditional. Not above: undecided, never yes.
Example:
    >>> from foretell.core.architecture import Architecture
    >>> from foretell.core.question import Question
    >>> from foretell.tasks.capturing import CapturesAlgorithm
    >>> from foretell.tasks.lookup import find_task
    >>> task = find_task("induction-heads", 64)
    >>> shape = Architecture(
    ...     layers=2, heads=4, width=64, positional="rotary", context=task.width(64)
    ... )
    >>> said = CaptureComplexity().predict(Question(task, shape, CapturesAlgorithm(16, (32, 64))))
    >>> said.verdict.value, said.certificate.summary
    ('undecided', 'T is not above T^2, the cost of a forward pass')

Known limits: An algorithm bounds a task's complexity from above, and the theory needs it from
    below: that no heuristic is faster is an assumption wherever it says no. It says no to none of
    the tasks here on a transformer: shortest paths take T and are not seen to be captured, which
    the source leaves unexplained. Depth is not counted, though a pass of fixed depth has only as
    many steps one after another; nor is training beyond log T samples.
Sources: arXiv 2603.11161, Table 1 and its corollary on what cannot be captured (formulas derived
    again); that it holds for a recurrent pass, and for fixed width without the limit, is ours
"""

from __future__ import annotations

from dataclasses import dataclass

from foretell.core.prediction import (
    Assumption,
    NotApplicable,
    Prediction,
    Predictor,
    Standing,
    Strength,
)
from foretell.core.question import Question, Verdict
from foretell.core.task import Fact
from foretell.tasks.capturing import CapturesAlgorithm
from foretell.tasks.complexity import Order
from foretell.theory._complexity import LENGTHS, CostCertificate, Shape, inference

PAPER = "arXiv 2603.11161"
FACT = "heuristic-complexity"
IN_THE_LIMIT = "kernel by Monte Carlo"


@dataclass(frozen=True)
class CaptureComplexity(Predictor):
    """The order of a task's heuristics against the order of a prediction's cost."""

    name = "capture-complexity"

    def predict(self, question: Question) -> Prediction | NotApplicable:
        """Compare both orders."""
        fact, shape = question.task.fact(FACT), Shape.of(question.architecture)
        if not isinstance(question.outcome, CapturesAlgorithm):
            return NotApplicable(self.name, question, "this theory is about capture only")
        if fact is None:
            why = f"{question.task.name} declares no complexity of its heuristics"
            return NotApplicable(self.name, question, why)
        if shape.regime is None:
            why = f"the inputs of a {shape.kind} have one length, so nothing grows"
            return NotApplicable(self.name, question, why)
        certificate = CostCertificate.of(shape, shape.regime, Order.parse(fact.value))
        return Prediction(
            predictor=self.name,
            question=question,
            verdict=Verdict.NO if certificate.above else Verdict.UNDECIDED,
            strength=Strength.CONDITIONAL,
            reason=_reason(certificate, fact),
            assumptions=_assumptions(certificate, fact),
            sources=(f"{PAPER}, Table 1 and the corollary on what cannot be captured", fact.source),
            certificate=certificate,
        )


def _reason(certificate: CostCertificate, fact: Fact) -> str:
    """One sentence with the numbers."""
    cost = (
        f"a {certificate.regime} costs {certificate.bound} (counted: exponent "
        f"{certificate.exponent:.2f} from T = {LENGTHS[0]} to {LENGTHS[-1]:,}"
    )
    if certificate.shape.is_transformer:
        cost += f"; {inference(certificate.shape, IN_THE_LIMIT)} as a sampled kernel"
    if certificate.above:
        return (
            f"the best heuristic declared takes {fact.value}, and {cost}): if none is faster, the "
            "model cannot be one"
        )
    return (
        f"the best heuristic declared takes {fact.value}, not more than the model has, since "
        f"{cost}): complexity excludes nothing, and does not say that it is learned"
    )


def _assumptions(certificate: CostCertificate, fact: Fact) -> tuple[Assumption, ...]:
    """What the verdict rests on; only a `no` rests on more than the count."""
    counted = Assumption(
        f"a {certificate.regime} of this shape is of order {certificate.bound}, by its operations",
        Standing.CHECKED,
    )
    if not certificate.above:
        return (counted,)
    assumed = (
        f"no heuristic solves nearly all instances in a smaller power of T than {fact.value} "
        "(the algorithm known is a bound from above only)",
        "adapting passes over its log T samples at most a power of log T times",
        "numbers are kept to at most a power of log T bits, and answers are far enough apart",
    )
    return (counted, *(Assumption(text, Standing.ASSUMED) for text in assumed))
