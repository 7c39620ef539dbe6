"""Loss against position, chain by chain size, and the table of levels as points."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, INK

NAMES = ("unigram", "bigram", "trigram", "4-gram", "5-gram")


def draw(curves: Mapping[str, Any]) -> Figure:
    """A panel for each chain that was followed, then all levels."""
    drawn = curves["drawn"]
    figure = Figure(figsize=(3.9 * len(drawn) + 4.4, 4.0), layout="constrained")
    ratios = [1.0] * len(drawn) + [1.15]
    panels = figure.subplots(1, len(ratios), width_ratios=ratios, squeeze=False)[0]
    for panel, cell in zip(panels, drawn, strict=False):
        _draw_losses(panel, cell)
    panels[0].set_ylabel("loss (nats)")
    if drawn:  # which rows of the table are followed is a setting
        named = panels[len(drawn) - 1].get_legend_handles_labels()
        figure.legend(*named, fontsize=9, frameon=False, loc="outside lower center", ncols=6)
    _draw_table(panels[-1], curves["table"])
    return figure


def _draw_losses(panel: Axes, cell: Mapping[str, Any]) -> None:
    symbols, size, levels = cell["symbols"], cell["size"], cell["levels"]
    top = math.log(symbols)
    for context, losses in enumerate(cell["losses"]):
        place, colour = size - 1 + np.arange(len(losses)), COLOURS[context % len(COLOURS)]
        label = NAMES[context] if context < len(NAMES) else f"{context + 1}-gram"
        panel.plot(place, losses, color=colour, linewidth=1.6, label=label)
        if context < len(levels):
            panel.axhline(levels[context], color=colour, linestyle="--", linewidth=1)
    cost = symbols ** (size - 1) * (symbols - 1) / 2
    last = len(cell["losses"][0]) + size - 2
    place = np.arange(min(3 * symbols**size, last), last + 1)  # the formula is for long words
    panel.plot(place, levels[-1] + cost / place, color=INK, linestyle=":", linewidth=1.3)
    panel.axhline(top, color=GREY, linewidth=1, label="uniform")
    panel.set_ylim(levels[-1] - 0.12 * (top - levels[-1]), top + 0.1 * (top - levels[-1]))
    panel.set_xscale("log")
    panel.set_xlabel("symbols read")
    panel.set_title(f"S = {symbols} symbols, order {size - 1}", fontsize=10.5)


def _draw_table(panel: Axes, table: Any) -> None:
    for row, cell in enumerate(table):
        for context, (said, found) in enumerate(zip(cell["levels"], cell["measured"], strict=True)):
            share = 1 / math.log(cell["symbols"])
            colour = COLOURS[context % len(COLOURS)]
            panel.plot([said * share] * 2, [row - 0.3, row + 0.3], color=colour, linewidth=2)
            panel.plot(found * share, row, "o", color=colour, markersize=5, mfc="white")
    panel.set_yticks(range(len(table)), [f"S={c['symbols']}, n={c['size']}" for c in table])
    panel.invert_yaxis()
    panel.set_xlabel("level / ln S")
    panel.set_title("levels: predicted (bar), on words (ring)", fontsize=10.5)
    panel.grid(axis="x", color="#dddddd", linewidth=0.6)
