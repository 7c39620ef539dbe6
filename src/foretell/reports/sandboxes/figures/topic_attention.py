"""Scores of every pair of tokens, attention on the own topic, and who grows first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, INK


def draw(curves: Mapping[str, Any]) -> Figure:
    """Three panels in a row."""
    figure = Figure(figsize=(13.2, 4.2), layout="constrained")
    scores, shares, sizes = figure.subplots(1, 3)
    _draw_scores(figure, scores, curves)
    _draw_shares(shares, curves)
    _draw_sizes(sizes, curves)
    return figure


def _draw_scores(figure: Figure, panel: Axes, curves: Mapping[str, Any]) -> None:
    matrix = np.array(curves["scores"]).T  # a row each query
    reach = max(float(np.quantile(np.abs(matrix[:-1, :-1]), 0.98)), 1e-6)
    image = panel.imshow(matrix, cmap="RdBu_r", vmin=-reach, vmax=reach)
    edges = curves["words"] * np.arange(curves["topics"] + 1) - 0.5
    panel.set_xticks([*edges, len(matrix) - 1], [""] * len(edges) + ["mask"], fontsize=8)
    panel.set_yticks([*edges, len(matrix) - 1], [""] * len(edges) + ["mask"], fontsize=8)
    panel.set(xlabel="token looked at, by topic", ylabel="token that looks, by topic")
    panel.set_title("scores after training, values held", fontsize=10.5)
    figure.colorbar(image, ax=panel, shrink=0.8)


def _draw_shares(panel: Axes, curves: Mapping[str, Any]) -> None:
    heights = np.array(curves["shares"])
    edges = np.linspace(0, 1, len(heights) + 1)
    panel.stairs(heights, edges, fill=True, color=COLOURS[0], alpha=0.5, label="words found")
    label = f"e^s / (e^s + τ - 1), s = {curves['gap']:.2f}"
    panel.axvline(curves["predicted"], color=INK, linestyle="--", label=label)
    panel.axvline(1 / curves["few"], color=GREY, linestyle=":", label="attention to all alike")
    panel.set(xlim=(0, 1), ylim=(0, 1.5 * max(heights)))
    panel.set(xlabel="attention on the own topic", ylabel="part of all words and documents")
    panel.set_title("share of attention on the own topic", fontsize=10.5)
    panel.legend(fontsize=9, edgecolor="none", framealpha=1, loc="upper left")


def _draw_sizes(panel: Axes, curves: Mapping[str, Any]) -> None:
    steps = np.array(curves["steps"])
    for place, (name, part, label) in enumerate(
        (("values", 0.9, "values"), ("attention", 0.1, "keys and queries"))
    ):
        size = np.array(curves[name]) / max(curves[name][-1], 1e-9)
        panel.plot(steps, size, color=COLOURS[place], linewidth=2, label=label)
        reached = np.flatnonzero(size >= part)
        if len(reached):
            at = steps[reached[0]]
            panel.plot(at, size[reached[0]], "o", color=COLOURS[place])
            panel.axvline(at, color=COLOURS[place], linestyle=":", linewidth=1)
            panel.text(at, part, f"  {part:.0%}", fontsize=9, va="top", color=COLOURS[place])
    panel.set(xlabel="steps of gradient descent", ylabel="size, as part of the last")
    panel.set_ylim(0, 1.15)
    panel.set_title("all trained together: values first", fontsize=10.5)
    panel.legend(fontsize=9, frameon=False, loc="center left")
