"""Which of two functions should generalize worse.

What: A number by which to order functions: the more and the larger the parities a function is made
    of, the more it should lose on fresh inputs. It says nothing about one function alone.
Definition: (G·L)^⅓, where L bounds the squared norm and 2G the Hessian's trace of an explicit
    transformer for functions of that degree k and sparsity w. It is the sharpness bound without its
    constants: s²G + S·√(L/n)/s is least at s³ = S·√(L/n)/(2G), where it is 3·2^(-⅔)·(S²/n)^⅓ times
    (G·L)^⅓. For few components it grows like k², for many like (k²·w)^⅔: faster than linearly in
    the degree, slower in the sparsity.
Example:
    >>> easy = FunctionClass(degree=1, sparsity=7, bits=20)
    >>> hard = FunctionClass(degree=3, sparsity=7, bits=20)
    >>> print(compare(easy, hard).sentence)
    degree 3, sparsity 7, 20 bits should generalize worse, with 4.0 times the hardness

Known limits: A heuristic. Upper bounds need not be ordered like what they bound, and training may
    find other networks than the explicit one. Functions with mixed degrees or signs count as if
    every component had the largest degree; a chain of thought counts as one step, of degree 2. The
    scale of a function is left out: the number is about the loss as a share of the variance.
Sources: A sharper picture of generalization in transformers, Theorem 2 and Section 2.1; the
    optimum over the noise is ours
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.terms import sizes_of
from foretell.boolean.expansion import Expansion
from foretell.core.prediction import (
    Assumption,
    NotApplicable,
    Prediction,
    Predictor,
    Standing,
    Strength,
)
from foretell.core.question import Question, Verdict
from foretell.theory._boolean import PAPER, TOO_MANY, asked_about, class_of, fits

FOLLOWS = "gaps of different functions are ordered like their bounds"
OUTSIDE = "mixed degrees or signs, a constant or another variance do not change the order"


@dataclass(frozen=True)
class DegreeHardness(Predictor):
    """A place in an order of functions, from degree and sparsity."""

    name = "degree-hardness"

    def predict(self, question: Question) -> Prediction | NotApplicable:
        """State the number; one number alone decides nothing."""
        asked = asked_about(question)
        if isinstance(asked, str):
            return NotApplicable(self.name, question, asked)
        expansion, outcome = asked
        function = class_of(question, expansion)
        family = nearest_class(expansion) if isinstance(function, str) else function.family
        if isinstance(family, str):
            return NotApplicable(self.name, question, family)
        found = hardness(family)
        times = found / hardness(FunctionClass(degree=1, sparsity=1, bits=family.bits))
        single = f"{times:.3g} times that" if times > 1 else "that"
        texts = [FOLLOWS, OUTSIDE] if isinstance(function, str) else [FOLLOWS]
        return Prediction(
            predictor=self.name,
            question=question,
            verdict=Verdict.UNDECIDED,
            strength=Strength.HEURISTIC,
            reason=(
                f"hardness {found:.4g} ({family}), {single} of a single bit: its gap should be "
                "larger than that of functions with less, and smaller than that of functions with "
                f"more; an order alone cannot say whether it is at most {outcome.gap:g}"
            ),
            assumptions=tuple(Assumption(text, Standing.ASSUMED) for text in texts),
            sources=(f"{PAPER}, Theorem 2",),
        )


@final
@dataclass(frozen=True)
class Comparison:
    """Two classes of functions in the order they were given, and which is harder."""

    first: FunctionClass
    second: FunctionClass

    @property
    def worse(self) -> FunctionClass | None:
        """The class that should generalize worse; none if both are as hard."""
        one, other = hardness(self.first), hardness(self.second)
        if math.isclose(one, other, rel_tol=1e-12):
            return None
        return self.first if one > other else self.second

    @property
    def ratio(self) -> float:
        """Hardness of the harder over that of the other."""
        sizes = hardness(self.first), hardness(self.second)
        return max(sizes) / min(sizes)

    @property
    def sentence(self) -> str:
        """The comparison in words."""
        if self.worse is None:
            return f"{self.first} and {self.second} should generalize alike"
        return f"{self.worse} should generalize worse, with {self.ratio:.1f} times the hardness"


def hardness(function_class: FunctionClass) -> float:
    """(G·L)^⅓: the sharpness bound at its best noise, up to a factor all classes share.

    >>> round(hardness(FunctionClass(degree=2, sparsity=10, bits=20)), 1)
    293.2
    """
    sizes = sizes_of(function_class)
    return math.cbrt(sizes.sharpness * sizes.norm)


def compare(first: FunctionClass, second: FunctionClass) -> Comparison:
    """Which of the two should generalize worse."""
    return Comparison(first, second)


def nearest_class(expansion: Expansion) -> FunctionClass | str:
    """The class by largest degree and number of components, or why there is none.

    >>> str(nearest_class(Expansion(4, ((0, 1), (2,)), (0.5, -0.5))))
    'degree 2, sparsity 2, 4 bits'
    """
    degree, sparsity, bits = expansion.degree, expansion.sparsity, expansion.bits
    if not fits(expansion):
        return TOO_MANY.format(sparsity, bits)
    if sparsity > (most := math.comb(bits, degree)):
        return (
            f"no class of one degree is like it: {bits} bits have {most} parities of the largest "
            f"degree, {degree}, and the function has {sparsity} components"
        )
    return FunctionClass(degree=degree, sparsity=sparsity, bits=bits)
