"""What the predictors about Boolean functions share: whom the construction covers, and its sizes.

The construction computes sums of parities of one degree with positive coefficients whose squares
sum to 1. The same table with odd counts instead of even ones, at the same norm and sharpness,
computes one minus each parity, so coefficients may also all be negative if the constant makes up
for them: `x1 xor x2` is covered.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import final

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.pac_bayes import truncated
from foretell.boolean.bounds.risk_bound import COEFFICIENTS, RiskBound, Setting
from foretell.boolean.bounds.terms import (
    Ramp,
    Sizes,
    full_sharpness,
    norm_blocks,
    norm_term,
    sharpness_term,
)
from foretell.boolean.expansion import Expansion
from foretell.boolean.outcome import GapAtMost
from foretell.core.architecture import KINDS
from foretell.core.prediction import Assumption, Standing
from foretell.core.question import Question
from foretell.tasks.boolean import BooleanTask

PAPER = "A sharper picture of generalization in transformers"
PUBLISHED_CONSTANT = 0.01  # sub-Gaussian constant of the published examples
STEP_DEGREE = 2  # of a step of a chain of thought
CLOSE = 1e-6  # coefficients from files are rounded
CROWDED = 4  # samples for each possible input from which on most are seen
NO_CHANGE = "perturbation term: the noise does not raise the trace of the Hessian"
NOISE = "noise: a network with noise on its weights does no better than without"
TOO_MANY = "the construction has room for one component a bit, and there are {:,} for {} bits"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@final
@dataclass(frozen=True)
class Covered:
    """A function that the construction computes: its class, and its coefficients made positive."""

    family: FunctionClass
    coefficients: tuple[float, ...]
    chained: bool = False  # a step of a chain of thought, the same network at every position

    @property
    def sizes(self) -> Sizes:
        """Norm and sharpness of the network."""
        return chain_sizes(self.family.bits) if self.chained else corrected_sizes(self.family)

    @property
    def constant(self) -> float:
        """A sub-Gaussian constant that is large enough for networks of the prior.

        They answer about 0, so that their loss is about f², between 0 and the squared sum of the
        coefficients; half the length of that interval always suffices (Hoeffding).
        """
        return max(1.0, math.fsum(self.coefficients)) ** 2 / 2

    @property
    def resolved(self) -> bool:
        """True if no coefficient is smaller than the second attention's norm allows for."""
        return min(self.coefficients) >= self.family.bits**-4


def asked_about(question: Question) -> tuple[Expansion, GapAtMost] | str:
    """The function as a sum of parities and what is asked, or why there is neither."""
    if not isinstance(question.outcome, GapAtMost):
        return "the theory is about the gap between training and fresh inputs only"
    if not isinstance(question.task, BooleanTask):
        return "the theory is about functions of a fixed number of bits"
    if question.architecture.kind != KINDS[0]:
        return f"the theory is about transformers, not about {question.architecture.kind}"
    expansion = question.task.function.expansion
    if expansion is None:
        return "the function has too many bits or components to be written as a sum of parities"
    if expansion.sparsity == 0:
        return "the function is constant: there is nothing to learn"
    return expansion, question.outcome


def class_of(question: Question, expansion: Expansion) -> Covered | str:
    """The class that has to be learned: of the function, or of one step of its chain."""
    if isinstance(question.task, BooleanTask) and question.task.steps:
        return Covered(step_of(expansion.bits), (1.0,), chained=True)
    return covered(expansion)


def step_of(bits: int) -> FunctionClass:
    """One step of a chain of thought for parity: of the newest token and one bit."""
    return FunctionClass(degree=STEP_DEGREE, sparsity=1, bits=bits)


