"""What a capture run says, all arms together: the verdict, the controls, and what happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foretell.core.measurement import Interval, Value
from foretell.core.question import SizeRange, Verdict
from foretell.numerics.intervals import over_seeds, wilson
from foretell.protocols._adaptation import Adaptation, cheaper_than_learning, no_gain
from foretell.training.capture_plan import (
    FROM_SCRATCH,
    FROM_START,
    PRE_TRAINING,
    STEP_BY_STEP,
    CapturePlan,
)
from foretell.training.record import CaptureRecord

UNADAPTED = "accuracy before adapting"
LOST = 0.5  # a symbol right less often is lost: with eight, guessing is right in one of seven
FOUND = 0.75  # if the others are right so often, on average: else the run is wrong everywhere


def constant_answers(record: CaptureRecord) -> dict[int, float]:
    """What giving every instance the commonest answers scores, size by size: the mean over
    held-out samples. Runs kept from before it was recorded have none."""
    found: dict[int, list[float]] = {}
    for own in record.members:
        if own.constant is not None:
            found.setdefault(own.size, []).append(own.constant)
    return {size: sum(shares) / len(shares) for size, shares in found.items()}


def unadapted(
    plan: CapturePlan, record: CaptureRecord, constant: Mapping[int, float]
) -> list[Value]:
    """How often the pre-trained models are right at larger sizes as they are.

    Where nothing adapts from the start, that is known of the first larger size alone.
    """
    usual, sizes = FROM_START, plan.sizes
    if FROM_START not in plan.arms:
        usual, sizes = STEP_BY_STEP, plan.sizes[:1]
    found = []
    for size in sizes:
        own = [each for each in record.members if (each.arm, each.size) == (usual, size)]
        if own:
            shares = tuple(each.before for each in own)
            mean, low, high = over_seeds(shares, plan.samples)
            seeds, ends = tuple(each.seed for each in own), Interval(low, high)
            place = SizeRange(size, size)
            found.append(Value(UNADAPTED, place, shares, mean, ends, seeds, constant.get(size)))
    return found


def lost_symbols(record: CaptureRecord) -> list[dict[str, Any]] | None:
    """Runs given up while adapting that find most symbols and no longer find some.

    Nothing where it was not recorded. A run that is wrong everywhere has not lost anything.
    """
    known = [own for own in record.members if own.by_symbol is not None]
    if not known:
        return None
    found = []
    for own in known:
        if own.status != "not fitted" or own.arm in (PRE_TRAINING, FROM_SCRATCH):
            continue
        shares = own.by_symbol or {}
        lost = {name: share for name, share in shares.items() if share < LOST}
        rest = [share for share in shares.values() if share >= LOST]
        if lost and rest and sum(rest) >= FOUND * len(rest):
            place = {"arm": own.arm, "size": own.size, "seed": own.seed, "share": own.after}
            found.append({**place, "lost": lost, "others": sum(rest) / len(rest)})
    return found


def decide(
    plan: CapturePlan,
    arms: Sequence[Adaptation],
    trained: Mapping[int, int],
    constant: Mapping[int, float],
) -> tuple[Verdict, str]:
    """What all arms say together, by the protocol's rule; `trained` has samples that it took."""
    first = sorted(trained.values())
    wanted = {plan.start.high: plan.learned} | dict.fromkeys(plan.sizes, plan.threshold)
    for size, enough in wanted.items():
        blind = constant.get(size, 0.0)
        lucky = wilson(round(blind * plan.samples), plan.samples)[1]  # as a check may come out
        if lucky >= enough:
            return (
                Verdict.UNDECIDED,
                f"too easy: at size {size} the same answers for all instances are right in "
                f"{blind:.1%} of {plan.samples} samples, and {enough:g} is the threshold",
            )
    if not trained:
        return (
            Verdict.UNDECIDED,
            f"not learned: no run reaches {plan.learned:g} at sizes {plan.start}, so there is "
            "nothing to adapt",
        )
    asked = [arm for arm in arms if arm.name != FROM_SCRATCH]
    found = [arm.verdict for arm in asked]
    said = "; ".join(f"{arm.name}: {why}" for arm, (_, why) in zip(asked, found, strict=True))
    if sizes := no_gain(arms):
        where = ", ".join(f"{size:,}" for size in sizes)
        said += f"; but from scratch takes no more at {where}, so there nothing was carried over"
    kinds = {verdict for verdict, _ in found}
    if Verdict.YES in kinds:
        return Verdict.YES, said
    if kinds == {Verdict.NO} and cheaper_than_learning(plan, arms, first):
        said += (
            f"; but fresh weights miss {arms[0].sizes[0]:,} as well, and sizes {plan.start} took "
            f"{min(first):,} samples or more to learn, where {plan.cap:,} are given here: it may "
            "be that no size is learned from so few"
        )
    return (Verdict.NO if kinds == {Verdict.NO} else Verdict.UNDECIDED), said


def sentences(
    plan: CapturePlan,
    record: CaptureRecord,
    arms: Sequence[Adaptation],
    trained: Sequence[int],
) -> list[str]:
    """What happened, beside the verdict."""
    first = [own for own in record.members if own.arm == PRE_TRAINING]
    took = " ".join(f"{own.samples:,}" for own in first)
    told = [
        f"{len(trained)} of {len(first)} runs reach {plan.learned:g} at sizes {plan.start}, "
        f"after {took} samples",
    ]
    for arm in arms:
        if not arm.reached.all():
            missed = arm.reached.size - int(arm.reached.sum())
            told.append(
                f"{arm.name}: {missed} of {arm.reached.size} runs miss the threshold within "
                f"{plan.cap:,} samples; the table has what they were given"
            )
        if arm.fit:
            told.append(f"{arm.name}: {arm.fit.reason}")
    for arm in arms:
        left = [f"{size:,}" for size in plan.sizes_of(arm.name) if size not in arm.sizes]
        if left and arm.name != FROM_SCRATCH:
            told.append(f"{arm.name}: left out, since most runs missed before: {', '.join(left)}")
    if constant := constant_answers(record):
        shares = ", ".join(f"{share:.1%} at {size}" for size, share in constant.items())
        told.append(f"always the commonest answers are right in {shares}")
    return told
