"""PAC-Bayes bounds from the norm and the sharpness of an explicit construction.

With noise of standard deviation s on all weights, n samples and a sub-Gaussian constant S,

    risk ≤ (s²/2)·(2G + P) + 2·√( S²/(2n) · ( L/(2s²) + ln(1/δ) ) )

where L bounds the squared norm, 2G the trace of the Hessian, and P how much the noise changes
that trace. The bounds differ in P: left out (truncated), measured (semi-analytic) or bounded by
a formula (analytic). The risk is that of the network with the noise on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import optimize

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.numbers import Numbers, Real
from foretell.boolean.bounds.perturbation import analytic_perturbation
from foretell.boolean.bounds.risk_bound import (
    TRIVIAL,
    WRONG_NORM,
    WRONG_TAIL,
    RiskBound,
    Setting,
    assumptions_of,
)
from foretell.boolean.bounds.terms import Form, Sizes, sizes_of
from foretell.plain.errors import BadInput

Change: TypeAlias = Callable[[Numbers], Numbers]  # P by standard deviation of the noise

MESH = np.linspace(0.01, 0.00001, 20)  # the published standard deviations
SEARCH_POINTS = 801
REASON = f"{WRONG_NORM}; {WRONG_TAIL}"
MEASURED = "the authors' code measures P with noise of variance s; here s is the deviation in both"
NOTEBOOK = "the authors' code forgets a factor s in two terms of P and counts 6(k+1) weights less"


class Parts(NamedTuple):
    """The four summands of the bound, one entry for each noise."""

    sharpness: Numbers
    perturbation: Numbers
    norm: Numbers
    confidence: Numbers

    @property
    def total(self) -> Numbers:
        """The bound."""
        return self.sharpness + self.perturbation + self.norm + self.confidence


class Optimum(NamedTuple):
    """The best noise of the truncated bound without ln(1/δ), and the bound there."""

    noise: Numbers
    value: Numbers


class Fewest(NamedTuple):
    """How many samples a target takes, and the noise at which; infinite if none do."""

    samples: float
    noise: float


def parts(
    noise: Real | Numbers, sizes: Sizes, setting: Setting, change: Real | Numbers = 0.0
) -> Parts:
    """The bound at each standard deviation of the noise, `change` being P there.

    The part `confidence` is what ln(1/δ) adds to the part `norm`.
    """
    s = _positive(noise)
    change = np.broadcast_to(np.asarray(change, float), s.shape)
    if not np.all(change >= 0):
        raise BadInput("the change of the Hessian's trace is not negative", seen=change.tolist())
    scale = 2 * setting.constant / math.sqrt(2 * setting.samples)
    divergence = sizes.norm / (2 * s * s)
    norm = scale * np.sqrt(divergence)
    both = scale * np.sqrt(divergence + setting.log_confidence)
    return Parts(s * s * sizes.sharpness, s * s * change / 2, norm, both - norm)


def optimum_in_closed_form(
    sizes: Sizes, samples: Real | Numbers, constant: Real | Numbers
) -> Optimum:
    """Without P and ln(1/δ): s = (S√L / (2G√n))^⅓, where the sharpness is a third of the bound.

    >>> tiling = FunctionClass(degree=2, sparsity=10, bits=20)
    >>> best = optimum_in_closed_form(sizes_of(tiling, Form.PUBLISHED), 1e6, 0.01)
    >>> f"{best.noise:.5e} {best.value:.5f}"
    '2.26568e-03 0.23907'
    """
    ratio = np.asarray(constant) * math.sqrt(sizes.norm) / np.sqrt(samples)
    noise = np.cbrt(ratio / (2 * sizes.sharpness))
    return Optimum(noise, 3 * sizes.sharpness * noise**2)


def truncated(
    family: FunctionClass,
    setting: Setting,
    form: Form = Form.CORRECTED,
    sizes: Sizes | None = None,
    noise: Real | None = None,
) -> RiskBound:
    """P left out; at the best noise unless one is given.

    >>> tiling = FunctionClass(degree=2, sparsity=10, bits=20)
    >>> both = [truncated(tiling, Setting(samples=1e6, constant=0.01), form) for form in Form]
    >>> [(each.form.value, round(each.value, 4), each.vacuous) for each in both]
    [('published', 0.2391, False), ('corrected', 0.2572, True)]
    """
    sizes = sizes or sizes_of(family, form)
    if noise is None:
        noise = _best(lambda s: parts(s, sizes, setting).total, *_range(sizes, setting))
    return _bound("truncated", family, setting, form, sizes, noise, 0.0, REASON)


def semi_analytic(
    family: FunctionClass,
    setting: Setting,
    change: Change | Numbers,
    mesh: Numbers = MESH,
    form: Form = Form.CORRECTED,
    sizes: Sizes | None = None,
) -> RiskBound:
    """P as measured on a mesh of standard deviations, at the best point of the mesh.

    `change` holds one number for each point, or is a function that gives them. Nothing between
    the points is used: nobody has measured there.
    """
    sizes, mesh = sizes or sizes_of(family, form), _positive(mesh).ravel()
    measured = np.asarray(change(mesh) if callable(change) else change, float)
    if measured.shape != mesh.shape:
        raise BadInput(
            "the measured change needs one number for each noise of the mesh",
            seen=f"{measured.size} numbers, {mesh.size} noises",
        )
    best = int(np.argmin(parts(mesh, sizes, setting, measured).total))
    found = float(mesh[best]), float(measured[best])
    reason = f"{REASON}; {MEASURED}"
    return _bound("semi-analytic", family, setting, form, sizes, *found, reason)


def analytic(
    family: FunctionClass,
    setting: Setting,
    form: Form = Form.CORRECTED,
    sizes: Sizes | None = None,
    width: Real | None = None,
) -> RiskBound:
    """P by its formula, at the best noise."""
    sizes = sizes or sizes_of(family, form)
    change = analytic_change(family, form, width)
    low, high = _range(sizes, setting, below=1e-8)
    noise = _best(lambda s: parts(s, sizes, setting, change(s)).total, low, high)
    worst = float(change(np.array(noise)))
    reason = f"{REASON}; {NOTEBOOK}"
    return _bound("analytic", family, setting, form, sizes, noise, worst, reason)


def analytic_change(
    family: FunctionClass, form: Form = Form.CORRECTED, width: Real | None = None
) -> Change:
    """P by its formula, as a function of the noise."""
    return lambda noise: analytic_perturbation(family, noise, form, width).total


def fewest_samples(
    sizes: Sizes,
    constant: Real,
    target: Real = TRIVIAL,
    delta: Real = 0.05,
    change: Change | None = None,
    mesh: Numbers | None = None,
) -> Fewest:
    """Samples from which the bound is at most `target`, at the best noise (of a mesh, if given).

    >>> published = sizes_of(FunctionClass(degree=2, sparsity=10, bits=20), Form.PUBLISHED)
    >>> f"{fewest_samples(published, 0.01, target=1.0).samples:.3e}"
    '1.366e+04'
    """
    setting = Setting(samples=1, constant=constant, delta=delta)
    if not 0 < target < math.inf:
        raise BadInput("the target is a positive number", seen=target)

    def needed(noise: Numbers) -> Numbers:
        moved = change(noise) if change else np.zeros_like(noise)
        here = parts(noise, sizes, setting, moved)
        left = target - here.sharpness - here.perturbation
        enough = left > 0
        ratio = (here.norm + here.confidence) / np.where(enough, left, 1.0)
        return np.where(enough, ratio * ratio, np.inf)

    if mesh is None:
        flat = math.sqrt(target / sizes.sharpness)  # there the sharpness alone is the target
        noise = _best(needed, flat * 1e-8, flat)
    else:
        points = _positive(mesh).ravel()
        noise = float(points[np.argmin(needed(points))])
    samples = float(needed(np.array(noise)))
    return Fewest(max(1.0, float(np.ceil(samples))), noise)


def _bound(
    name: str,
    family: FunctionClass,
    setting: Setting,
    form: Form,
    sizes: Sizes,
    noise: Real,
    change: Real,
    reason: str,
) -> RiskBound:
    form, here = Form(form), parts(noise, sizes, setting, change)
    return RiskBound(
        name=name,
        form=form,
        family=family,
        setting=setting,
        noise=float(noise),
        sharpness=float(here.sharpness),
        perturbation=float(here.perturbation),
        norm=float(here.norm),
        confidence=float(here.confidence),
        norm_limit=sizes.norm,
        trace_limit=2 * sizes.sharpness,
        assumptions=assumptions_of(form, family, setting, float(noise), sizes),
        reason=reason,
    )


def _range(
    sizes: Sizes, setting: Setting, below: float = 1e-2, above: float = 1e2
) -> tuple[float, float]:
    """Where to look for the best noise: P only ever moves it down, ln(1/δ) hardly at all."""
    centre = float(optimum_in_closed_form(sizes, setting.samples, setting.constant).noise)
    return centre * below, centre * above


def _best(objective: Change, low: float, high: float) -> float:
    """The noise with the smallest value: a mesh of logarithms, then a search beside its best."""
    mesh = np.linspace(math.log(low), math.log(high), SEARCH_POINTS)
    values = np.asarray(objective(np.exp(mesh)))
    best = int(np.argmin(values))
    found = optimize.minimize_scalar(
        lambda place: float(objective(np.array(math.exp(place)))),
        bounds=(mesh[max(best - 1, 0)], mesh[min(best + 1, len(mesh) - 1)]),
        method="bounded",
        options={"xatol": 1e-10},
    )
    return math.exp(found.x if found.fun <= values[best] else mesh[best])


def _positive(noise: Real | Numbers) -> Numbers:
    s = np.asarray(noise, float)
    if not np.all((s > 0) & np.isfinite(s)):
        raise BadInput(
            "the noise is a standard deviation, larger than 0",
            seen=noise,
            hint=f"a number between {MESH.min():g} and {MESH.max():g}",
        )
    return s
