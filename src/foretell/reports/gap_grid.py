"""A grid of fitted functions: class by class, what was measured beside bound and construction."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.pac_bayes import truncated
from foretell.boolean.bounds.risk_bound import RiskBound, Setting
from foretell.boolean.bounds.terms import Form
from foretell.boolean.outcome import GapAtMost
from foretell.constructions.flat import build_flat, squared_norm
from foretell.constructions.flat_forward import flat_output
from foretell.core.measurement import Measurement
from foretell.numerics.curvature import gradient_norms
from foretell.numerics.intervals import of_mean
from foretell.numerics.ranks import RankAgreement, kendall
from foretell.protocols._asking import Budget
from foretell.protocols._running import stored
from foretell.reproductions import Line, Reproduction
from foretell.tasks.boolean import BooleanTask
from foretell.theory.degree_hardness import hardness
from foretell.training.store import Store

PUBLISHED, ADMISSIBLE = (
    0.01,
    0.5,
)  # sub-Gaussian constants: the paper's, and the least valid one
DELTA = 0.05
INPUTS = 256  # at which the construction's gradients are taken
QUANTITIES = {
    "gap": "gap",
    "trace": "Hessian trace",
    "squared_norm": "squared norm",
    "train": "training loss",
}


@dataclass(frozen=True)
class Spread:
    """Values of several functions, their mean and its interval."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Over functions."""
        return of_mean(self.values)[0]

    @property
    def interval(self) -> tuple[float, float]:
        """95 %, Student's; infinite for one function."""
        return of_mean(self.values)[1:]


@dataclass(frozen=True)
class GapClass:
    """All functions of one degree and sparsity."""

    family: FunctionClass
    lines: tuple[Line, ...]
    measured: tuple[Measurement, ...]
    built_norm: float  # squared norm and trace of the construction, mean over functions
    built_trace: float
    samples: int

    @property
    def label(self) -> str:
        """As in tables."""
        return self.lines[0].label

    @property
    def fitted(self) -> tuple[Measurement, ...]:
        """Those with a model that fitted its training inputs; their values are of such models."""
        return tuple(each for each in self.measured if each.provenance["fitted"])

    @property
    def counts(self) -> tuple[int, int, int]:
        """Models fitted, models trained, models asked for."""
        known = [each.provenance for each in self.measured]
        fitted, trained = (sum(len(each[name]) for each in known) for name in ("fitted", "seeds"))
        return fitted, trained, sum(len(line.asked.seeds) for line in self.lines)

    def spread(self, quantity: str) -> Spread | None:
        """Over the functions that were fitted."""
        name = QUANTITIES[quantity]
        found = tuple(
            one
            for each in self.fitted
            for value in each.values
            if value.probe == name
            for one in value.seeds
        )
        return Spread(found) if found else None

    def bound(self, constant: float, form: Form) -> RiskBound:
        """Truncated, at the best noise."""
        return truncated(
            self.family, Setting(samples=self.samples, constant=constant, delta=DELTA), form
        )

    def as_json(self) -> dict[str, Any]:
        """Plain values, function by function."""
        spreads = {name: self.spread(name) for name in QUANTITIES}
        return {
            "degree": self.family.degree,
            "sparsity": self.family.sparsity,
            "bits": self.family.bits,
            "models": dict(zip(("fitted", "trained", "asked"), self.counts, strict=True)),
            **{name: list(found.values) if found else [] for name, found in spreads.items()},
            "construction": {"squared_norm": self.built_norm, "trace": self.built_trace},
            "hardness": hardness(self.family),
            "bounds": {
                "published": self.bound(PUBLISHED, Form.PUBLISHED).as_json(),
                "corrected": self.bound(ADMISSIBLE, Form.CORRECTED).as_json(),
            },
            "provenance": [each.provenance for each in self.measured],
        }


@dataclass(frozen=True)
class GapGrid:
    """The whole grid."""

    reproduction: Reproduction
    budget: str
    classes: tuple[GapClass, ...]

    def order(self) -> RankAgreement | None:
        """Do hardness and mean gaps put the classes into the same order?"""
        pairs = [(hardness(c.family), s.mean) for c in self.classes if (s := c.spread("gap"))]
        if len(pairs) < 3:
            return None
        return kendall([hard for hard, _ in pairs], [gap for _, gap in pairs])

    def dominated(self, quantity: str) -> tuple[int, int]:
        """In how many classes what was learned stays below the construction, of how many."""
        found = [(c, s.mean) for c in self.classes if (s := c.spread(quantity))]
        built = {"squared_norm": "built_norm", "trace": "built_trace"}[quantity]
        return sum(mean < getattr(c, built) for c, mean in found), len(found)

    def as_json(self) -> dict[str, Any]:
        """The form of `foretell reproduce --json`."""
        order = self.order()
        return {
            "title": self.reproduction.title,
            "source": self.reproduction.source,
            "budget": self.budget,
            "classes": [each.as_json() for each in self.classes],
            "summary": {
                "order": dataclasses.asdict(order) if order else None,
                "norm_below_construction": self.dominated("squared_norm"),
                "trace_below_construction": self.dominated("trace"),
            },
        }


def collect(reproduction: Reproduction, budget: str, seeds: int | None, store: Store) -> GapGrid:
    """Every class beside what the store has for it."""
    groups: dict[str, list[Line]] = {}
    for line in reproduction.lines(Budget(budget), seeds):
        groups.setdefault(line.label, []).append(line)
    return GapGrid(reproduction, budget, tuple(_class(lines, store) for lines in groups.values()))


def _class(lines: Sequence[Line], store: Store) -> GapClass:
    question = lines[0].asked.question
    task, outcome = question.task, question.outcome
    assert isinstance(task, BooleanTask) and isinstance(outcome, GapAtMost)
    expansion = task.function.expansion
    assert expansion is not None
    built = [_construction(line) for line in lines]
    found = [stored(line.asked, store) for line in lines]
    return GapClass(
        FunctionClass(degree=expansion.degree, sparsity=expansion.sparsity, bits=expansion.bits),
        tuple(lines),
        tuple(each for each in found if each is not None),
        float(np.mean([norm for norm, _ in built])),
        float(np.mean([trace for _, trace in built])),
        outcome.samples,
    )


def _construction(line: Line) -> tuple[float, float]:
    """Squared norm, and the Hessian's trace where the loss is 0: twice the squared gradient."""
    task = line.asked.question.task
    assert isinstance(task, BooleanTask) and task.function.expansion is not None
    weights = build_flat(task.function.expansion)
    inputs = np.random.default_rng(0).integers(0, 2, (INPUTS, task.bits))
    numbers = jax.tree.map(lambda leaf: jax.numpy.asarray(leaf, "float32"), weights)
    norms = gradient_norms(flat_output, numbers, jax.numpy.asarray(inputs))
    return squared_norm(weights), float(2 * norms.total.mean())
