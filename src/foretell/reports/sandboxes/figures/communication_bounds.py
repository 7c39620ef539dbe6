"""Smallest widths against length, bits counted against bits claimed, encoders above their bound."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, INK

MARKERS = "osD^"


def draw(curves: Mapping[str, Any]) -> Figure:
    """Left the widths that follow, in the middle and right what was enumerated."""
    figure = Figure(figsize=(13, 4.4), layout="constrained")
    left, middle, right = figure.subplots(1, 3, width_ratios=(1.25, 1, 1))
    _draw_widths(left, curves["widths"])
    _draw_counted(middle, curves["counted"])
    _draw_encoders(right, curves["encoders"], curves["n"])
    return figure


def _draw_widths(panel: Axes, widths: Mapping[str, Any]) -> None:
    lengths = widths["lengths"]
    for (name, line), colour in zip(widths["lines"].items(), COLOURS, strict=False):
        panel.loglog(lengths, np.maximum(line, 0.8), "o-", markersize=3.5, color=colour, label=name)
    flat = widths["two layers"]
    label = f"two layers, induction head: {flat} is enough"
    panel.axhline(flat, color=GREY, linestyle="--", label=label)
    panel.set_ylim(0.8, 3000)
    panel.set_xlabel("length T")
    panel.set_ylabel("smallest width")
    panel.set_title("Width needed, ⌈log₂ T⌉ bits a number, 1 head", fontsize=10.5)
    panel.legend(fontsize=8, frameon=False, loc="upper left")


def _draw_counted(panel: Axes, counted: Any) -> None:
    tasks = list(dict.fromkeys(row["task"] for row in counted))
    most = 1.08 * max(row["formula"] for row in counted)
    panel.plot([0, most], [0, most], "--", color=GREY, linewidth=1, label="claimed")
    for task, colour, marker in zip(tasks, COLOURS, MARKERS, strict=False):
        rows = [(row["formula"], row["counted"]) for row in counted if row["task"] == task]
        panel.plot(*zip(*rows, strict=True), marker, color=colour, label=task, alpha=0.85)
    panel.set_xlabel("bits by the formula")
    panel.set_ylabel("bits counted")
    panel.set_title("Matrices of answers, enumerated", fontsize=10.5)
    panel.legend(fontsize=8.5, frameon=False, loc="upper left")


def _draw_encoders(panel: Axes, encoders: Any, number: int) -> None:
    """Bits sent by every encoder against what its accuracy needs."""
    share = np.linspace(0.5, 1, 200)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -share * np.log2(share) - (1 - share) * np.log2(1 - share)
    needed = number * (1 - np.nan_to_num(entropy))
    panel.fill_between(share, 0, needed, color=GREY, alpha=0.18, linewidth=0)
    panel.plot(share, needed, "--", color=INK, linewidth=1.2, label="needed: n(1 - h₂(a))")
    for one, colour in zip(encoders, COLOURS, strict=False):
        shares = one["accuracies"]
        label = f"{round(2 ** one['sent'])} messages"
        panel.plot(shares, [one["sent"]] * len(shares), "o", color=colour, label=label)
    panel.text(0.93, 0.35, "excluded", color=GREY, ha="center", fontsize=9)
    panel.set_ylim(0, number + 0.1)
    panel.set_xlabel("accuracy a of the best decoder")
    panel.set_ylabel("bits sent")
    panel.set_title(f"All encoders of {number} bits, asked for one", fontsize=10.5)
    panel.legend(fontsize=8.5, frameon=False, loc="upper left")
