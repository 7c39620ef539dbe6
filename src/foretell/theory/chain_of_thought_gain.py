"""How many samples a chain of thought saves on parity.

What: The parity of all T bits, learned in one pass, is a single component of degree T. Written down
    bit by bit it takes T - 1 steps of degree 2, each with a much flatter network. This predictor
    states how many samples either way needs before its bound beats a coin, and decides by the bound
    of the way that is asked about: one pass, or with `steps` the chain.
Definition: A step with a squared error of risk R is wrong with probability at most 4R, a chain of
    T - 1 steps with at most 4(T-1)R; R is the sharpness bound of one step at its best noise, with
    sub-Gaussian constant 1/2. A trained chain takes T steps, as it starts from a 0, and R bounds
    their mean. Beside it what is published: 64·S²·G·L samples with S = 0.01, from
    which on the confidence (not the error) of the bound improves with more samples.
Example:
    >>> one_pass, chain = samples_needed(20)
    >>> f"{one_pass:.1e} {chain:.1e}"
    '2.6e+14 1.8e+13'

Known limits: Parity of all bits only. It bounds both ways from above, so that it cannot prove that
    one pass fails. Published norms of a step count one position; as every position takes its turn,
    both attention matrices need an entry for each, which is counted here. Samples of a chain are
    single steps where one pass is asked about, and whole chains where a chain is. The gain is a
    power of T, not exponential. The network behind it lets bits see what is written after them.
Sources: A sharper picture of generalization in transformers, Theorems 7, 8 and 16, Appendix G
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from foretell.boolean.bounds.chain_of_thought import COIN, MARKOV, samples_for_negative_exponent
from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.pac_bayes import fewest_samples
from foretell.boolean.bounds.risk_bound import RiskBound
from foretell.boolean.bounds.terms import Form, sizes_of
from foretell.boolean.expansion import Expansion
from foretell.core.prediction import (
    Assumption,
    Bound,
    NotApplicable,
    Prediction,
    Predictor,
    Standing,
    Strength,
)
from foretell.core.question import Question, Verdict
from foretell.plain.errors import BadInput
from foretell.theory._boolean import (
    PAPER,
    PUBLISHED_CONSTANT,
    STEP_DEGREE,
    Covered,
    amount,
    asked_about,
    chain_sizes,
    class_of,
    corrected_sizes,
    covered,
    crowding,
    risk_bound,
    settles,
    step_of,
)

PRIOR_CONSTANT = 0.5  # least that networks of the prior admit, and enough for a single parity
ERRORS = "chain of thought: steps are learned from right steps, and each writes a rounded bit"


class Samples(NamedTuple):
    """How many samples each way needs."""

    one_pass: float
    chain: float

    def __str__(self) -> str:
        return f"{amount(self.one_pass)} samples in one pass and {amount(self.chain)} with a chain"


@dataclass(frozen=True)
class ChainOfThoughtGain(Predictor):
    """Samples for parity in one pass against samples for its steps."""

    name = "chain-of-thought-gain"

    def predict(self, question: Question) -> Prediction | NotApplicable:
        """Compare both ways; the bound of the way that is asked about may decide."""
        asked = asked_about(question)
        if isinstance(asked, str):
            return NotApplicable(self.name, question, asked)
        expansion, outcome = asked
        function = class_of(question, expansion)
        if isinstance(function, str) or not function.chained:
            function = parity_of_all(expansion)
        if isinstance(function, str):
            return NotApplicable(self.name, question, function)
        bound = risk_bound(function, outcome.samples)
        yes = settles(bound, outcome.gap)
        # A chain is trained like this; one that nobody trains may only be imagined so.
        trusted = Assumption(ERRORS, Standing.CHECKED if function.chained else Standing.ASSUMED)
        way = "by a chain" if function.chained else "in one pass"
        factor = MARKOV * (expansion.bits if function.chained else 1)
        return Prediction(
            predictor=self.name,
            question=question,
            verdict=Verdict.YES if yes else Verdict.UNDECIDED,
            strength=Strength.CONDITIONAL,
            reason=_reason(function, bound, outcome.samples, yes),
            assumptions=(*bound.assumptions, trusted),
            sources=(f"{PAPER}, Theorems 7, 8 and 16, with corrections",),
            bound=Bound(f"wrong answers {way}", factor * bound.value, COIN),
        )


def parity_of_all(expansion: Expansion) -> Covered | str:
    """The function, if it is the parity of all bits, even or odd; else why it is not."""
    if expansion.sparsity > 1:
        return (
            f"the theory is about parity, and this function has {expansion.sparsity:,} components"
        )
    if expansion.degree < expansion.bits:
        return (
            f"the chain of thought goes through all {expansion.bits} bits, and this parity is of "
            f"{expansion.degree}"
        )
    if expansion.bits < STEP_DEGREE:
        return "a single bit needs no chain"
    return covered(expansion)


def samples_needed(bits: int, steps: int | None = None) -> Samples:
    """Samples from which the corrected bounds beat a coin; a chain has T - 1 steps or `steps`."""
    if bits < STEP_DEGREE:
        raise BadInput("a chain of thought needs at least two bits", seen=bits)
    one, each = corrected_sizes(_whole(bits)), COIN / (MARKOV * (steps or bits - 1))
    return Samples(
        fewest_samples(one, PRIOR_CONSTANT, COIN / MARKOV).samples,
        fewest_samples(chain_sizes(bits), PRIOR_CONSTANT, each).samples,
    )


def samples_published(bits: int) -> Samples:
    """The published thresholds, with the published constant.

    >>> print(samples_published(20))
    9.3·10⁸ samples in one pass and 3,243 with a chain
    """
    one, step = (sizes_of(each, Form.PUBLISHED) for each in (_whole(bits), step_of(bits)))
    return Samples(
        samples_for_negative_exponent(one, PUBLISHED_CONSTANT),
        samples_for_negative_exponent(step, PUBLISHED_CONSTANT),
    )


def _whole(bits: int) -> FunctionClass:
    return FunctionClass(degree=bits, sparsity=1, bits=bits)


def _reason(function: Covered, bound: RiskBound, samples: int, yes: bool) -> str:
    bits, said = function.family.bits, ""
    if yes:
        way = "of a step the mean loss" if function.chained else "in one pass the loss"
        said = f"{way} on fresh inputs is at most {bound.value:.3g}; "
    steps = bits if function.chained else bits - 1
    needed = f"{samples_needed(bits, steps)} of {steps} step{'s' if steps > 1 else ''}"
    return (
        f"{said}the bound beats a coin from {needed} (corrected; here "
        f"there are {samples:,}); as published it does from {samples_published(bits)}, but there "
        f"the confidence stands for the error, the sub-Gaussian constant is {PUBLISHED_CONSTANT}, "
        f"and a step's norm counts one position of {bits}{crowding(bits, samples)}"
    )
