"""Samples against size, drawn: a colour a curve, a line an arm."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from foretell.reports.capture.curves import CaptureCurve, CaptureCurves
from foretell.reports.plots import COLOURS, GREY, INK, STYLE, as_svg
from foretell.training.capture_plan import FROM_SCRATCH, FROM_START, STEP_BY_STEP

# How each arm is drawn; then marks, and the width of a fit's line.
WAYS: Mapping[str, Any] = {FROM_START: "-", STEP_BY_STEP: "--", FROM_SCRATCH: ":"}
DOT, MISSED, THIN = "o", "^", 0.7


def curves_figure(whole: CaptureCurves, group: str, own: Sequence[CaptureCurve]) -> str:
    """Samples by size, a colour a curve."""
    salt = f"{group} {whole.reproduction.title} {whole.budget}"
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": salt}):
        drawn = Figure(figsize=(11, 4.5), layout="constrained")
        panel = drawn.subplots()
        for colour, curve in zip(itertools.cycle(COLOURS), own, strict=False):
            _draw(panel, colour, curve)
        for cap in sorted({curve.cap for curve in own}):
            panel.axhline(cap, color=GREY, linewidth=0.8)
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        means = [value.mean for curve in own for arm in WAYS for value in curve.samples(arm)]
        if means and min(means) > 0:  # an interval down to nothing would flatten all curves
            panel.set_ylim(bottom=min(means) / 3)
        places = sorted({size for curve in own for size in curve.outcome.adapted})
        panel.set_xticks(places, _apart(places))
        panel.set_xlabel("size")
        panel.set_ylabel("samples to adapt")
        if means:
            curves, key = panel.get_legend_handles_labels()[0], _key(own)
            panel.legend(
                handles=[*curves, *key],
                frameon=False,
                fontsize=9,
                loc="upper left",
                bbox_to_anchor=(1.0, 1.0),
            )
        return as_svg(drawn, f"samples needed to adapt, by size; {group}")


def _key(own: Sequence[CaptureCurve]) -> list[Line2D]:
    """What the lines and marks that are drawn mean, whatever their colour."""

    def line(label: str, **look: Any) -> Line2D:
        return Line2D([], [], **{"color": INK, "label": label, **look})

    arms = [arm for arm in WAYS if any(curve.samples(arm) for curve in own)]
    found = [
        line(arm, linestyle=WAYS[arm], marker=DOT if arm == FROM_START else None, markersize=4)
        for arm in arms
    ]
    if any(_fit(curve) is not None for curve in own):
        found.append(line("better of two fits", linewidth=THIN))
    if any(sum(curve.missed(arm).values()) for curve in own for arm in arms):
        found.append(line("some run given up", linestyle="", marker=MISSED))
    return [*found, line("given up after", color=GREY, linewidth=0.8)]


def _apart(places: Sequence[int]) -> list[str]:
    """What to write at each place; nothing where the next one is too near.

    >>> _apart([16, 64, 1_024, 3_072, 4_096])
    ['16', '64', '1,024', '', '4,096']
    """
    least = (places[-1] / places[0]) ** (1 / 16)
    said, after = [], math.inf
    for place in reversed(places):  # the largest is always told
        near = place * least > after
        said.append("" if near else f"{place:,}")
        after = after if near else place
    return said[::-1]


def _draw(panel: Axes, colour: str, curve: CaptureCurve) -> None:
    """Every way of adapting, and the fit of the first. No sample is drawn as one."""
    for arm, style in WAYS.items():
        values = curve.samples(arm)
        if not values:
            continue
        sizes = [value.sizes.high for value in values]
        means = [max(value.mean, 1.0) for value in values]
        first = arm == FROM_START
        panel.plot(
            sizes,
            means,
            style,
            color=colour,
            marker=DOT if first else None,
            markersize=4,
            label=curve.name if arm == next(filter(curve.samples, WAYS)) else None,
        )
        for size, value, mean in zip(sizes, values, means, strict=True):
            if curve.missed(arm)[size]:
                panel.plot([size], [mean], marker=MISSED, markersize=8, color=colour)
            low, high = value.interval.low, value.interval.high
            if first and math.isfinite(high):
                panel.plot([size] * 2, [max(low, 1.0), high], color=colour, alpha=0.3, linewidth=3)
    fit = _fit(curve)
    if fit is not None:
        panel.plot(*fit, color=colour, linewidth=THIN)


def _fit(curve: CaptureCurve) -> tuple[np.ndarray, np.ndarray] | None:
    """Sizes and what the better fit says of them, adapting from the start; if it says anything."""
    run = [value.sizes.high for value in curve.samples()]
    tried = sum(len(value.seeds) for value in curve.samples())
    if 2 * sum(curve.missed(FROM_START).values()) >= tried:
        return None  # a curve through runs that were mostly given up says nothing
    grid = np.geomspace(run[0], run[-1], 50)
    fitted = np.array([curve.fitted(FROM_START, float(size)) or 0.0 for size in grid])
    return (grid, fitted) if min(fitted) > 0 else None
