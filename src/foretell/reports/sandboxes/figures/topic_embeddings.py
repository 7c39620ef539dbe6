"""Products of word vectors sorted by topic, and how they part, for both losses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, INK

LOSSES = {"squared": "squared loss", "cross": "cross-entropy"}


def draw(curves: Mapping[str, Any]) -> Figure:
    """A column a loss: the products above, their course below."""
    figure = Figure(figsize=(10.4, 8.4), layout="constrained")
    panels = figure.subplots(2, 2, height_ratios=(1.25, 1))
    for column, (loss, name) in zip(panels.T, LOSSES.items(), strict=True):
        _draw_products(figure, column[0], curves, loss, name)
        _draw_course(column[1], curves, loss)
    panels[1, 0].set_ylabel("product: mean, and 10 to 90 %")
    return figure


def _draw_products(
    figure: Figure, panel: Axes, curves: Mapping[str, Any], loss: str, name: str
) -> None:
    products = np.array(curves[loss]["products"])
    reach = max(1.8 * abs(curves[loss]["means"][-1][0]), 1e-6)
    image = panel.imshow(products, cmap="RdBu_r", vmin=-reach, vmax=reach)
    edges = curves["words"] * np.arange(curves["topics"] + 1) - 0.5
    panel.set_xticks(edges, [])
    panel.set_yticks(edges, [])
    panel.set(xlabel="word, by topic", ylabel="word, by topic")
    panel.set_title(f"products of embeddings, {name}", fontsize=10.5)
    figure.colorbar(image, ax=panel, shrink=0.8)


def _draw_course(panel: Axes, curves: Mapping[str, Any], loss: str) -> None:
    steps, means = curves["steps"], np.array(curves[loss]["means"])
    ends = np.array(curves[loss]["ends"])
    for place, name in enumerate(("same topic", "different topics")):
        colour = COLOURS[place]
        low, high = ends[:, place].T
        panel.fill_between(steps, low, high, color=colour, alpha=0.2, linewidth=0)
        panel.plot(steps, means[:, place], color=colour, linewidth=2, label=name)
    if loss == "squared":
        predicted = means[:, 1] + curves["gap"]
        label = "different topics + 1/(αv)"
        panel.plot(steps, predicted, "--", color=INK, linewidth=1.2, label=label)
    panel.set_xlabel("steps")
    panel.legend(fontsize=9, frameon=False, loc="center right")
