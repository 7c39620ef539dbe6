"""Uniform and sparse attention, what selecting costs, and the two theorems that are only quoted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, INK, LEFT_OUT, MEAN

NAMES = {"uniform": "uniform: the mean", "sparse": "sparse: the one before"}


def draw(curves: Mapping[str, Any]) -> Figure:
    """Maps, weight against gap, gap against length, cards."""
    figure = Figure(figsize=(12.5, 7), layout="constrained")
    parts: Any = figure.subfigures(2, 1, height_ratios=(1, 1.2))
    *maps, cards = parts[0].subplots(1, 3, width_ratios=(1, 1, 2.1))
    for panel, (name, title) in zip(maps, NAMES.items(), strict=True):
        panel.imshow(np.array(curves["patterns"][name]), cmap="Blues", vmin=0, vmax=1)
        panel.set_title(title, fontsize=10.5)
        panel.set_xlabel("to position")
    maps[0].set_ylabel("from position")
    _draw_cards(cards, curves["cards"])
    left, right = parts[1].subplots(1, 2, width_ratios=(1.4, 1))
    _draw_weights(left, curves)
    _draw_needed(right, curves)
    return figure


def _draw_cards(panel: Axes, cards: Sequence[Sequence[str]]) -> None:
    panel.axis("off")
    panel.set_title("Theorems that ask too much: quoted, not run", fontsize=10.5)
    for row, (name, power, price) in enumerate(cards):
        top = 0.92 - 0.5 * row
        panel.text(0.04, top, name, weight="bold", color=COLOURS[row], va="top")
        panel.text(0.04, top - 0.14, f"can do: {power}", va="top", color=INK, fontsize=9.5)
        panel.text(0.04, top - 0.26, f"price: {price}", va="top", color=INK, fontsize=9.5)


def _draw_weights(panel: Axes, curves: Mapping[str, Any]) -> None:
    for one, colour in zip(curves["selection"], COLOURS, strict=False):
        panel.plot(curves["gaps"], one["bound"], "--", color=colour, linewidth=1.2)
        label = f"T = {one['length']}"
        panel.plot(curves["gaps"], one["weights"], "o-", color=colour, ms=3, lw=1, label=label)
    panel.set_ylim(-0.02, 1.03)
    panel.set_xlabel("gap κ: how far the score is ahead")
    panel.set_ylabel("weight of the position")
    panel.set_title("Selecting: dashed 1 - (T-1)exp(-κ)", fontsize=10.5)
    panel.legend(fontsize=9, frameon=False, loc="lower right")


def _draw_needed(panel: Axes, curves: Mapping[str, Any]) -> None:
    needed, missed = curves["needed"], curves["missed"]
    lengths = np.geomspace(min(needed["lengths"]), max(needed["lengths"]), 50)
    theory = [math.log((length - 1) * (1 - missed) / missed) for length in lengths]
    panel.plot(lengths, theory, "--", color=MEAN, label="ln((T-1)(1-ε)/ε)")
    panel.plot(needed["lengths"], needed["measured"], "o", color=LEFT_OUT, label="measured")
    panel.set_xscale("log", base=2)
    panel.set_ylim(0, None)
    panel.set_xlabel("length T")
    panel.set_ylabel(f"gap for a weight of {1 - missed:g}")
    panel.set_title("The gap grows with the logarithm of the length", fontsize=10.5)
    panel.grid(color=GREY, alpha=0.15)
    panel.legend(fontsize=9, frameon=False, loc="lower right")
