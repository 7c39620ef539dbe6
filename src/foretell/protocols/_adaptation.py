"""What each arm of a capture run needed, size by size, and what that alone says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from foretell.core.measurement import Interval, Value
from foretell.core.question import SizeRange, Verdict
from foretell.numerics.growth import FEWEST_SEEDS, FEWEST_SIZES, GrowthFit, fit_growth
from foretell.numerics.intervals import of_mean
from foretell.training.capture_plan import (
    FROM_SCRATCH,
    FROM_START,
    PRE_TRAINING,
    STEP_BY_STEP,
    CapturePlan,
)
from foretell.training.record import AdaptedMember, CaptureRecord

FEWEST_CHECKS = 16  # before a run is given up: with fewer, growth can hide below the first
LEAST_TIMES = 4  # the first size, that the largest must be: nobody captures anything from 16 to 20
SLOW = 0.25  # an exponent whose interval holds 0 and ends below it is no growth; 0.3 never passes


@final
@dataclass(frozen=True)
class Adaptation:
    """What one arm needed: samples by seed and size, whether that was enough, and the fits."""

    name: str
    sizes: tuple[int, ...]
    seeds: tuple[int, ...]
    samples: np.ndarray
    reached: np.ndarray
    fit: GrowthFit | None  # of step by step: of the samples that single steps took
    least: int  # samples before the first check
    is_fine: bool  # enough checks, and large enough sizes, for a yes

    def values(self) -> list[Value]:
        """One a size."""
        found = []
        for place, size in enumerate(self.sizes):
            own = tuple(map(float, self.samples[:, place]))
            mean, low, high = of_mean(own)
            low = max(low, 0.0) if math.isfinite(low) else low
            ends = Interval(low, high)
            label = f"samples, {self.name}"
            found.append(Value(label, SizeRange(size, size), own, mean, ends, self.seeds))
        return found

    @property
    def verdict(self) -> tuple[Verdict, str]:
        """What this arm alone says."""
        missed = (~self.reached).sum(axis=0) * 2 > len(self.seeds)
        if missed.any():
            size, runs = self.sizes[int(np.argmax(missed))], len(self.seeds)
            said = f"most runs miss the threshold at size {size}"
            if runs < FEWEST_SEEDS:
                return Verdict.UNDECIDED, f"{said}, of {runs} that learned the small sizes: too few"
            return Verdict.NO, said
        if self.fit is None:
            return Verdict.UNDECIDED, "too little to fit"
        low, high = self.fit.interval
        each = " of single steps" if self.name == STEP_BY_STEP else ""
        said = self.fit.power.told.replace("exponent", f"exponent{each}", 1)
        if self.fit.grows_as == "power":
            return Verdict.NO, f"samples grow as a power, {said}"
        enough = len(self.seeds) >= FEWEST_SEEDS and len(self.sizes) >= FEWEST_SIZES
        nothing = self.fit.below == self.reached.size
        slow = self.fit.grows_as == "logarithm" or (low <= 0 and high < SLOW) or nothing
        said = f"no run needs more than {self.least:,}, the first check" if nothing else said
        if self.reached.all() and enough and slow and self.is_fine:
            return Verdict.YES, f"every run reaches the threshold at every size, {said}"
        if self.reached.all() and enough and slow:
            said += (
                f"; but a yes takes {FEWEST_CHECKS} checks before a run is given up, and sizes up "
                f"to {LEAST_TIMES} times the first"
            )
        return Verdict.UNDECIDED, said


def adaptations(plan: CapturePlan, record: CaptureRecord) -> tuple[Adaptation, ...]:
    """Every arm with its fits; nothing where nobody learned the small sizes."""
    return tuple(found for arm in plan.arms if (found := _adaptation(plan, record, arm)))


def _adaptation(plan: CapturePlan, record: CaptureRecord, arm: str) -> Adaptation | None:
    known = {(own.arm, own.size, own.seed): own for own in record.members}
    seeds = tuple(own.seed for own in record.members if own.arm == PRE_TRAINING and own.reached)
    shared = {plan.sizes[0]: FROM_START} if arm == STEP_BY_STEP and FROM_START in plan.arms else {}
    run = {(own.arm, own.size) for own in record.members}  # not all, where a miss ended it
    sizes = tuple(size for size in plan.sizes if (shared.get(size, arm), size) in run)
    if not seeds or not sizes:
        return None

    def of(seed: int, size: int) -> AdaptedMember:
        return known[shared.get(size, arm), size, seed]

    samples = np.array([[of(seed, size).samples for size in sizes] for seed in seeds], float)
    reached = np.array([[of(seed, size).reached for size in sizes] for seed in seeds])
    fit = _fit(plan, arm == STEP_BY_STEP, sizes, samples, reached)
    if arm == STEP_BY_STEP:  # what all steps up to a size took; after a miss nothing is known
        samples = np.cumsum(samples, axis=1)
        reached = np.logical_and.accumulate(reached, axis=1)
    return Adaptation(
        arm,
        sizes,
        seeds,
        samples,
        reached,
        fit,
        plan.adapting_check * plan.adapting_batch,
        _is_fine(plan),
    )


def _is_fine(plan: CapturePlan) -> bool:
    """Could a yes mean anything? Checks that show growth, and sizes that differ."""
    checks = plan.adapting_steps // plan.adapting_check
    return checks >= FEWEST_CHECKS and plan.sizes[-1] >= LEAST_TIMES * plan.start.high


def _fit(
    plan: CapturePlan,
    of_steps: bool,
    sizes: tuple[int, ...],
    samples: np.ndarray,
    reached: np.ndarray,
) -> GrowthFit | None:
    """How samples grow. Steps from size to size are taken for each doubling, one by one: sums of
    them begin at nothing, as a logarithm can and a power cannot, and repeat each other's errors."""
    found = np.array(sizes, float)
    least = np.full(found.shape, float(plan.adapting_check * plan.adapting_batch))
    if of_steps:
        doublings = np.log2(found / np.array([plan.start.high, *sizes[:-1]]))
        arrived = np.logical_and.accumulate(reached, axis=1)
        after_a_miss = np.zeros_like(arrived)
        after_a_miss[:, 1:] = ~arrived[:, :-1]
        samples, least = np.where(after_a_miss, np.nan, samples) / doublings, least / doublings
        known = (~after_a_miss).any(axis=0)
        found, samples, least, reached = (
            found[known],
            samples[:, known],
            least[known],
            reached[:, known],
        )
    if len(found) < 2:
        return None
    start = float(plan.start.high)
    return fit_growth(start, found, samples, reached, least=least, counted=True, of_steps=of_steps)


