"""Samples that adapting takes, against size: every curve with its fits, from the store."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foretell.core.measurement import Measurement, Value
from foretell.core.question import Verdict
from foretell.protocols._asking import Budget
from foretell.protocols._captured import UNADAPTED
from foretell.protocols._dilution import Dilution, looked
from foretell.protocols._running import stored
from foretell.reproductions import Line, Reproduction
from foretell.tasks.capturing import CapturesAlgorithm
from foretell.training.capture_plan import FROM_SCRATCH, FROM_START, STEP_BY_STEP
from foretell.training.store import Store

OURS = (
    "the original's numbers and settings are unknown: sizes, thresholds, shapes, rates and batches "
    "are ours, so only the shapes of curves can be compared"
)


@dataclass(frozen=True)
class CaptureCurve:
    """One task and shape, measured or not yet."""

    line: Line
    measured: Measurement | None
    looks: tuple[Dilution, ...] = ()  # at the attention, before and after adapting

    @property
    def name(self) -> str:
        """What tells it from the others of its group."""
        return self.line.setting or self.line.label

    @property
    def outcome(self) -> CapturesAlgorithm:
        """What was asked."""
        outcome = self.line.asked.question.outcome
        assert isinstance(outcome, CapturesAlgorithm)
        return outcome

    @property
    def cap(self) -> int:
        """Samples after which a run was given up."""
        plan: Any = self.line.asked.plan
        return int(plan.cap)

    def samples(self, arm: str = FROM_START) -> tuple[Value, ...]:
        """Samples needed in an arm, size by size."""
        return self._values(f"samples, {arm}")

    @property
    def unadapted(self) -> tuple[Value, ...]:
        """Accuracy as it is, size by size."""
        return self._values(UNADAPTED)

    def _values(self, probe: str) -> tuple[Value, ...]:
        values = self.measured.values if self.measured else ()
        return tuple(value for value in values if value.probe == probe)

    def missed(self, arm: str) -> dict[int, int]:
        """How many runs were given up in an arm, by size."""
        counts = self.measured.provenance["missed"].get(arm, ()) if self.measured else ()
        sizes = (value.sizes.high for value in self.samples(arm))
        return dict(zip(sizes, counts, strict=True))

    @property
    def lost(self) -> list[Mapping[str, Any]]:
        """Runs that were given up with some symbols lost; runs kept from before have none."""
        return list(self.measured.provenance.get("lost") or ()) if self.measured else []

    def fit(self, arm: str = FROM_START) -> Mapping[str, Any] | None:
        """Both fitted curves of an arm, as the measurement recorded them."""
        if self.measured is None:
            return None
        found: Mapping[str, Any] | None = self.measured.provenance["growth"].get(arm)
        return found

    def fitted(self, arm: str, size: float) -> float | None:
        """Samples at a size by the better of the two fitted curves."""
        fit = self.fit(arm)
        if fit is None or None in (fit["power"]["aic"], fit["logarithm"]["aic"]):
            return None
        ratio = size / self.outcome.start
        power, logarithm = fit["power"], fit["logarithm"]
        if power["aic"] < logarithm["aic"]:
            return float(power["at_start"] * ratio ** power["growth"])
        return float(logarithm["at_start"] + logarithm["growth"] * math.log(ratio))

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        measured = self.measured
        return {
            "label": self.line.label,
            "start": self.outcome.start,
            "threshold": self.outcome.threshold,
            "cap": self.cap,
            "architecture": self.line.asked.question.architecture.as_json(),
            "verdict": measured.verdict.value if measured else None,
            "reason": measured.reason if measured else None,
            "values": [value.as_json() for value in measured.values] if measured else [],
            "looks": [each.as_json() for each in self.looks],
            "provenance": measured.provenance if measured else None,
        }


@dataclass(frozen=True)
class CaptureCurves:
    """The whole figure."""

    reproduction: Reproduction
    budget: str
    curves: tuple[CaptureCurve, ...]

    def groups(self) -> dict[str, tuple[CaptureCurve, ...]]:
        """Curves by group, as they come."""
        found: dict[str, tuple[CaptureCurve, ...]] = {}
        for curve in self.curves:
            found[curve.line.group] = (*found.get(curve.line.group, ()), curve)
        return found

    def ways(self) -> dict[str, tuple[CaptureCurve, ...]]:
        """Groups whose curves are several ways to answer one question."""
        return {
            group: own
            for group, own in self.groups().items()
            if len(own) > 1 and len({curve.line.asked.question.hash for curve in own}) == 1
        }

    def as_json(self) -> dict[str, Any]:
        """The form of `foretell reproduce --json`."""
        return {
            "title": self.reproduction.title,
            "source": self.reproduction.source,
            "budget": self.budget,
            "settings": OURS,
            "in_some_way": {group: in_some_way(own).value for group, own in self.ways().items()},
            "arms": [FROM_START, STEP_BY_STEP, FROM_SCRATCH],
            "groups": {
                group: [curve.as_json() for curve in own] for group, own in self.groups().items()
            },
        }


def in_some_way(curves: Sequence[CaptureCurve]) -> Verdict:
    """Of one question answered in several ways: yes if one says yes, no if every one says no.

    The definition asks for some way to adapt. A way that was not tried leaves a no open.
    """
    found = {curve.measured.verdict if curve.measured else Verdict.UNDECIDED for curve in curves}
    if Verdict.YES in found:
        return Verdict.YES
    return Verdict.NO if found == {Verdict.NO} else Verdict.UNDECIDED


def collect(
    reproduction: Reproduction, budget: str, seeds: int | None, store: Store
) -> CaptureCurves:
    """Every curve as the store has it."""
    lines = reproduction.lines(Budget(budget), seeds)
    return CaptureCurves(reproduction, budget, tuple(_curve(line, store) for line in lines))


def _curve(line: Line, store: Store) -> CaptureCurve:
    measured, asked = stored(line.asked, store), line.asked
    if measured is None:
        return CaptureCurve(line, None)
    return CaptureCurve(line, measured, looked(store.folder(asked.question.hash, asked.plan.hash)))
