"""Divergence and lags found as words grow, and what the constructed layers look at."""

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


def draw(curves: Mapping[str, Any]) -> Figure:
    """Left, theory on sampled words; right, layers 1 to 3 on one word."""
    figure = Figure(figsize=(13.5, 4.2), layout="constrained")
    panels = figure.subplots(1, 4, width_ratios=[1, 1, 1.15, 1.15])
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
    _draw_first(panels[2], curves["layers"])
    _draw_last(panels[3], curves["layers"])
    return figure


def _draw_first(panel: Axes, layers: Mapping[str, Any]) -> None:
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
    panel.set_title(f"layer 1: shares of the lags\n(squares: the true lag, {lag})", fontsize=10.5)


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
