"""What small trained models show inside: rows for components, a curve that turns, coefficients."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from foretell.boolean.expansion import Expansion
from foretell.reports.boolean.learned import Component
from foretell.reproductions import Cell, Experiment
from foretell.reproductions._looking import component_rows, turning_points
from foretell.reproductions.parity_lookup import BRIGHT, FITTED, function_of


@dataclass(frozen=True)
class Look:
    """One component in one model: its row, and how often the curve turns where that row reads."""

    part: Component
    shown: bool  # its bits are what its row looks at most
    bright: bool  # some row puts more than twice even attention on them
    turns: int
    levels: tuple[float, ...]  # what its row reads if 0, 1, … of the bits are 1


@dataclass(frozen=True)
class Inside:
    """One trained model."""

    cell: Cell
    values: dict[str, Any]
    provenance: dict[str, Any]

    @property
    def fitted(self) -> bool:
        """Is its error small?"""
        return float(self.values["error"]) < FITTED

    @cached_property
    def function(self) -> Expansion:
        """What it should compute."""
        return function_of(self.cell.settings)

    @cached_property
    def attention(self) -> Float[np.ndarray, "query key"]:
        """Mean over inputs."""
        return np.array(self.values["attention"])

    @cached_property
    def looks(self) -> tuple[Look, ...]:
        """Component by component, in the function's order."""
        function, rows = self.function, component_rows(self.attention, self.function)
        tops = top_sets(self.attention, self.cell.settings["degree"])
        return tuple(
            self._look(place, int(row), shown=function.sets[place] == tops[row])
            for place, row in enumerate(rows)
        )

    def _look(self, place: int, row: int, *, shown: bool) -> Look:
        bits = self.function.sets[place]
        part = Component(
            bits,
            self.function.coefficients[place] / 2,
            float(self.values["learned"][place]),
            row,
            float(self.attention[row, list(bits)].sum()),
            len(bits) / len(self.attention),
        )
        low, high = self.values["reads"][row]
        numbers, values = self.values["curve"]
        turns = turning_points(numbers, values, low, high)
        bright = float(self.attention[:, list(bits)].sum(axis=1).max()) > BRIGHT * part.chance
        return Look(part, shown, bright, turns, tuple(self.values["levels"][place]))

    @cached_property
    def turns(self) -> int:
        """How often the curve turns over all that any position reads."""
        numbers, values = self.values["curve"]
        return turning_points(numbers, values, numbers[0], numbers[-1])

    @cached_property
    def others(self) -> tuple[int, int, int]:
        """Of all subsets that are no component: how many are shown, how many bright, how many."""
        degree, function = self.cell.settings["degree"], self.function
        every = subsets(function.bits, degree)
        shares = self.attention[:, every].sum(axis=-1).max(axis=0)
        bright = int((shares > BRIGHT * degree / len(self.attention)).sum())
        own = sum(look.bright for look in self.looks)
        tops = {each for each in top_sets(self.attention, degree) if each[-1] < function.bits}
        shown = len(tops - set(function.sets))
        return shown, bright - own, len(every) - function.sparsity

    @property
    def moves(self) -> float:
        """The share of attention that goes with the input, positions weighed by what they add."""
        adds = np.array(self.values["adds"])
        return float(adds @ self.values["moves"] / max(float(adds.sum()), 1e-12))

    def as_json(self) -> dict[str, Any]:
        """Numbers; attention and curve are in the store."""
        return {
            **self.cell.settings,
            "provenance": self.provenance,
            "error": self.values["error"],
            "explained": self.values["explained"],
            "fitted": self.fitted,
            "turning_points": self.turns,
            "attention_moves": self.moves,
            "components": [
                {
                    **vars(look.part),
                    "shown": look.shown,
                    "bright": look.bright,
                    "turning_points": look.turns,
                }
                for look in self.looks
            ],
        }