def no_gain(arms: Sequence[Adaptation]) -> tuple[int, ...]:
    """Sizes at which fresh weights needed no more samples than those that small sizes gave.

    Runs that were given up count with what they were given, so a size at which both were is none.
    """
    known = {arm.name: arm for arm in arms}
    if FROM_START not in known or FROM_SCRATCH not in known:
        return ()
    start, scratch = known[FROM_START], known[FROM_SCRATCH]
    found = []
    for place, size in enumerate(scratch.sizes):
        if size not in start.sizes:
            continue
        at = start.sizes.index(size)
        arrived = start.reached[:, at].any() or scratch.reached[:, place].any()
        if arrived and scratch.samples[:, place].mean() <= start.samples[:, at].mean():
            found.append(size)
    return tuple(found)


def cheaper_than_learning(
    plan: CapturePlan, arms: Sequence[Adaptation], first: Sequence[int]
) -> bool:
    """Did nothing reach even the first larger size, with fewer samples than small ones had taken?

    If fresh weights fail too, that may only say that no size is learned from so few. `first` is
    what learning the small sizes took.
    """
    stuck = all((~arm.reached[:, 0]).sum() * 2 > len(arm.seeds) for arm in arms)
    tried = any(arm.name == FROM_SCRATCH for arm in arms)
    return stuck and tried and min(first) > plan.cap
