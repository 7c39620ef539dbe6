"""Accuracy by automaton and depth, by position for the hardest, and parity on other words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from foretell.plain.wording import counted
from foretell.reports.plots import COLOURS, GREY, INK, LEFT_OUT, MEAN


def draw(curves: Mapping[str, Any]) -> Figure:
    """The heat-map, then two panels about single automata."""
    figure = Figure(figsize=(13, 4.4), layout="constrained")
    heat, places, shifted = figure.subplots(1, 3, width_ratios=(1.5, 1, 0.8))
    _draw_heat(heat, curves)
    _draw_places(places, curves)
    _draw_shifted(shifted, curves)
    return figure


def _draw_heat(panel: Axes, curves: Mapping[str, Any]) -> None:
    """Framed: the least depth that reaches the bar."""
    table = np.column_stack([curves["accuracy"], curves["recurrent"]])
    panel.imshow(table, cmap="Blues", vmin=0.3, vmax=1.15, aspect="auto")
    for (row, column), value in np.ndenumerate(table):
        shade = "white" if value > 0.8 else INK
        text = f"{value:.3f}" if value < 0.9995 else "1"
        panel.text(column, row, text, ha="center", va="center", fontsize=9, color=shade)
    depths = curves["depths"]
    for row, least in enumerate(curves["least"][: len(table)]):
        if least in depths:
            corner = (depths.index(least) - 0.48, row - 0.47)
            panel.add_patch(Rectangle(corner, 0.96, 0.94, fill=False, edgecolor=LEFT_OUT, lw=2))
    panel.axvline(len(depths) - 0.5, color="white", linewidth=3)
    panel.set_xticks(range(len(depths) + 1), [*map(str, depths), "GRU"])
    names = [f"{each['name']}\n{each['rung']}" for each in curves["automata"]]
    panel.set_yticks(range(len(names)), names, fontsize=8.5)
    panel.set_xlabel("layers")
    panel.set_title(f"Share of right states; framed: first ≥ {curves['bar']:g}", fontsize=10.5)


def _draw_places(panel: Axes, curves: Mapping[str, Any]) -> None:
    for depth, row, colour in zip(curves["depths"], curves["places"], COLOURS, strict=False):
        label = counted(depth, "layer")
        panel.plot(range(1, len(row) + 1), row, "o-", ms=3, lw=1.2, color=colour, label=label)
    panel.axhline(curves["bar"], color=GREY, linestyle="--", linewidth=1)
    panel.set_ylim(0, 1.03)
    panel.set_xticks(range(0, len(row) + 1, max(1, len(row) // 4)))
    panel.set_xlabel("letters read")
    panel.set_ylabel("share of right states")
    panel.set_title("symmetric-5, by position", fontsize=10.5)
    panel.legend(fontsize=8.5, frameon=False, loc="lower left")


def _draw_shifted(panel: Axes, curves: Mapping[str, Any]) -> None:
    usual, odd = (np.array(curves["shifted"][name]) for name in ("usual", "odd"))
    place = np.arange(len(usual))
    panel.bar(place - 0.2, usual, 0.38, color=MEAN, label="half of the letters 1")
    panel.bar(place + 0.2, odd, 0.38, color=LEFT_OUT, label="nine in ten")
    panel.hlines(usual - 0.1, place, place + 0.4, color=INK, linestyle="--", linewidth=1)
    panel.set_xticks(place, [*map(str, curves["depths"]), "GRU"])
    panel.set_ylim(0, 1.25)
    panel.set_xlabel("layers")
    panel.set_title("parity; dashed: 0.1 less", fontsize=10.5)
    panel.legend(fontsize=8, frameon=False, loc="upper left")
