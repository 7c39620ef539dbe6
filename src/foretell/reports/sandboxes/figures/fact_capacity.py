"""Shares right by heads and hidden units with a line of equal parameters; bits; facts held."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from foretell.reports.plots import COLOURS, GREY, INK

HOLDS = 0.99


def draw(curves: Mapping[str, Any]) -> Figure:
    """The heat-map, bits recalled beside the bound, and facts held if they were searched for."""
    panels = 3 if curves["held"] else 2
    figure = Figure(figsize=(5.4 * panels, 4.6), layout="constrained")
    grid, bits, *held = figure.subplots(1, panels)
    _draw_grid(grid, curves)
    _draw_bits(bits, curves)
    if held:
        _draw_held(held[0], curves)
    return figure


def _draw_grid(panel: Axes, curves: Mapping[str, Any]) -> None:
    shares, sizes = np.array(curves["shares"]), np.array(curves["parameters"])
    heads, hidden = np.array(curves["heads"]), np.array(curves["hidden"])
    panel.imshow(shares, cmap="Blues", vmin=0, vmax=1.15, aspect="auto", origin="lower")
    for place, share in np.ndenumerate(shares):
        tone = "white" if share > 0.75 else INK
        weight = "bold" if share >= HOLDS else "normal"
        shown = f"{share:.2f}" if share < HOLDS else f"{share:.3f}"
        where = (place[1], place[0] - 0.25)  # the line runs through the middles of cells
        panel.text(*where, shown, ha="center", va="center", color=tone, fontweight=weight)
    holding = sizes[shares >= HOLDS]
    if holding.size:
        fewest = holding.min()
        rows = np.linspace(-0.5, len(heads) - 0.5, 200)
        many = np.interp(rows, np.arange(len(heads)), np.log2(heads))
        # beyond the outermost rows the axis goes on doubling
        many = 2.0 ** (many + np.minimum(rows, 0) + np.maximum(rows - len(heads) + 1, 0))
        left = fewest - 4 * many * curves["part"] * curves["width"]
        needed = left / (2 * curves["width"])
        places = np.interp(needed, hidden, np.arange(len(hidden)), left=np.nan, right=np.nan)
        label = f"4 H d_h d + 2 m d = {fewest}, the fewest that hold all"
        panel.plot(places, rows, "--", color=COLOURS[1], linewidth=2, label=label)
        panel.legend(loc="upper left", bbox_to_anchor=(0, -0.12), frameon=False, fontsize=9)
    panel.set_xticks(range(len(hidden)), [str(each) if each else "none" for each in hidden])
    panel.set_yticks(range(len(heads)), map(str, heads))
    panel.set_xlim(-0.5, len(hidden) - 0.5)
    panel.set(xlabel="hidden units m", ylabel="heads H")
    panel.set_title(f"share right of {curves['facts']} facts", fontsize=10.5)


def _draw_bits(panel: Axes, curves: Mapping[str, Any]) -> None:
    sizes = np.array(curves["parameters"], float)
    ends = np.array([0.7 * sizes.min(), 1.4 * sizes.max()])
    for number, hidden in enumerate(curves["hidden"]):
        column = np.array(curves["bits"])[:, number]
        column = np.where(column > 0, column, np.nan)
        label = "attention alone" if hidden == 0 else f"m = {hidden}"
        colour = COLOURS[number % len(COLOURS)]
        panel.plot(sizes[:, number], column, "o-", color=colour, markersize=5, label=label)
    panel.plot(ends, 32 * ends, "--", color=INK, linewidth=1.2)
    middle = np.sqrt(ends.prod())
    panel.text(middle, 20 * middle, "bound: 32 bits a parameter", fontsize=9, va="top")
    panel.axhline(curves["all_bits"], color=GREY, linestyle=":", linewidth=1.2)
    panel.text(ends[1], curves["all_bits"], "all facts ", ha="right", va="bottom", fontsize=9)
    lowest = np.nanmin(np.where(np.array(curves["bits"]) > 0, curves["bits"], curves["all_bits"]))
    panel.set(xscale="log", yscale="log", xlabel="parameters trained", ylabel="bits recalled")
    panel.set(xlim=ends, ylim=(0.5 * lowest, 1000 * ends[1]))
    _mark_doublings(panel, ends)
    panel.set_title("what is recalled, at least, and the bound", fontsize=10.5)
    panel.legend(fontsize=8.5, frameon=False, loc="upper right", ncols=2)


def _draw_held(panel: Axes, curves: Mapping[str, Any]) -> None:
    points = np.array(curves["held"], float)
    ends = np.array([0.8 * points[:, 0].min(), 1.25 * points[:, 0].max()])
    known = points[np.isfinite(points[:, 1])]
    if len(known):
        constant = np.exp(np.mean(np.log(known[:, 1] / known[:, 0])))
        label = f"one fact for {1 / constant:.1f} parameters"
        panel.plot(ends, constant * ends, "--", color=INK, linewidth=1.2, label=label)
    panel.plot(*points.T, "o-", color=COLOURS[0], label="trained")
    panel.set(xscale="log", xlabel="parameters trained", ylabel="facts held to 99 %")
    panel.set_yscale("log" if len(known) else "linear")  # where none was held there is no scale
    _mark_doublings(panel, ends)
    panel.set_title("facts held grow like parameters", fontsize=10.5)
    panel.legend(fontsize=9, frameon=False, loc="upper left")


def _mark_doublings(panel: Axes, ends: np.ndarray) -> None:
    """Powers of two along the axis of parameters, so that few labels fit side by side."""
    low, high = np.log2(ends)
    shown = [2**power for power in range(math.ceil(low), math.floor(high) + 1)]
    panel.set_xticks(shown[:: 1 + len(shown) // 7])
    panel.xaxis.set_major_formatter("{x:g}")
    panel.xaxis.set_minor_locator(NullLocator())
