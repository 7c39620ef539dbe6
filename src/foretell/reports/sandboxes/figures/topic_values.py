"""The value matrix sorted by topic beside its formula, how its entries part, and all gaps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, INK


def draw(curves: Mapping[str, Any]) -> Figure:
    """Trained and predicted matrices above; entries over time and gaps below."""
    figure = Figure(figsize=(9.6, 8.2), layout="constrained")
    (trained, predicted), (times, gaps) = figure.subplots(2, 2)
    _draw_matrices(figure, trained, predicted, curves)
    _draw_times(times, curves)
    _draw_gaps(gaps, curves)
    return figure


def _draw_matrices(
    figure: Figure, trained: Axes, predicted: Axes, curves: Mapping[str, Any]
) -> None:
    same, other, _ = curves["block"]
    topic = np.arange(curves["topics"] * curves["words"]) // curves["words"]
    block = np.where(topic[:, None] == topic, same, other)
    learnt = np.array(curves["values"])[:, : len(topic)]
    reach = 1.6 * same
    for panel, matrix, title in (
        (trained, learnt, "value matrix, trained"),
        (predicted, block, "value matrix, predicted"),
    ):
        image = panel.imshow(matrix, cmap="RdBu_r", vmin=-reach, vmax=reach)
        panel.set_title(title, fontsize=10.5)
        panel.set_xlabel("word seen, by topic")
        panel.set_ylabel("word said, by topic")
        edges = curves["words"] * np.arange(curves["topics"] + 1) - 0.5
        panel.set_xticks(edges, [])
        panel.set_yticks(edges, [])
    figure.colorbar(image, ax=[trained, predicted], shrink=0.8, label="entry")


def _draw_times(panel: Axes, curves: Mapping[str, Any]) -> None:
    steps, means = curves["steps"], np.array(curves["means"])
    for place, name in enumerate(("same", "other")):
        low, _, high = np.array(curves[name]).T
        colour = COLOURS[place]
        panel.fill_between(steps, low, high, color=colour, alpha=0.2, linewidth=0)
        panel.plot(steps, means[:, place], color=colour, linewidth=2, label=f"{name} topic")
    panel.plot(
        steps,
        means[:, 1] + curves["gap"],
        "--",
        color=INK,
        linewidth=1.2,
        label="other topic + 1/(αv)",
    )
    panel.set_xlabel("steps")
    panel.set_ylabel("entry: mean, and 10 to 90 %")
    panel.set_title("entries part by the predicted gap", fontsize=10.5)
    panel.legend(fontsize=9, frameon=False, loc="center right")


def _draw_gaps(panel: Axes, curves: Mapping[str, Any]) -> None:
    learnt = _last_gap(curves)
    cases = [*curves["cases"], ["trained on mixtures", curves["gap"], learnt]]
    for place, (_, predicted, found) in enumerate(cases):
        room = 0.1 if place == len(cases) - 1 else 0.015
        panel.barh(place, 2 * room, 0.2, left=1 - room, color=GREY, alpha=0.4)
        panel.plot(found / predicted, place, "o", color=COLOURS[0], markersize=6)
    panel.axvline(1, color=INK, linestyle="--", linewidth=1.2)
    names = [f"{name}\n1/(αv) = {predicted:.4f}" for name, predicted, _ in cases]
    panel.set_yticks(range(len(cases)), names, fontsize=8)
    panel.invert_yaxis()
    panel.margins(y=0.15)
    panel.set_xlabel("gap found / gap predicted, with what is allowed")
    panel.set_title("same topic less other topic", fontsize=10.5)


def _last_gap(curves: Mapping[str, Any]) -> float:
    """At the end of training."""
    same, other = curves["means"][-1]
    return float(same - other)
