"""Share right by depth and number of permutations, what the layers look at, and training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, INK


def draw(curves: Mapping[str, Any]) -> Figure:
    """The table of depths, a map of attention a layer, and the two courses if there are any."""
    maps = len(curves["attention"])
    panels = 1 + maps + (curves["training"] is not None)
    figure = Figure(figsize=(3.6 * panels, 4.0), layout="constrained")
    axes = figure.subplots(1, panels)
    _draw_depths(axes[0], curves)
    for layer, (panel, weights) in enumerate(zip(axes[1:], curves["attention"], strict=False)):
        _draw_map(panel, curves["labels"], np.array(weights), layer + 1, maps)
    if curves["training"] is not None:
        _draw_training(axes[-1], curves["training"])
    return figure


def _draw_depths(panel: Axes, curves: Mapping[str, Any]) -> None:
    shares, folds = np.array(curves["right"]).T, curves["folds"]
    panel.imshow(shares, cmap="Blues", vmin=0, vmax=1.2, aspect="auto", origin="lower")
    for (row, column), share in np.ndenumerate(shares):
        tone = "white" if share > 0.7 else INK
        panel.text(column, row, f"{share:.2f}", ha="center", va="center", color=tone)
    needed = np.log2(folds)  # rows count from one layer
    panel.step(np.arange(len(folds)), needed - 0.5, where="mid", color=COLOURS[1], linewidth=2)
    panel.set_xticks(range(len(folds)), map(str, folds))
    panel.set_yticks(range(len(curves["layers"])), map(str, curves["layers"]))
    panel.set_xlim(-0.5, len(folds) - 0.5)
    panel.set_ylim(-0.55, len(curves["layers"]) - 0.5)
    panel.set(xlabel="permutations of either kind, k", ylabel="layers")
    chance = 1 / curves["symbols"]
    panel.set_title(
        f"share right, N = {curves['symbols']} (chance {chance:.2f});\nabove the line log₂ k + 1",
        fontsize=10,
    )


def _draw_map(panel: Axes, labels: list[str], weights: Any, layer: int, layers: int) -> None:
    panel.imshow(weights, cmap="Blues", vmin=0, vmax=1)
    panel.set_xticks(range(len(labels)), labels, fontsize=7, rotation=90)
    panel.set_yticks(range(len(labels)), labels, fontsize=7)
    hops = 2 ** (layer - 1)
    doing = "the question reads" if layer == layers else f"chains of {hops} become {2 * hops}"
    panel.set_title(f"layer {layer}: {doing}", fontsize=10)


def _draw_training(panel: Axes, training: Mapping[str, Any]) -> None:
    for diet, losses, colour in zip(training["diets"], training["loss"], COLOURS, strict=False):
        panel.plot(training["steps"], losses, color=colour, label=f"trained on {diet}")
    panel.axhline(training["level"], color=GREY, linestyle="--", linewidth=1)
    panel.text(0, training["level"], " ln N", va="bottom", color=GREY, fontsize=9)
    panel.set(xlabel="step", ylabel="loss on the longest")
    panel.set_ylim(0, 1.2 * max(max(losses) for losses in training["loss"]))
    panel.legend(fontsize=8.5, frameon=False)
