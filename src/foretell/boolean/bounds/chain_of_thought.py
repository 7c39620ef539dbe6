"""Parity with and without chain of thought: T - 1 steps of degree 2 against one of degree T.

The published argument fixes a risk of 1/2, solves the PAC-Bayes bound for the confidence δ, and
reads 4δ (4Tδ with T steps) as the probability of a wrong answer. But δ is the probability that
the *training set* misleads; on a good one the argument leaves a risk of up to 1/2, and by Markov
a wrong bit with probability up to 4·1/2. That number is kept as published. The corrected form is
direct: with probability 1 - δ a step is wrong with probability at most 4 times its risk bound,
and T - 1 steps with at most T - 1 times that. Its gap is polynomial in T, not exponential, and a
coin has an error of 1/2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.numbers import Numbers, Real
from foretell.boolean.bounds.pac_bayes import fewest_samples, truncated
from foretell.boolean.bounds.risk_bound import Setting
from foretell.boolean.bounds.terms import Form, Sizes, sizes_of
from foretell.plain.errors import BadInput

COIN = 0.5  # the error of guessing a parity
MARKOV = 4  # a wrong bit is a squared error of at least 1/4
REASON = (
    "the published statement takes the confidence at which the risk bound is 1/2 for the "
    "probability of a wrong answer; the direct form applies Markov to the risk bound itself"
)


@final
@dataclass(frozen=True, kw_only=True)
class Route:
    """One way to the parity, without the perturbation term."""

    family: FunctionClass  # of one step
    steps: int
    sizes: Sizes
    noise: float  # best for the published form
    log10_published: float  # of the published bound at that noise
    samples_published: float  # from which its exponent is negative
    direct: float  # corrected: error at most, with probability 1 - delta
    samples_direct: float  # from which it is below a coin's error

    @property
    def vacuous(self) -> bool:
        """True if the corrected bound does not beat a coin."""
        return not self.direct < COIN


@final
@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Both routes for one number of bits."""

    bits: int
    setting: Setting
    chain: Route
    one_pass: Route
    reason: str = REASON


def log10_error(
    sizes: Sizes,
    setting: Setting,
    noise: Real | Numbers,
    steps: int = 1,
    change: Real | Numbers = 0.0,
) -> Numbers:
    """log₁₀ of the published bound at each noise, `change` being the perturbation term P.

    The bound is 4·steps·exp( -n/(8S²) + n·s²(2G + P)/(4S²) + L/(2s²) ).
    """
    s = np.asarray(noise, float)
    if not np.all(s > 0):
        raise BadInput("the noise is a standard deviation, larger than 0", seen=noise)
    rate = setting.samples / setting.constant**2
    sharp = rate * s * s * (2 * sizes.sharpness + np.asarray(change, float)) / 4
    exponent = -rate / 8 + sharp + sizes.norm / (2 * s * s)
    return (math.log(MARKOV * steps) + exponent) / math.log(10)


def best_noise(sizes: Sizes, setting: Setting) -> float:
    """Where the published bound is least, without P: s⁴ = L·S²/(n·G)."""
    ratio = sizes.norm * setting.constant**2 / (setting.samples * sizes.sharpness)
    return ratio**0.25


def samples_for_negative_exponent(sizes: Sizes, constant: Real) -> float:
    """64·S²·G·L: from there on the published bound falls with more samples, without P.

    >>> step = FunctionClass(degree=2, sparsity=1, bits=20)
    >>> round(samples_for_negative_exponent(sizes_of(step, Form.PUBLISHED), 0.01))
    3243
    """
    return 64 * constant**2 * sizes.sharpness * sizes.norm


def compare(bits: int, setting: Setting, form: Form = Form.PUBLISHED) -> Comparison:
    """Both routes; `form` says whose norm term is used."""
    if bits < 2:
        raise BadInput("a chain of thought needs at least two bits", seen=bits)
    step = FunctionClass(degree=2, sparsity=1, bits=bits)
    whole = FunctionClass(degree=bits, sparsity=1, bits=bits)
    return Comparison(
        bits=bits,
        setting=setting,
        chain=_route(step, bits, bits - 1, setting, form),
        one_pass=_route(whole, 1, 1, setting, form),
    )


def table(bits: list[int], setting: Setting, form: Form = Form.PUBLISHED) -> tuple[Comparison, ...]:
    """One comparison for each number of bits."""
    return tuple(compare(each, setting, form) for each in bits)


def _route(
    family: FunctionClass, published_steps: int, steps: int, setting: Setting, form: Form
) -> Route:
    """The published bound counts T steps, T - 1 are taken."""
    sizes = sizes_of(family, form)
    noise, factor = best_noise(sizes, setting), MARKOV * steps
    enough = fewest_samples(sizes, setting.constant, COIN / factor, setting.delta)
    return Route(
        family=family,
        steps=steps,
        sizes=sizes,
        noise=noise,
        log10_published=float(log10_error(sizes, setting, noise, published_steps)),
        samples_published=samples_for_negative_exponent(sizes, setting.constant),
        direct=factor * truncated(family, setting, form, sizes).value,
        samples_direct=enough.samples,
    )
