"""Figures of a grid of fitted functions: gaps under their bounds, learned beside built."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from foretell.boolean.bounds.chain_of_thought import COIN
from foretell.boolean.bounds.terms import Form
from foretell.reports.landscape.gap_class import ADMISSIBLE, PUBLISHED, GapClass
from foretell.reports.landscape.gap_grid import GapGrid
from foretell.reports.plots import COLOURS, GREY, INK, STYLE, as_svg

TRIVIAL = 0.25
LABELS = {"squared_norm": "squared norm of the weights", "trace": "trace of the Hessian"}


def gaps_figure(grid: GapGrid) -> str:
    """Left: measured gaps by degree, a curve a sparsity. Right: the same under the bounds.

    Where parity is learned both ways: by number of bits, a curve a way.
    """
    with _style(grid, "gaps"):
        figure = Figure(figsize=(11, 4), layout="constrained")
        plain, logs = figure.subplots(1, 2)
        for colour, (name, classes) in _coloured(grid):
            _means(plain, classes, "gap", grid.axis, colour, name)
            _means(logs, classes, "gap", grid.axis, colour, name)
            _bounds(logs, classes, grid.axis, colour)
        plain.axhline(0, color=GREY, linewidth=0.7)
        logs.set_yscale("log")
        logs.axhline(TRIVIAL, color=INK, linewidth=0.9, linestyle=(0, (2, 2)))
        plain.set_title("Measured gap", loc="left", fontsize=11)
        logs.set_title("Measured gap (solid) and bounds", loc="left", fontsize=11)
        places = sorted({getattr(each.family, grid.axis) for each in grid.classes})
        told: dict[str, Any] = {"ha": "right", "va": "top", "fontsize": 8.5, "color": INK}
        logs.text(places[-1], TRIVIAL * 0.85, "what the best constant loses", **told)
        for panel in (plain, logs):
            panel.set_xlabel(grid.axis)
            panel.set_xticks(places)
        plain.set_ylabel("loss on fresh inputs minus training loss")
        plain.legend(frameon=False, fontsize=9, title=None if grid.pairs else "sparsity")
        return as_svg(figure, f"generalization gap by {grid.axis}, with bounds")


def chain_figure(grid: GapGrid) -> str:
    """Parity both ways. Left: wrong answers. Right: steps of training until fitted."""
    with _style(grid, "chain"):
        figure = Figure(figsize=(11, 4), layout="constrained")
        wrong, taken = figure.subplots(1, 2)
        places = [one.family.bits for one, _ in grid.pairs]
        shift = 0.06 * (places[-1] - places[0]) / max(len(places) - 1, 1)
        for side, (colour, (name, classes)) in zip((-1, 1), _coloured(grid), strict=False):
            _each_model(wrong, classes, "wrong", colour, name, side * shift)
            _each_model(taken, classes, "training_steps", colour, name, side * shift)
        if max((one for pair in grid.pairs for one in _shown(pair)), default=0) > COIN / 2:
            wrong.axhline(COIN, color=INK, linewidth=0.9, linestyle=(0, (2, 2)))
            told: dict[str, Any] = {"ha": "right", "va": "bottom", "fontsize": 8.5, "color": INK}
            wrong.text(places[-1], COIN, "a coin", **told)
        taken.set_ylim(bottom=0)
        for panel, title in ((wrong, "Wrong answers"), (taken, "Steps of training until fitted")):
            panel.set_title(title, loc="left", fontsize=11)
            panel.set_xlabel("bits")
            panel.set_xticks(places)
        wrong.set_ylabel("share of fresh inputs")
        wrong.legend(frameon=False, fontsize=9)
        return as_svg(figure, "wrong answers and steps of training, in one pass and in steps")


def _shown(pair: Sequence[GapClass]) -> list[float]:
    return [value for each in pair for value, _ in each.models("wrong")]


def _each_model(
    panel: Axes,
    classes: Sequence[GapClass],
    quantity: str,
    colour: str,
    name: str,
    shift: float,
) -> None:
    """A dot a model, hollow if it did not fit; their mean, and its interval."""
    for each in classes:
        place = each.family.bits + shift
        for value, fitted in each.models(quantity):
            fill = colour if fitted else "none"
            look: dict[str, Any] = {"color": colour, "markersize": 3.5, "alpha": 0.6}
            panel.plot(place, value, marker="o", markerfacecolor=fill, linestyle="none", **look)
    _means(panel, classes, quantity, "bits", colour, name, shift)


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


def _coloured(grid: GapGrid) -> list[tuple[str, tuple[str, tuple[GapClass, ...]]]]:
    return list(zip(itertools.cycle(COLOURS), grid.curves().items(), strict=False))


def _means(
    panel: Axes,
    classes: Sequence[GapClass],
    quantity: str,
    axis: str,
    colour: str,
    name: str,
    shift: float = 0.0,
) -> None:
    """Means of classes joined by a line, a bar for each interval."""
    found = [
        (getattr(each.family, axis) + shift, spread)
        for each in classes
        if (spread := each.spread(quantity))
    ]
    places = [place for place, _ in found]
    means = [spread.mean for _, spread in found]
    panel.plot(places, means, color=colour, marker="o", markersize=4, label=name)
    for place, spread in found:
        low, high = spread.interval
        if math.isfinite(low):
            panel.plot([place] * 2, [low, high], color=colour, alpha=0.35, linewidth=3)


def _bounds(panel: Axes, classes: Sequence[GapClass], axis: str, colour: str) -> None:
    """Dotted as published, dashed as corrected."""
    places = [getattr(each.family, axis) for each in classes]
    for form, constant, style in (
        (Form.PUBLISHED, PUBLISHED, ":"),
        (Form.CORRECTED, ADMISSIBLE, "--"),
    ):
        values = [each.bound(constant, form).value for each in classes]
        panel.plot(places, values, color=colour, linestyle=style, linewidth=1.2)


def _scatter(panel: Axes, grid: GapGrid, quantity: str) -> None:
    built = {"squared_norm": "built_norm", "trace": "built_trace"}[quantity]
    ends: list[float] = []
    for colour, (_, classes) in _coloured(grid):
        found = [
            (getattr(each, built), spread.mean, getattr(each.family, grid.axis))
            for each in classes
            if (spread := each.spread(quantity))
        ]
        for there, here, name in found:
            panel.plot(there, here, marker="o", color=colour, markersize=5)
            panel.annotate(str(name), (there, here), (4, 3), textcoords="offset points", fontsize=8)
            ends += [there, here]
    if ends:
        # whole decades, so that there are ticks to read
        reach = (10 ** math.floor(math.log10(min(ends))), 10 ** math.ceil(math.log10(max(ends))))
        panel.plot(reach, reach, color=GREY, linewidth=0.8)
        panel.set_xlim(reach)
        panel.set_ylim(reach)
        panel.set_xscale("log")
        panel.set_yscale("log")
        for axis in (panel.xaxis, panel.yaxis):
            axis.set_minor_formatter(NullFormatter())
    panel.set_title(LABELS[quantity], loc="left", fontsize=11)
    panel.set_xlabel("construction")
    panel.set_ylabel("learned")
