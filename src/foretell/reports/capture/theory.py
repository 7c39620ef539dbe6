"""What complexity says of each curve of a capture figure, beside what training showed."""

from __future__ import annotations

from foretell.core.prediction import NotApplicable
from foretell.core.question import Verdict
from foretell.kernels.cost import Growth, complexity_table
from foretell.reports import _sections as parts
from foretell.reports._markup import Markup, element, table
from foretell.reports.capture.curves import CaptureCurve, CaptureCurves, in_some_way
from foretell.theory.capture_complexity import FACT, CaptureComplexity

HEADS = ("Curve", "Heuristics take", "A pass costs", "Theory", "Shown")
COST_HEADS = ("Regime", "Evaluated by", "Exponent, fitted", "At the largest lengths", "Error there")
EPTHS = (
    "A task has heuristics of complexity T^k if for every δ > 0 some implementation is right, "
    "within f(1/δ)·T^k steps, on all but a share δ of the instances; f may be anything. A model "
    "that captured a task is such a heuristic. So where the heuristics known take a larger power "
    "of T than a pass, theory says no, if none is faster; otherwise it says nothing."
)
COSTS = (
    "What an evaluation of an infinitely wide transformer costs, from counted operations: training "
    "points grow as log T, the network that stands for the limit as a power of log T, which is "
    "why exponents lie a little above 3 and 2. The error of the rich regime is assumed to fall as "
    "1/width; that of the lazy one is the leading correction with its constant taken as 1, and "
    "says nothing above 1."
)


def theory_section(whole: CaptureCurves) -> Markup:
    """Theory beside verdicts, then the costs that theory rests on."""
    ways = whole.ways()
    rows = [_row(own[0], group, in_some_way(own)) for group, own in ways.items()]
    rows += [
        _row(curve, curve.line.label, curve.measured.verdict if curve.measured else None)
        for curve in whole.curves
        if curve.line.group not in ways
    ]
    return parts.section(
        "What complexity says",
        element("p", EPTHS),
        table(HEADS, rows),
        element("p", COSTS, class_="quiet"),
        table(COST_HEADS, _costs(), numeric=(2, 3, 4)),
    )


def _row(curve: CaptureCurve, label: str, verdict: Verdict | None) -> tuple[str, ...]:
    question = curve.line.asked.question
    fact = question.task.fact(FACT)
    said = CaptureComplexity().predict(question)
    shown = parts.badge(verdict) if verdict else "–"
    takes = fact.value if fact else "not declared"
    if isinstance(said, NotApplicable):
        return label, takes, "–", said.reason, shown
    bound = str(getattr(said.certificate, "bound", "–"))
    return label, takes, bound, parts.badge(said.verdict), shown


def _costs() -> list[tuple[str, ...]]:
    return [
        (
            each.regime,
            each.evaluation,
            f"{each.exponent:.2f}",
            f"{each.last_exponent:.2f}",
            f"{each.errors[-1]:.2g}",
        )
        for each in complexity_table(Growth())
    ]