def covered(expansion: Expansion) -> Covered | str:
    """The class that the function belongs to, or why the construction does not compute it.

    >>> covered(Expansion(4, ((0, 1),), (-1.0,), 1.0))
    Covered(family=FunctionClass(degree=2, sparsity=1, bits=4), coefficients=(1.0,), chained=False)
    >>> covered(Expansion(4, ((0, 1), (2,)), (0.6, 0.8)))
    'the theory covers components of one degree, and this function has degrees 1 and 2'
    """
    degrees = sorted({len(each) for each in expansion.sets})
    if len(degrees) > 1:
        listed = ", ".join(map(str, degrees[:-1])) + f" and {degrees[-1]}"
        return f"the theory covers components of one degree, and this function has degrees {listed}"
    total = math.fsum(expansion.coefficients)
    positive, negative = (
        all(sign * each > 0 for each in expansion.coefficients) for sign in (1, -1)
    )
    if not positive and not negative:
        return "the theory covers coefficients of one sign, and this function has both"
    constant = 0.0 if positive else -total
    if not math.isclose(expansion.constant, constant, rel_tol=CLOSE, abs_tol=CLOSE):
        return (
            f"the theory covers functions whose smallest possible value is 0, and the constant "
            f"{expansion.constant:.4g} would have to be {constant:.4g}"
        )
    norm = math.hypot(*expansion.coefficients)
    if not math.isclose(norm, 1, rel_tol=CLOSE):
        return (
            f"the theory covers functions of variance 0.25, and this one has {norm**2 / 4:.4g}; "
            f"divided by {norm:.4g} it would be covered"
        )
    degree, bits = expansion.degree, expansion.bits
    if not fits(expansion):
        return TOO_MANY.format(expansion.sparsity, bits)
    if 4 * degree * (bits + 1 - degree) > degree * bits**2 + bits + 1 - degree:
        return f"with {bits} bits the first attention of the construction is not sharp enough"
    sizes = tuple(abs(each) for each in expansion.coefficients)
    return Covered(FunctionClass(degree=degree, sparsity=len(sizes), bits=bits), sizes)


def fits(expansion: Expansion) -> bool:
    """True if every component has a position to live at."""
    return expansion.sparsity <= expansion.bits


def corrected_sizes(family: FunctionClass) -> Sizes:
    """The published construction with the norm of its own weights and every gradient counted."""
    sharpness = max(sharpness_term(family), full_sharpness(family))
    return Sizes(norm_term(family), sharpness, Ramp.NARROW)


def chain_sizes(bits: int) -> Sizes:
    """A step's norm and sharpness; both attentions compare positions, with an entry for each.

    The published argument counts the one position that takes its turn.
    """
    step = step_of(bits)
    blocks = norm_blocks(step)
    looks = 2 * 4 * bits * step.log_bits**2
    rest = sum(size for name, size in blocks.items() if not name.startswith("attention"))
    return corrected_sizes(step)._replace(norm=rest + looks)


def risk_bound(function: Covered, samples: int) -> RiskBound:
    """The bound with a sub-Gaussian constant that its proof admits, P left out.

    Its assumptions say what this function decides, and what leaving P out takes on trust.
    """
    family = function.family
    setting = Setting(samples=samples, constant=function.constant)
    bound = truncated(family, setting, sizes=function.sizes)
    known = Standing.CHECKED if function.resolved else Standing.VIOLATED
    listed = tuple(
        Assumption(each.text, known if each.text == COEFFICIENTS else each.standing)
        for each in bound.assumptions
    )
    trust = tuple(Assumption(text, Standing.ASSUMED) for text in (NO_CHANGE, NOISE))
    return dataclasses.replace(bound, assumptions=(*listed, *trust))


def settles(bound: RiskBound, gap: float) -> bool:
    """True if the bound answers the question; one that a constant also meets never does."""
    return bound.value <= gap and not bound.vacuous and not bound.violated


def crowding(bits: int, samples: int) -> str:
    """A remark where there are so few inputs that training sees most of them."""
    if samples < CROWDED * 2.0**bits:
        return ""
    return f"; training sees most of the {2**bits:,} inputs there are, which the bound does not use"


def amount(number: float) -> str:
    """A count of samples for people.

    >>> amount(3243.2), amount(9.313e8), amount(float("inf"))
    ('3,243', '9.3·10⁸', 'infinitely many')
    """
    if math.isinf(number):
        return "infinitely many"
    if number < 1e6:
        return f"{number:,.0f}"
    digits, power = f"{number:.1e}".split("e")
    return f"{digits}·10{str(int(power)).translate(_RAISED)}"
