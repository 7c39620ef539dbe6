"""What every protocol does with test scores: which tests to run, shares, curves."""

from __future__ import annotations

from collections.abc import Iterable

from foretell.core.measurement import Curve, Interval, Value
from foretell.core.question import Question, SizeRange
from foretell.models.positional import load as load_positional
from foretell.numerics.intervals import over_seeds
from foretell.plain.errors import BadInput
from foretell.training.plan import Plan, Trial, require_sizes
from foretell.training.record import Record

Place = tuple[str, int, int]  # probe, and the ends of its range
Counts = dict[Place, dict[int, tuple[int, int]]]  # by place and seed: right, tried


def trials_for(question: Question, ranges: Iterable[SizeRange], samples: int) -> tuple[Trial, ...]:
    """Every probe on every range, and the first probe again at offsets where positions shift."""
    task, ranges = question.task, tuple(ranges)
    for sizes in ranges:
        require_sizes(task, sizes)
    trials = [
        Trial(probe, sizes, samples)
        for probe in task.probes
        for sizes in ranges
        if task.sizes(sizes.low, sizes.high, probe)
    ]
    if load_positional(question.architecture.positional).random_offsets:
        trials += [Trial(task.probes[0], sizes, samples, True) for sizes in ranges]
    return tuple(trials)


def values_of(plan: Plan, record: Record, used: list[int]) -> tuple[Value, ...]:
    """Every test, then the last answers alone where the task scores them apart."""
    named = [(trial, trial.label) for trial in plan.trials]
    if plan.members[0].task.last_apart:
        named += [(trial, trial.last_label) for trial in plan.trials]
    counts = _counts(record)
    return tuple(_value(trial, label, record, counts, used) for trial, label in named)


def _counts(record: Record) -> Counts:
    """All sizes of a test together; one walk over the scores, of which there are thousands."""
    found: Counts = {}
    for score in record.scores:
        own = found.setdefault((score.probe, score.low, score.high), {})
        right, tried = own.get(score.seed, (0, 0))
        own[score.seed] = right + score.right, tried + score.tried
    return found


def _value(trial: Trial, label: str, record: Record, counts: Counts, used: list[int]) -> Value:
    """The share of right answers of each run used, their mean and its interval."""
    place = (label, trial.sizes.low, trial.sizes.high)
    shares = tuple(_share(counts.get(place, {}).get(seed, (0, 0)), place) for seed in used)
    mean, low, high = over_seeds(shares, trial.count)
    tables = next((found[3] for found in record.baselines if found[:3] == place), ())
    ends, guess = Interval(low, high), tables[0] if tables else None
    return Value(label, trial.sizes, shares, mean, ends, tuple(used), guess, tables)


def curves_of(record: Record) -> tuple[Curve, ...]:
    """Scores size by size, for each probe and seed."""
    found: dict[tuple[str, int], list[tuple[int, int, int]]] = {}
    for score in record.scores:
        found.setdefault((score.probe, score.seed), []).append(
            (score.size, score.right, score.tried)
        )
    return tuple(
        Curve(probe, seed, tuple(sorted(points))) for (probe, seed), points in found.items()
    )


def _share(count: tuple[int, int], place: Place) -> float:
    right, tried = count
    if not tried:
        raise BadInput(
            "a record lacks the scores of a run", seen=f"{place[0]} {place[1]}-{place[2]}"
        )
    return right / tried
