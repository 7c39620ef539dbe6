"""Losses between the two levels that theory knows, and what is predicted after either symbol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, INK

LOOKS = {
    "tied": COLOURS[1],
    "separate": COLOURS[0],
    "good start": COLOURS[3],
    "two layers": COLOURS[2],
}


def draw(curves: Mapping[str, Any]) -> Figure:
    """A column a chain: losses above, bars of the predicted probabilities below."""
    chains = list(dict.fromkeys((cell["p"], cell["q"]) for cell in curves["cells"]))
    figure = Figure(figsize=(5.6 * len(chains), 7.6), layout="constrained")
    panels = figure.subplots(2, len(chains), squeeze=False)
    for (p, q), column in zip(chains, panels.T, strict=True):
        cells = [cell for cell in curves["cells"] if (cell["p"], cell["q"]) == (p, q)]
        sign = ">" if p + q > 1 else "<"
        column[0].set_title(f"p = {p:g}, q = {q:g}: p + q {sign} 1")
        _draw_losses(column[0], cells)
        _draw_bars(column[1], cells)
    panels[0, 0].set_ylabel("loss, nats")
    panels[1, 0].set_ylabel("predicted chance of a 1")
    return figure


def _draw_losses(panel: Axes, cells: Sequence[Mapping[str, Any]]) -> None:
    upper, lower = cells[0]["levels"]
    steps = cells[0]["steps"]
    for place, cell in enumerate(cells):
        for number, losses in enumerate(cell["losses"]):
            panel.plot(
                cell["steps"],
                losses,
                color=LOOKS[cell["kind"]],
                linewidth=3.4 if place == 0 else 1.7,  # so that it shows below the others
                label=cell["kind"] if number == 0 else None,
            )
        for losses in cell.get("longer", {}).get("losses", ()):
            panel.plot(cell["longer"]["steps"], losses, color=LOOKS[cell["kind"]], linewidth=0.8)
            steps = cell["longer"]["steps"]
    for level, name, colour, away in (
        (upper, "entropy of the marginal", GREY, 4),
        (lower, "entropy rate", INK, -4),
    ):
        panel.axhline(level, color=colour, linestyle="--", linewidth=1.2)
        panel.annotate(
            name,
            (steps[-1], level),
            (-4, away),
            textcoords="offset points",
            fontsize=9,
            ha="right",
            va="bottom" if away > 0 else "top",
        )
    room = upper - lower
    panel.set(xlabel="step", ylim=(lower - 0.25 * room, max(upper + 0.45 * room, 0.7)))
    panel.set_xlim(0, steps[-1])
    panel.legend(fontsize=9, frameon=False, loc="upper right", ncols=2)


def _draw_bars(panel: Axes, cells: Sequence[Mapping[str, Any]]) -> None:
    p, q = cells[0]["p"], cells[0]["q"]
    width = 0.8 / len(cells)
    for number, cell in enumerate(cells):
        ones = np.array(cell["ones"])
        places = np.arange(2) + (number - (len(cells) - 1) / 2) * width
        panel.bar(places, ones.mean(axis=0), 0.9 * width, color=LOOKS[cell["kind"]])
        panel.plot(np.tile(places, (len(ones), 1)), ones, "o", color=INK, markersize=2.5)
    marginal = p / (p + q)
    for symbol, truth in enumerate((p, 1 - q)):
        panel.hlines(truth, symbol - 0.46, symbol + 0.46, color=INK, linestyle="--")
        panel.hlines(marginal, symbol - 0.46, symbol + 0.46, color=GREY, linestyle="--")
    top = max(p, 1 - q, marginal)
    panel.set(xticks=[0, 1], xticklabels=["after a 0", "after a 1"], ylim=(0, 1.25 * top))
    panel.set_title("dashed: the chain's own (black), the marginal (grey)", fontsize=9.5)
