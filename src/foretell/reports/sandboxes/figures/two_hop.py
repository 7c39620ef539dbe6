"""Loss and accuracy with the plateau of guessing, and what the three layers look at."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, MEAN

DOES = {0: ": the symbol before", 1: ": the bridge", 2: ": the end"}


def draw(curves: Mapping[str, Any]) -> Figure:
    """Above the course of training, below a map of attention a layer."""
    figure = Figure(figsize=(12, 7.6), layout="constrained")
    grid = figure.add_gridspec(2, 6, height_ratios=(1, 1.15))
    _draw_loss(figure.add_subplot(grid[0, :3]), curves)
    _draw_accuracy(figure.add_subplot(grid[0, 3:]), curves)
    for layer, weights in enumerate(curves["attention"]):
        panel = figure.add_subplot(grid[1, 2 * layer : 2 * layer + 2])
        _draw_map(panel, curves, np.asarray(weights), f"layer {layer + 1}{DOES.get(layer, '')}")
    return figure


def _draw_loss(panel: Axes, curves: Mapping[str, Any]) -> None:
    level = math.log(curves["chains"])
    if curves["stay"] is not None:
        panel.axvspan(*curves["stay"], color=COLOURS[4], alpha=0.2, label="stay within 0.05")
    panel.plot(curves["steps"], curves["loss"], color=MEAN, label="loss of the answer")
    guesses = ((level, "knows the ends: ln K"), (curves["by_place"][0], "and the places"))
    for height, name in guesses:
        panel.axhline(height, color=GREY, linestyle="--", linewidth=1)
        panel.text(curves["steps"][-1], height, name, ha="right", va="bottom", color=GREY)
    panel.set_ylim(0, 1.1 * max(curves["loss"]))
    panel.set_xlabel("step")
    panel.set_ylabel("loss")
    panel.legend(fontsize=8.5, frameon=False)


def _draw_accuracy(panel: Axes, curves: Mapping[str, Any]) -> None:
    panel.plot(curves["steps"], curves["right"], color=COLOURS[1], label="share right")
    panel.plot(
        curves["steps"], curves["ends"], color=COLOURS[2], label="chance given to the K ends"
    )
    levels = ((1 / curves["chains"], "knows the ends: 1/K"), (curves["by_place"][1], "and places"))
    for level, name in levels:
        panel.axhline(level, color=GREY, linestyle="--", linewidth=1)
        panel.text(curves["steps"][-1], level, name, ha="right", va="bottom", color=GREY)
    panel.set_ylim(0, 1.05)
    panel.set_ylabel("share of questions")
    panel.set_xlabel("step")
    panel.legend(fontsize=8.5, frameon=False, loc="lower right")


def _draw_map(panel: Axes, curves: Mapping[str, Any], weights: Any, name: str) -> None:
    labels = curves["word"]
    panel.imshow(weights, cmap="Blues", vmin=0, vmax=1)
    panel.set_xticks(range(len(labels)), labels, fontsize=8)
    panel.set_yticks(range(len(labels)), [*labels[:-1], f"query {labels[-1]}"], fontsize=8)
    panel.set_title(name, fontsize=10.5)
    panel.set_xlabel("looked at")
