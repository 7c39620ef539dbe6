"""How samples needed grow with size: as a logarithm, as a power, or too little to tell.

Samples P are needed at sizes T, by several seeds. Two curves with two parameters each are fitted:
P = a + b log(T/T₀) and P = a (T/T₀)^p. Errors are relative (a run that needs twice as many samples
also varies twice as much), so both are fitted to log P by maximum likelihood, with normal errors of
one spread. A run stopped at its cap says only that P is above it, one that needed nothing only that
P is at most the least one could see, and one that is looked at now and then only that P lies
between two looks: each enters as the chance of that, never as a number.

Samples may also be those of single steps from one size to the next, for each doubling. Their sum is
logarithmic if they do not grow; that they grow as a logarithm themselves is then no yes.

Spread need not be equal and the sizes of one seed need not be independent, since they begin with
the same weights: intervals come from resampling whole seeds, widened as Student's t asks for few
of them, and joined with that of the likelihood's curvature, which knows how badly a curve fits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Bool, Float
from scipy import stats

from foretell.numerics._likelihood import FAR, Fits, Runs, fit_curve
from foretell.numerics.intervals import LEVEL
from foretell.plain.errors import BadInput

Interval = tuple[float, float]
CURVES = ("logarithm", "power")
CANNOT_TELL = "cannot tell"
RESAMPLES = 400
EVIDENCE = 4.0  # difference of AIC: a curve is then e² times as likely as the other
EVEN = 1e-6  # difference of log likelihoods that rounding makes
FLAT = 0.1  # an exponent below it multiplies samples by less than 1.6 in two decades of size
FEWEST_SEEDS, FEWEST_SIZES = 3, 4  # below them nothing is decided, whatever the fits say


@final
@dataclass(frozen=True)
class Curve:
    """One fitted curve: P at T₀, how it grows (b or p) with its interval, and how well it fits."""

    name: str
    start: float
    level: float
    growth: float
    interval: Interval
    aic: float
    corrected_aic: float

    @property
    def told(self) -> str:
        """How it grows, in words."""
        low, high = self.interval
        ends = (
            f"in [{low:.2f}, {high:.2f}]" if math.isfinite(high - low) else "with no bounds known"
        )
        return f"{'exponent' if self.name == 'power' else 'slope'} {self.growth:.2f}, {ends}"

    def __call__(self, size: float | int) -> float:
        """Samples at that size.

        >>> Curve("power", 16.0, 100.0, 0.5, (0.4, 0.6), 0.0, 0.0)(64)
        200.0
        """
        ratio = size / self.start
        if self.name == "power":
            return self.level * ratio**self.growth
        return self.level + self.growth * math.log(ratio)


@final
@dataclass(frozen=True)
class GrowthFit:
    """Both curves, and which of them the data are: `logarithm`, `power` or `cannot tell`.

    `logarithm` means at most logarithmic: samples that do not grow count. `favoured` is the share
    of resamples of the seeds in which the logarithm fits better.
    """

    grows_as: str
    reason: str
    exponent: float
    interval: Interval
    logarithm: Curve
    power: Curve
    favoured: float
    seeds: int
    sizes: int
    above: int  # runs stopped at their cap
    below: int  # runs that needed less than could be seen

    @property
    def evidence(self) -> float:
        """AIC of the power less that of the logarithm: above 0 the logarithm fits better."""
        return self.power.aic - self.logarithm.aic

    def as_json(self) -> dict[str, Any]:
        """Plain values; what is not finite is null."""
        curves = {
            each.name: {
                "at_start": _finite(each.level),
                "growth": _finite(each.growth),
                "interval": [*map(_finite, each.interval)],
                "aic": _finite(each.aic),
                "corrected_aic": _finite(each.corrected_aic),
            }
            for each in (self.logarithm, self.power)
        }
        return {
            "grows_as": self.grows_as,
            "reason": self.reason,
            "exponent": _finite(self.exponent),
            "interval": [*map(_finite, self.interval)],
            **curves,
            "favoured": _finite(self.favoured),
            "runs": {"seeds": self.seeds, "sizes": self.sizes}
            | {"above": self.above, "below": self.below},
        }


def fit_growth(
    start: float | int,
    sizes: Float[np.ndarray, " size"],
    samples: Float[np.ndarray, "member size"],
    reached: Bool[np.ndarray, "member size"] | None = None,
    *,
    least: float | int | Float[np.ndarray, " size"] = 1.0,
    counted: bool = False,
    of_steps: bool = False,
    seed: int = 0,
) -> GrowthFit:
    """Fit both curves to samples needed by seed and size, and decide.

    Where `reached` is False, the run was stopped after that many samples. A run that was not made
    is NaN. At most `least` samples is all that is known of a run that needed so few; if samples are
    `counted`, others too are known to that much only. `of_steps`: each is what a single step took.

    >>> sizes = 16.0 * 2 ** np.arange(1, 8)
    >>> noise = np.exp(0.1 * np.random.default_rng(0).normal(size=(5, 7)))
    >>> found = fit_growth(16, sizes, 100 * (sizes / 16) ** 0.8 * noise)
    >>> found.grows_as, found.interval[0] < 0.8 < found.interval[1]
    ('power', True)
    """
    sizes, samples = np.asarray(sizes, float), np.asarray(samples, float)
    reached = np.ones(samples.shape, bool) if reached is None else np.asarray(reached)
    least = np.broadcast_to(np.asarray(least, float), sizes.shape)
    runs = _runs(start, sizes, samples, reached, least, counted)
    seeds = len(samples)
    drawn = np.random.default_rng(seed).multinomial(seeds, np.full(seeds, 1 / seeds), RESAMPLES)
    # A seed that was stopped early and not run on has no slope: nor has a resample of it alone.
    tells = np.sum(runs.exact | runs.below, axis=1) >= min(2, len(sizes))
    tells |= ~np.isnan(samples).any(axis=1)
    drawn = drawn[(drawn[:, tells] > 0).any(axis=1)] if tells.any() else drawn
    weights = np.concatenate([np.ones((1, seeds)), drawn])
    fits = {name: fit_curve(name, runs, weights) for name in CURVES}
    span = math.log(sizes[-1] / sizes[0])
    offset = math.log(sizes[0] / start)
    telling = int(tells.sum())
    curves = {name: _curve(name, start, span, offset, runs, fits[name], telling) for name in CURVES}
    lead = fits["power"].costs - fits["logarithm"].costs
    even = np.abs(lead[1:]) < EVEN
    favoured = float(np.mean(np.where(even, 0.5, lead[1:] > 0)))
    grows_as, reason = _decide(curves, favoured, runs, of_steps)
    return GrowthFit(
        grows_as,
        reason,
        curves["power"].growth,
        curves["power"].interval,
        curves["logarithm"],
        curves["power"],
        favoured,
        seeds,
        len(sizes),
        int(np.sum(runs.above)),
        int(np.sum(runs.below)),
    )


def _runs(
    start: float | int,
    sizes: Float[np.ndarray, " size"],
    samples: Float[np.ndarray, "member size"],
    reached: Bool[np.ndarray, "member size"],
    least: Float[np.ndarray, " size"],
    counted: bool,
) -> Runs:
    if len(sizes) < 2 or not (np.diff(sizes) > 0).all() or not 0 < start <= sizes[0]:
        raise BadInput(
            "growth is fitted to two sizes or more, ascending, from the first size trained on",
            seen=f"T₀ = {start:g}, sizes {sizes.tolist()}",
        )
    if not (np.isfinite(least) & (least > 0)).all():
        raise BadInput("the least that can be seen is a number above 0", seen=least.tolist())
    if (samples < 0).any() or np.isinf(samples).any():
        raise BadInput(
            "samples needed are finite and not negative",
            seen=samples.tolist(),
            hint="a run stopped at its cap has the cap, and is marked as not reached",
        )
    made = ~np.isnan(samples)
    if not made.any(axis=0).all():
        raise BadInput("a size has no run", seen=sizes[~made.any(axis=0)].tolist())
    below = made & reached & (samples <= least)
    known = np.maximum(np.where(made, samples, 1.0), least)
    heights, exact = np.log(known), made & reached & ~below
    floors = np.log(np.where(exact, known - least, known)) if counted else heights
    places = np.log(sizes / sizes[0]) / math.log(sizes[-1] / sizes[0])
    return Runs(heights, floors, exact, made & ~reached, below, places)


def _curve(
    name: str,
    start: float | int,
    span: float,
    offset: float,
    runs: Runs,
    fits: Fits,
    seeds: int,
) -> Curve:
    """From both ends to level and growth, with the interval of the growth."""
    first, last = fits.parameters[:, 0], fits.parameters[:, 1]
    if name == "power":
        growth = (last - first) / span
        level = np.exp(first - growth * offset)
        slope = np.array([-1.0, 1.0, 0.0]) / span
    else:
        growth = (np.exp(last) - np.exp(first)) / span
        level = np.exp(first) - growth * offset
        slope = np.array([-np.exp(first[0]), np.exp(last[0]), 0.0]) / span
    exact = int(np.sum(runs.exact))
    half = max(
        _half_by_seeds(growth[1:], seeds),
        _half_by_curvature(slope, fits.curvature, exact - 3),
    )
    low, high = float(growth[0] - half), float(growth[0] + half)
    if last[0] > np.max(runs.heights) + FAR:  # only runs stopped at their cap hold it there
        high = math.inf
    count = exact + int(np.sum(runs.above | runs.below))
    aic = 2 * float(fits.costs[0]) + 2 * 3
    corrected = aic + 24 / (count - 4) if count > 4 else math.inf
    values = float(level[0]), float(growth[0])
    return Curve(name, float(start), *values, (low, high), aic, corrected)


def _half_by_seeds(growth: Float[np.ndarray, " draw"], seeds: int) -> float:
    """Student's interval with the spread between resamples, which is too small for few seeds."""
    if seeds < 2:  # one seed says nothing of another
        return math.inf
    spread = float(growth.std()) * math.sqrt(seeds / (seeds - 1))
    return float(stats.t.ppf(0.5 + LEVEL / 2, seeds - 1)) * spread


