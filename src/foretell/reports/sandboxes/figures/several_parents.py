"""Each head's attention by lag with the parents marked, and the losses with counting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from foretell.reports.plots import COLOURS, GREY, LEFT_OUT, MEAN


def draw(curves: Mapping[str, Any]) -> Figure:
    """A column a set of parents: the graph, the heads, the losses."""
    sets = curves["sets"]
    figure = Figure(figsize=(3.9 * len(sets), 7.4), layout="constrained")
    panels = figure.subplots(3, len(sets), squeeze=False, height_ratios=[0.7, 1, 1.6])
    for column, each in zip(panels.T, sets, strict=True):
        window = len(each["heads"][0])
        _draw_graph(column[0], each["lags"], window)
        _draw_heads(column[1], each)
        for losses in each["losses"]:
            column[2].plot(curves["steps"], losses, color=MEAN, linewidth=1.2, alpha=0.7)
        column[2].axhline(each["counting"], color=GREY, linestyle="--", linewidth=1.2)
        column[2].text(
            curves["steps"][-1],
            each["counting"],
            "counting",
            fontsize=8,
            va="bottom",
            ha="right",
            color=GREY,
        )
        column[2].set_xlabel("step")
    panels[2, 0].set_ylabel("loss, a line a seed")
    return figure


def _draw_graph(panel: Axes, lags: list[int], window: int) -> None:
    """The last symbols and arrows from the parents to the next."""
    for place in range(window + 1):
        name = "?" if place == window else str(window - place)
        panel.text(
            place,
            0,
            name,
            ha="center",
            va="center",
            fontsize=9,
            bbox={"boxstyle": "circle,pad=0.3", "facecolor": "white", "edgecolor": GREY},
        )
    for lag, colour in zip(lags, COLOURS, strict=False):
        panel.annotate(
            "",
            (window, 0),
            (window - lag, 0),
            arrowprops={
                "arrowstyle": "-|>",
                "color": colour,
                "connectionstyle": "arc3,rad=-0.5",
                "shrinkA": 9,
                "shrinkB": 9,
            },
        )
    panel.set_xlim(-0.6, window + 0.6)
    panel.set_ylim(-0.4, 0.25 * window)
    panel.set_axis_off()
    panel.set_title("parents at lags " + ", ".join(map(str, lags)), fontsize=10.5)


def _draw_heads(panel: Axes, each: Mapping[str, Any]) -> None:
    table = np.array(each["heads"])[:, ::-1]  # far lags left, as in the graph above
    heads, window = table.shape
    panel.imshow(table, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for lag in each["lags"]:
        corner = (window - lag - 0.5, -0.5)
        panel.add_patch(Rectangle(corner, 1, heads, fill=False, edgecolor=LEFT_OUT, linewidth=1.6))
    panel.set_xticks(range(window), [str(window - place) for place in range(window)])
    panel.set_yticks(range(heads), [f"head {head + 1}" for head in range(heads)])
    panel.set_xlabel("lag")
