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

from foretell.reports.capture_curves import CaptureCurve, CaptureCurves
from foretell.reports.plots import COLOURS, GREY, INK, STYLE, as_svg
from foretell.training.capture_plan import FROM_SCRATCH, FROM_START, STEP_BY_STEP

WAYS: Mapping[str, Any] = {
    FROM_START: "-",
    STEP_BY_STEP: "--",
    FROM_SCRATCH: ":",
}


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
    """What lines and marks mean, whatever their colour."""
    drawn = {arm: style for arm, style in WAYS.items() if any(curve.samples(arm) for curve in own)}
    marked = {FROM_START: "o"}
    lines = [
        Line2D([], [], color=INK, linestyle=style, marker=marked.get(arm), markersize=4, label=arm)
        for arm, style in drawn.items()
    ]
    fit = Line2D([], [], color=INK, linewidth=0.7, label="better of two fits")
    missed = Line2D([], [], color=INK, linestyle="", marker="^", label="some run given up")
    cap = Line2D([], [], color=GREY, linewidth=0.8, label="given up after")
    return [*lines, fit, missed, cap]


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
    """Both ways of adapting, and the fit of the first. No sample is drawn as one."""
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
            marker="o" if first else None,
            markersize=4,
            label=curve.name if arm == next(filter(curve.samples, WAYS)) else None,
        )
        for size, value, mean in zip(sizes, values, means, strict=True):
            if curve.missed(arm)[size]:
                panel.plot([size], [mean], marker="^", markersize=8, color=colour)
            low, high = value.interval.low, value.interval.high
            if first and math.isfinite(high):
                panel.plot([size] * 2, [max(low, 1.0), high], color=colour, alpha=0.3, linewidth=3)
    run = [value.sizes.high for value in curve.samples()]
    tried = sum(len(value.seeds) for value in curve.samples())
    if 2 * sum(curve.missed(FROM_START).values()) >= tried:
        return  # a curve through runs that were mostly given up says nothing
    grid = np.geomspace(run[0], run[-1], 50)
    fitted = [curve.fitted(FROM_START, float(size)) or 0.0 for size in grid]
    if min(fitted) > 0:
        panel.plot(grid, fitted, color=colour, linewidth=0.7)
