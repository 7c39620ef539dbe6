"""What noise does to the explicit transformer's trace, class by class, out of the store."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.perturbation import analytic_perturbation
from foretell.numerics.intervals import of_mean
from foretell.reproductions import Cell, Experiment
from foretell.reproductions.perturbed_trace import LITTLE, SMALL


@dataclass(frozen=True)
class NoiseClass:
    """The functions of one degree, sparsity and length, under every noise."""

    cell: Cell
    found: dict[str, Any] | None

    @property
    def bits(self) -> int:
        """Length."""
        return int(self.cell.settings["bits"])

    @property
    def degree(self) -> int:
        """Of every component."""
        return int(self.cell.settings["degree"])

    @property
    def sparsity(self) -> int:
        """Number of components."""
        return int(self.cell.settings["sparsity"])

    @property
    def label(self) -> str:
        """In words."""
        return f"{self.cell.group}, {self.cell.label}"

    @property
    def deviations(self) -> Float[np.ndarray, " size"]:
        """Of the noise."""
        return np.array(self.cell.settings["deviations"], float)

    def _values(self, name: str) -> np.ndarray:
        assert self.found is not None
        return np.array(self.found["values"][name], float)

    @cached_property
    def ratios(self) -> Float[np.ndarray, " size"]:
        """The largest over functions of the change of the trace over the trace."""
        return (self._values("change") / self._values("trace")[:, None]).max(axis=0)

    @cached_property
    def losses(self) -> Float[np.ndarray, "draw size"]:
        """By function: what noise adds to the loss, over half its variance times the trace."""
        added = self._values("losses") - self._values("loss")[:, None]
        return added / (self.deviations**2 / 2 * self._values("trace")[:, None])

    @property
    def traces(self) -> tuple[float, float]:
        """Smallest and largest over functions, without noise."""
        traces = self._values("trace")
        return float(traces.min()), float(traces.max())

    @property
    def analytic(self) -> Float[np.ndarray, " size"]:
        """The formula for the change (corrected), over the largest trace."""
        family = FunctionClass(degree=self.degree, sparsity=self.sparsity, bits=self.bits)
        return np.asarray(analytic_perturbation(family, self.deviations).total) / self.traces[1]

    @property
    def exponent(self) -> float | None:
        """How the ratio grows with the noise: the slope in logarithms, 1 if proportional."""
        if len(self.deviations) < 2:
            return None
        return float(np.polyfit(np.log(self.deviations), np.log(self.ratios), 1)[0])

    def as_json(self) -> dict[str, Any]:
        """Numbers by noise."""
        told = {"bits": self.bits, "degree": self.degree, "sparsity": self.sparsity}
        if self.found is None:
            return {**told, "measured": False}
        return {
            **told,
            "measured": True,
            "deviations": self.deviations.tolist(),
            "trace": list(self.traces),
            "ratios": self.ratios.tolist(),
            "analytic_ratios": self.analytic.tolist(),
            "exponent": self.exponent,
            "loss_over_trace": self.losses.mean(axis=0).tolist(),
            "values": self.found["values"],
            "provenance": self.found["provenance"],
        }


@dataclass(frozen=True)
class Perturbations:
    """The whole experiment as far as it was run."""

    experiment: Experiment
    budget: str
    classes: tuple[NoiseClass, ...]

    @cached_property
    def done(self) -> tuple[NoiseClass, ...]:
        """Those that were measured."""
        return tuple(each for each in self.classes if each.found is not None)

    @property
    def deviations(self) -> Float[np.ndarray, " size"]:
        """Of the noise, the same for all classes."""
        return self.classes[0].deviations

    def small(self) -> tuple[int, int, NoiseClass, float] | None:
        """Classes with a small change for small noise, of how many, and the worst of them."""
        low = self.deviations <= SMALL
        if not self.done or not low.any():
            return None
        worst = max(self.done, key=lambda each: float(each.ratios[low].max()))
        fine = sum(bool((each.ratios[low] < LITTLE).all()) for each in self.done)
        return fine, len(self.done), worst, float(worst.ratios[low].max())

    def exponents(self) -> tuple[float, float] | None:
        """The smallest and the largest: both near 1 if changes are proportional to the noise."""
        found = [each.exponent for each in self.done if each.exponent is not None]
        return (min(found), max(found)) if found else None

    def loss_ratio(self, place: int) -> tuple[float, float, float]:
        """Mean over all functions and its interval, at one noise."""
        numbers = [float(value) for each in self.done for value in each.losses[:, place]]
        return of_mean(numbers)

    def growth(self, name: str) -> tuple[float, NoiseClass, NoiseClass] | None:
        """What the ratio is multiplied by from the smallest to the largest `degree`, or `bits`.

        All else equal; the median over what else there is, and the classes that stand for it.
        """
        other = {"degree": "bits", "bits": "degree"}[name]
        lines: dict[tuple[int, int], list[NoiseClass]] = {}
        for each in self.done:
            lines.setdefault((getattr(each, other), each.sparsity), []).append(each)
        place = self._near_small()
        grown = []
        for line in lines.values():
            ordered = sorted(line, key=lambda each: int(getattr(each, name)))
            first, last = ordered[0], ordered[-1]
            if first is not last:
                grown.append((float(last.ratios[place] / first.ratios[place]), first, last))
        return sorted(grown, key=lambda found: found[0])[len(grown) // 2] if grown else None

    def _near_small(self) -> int:
        """Place of the noise nearest to where it counts as small."""
        return int(np.argmin(np.abs(np.log(self.deviations / SMALL))))

    def analytic_excess(self) -> tuple[float, float] | None:
        """How much the formula is larger than what was measured, in powers of ten."""
        if not self.done:
            return None
        found = [math.log10(float(np.min(each.analytic / each.ratios))) for each in self.done]
        most = [math.log10(float(np.max(each.analytic / each.ratios))) for each in self.done]
        return min(found), max(most)

    def as_json(self) -> dict[str, Any]:
        """The form of `foretell reproduce perturbed-trace --json`."""
        small, exponents = self.small(), self.exponents()
        return {
            "title": self.experiment.title,
            "source": self.experiment.source,
            "budget": self.budget,
            "small_noise": SMALL,
            "little": LITTLE,
            "classes_with_little_change": None if small is None else [small[0], small[1]],
            "exponents": exponents,
            "loss_over_trace": [
                {"deviation": float(deviation), "mean": mean, "interval": [low, high]}
                for place, deviation in enumerate(self.deviations)
                if self.done
                for mean, low, high in [self.loss_ratio(place)]
            ],
            "classes": [each.as_json() for each in self.classes],
        }


def collect(
    experiment: Experiment,
    budget: str,
    found: Sequence[tuple[Cell, dict[str, Any] | None]],
) -> Perturbations:
    """Every class with what the store has for it."""
    return Perturbations(experiment, budget, tuple(NoiseClass(*each) for each in found))
