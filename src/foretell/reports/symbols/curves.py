"""Losses on unseen symbols by number of samples: ours, the published ones, and what theory says."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from foretell.core.measurement import Measurement, Value
from foretell.protocols._asking import Budget
from foretell.protocols._running import stored
from foretell.protocols.unseen_symbols import NAMES
from foretell.reproductions import Line, Reproduction
from foretell.tasks.template import TemplateTask
from foretell.templates.outcome import HandlesUnseenSymbols
from foretell.templates.template_set import TemplateSet
from foretell.theory._templates import Patterns, patterns_of
from foretell.training.store import Store

PREDICTED = ("transformer", "transformer+kq")  # whose predicted loss is shown
HALF = 0.5  # of what a constant loses: above it nothing general was learned


@dataclass(frozen=True)
class Point:
    """One number of samples on one curve."""

    line: Line
    measured: Measurement | None

    @property
    def samples(self) -> int:
        """Training strings, and symbols."""
        outcome = self.line.asked.question.outcome
        assert isinstance(outcome, HandlesUnseenSymbols)
        return outcome.samples

    @property
    def ours(self) -> Value | None:
        """The loss on unseen symbols, seed by seed; nothing where it was not trained."""
        if self.measured is None:
            return None
        return next(value for value in self.measured.values if value.probe == NAMES["test"])

    @property
    def published(self) -> float | None:
        """What the figure shows there."""
        return self.line.published[0] if self.line.published else None

    @property
    def predicted(self) -> float | None:
        """What kernel regression with very many symbols loses there; nothing without a formula."""
        question = self.line.asked.question
        assert isinstance(question.task, TemplateTask)
        kind, templates = question.architecture.kind, question.task.templates
        if kind not in PREDICTED or not templates.is_real:
            return None
        return _patterns(kind, templates).loss(templates, self.samples)

    @property
    def alike(self) -> bool | None:
        """Are both above one half, or both not? Nothing where there is one of them only."""
        if self.ours is None or self.published is None:
            return None
        limit = HALF * (self.ours.baseline or 1.0)
        return (self.ours.mean > limit) == (self.published > limit)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "samples": self.samples,
            "published": self.published,
            "predicted": self.predicted,
            "ours": self.ours.as_json() if self.ours else None,
            "verdict": self.measured.verdict.value if self.measured else None,
            "provenance": self.measured.provenance if self.measured else None,
        }


@dataclass(frozen=True)
class SymbolCurves:
    """All figures, each with its curves."""

    reproduction: Reproduction
    budget: str
    points: tuple[Point, ...]

    def figures(self) -> dict[str, dict[str, tuple[Point, ...]]]:
        """Points by figure and by curve, as they come."""
        found: dict[str, dict[str, tuple[Point, ...]]] = {}
        for point in self.points:
            curves = found.setdefault(point.line.group, {})
            curves[point.line.label] = (*curves.get(point.line.label, ()), point)
        return found

    def agreement(self) -> tuple[int, int]:
        """At how many points ours and theirs are on one side of one half, of how many with both."""
        both = [point.alike for point in self.points if point.alike is not None]
        return sum(both), len(both)

    def distance(self) -> float | None:
        """The median difference between ours and theirs."""
        found = sorted(
            abs(point.ours.mean - point.published)
            for point in self.points
            if point.ours is not None and point.published is not None
        )
        return found[len(found) // 2] if found else None

    def as_json(self) -> dict[str, Any]:
        """The form of `foretell reproduce --json`."""
        same, both = self.agreement()
        return {
            "title": self.reproduction.title,
            "source": self.reproduction.source,
            "budget": self.budget,
            "figures": {
                figure: {
                    label: [each.as_json() for each in points] for label, points in own.items()
                }
                for figure, own in self.figures().items()
            },
            "summary": {"same_side": same, "compared": both, "median_difference": self.distance()},
        }


@lru_cache(maxsize=32)
def _patterns(kind: str, templates: TemplateSet) -> Patterns:
    """One matrix serves every number of samples."""
    return patterns_of(kind, templates)


def collect(
    reproduction: Reproduction, budget: str, seeds: int | None, store: Store
) -> SymbolCurves:
    """Every point beside what the store has for it."""
    lines = reproduction.lines(Budget(budget), seeds)
    points = tuple(Point(line, stored(line.asked, store)) for line in lines)
    return SymbolCurves(reproduction, budget, points)


def spread(value: Value) -> tuple[float, float] | None:
    """The ends of the interval; nothing where one seed says nothing of others."""
    low, high = value.interval.low, value.interval.high
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None