def _half_by_curvature(
    slope: Float[np.ndarray, " parameter"], curvature: Float[np.ndarray, "_ _"], free: int
) -> float:
    """Student's interval from the likelihood; what it leaves undetermined is unbounded."""
    if free < 1:
        return math.inf
    kept = curvature[:2, :2]  # of the ends, at the spread found: the two hardly depend
    if np.linalg.eigvalsh(kept)[0] <= 1e-9:
        return math.inf
    variance = float(slope[:2] @ np.linalg.solve(kept, slope[:2])) * (free + 3) / free
    return float(stats.t.ppf(0.5 + LEVEL / 2, free)) * math.sqrt(variance)


def _decide(
    curves: dict[str, Curve], favoured: float, runs: Runs, of_steps: bool
) -> tuple[str, str]:
    """The rule, in order; every way not to know comes before a verdict."""
    low, high = curves["power"].interval
    evidence = curves["power"].aic - curves["logarithm"].aic
    said = f"the {curves['power'].told}"
    seeds, sizes = len(runs.heights), int(np.sum(np.any(runs.exact | runs.below, axis=0)))
    if seeds < FEWEST_SEEDS or sizes < FEWEST_SIZES:
        why = f"{seeds} seeds that arrived at {sizes} sizes are too few"
        return CANNOT_TELL, f"{said}, but {why}: {FEWEST_SEEDS} and {FEWEST_SIZES} are needed"
    if not np.any(runs.exact | runs.above):
        return "logarithm", "no run needed more than the least that can be seen: nothing grows"
    if high < FLAT:
        return "logarithm", f"{said}: samples hardly grow, so less than any power worth the name"
    if evidence >= EVIDENCE and favoured >= LEVEL and not of_steps:
        return "logarithm", f"a logarithm fits better than a power by {evidence:.1f} of AIC; {said}"
    if evidence <= -EVIDENCE and favoured <= 1 - LEVEL and low > 0:
        return "power", f"a power fits better than a logarithm by {-evidence:.1f} of AIC; {said}"
    why = f"the AIC of the two differ by {abs(evidence):.1f}"
    return (
        CANNOT_TELL,
        f"{said}, and {why}, with the logarithm ahead in {favoured:.0%} of resamples",
    )


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
