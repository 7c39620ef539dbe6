"""Figures of a grid of fitted functions: gaps under their bounds, learned beside built."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.boolean.bounds.terms import Form
from foretell.reports.gap_grid import ADMISSIBLE, PUBLISHED, GapGrid
from foretell.reports.plots import GREY, INK, STYLE, as_svg
from foretell.reports.position_plots import COLOURS

TRIVIAL = 0.25
LABELS = {"squared_norm": "squared norm of the weights", "trace": "trace of the Hessian"}


def gaps_figure(grid: GapGrid) -> str:
    """Left: measured gaps by degree, a curve a sparsity. Right: the same under the bounds."""
    with _style(grid, "gaps"):
        figure = Figure(figsize=(11, 4), layout="constrained")
        plain, logs = figure.subplots(1, 2)
        for colour, sparsity in _colours(grid):
            _measured(plain, grid, sparsity, colour)
            _measured(logs, grid, sparsity, colour)
            _bounds(logs, grid, sparsity, colour)
        plain.axhline(0, color=GREY, linewidth=0.7)
        logs.set_yscale("log")
        logs.axhline(TRIVIAL, color=INK, linewidth=0.9, linestyle=(0, (2, 2)))
        plain.set_title("Measured gap", loc="left", fontsize=11)
        logs.set_title("Measured gap (solid) and bounds", loc="left", fontsize=11)
        degrees = sorted({each.family.degree for each in grid.classes})
        told: dict[str, Any] = {"ha": "right", "va": "top", "fontsize": 8.5, "color": INK}
        logs.text(degrees[-1], TRIVIAL * 0.85, "what the best constant loses", **told)
        for panel in (plain, logs):
            panel.set_xlabel("degree")
            panel.set_xticks(degrees)
        plain.set_ylabel("loss on fresh inputs minus training loss")
        plain.legend(frameon=False, fontsize=9, title="sparsity")
        return as_svg(figure, "generalization gap by degree and sparsity, with bounds")


def built_figure(grid: GapGrid) -> str:
    """What was learned against the construction: below the diagonal is what the bound assumes."""
    with _style(grid, "built"):
        figure = Figure(figsize=(9, 4), layout="constrained")
        for panel, quantity in zip(figure.subplots(1, 2), LABELS, strict=True):
            _scatter(panel, grid, quantity)
        return as_svg(figure, "norm and sharpness: learned against constructed")


def _style(grid: GapGrid, name: str) -> AbstractContextManager[None]:
    salt = f"{name} {grid.reproduction.title} {grid.budget}"
    return matplotlib.rc_context({**STYLE, "svg.hashsalt": salt})


def _colours(grid: GapGrid) -> list[tuple[str, int]]:
    sparsities = sorted({each.family.sparsity for each in grid.classes})
    return [(COLOURS[place % len(COLOURS)], each) for place, each in enumerate(sparsities)]


def _measured(panel: Axes, grid: GapGrid, sparsity: int, colour: str) -> None:
    found = [
        (each.family.degree, spread)
        for each in grid.classes
        if each.family.sparsity == sparsity and (spread := each.spread("gap"))
    ]
    degrees = [degree for degree, _ in found]
    means = [spread.mean for _, spread in found]
    panel.plot(degrees, means, color=colour, marker="o", markersize=4, label=str(sparsity))
    for degree, spread in found:
        low, high = spread.interval
        if math.isfinite(low):
            panel.plot([degree] * 2, [low, high], color=colour, alpha=0.35, linewidth=3)


def _bounds(panel: Axes, grid: GapGrid, sparsity: int, colour: str) -> None:
    """Dotted as published, dashed as corrected."""
    classes = [each for each in grid.classes if each.family.sparsity == sparsity]
    degrees = [each.family.degree for each in classes]
    for form, constant, style in (
        (Form.PUBLISHED, PUBLISHED, ":"),
        (Form.CORRECTED, ADMISSIBLE, "--"),
    ):
        values = [each.bound(constant, form).value for each in classes]
        panel.plot(degrees, values, color=colour, linestyle=style, linewidth=1.2)


def _scatter(panel: Axes, grid: GapGrid, quantity: str) -> None:
    built = {"squared_norm": "built_norm", "trace": "built_trace"}[quantity]
    ends: list[float] = []
    for colour, sparsity in _colours(grid):
        found = [
            (getattr(each, built), spread.mean, each.family.degree)
            for each in grid.classes
            if each.family.sparsity == sparsity and (spread := each.spread(quantity))
        ]
        for there, here, degree in found:
            panel.plot(there, here, marker="o", color=colour, markersize=5)
            panel.annotate(
                str(degree), (there, here), (4, 3), textcoords="offset points", fontsize=8
            )
            ends += [there, here]
    if ends:
        reach = (0.8 * min(ends), 1.25 * max(ends))
        panel.plot(reach, reach, color=GREY, linewidth=0.8)
        panel.set_xlim(reach)
        panel.set_ylim(reach)
        panel.set_xscale("log")
        panel.set_yscale("log")
    panel.set_title(LABELS[quantity], loc="left", fontsize=11)
    panel.set_xlabel("construction")
    panel.set_ylabel("learned")
