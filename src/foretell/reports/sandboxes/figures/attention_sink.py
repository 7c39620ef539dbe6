"""Attention of one word with softmax, with ReLU and by SGD, value lengths, how the sink grew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, MEAN

NAMES = {
    "softmax": "softmax attention, Adam",
    "relu": "ReLU attention, Adam",
    "SGD": "softmax attention, SGD",
}
LEAST, MOST, RATIO = 0.35, 0.05, 0.5  # claimed: dormant weight, active weight, value lengths


def draw(curves: Mapping[str, Any]) -> Figure:
    """A row a training: the map, the lengths of values, the course of training."""
    kinds = curves["kinds"]
    figure = Figure(figsize=(13, 4.1 * len(kinds)), layout="constrained")
    panels = figure.subplots(len(kinds), 3, squeeze=False, width_ratios=(1, 1, 1.1))
    for row, (kind, found) in zip(panels, kinds.items(), strict=True):
        _draw_map(row[0], curves, found, NAMES[kind])
        _draw_values(row[1], curves, found)
        _draw_course(row[2], found)
    return figure


def _draw_map(panel: Axes, curves: Mapping[str, Any], found: Mapping[str, Any], name: str) -> None:
    weights = np.asarray(found["attention"])
    drawn = panel.imshow(weights, cmap="Blues", vmin=0, vmax=max(1.0, float(weights.max())))
    panel.figure.colorbar(drawn, ax=panel, shrink=0.8)
    rows = [i for i, symbol in enumerate(curves["word"]) if symbol in curves["triggers"]]
    panel.set_yticks(rows, ["trigger"] * len(rows), fontsize=7, color=COLOURS[1])
    panel.set_xticks([0], ["<s>"])
    panel.set_xlabel("looked at")
    panel.set_title(name, fontsize=10.5)


def _draw_values(panel: Axes, curves: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    lengths = np.asarray(found["values"])
    symbols = curves["symbols"]
    colours = [
        COLOURS[2] if i == symbols else COLOURS[1] if i in curves["triggers"] else MEAN
        for i in range(symbols + 1)
    ]
    panel.bar(range(symbols + 1), lengths, color=colours)
    panel.axhline(RATIO * np.median(lengths[:-1]), color=GREY, linestyle="--", linewidth=1)
    panel.text(
        -0.4,
        RATIO * np.median(lengths[:-1]),
        "half the median",
        fontsize=8,
        va="bottom",
        color=GREY,
        backgroundcolor=(1, 1, 1, 0.7),
    )
    panel.set_xticks([symbols], ["<s>"])
    panel.set_ylabel("length of the value vector")
    panel.set_xlabel("symbols (triggers orange, start green)")


def _draw_course(panel: Axes, found: Mapping[str, Any]) -> None:
    steps = found["steps"]
    for name, label, colour in (
        ("dormant", "weight on <s>, other queries", COLOURS[0]),
        ("active", "weight on <s>, triggers", COLOURS[1]),
        ("back", "weight one step back, triggers", COLOURS[4]),
        ("ratio", "value of <s> / median", COLOURS[2]),
        ("excess", "loss above the least possible", GREY),
    ):
        panel.plot(steps, found[name], color=colour, label=label)
    start, last = found["start"][0], found["start"][-1]
    for level, colour in ((LEAST, COLOURS[0]), (MOST, COLOURS[1]), (RATIO, COLOURS[2])):
        panel.axhline(level, color=colour, linestyle="--", linewidth=0.9)
    panel.set_ylim(-0.03, 1.8)
    panel.set_xlabel("step")
    panel.set_title(f"value of <s>: length {start:.2f} first, {last:.2f} last", fontsize=10.5)
    panel.legend(fontsize=7.5, loc="upper right", title="dashed: claimed", title_fontsize=7.5)
