"""The bounds of a report, one line each, in three readings side by side."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from foretell.boolean.bounds.covering import Reading, covering
from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.pac_bayes import (
    analytic,
    fewest_samples,
    optimum_in_closed_form,
    parts,
    semi_analytic,
    truncated,
)
from foretell.boolean.bounds.risk_bound import RiskBound, Setting
from foretell.boolean.bounds.terms import Form, Ramp, Sizes, flattest, sizes_of
from foretell.reports.boolean.construction import Construction


class Column(NamedTuple):
    """One reading: whose formulas, and with which sub-Gaussian constant."""

    name: str
    form: Form
    setting: Setting


class Figure(NamedTuple):
    """One number of the table, with the noise at which it is best and its parts there."""

    value: float
    noise: float | None = None
    sharpness: float | None = None
    perturbation: float | None = None
    norm: float | None = None
    confidence: float | None = None


@final
@dataclass(frozen=True)
class Line:
    """One bound, a figure for each column; nothing where the paper has none like it."""

    name: str
    about: str
    figures: tuple[Figure | None, ...]
    samples: tuple[float | None, ...]  # from which it is below the error of a constant


class Lines(NamedTuple):
    """What all lines are made for."""

    columns: tuple[Column, ...]
    trivial: float

    def of_class(
        self, family: FunctionClass, construction: Construction | None
    ) -> tuple[Line, ...]:
        """Bounds that hold for a whole class of functions."""
        return (
            self._truncated(family),
            *self._measured_change(family, construction),
            self._flattest(family),
            self._analytic(family),
            self._covering(family),
        )

    def of_construction(self, construction: Construction | None) -> tuple[Line, ...]:
        """The truncated bound with norm and trace of one construction instead of a class's."""
        found = own_sizes(construction)
        if construction is None or construction.rescaled is None or found is None:
            return ()
        moved = construction.rescaled
        after = Sizes(moved.squared_norm, moved.trace / 2, found.ramp)
        factor = f"{moved.factor:.3g}"
        about = f"the same with its MLP rescaled by {factor}; training need not end as flat"
        return (
            self._own("this construction", "truncated, with its own norm and trace", found),
            self._own("rescaled", about, after),
        )

    def _truncated(self, family: FunctionClass) -> Line:
        return Line(
            "truncated",
            "what noise does to the trace is left out",
            tuple(_figure(truncated(family, each.setting, each.form)) for each in self.columns),
            tuple(self._needed(sizes_of(family, each.form), each) for each in self.columns),
        )

    def _flattest(self, family: FunctionClass) -> Line:
        sizes, ours = flattest(family), self.columns[1:]
        found = [_figure(truncated(family, each.setting, sizes=sizes)) for each in ours]
        needed = [self._needed(sizes, each) for each in ours]
        about = "truncated, with wide ramps and every gradient counted"
        return Line("wide ramps", about, (None, *found), (None, *needed))

    def _measured_change(
        self, family: FunctionClass, construction: Construction | None
    ) -> tuple[Line, ...]:
        if construction is None or not construction.changes:
            return ()
        mesh, change = np.array(construction.changes).T
        found = tuple(
            _figure(semi_analytic(family, each.setting, change, mesh, each.form))
            for each in self.columns
        )
        about = "what noise does to the trace is measured, on a mesh of noises"
        return (Line("semi-analytic", about, found, (None,) * len(found)),)

    def _analytic(self, family: FunctionClass) -> Line:
        found = [_figure(analytic(family, each.setting, each.form)) for each in self.columns]
        about = "what noise does to the trace is bounded by formula"
        return Line("analytic", about, tuple(found), (None,) * len(found))

    def _covering(self, family: FunctionClass) -> Line:
        """Needs no sub-Gaussian constant; the paper's own version cannot be restored."""
        samples = self.columns[0].setting.samples
        found = Figure(covering(family, samples, Reading.CONSTRUCTION).value)
        about = "covering numbers, constants of the proof set to 1; bounds the gap"
        return Line("covering", about, (None, found, found), (None,) * 3)

    def _own(self, name: str, about: str, sizes: Sizes) -> Line:
        ours = self.columns[1:]
        found = [_at_best(sizes, each.setting) for each in ours]
        needed = [self._needed(sizes, each) for each in ours]
        return Line(name, about, (None, *found), (None, *needed))

    def _needed(self, sizes: Sizes, column: Column) -> float:
        setting = column.setting
        return fewest_samples(sizes, setting.constant, self.trivial, setting.delta).samples


def columns_of(setting: Setting, admissible: float) -> tuple[Column, ...]:
    """The paper's formulas, ours, and ours with a constant that the proof can take."""
    larger = dataclasses.replace(setting, constant=max(float(setting.constant), admissible))
    return (
        Column("published", Form.PUBLISHED, setting),
        Column("corrected", Form.CORRECTED, setting),
        Column("admissible", Form.CORRECTED, larger),
    )


def own_sizes(construction: Construction | None) -> Sizes | None:
    """Squared norm and half the trace of a construction, if they were measured."""
    if construction is None or construction.curvature is None:
        return None
    trace = construction.curvature.twice_gradient
    return Sizes(construction.squared_norm, trace / 2, Ramp(construction.ramp))


def _figure(bound: RiskBound) -> Figure:
    return Figure(
        bound.value, bound.noise, bound.sharpness, bound.perturbation, bound.norm, bound.confidence
    )


def _at_best(sizes: Sizes, setting: Setting) -> Figure:
    noise = float(optimum_in_closed_form(sizes, setting.samples, setting.constant).noise)
    here = parts(noise, sizes, setting)
    return Figure(float(here.total), noise, *map(float, here))
