"""Facts held against the number of weights, and shares right under Hebb's rule."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, INK


def draw(curves: Mapping[str, Any]) -> Figure:
    """Capacity left, Hebb's rule right."""
    figure = Figure(figsize=(10.4, 4.6), layout="constrained")
    capacity, shares = figure.subplots(1, 2)
    _draw_capacity(capacity, curves)
    _draw_shares(shares, curves)
    return figure


def _draw_capacity(panel: Axes, curves: Mapping[str, Any]) -> None:
    widths = np.array(curves["widths"], float)
    squares = np.geomspace(0.7 * widths[0] ** 2, 1.4 * widths[-1] ** 2, 50)
    for constant, style in ((1.0, "--"), (1 / 1.3, ":")):
        label = "N ln N = d²" if constant == 1.0 else "N ln N = d² / 1.3, as published"
        facts = [_facts_for(constant * square) for square in squares]
        panel.plot(squares, facts, style, color=INK, linewidth=1.2, label=label)
    held = np.array(curves["held"], float)
    panel.plot(widths**2, held, "o", color=COLOURS[0], markersize=7, label="trained")
    panel.plot(widths**2, curves["hebbian"], "-", color=COLOURS[1], label="Hebb's rule, formula")
    simulated = curves["hebbian_simulated"]
    panel.plot(
        simulated["width"] ** 2,
        simulated["held"] or np.nan,
        "s",
        color=COLOURS[1],
        markerfacecolor="white",
        label="Hebb's rule, simulated",
    )
    panel.plot(widths**2, widths, "-.", color=GREY, label="one-hot: N = d")
    panel.set(xscale="log", yscale="log", xlabel="weights of the matrix, d²")
    panel.set_ylabel("facts held to 99 %")
    panel.set_title("how many facts one matrix holds", fontsize=10.5)
    panel.legend(fontsize=8.5, frameon=False, loc="upper left")
    panel.set_ylim(top=6 * _facts_for(float(squares[-1])))


def _facts_for(product: float) -> float:
    """N with that N ln N, by Newton's method from above."""
    facts = product
    for _ in range(30):
        facts -= (facts * math.log(facts) - product) / (math.log(facts) + 1)
    return facts


def _draw_shares(panel: Axes, curves: Mapping[str, Any]) -> None:
    for number, formula in enumerate(curves["formulas"]):
        width, colour = formula["width"], COLOURS[number]
        places = np.array(formula["facts"]) / width**2
        panel.plot(places, formula["share"], "--", color=colour, label=f"d = {width}")
        points = [each for each in curves["simulated"] if each["width"] == width]
        panel.plot(
            [each["facts"] / width**2 for each in points],
            [each["share"] for each in points],
            "o",
            color=colour,
        )
    panel.axhline(0.99, color=GREY, linewidth=0.9, linestyle=":")
    panel.text(0.45, 0.985, "99 %", fontsize=9, color=GREY, va="top", ha="right")
    panel.set(xscale="log", xlabel="facts per weight, N / d²", ylabel="share right")
    panel.set_ylim(0, 1.04)
    panel.set_title("Hebb's rule: simulated (points), formula (dashed)", fontsize=10.5)
    panel.legend(fontsize=9, frameon=False, loc="lower left")
