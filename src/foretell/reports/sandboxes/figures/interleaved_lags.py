"""Divergence and lags found as words grow, constructed layers, and trained ones below."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from foretell.reports.plots import GREY, LEFT_OUT, MEAN

STYLES = {"Bayes": (GREY, "s--"), "shares": (MEAN, "o-")}
NAMES = {"Bayes": "Bayes", "shares": "averaged shares (three layers)"}
DEPTHS = {"three layers": MEAN, "two layers": LEFT_OUT}
LEVELS = {
    "even": ("all lags alike", ":"),
    "shares": ("averaged shares", "-."),
    "Bayes": ("Bayes", "--"),
}


def draw(curves: Mapping[str, Any]) -> Figure:
    """Top: theory on sampled words, and layers on one word; below: the same of trained models."""
    figure = Figure(figsize=(13.5, 8.4), layout="constrained")
    grid = figure.add_gridspec(2, 4, width_ratios=[1, 1, 1.15, 1.15])
    panels = [figure.add_subplot(grid[0, place]) for place in range(4)]
    for panel, kind, label in (
        (panels[0], "divergence", "divergence from the true row"),
        (panels[1], "found", "share of lags found"),
    ):
        for way, (colour, style) in STYLES.items():
            values = curves[kind][way]
            panel.plot(
                curves["lengths"], values, style, color=colour, label=NAMES[way], markersize=5
            )
        panel.set_xlabel("length of the word")
        panel.set_ylabel(label)
    panels[0].set_yscale("log")
    panels[1].axhline(1, color=GREY, linestyle=":", linewidth=1)
    panels[1].legend(fontsize=8, frameon=False, loc="lower right")
    _draw_first(panels[2], curves["layers"], "layer 1, constructed")
    _draw_last(panels[3], curves["layers"])
    trained = curves["trained"]
    _draw_training(figure.add_subplot(grid[1, :2]), trained)
    _draw_first(figure.add_subplot(grid[1, 2]), trained["layers"], "layer 1, trained")
    _draw_last(figure.add_subplot(grid[1, 3]), trained["layers"])
    return figure


def _draw_training(panel: Axes, trained: Mapping[str, Any]) -> None:
    """Thin a table, thick their mean; the levels are means over the same tables and words."""
    for depth, colour in DEPTHS.items():
        curves = np.array(trained["divergence"][depth])
        for curve in curves if len(curves) > 1 else ():
            panel.plot(trained["steps"], curve, color=colour, linewidth=0.7, alpha=0.5)
        panel.plot(trained["steps"], curves.mean(axis=0), color=colour, label=depth)
    for level, (name, style) in LEVELS.items():
        height = float(np.mean(trained["levels"][level]))
        panel.axhline(height, color=GREY, linestyle=style, linewidth=1, label=name)
    panel.set_yscale("log")
    panel.set_xlabel("steps")
    panel.set_ylabel("divergence from the true row")
    panel.set_title("trained, beside what theory gives on the same words", fontsize=10.5)
    panel.legend(fontsize=8, frameon=False, ncols=2)


def _draw_first(panel: Axes, layers: Mapping[str, Any], title: str) -> None:
    """Shares of the lags at every place; the true lag is marked."""
    table, lag = np.array(layers["first"]), layers["lag"]
    longest = max(layers["lags"])
    panel.imshow(table, cmap="Blues", vmin=0, vmax=1)
    for place in range(longest, len(table)):
        corner = (place - lag - 0.5, place - 0.5)
        panel.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=LEFT_OUT, linewidth=1.1))
    panel.axhline(longest - 0.5, color=GREY, linewidth=0.8, linestyle=":")
    _number(panel, len(table))
    places = range(0, len(table), 3)
    panel.set_yticks(places, [str(place + 1) for place in places], fontsize=8)
    panel.set_ylabel("place")
    panel.set_title(f"{title}\n(squares: the true lag, {lag})", fontsize=10.5)


def _draw_last(panel: Axes, layers: Mapping[str, Any]) -> None:
    """From the last place: the heads of layer 2 and the choice of layer 3."""
    rows = [*layers["second"], layers["third"]]
    scaled = np.array([np.array(row) / max(row) for row in rows])
    panel.imshow(scaled, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    heads = len(rows) - 1
    names = [f"layer 2,\nhead {head + 1}" for head in range(heads)]
    panel.set_yticks(range(heads + 1), [*names, "layer 3"], fontsize=8)
    length = len(rows[0])
    panel.add_patch(
        Rectangle(
            (length - layers["lag"] - 0.5, heads - 0.5),
            1,
            1,
            fill=False,
            edgecolor=LEFT_OUT,
            linewidth=1.6,
        )
    )
    _number(panel, length)
    panel.set_title("attention of the last place\n(square: the true lag)", fontsize=10.5)


def _number(panel: Axes, count: int) -> None:
    places = range(0, count, 3)
    panel.set_xticks(places, [str(place + 1) for place in places], fontsize=8)
    panel.set_xlabel("reads from place")