@dataclass(frozen=True)
class Group:
    """Models of one size, kind of attention and degree."""

    bits: int
    kind: str
    degree: int
    cells: tuple[Cell, ...]
    models: tuple[Inside, ...]  # those the store has

    @property
    def label(self) -> str:
        """In words."""
        return f"{self.kind}, degree {self.degree}, T = {self.bits}"

    @cached_property
    def fitted(self) -> tuple[Inside, ...]:
        """All numbers are over these."""
        return tuple(model for model in self.models if model.fitted)

    @property
    def best(self) -> Inside | None:
        """The one to draw: that with the smallest error."""
        return min(self.fitted, key=lambda model: model.values["error"], default=None)

    @property
    def functions(self) -> tuple[int, int]:
        """Functions that some start fitted, and all."""
        done = {model.cell.settings["function"] for model in self.fitted}
        return len(done), len({cell.settings["function"] for cell in self.cells})

    @cached_property
    def looks(self) -> tuple[Look, ...]:
        """Every component of every fitted model."""
        return tuple(look for model in self.fitted for look in model.looks)

    def others(self) -> tuple[float, float] | None:
        """Shares of the subsets that are no components, and still shown, or bright."""
        counted = np.array([model.others for model in self.fitted])
        if not len(counted):
            return None
        shown, bright, every = counted.sum(axis=0)
        return float(shown / every), float(bright / every)

    def share(self, name: str) -> float | None:
        """Of the components, how many are `shown`, or `bright`."""
        return float(np.mean([getattr(look, name) for look in self.looks])) if self.looks else None

    @property
    def row_turns(self) -> tuple[int, ...]:
        """Turning points where a row reads that shows its component."""
        return tuple(look.turns for look in self.looks if look.shown)

    def as_json(self) -> dict[str, Any]:
        """Numbers of the table."""
        others = self.others()
        return {
            "bits": self.bits,
            "kind": self.kind,
            "degree": self.degree,
            "starts": len(self.cells),
            "trained": len(self.models),
            "fitted": len(self.fitted),
            "functions_fitted": self.functions[0],
            "functions": self.functions[1],
            "components": len(self.looks),
            "shown": self.share("shown"),
            "bright": self.share("bright"),
            "others_shown": others[0] if others else None,
            "others_bright": others[1] if others else None,
            "turning_points_needed": self.degree - 1,
            "turning_points_of_rows": list(self.row_turns),
            "turning_points_of_curves": [model.turns for model in self.fitted],
        }


@dataclass(frozen=True)
class LookedInside:
    """The whole experiment as far as it was run."""

    experiment: Experiment
    budget: str
    groups: tuple[Group, ...]

    def as_json(self) -> dict[str, Any]:
        """The form of `foretell reproduce parity-lookup --json`."""
        return {
            "title": self.experiment.title,
            "source": self.experiment.source,
            "budget": self.budget,
            "groups": [group.as_json() for group in self.groups],
            "models": [model.as_json() for group in self.groups for model in group.models],
        }

    def of_kind(self, kind: str) -> tuple[Group, ...]:
        """Groups whose attention sees the same."""
        return tuple(group for group in self.groups if group.kind == kind)

    @property
    def kinds(self) -> tuple[str, ...]:
        """What attention may see."""
        return tuple(dict.fromkeys(group.kind for group in self.groups))


def collect(
    experiment: Experiment,
    budget: str,
    found: Sequence[tuple[Cell, dict[str, Any] | None]],
) -> LookedInside:
    """Every group with what the store has for it."""
    groups: dict[tuple[int, str, int], list[tuple[Cell, dict[str, Any] | None]]] = {}
    for cell, kept in found:
        key = (cell.settings["bits"], cell.settings["kind"], cell.settings["degree"])
        groups.setdefault(key, []).append((cell, kept))
    return LookedInside(
        experiment,
        budget,
        tuple(
            Group(
                *key,
                tuple(cell for cell, _ in own),
                tuple(
                    Inside(cell, kept["values"], kept["provenance"]) for cell, kept in own if kept
                ),
            )
            for key, own in groups.items()
        ),
    )


@functools.cache
def subsets(bits: int, size: int) -> Int[np.ndarray, "set size"]:
    """All of that size."""
    return np.array(list(itertools.combinations(range(bits), size)))


def top_sets(attention: Float[np.ndarray, "query key"], size: int) -> list[tuple[int, ...]]:
    """What each row looks at most: so many keys, in order; the extra position may be among them.

    >>> top_sets(np.array([[0.6, 0.1, 0.3], [0.1, 0.7, 0.2]]), 2)
    [(0, 2), (1, 2)]
    """
    most = np.sort(np.argsort(-attention, axis=1)[:, :size], axis=1)
    return list(map(tuple, most.tolist()))
