"""Networks beside their kernel, task by task, out of the store; and how distances fall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from foretell.numerics.growth import GrowthFit, fit_growth
from foretell.reproductions import Cell, Experiment

FEWEST_WIDTHS = 3  # for an exponent


@dataclass(frozen=True)
class Arm:
    """One task: its widths that were run, and what the kernel does."""

    task: str
    rows: tuple[tuple[Cell, dict[str, Any]], ...]

    @property
    def widths(self) -> list[int]:
        """Ascending."""
        return [int(cell.settings["width"]) for cell, _ in self.rows]

    def by_seed(self, name: str) -> Float[np.ndarray, "member size"]:
        """`distances`, `errors` or `right` of every network."""
        return np.array([found["values"][name] for _, found in self.rows], float).T

    def kernel(self, name: str) -> float:
        """A number of the kernel, the same at every width."""
        return float(self.rows[0][1]["values"][name])

    @property
    def of_mean(self) -> list[float]:
        """Distance of the mean of all seeds, by width."""
        return [float(found["values"]["distance_of_mean"]) for _, found in self.rows]

    @cached_property
    def fit(self) -> GrowthFit | None:
        """How the distance changes with the width: the exponent is below 0 where it falls."""
        distances = self.by_seed("distances")
        if len(self.widths) < FEWEST_WIDTHS or len(distances) < 2:
            return None
        least = float(distances.min()) / 1e3  # nothing is too small to be seen
        return fit_growth(self.widths[0], np.array(self.widths, float), distances, least=least)

    def as_json(self) -> dict[str, Any]:
        """Numbers by width."""
        names = ("distances", "errors", "right")
        kernel = ("kernel_error", "kernel_right", "kernel_size", "sampling", "constant")
        return {
            "task": self.task,
            "widths": self.widths,
            **{name: self.by_seed(name).T.tolist() for name in names},
            "distance_of_mean": self.of_mean,
            **{name: self.kernel(name) for name in kernel},
            "exponent": None if self.fit is None else self.fit.power.growth,
            "interval": None if self.fit is None else list(self.fit.power.interval),
            "provenance": [found["provenance"] for _, found in self.rows],
        }


@dataclass(frozen=True)
class LazyCurves:
    """The experiment as far as it was run."""

    experiment: Experiment
    budget: str
    arms: tuple[Arm, ...]
    missing: int

    def as_json(self) -> dict[str, Any]:
        """The form of `foretell reproduce lazy-capture --json`."""
        return {
            "title": self.experiment.title,
            "source": self.experiment.source,
            "budget": self.budget,
            "missing": self.missing,
            "tasks": [arm.as_json() for arm in self.arms],
        }


def collect(
    experiment: Experiment, budget: str, found: Sequence[tuple[Cell, dict[str, Any] | None]]
) -> LazyCurves:
    """Every task with the widths that the store has."""
    arms: dict[str, list[tuple[Cell, dict[str, Any]]]] = {}
    for cell, values in found:
        if values is not None:
            arms.setdefault(cell.group, []).append((cell, values))
    missing = sum(values is None for _, values in found)
    made = tuple(Arm(task, tuple(rows)) for task, rows in arms.items())
    return LazyCurves(experiment, budget, made, missing)
