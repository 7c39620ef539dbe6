"""Accuracy by length and number of ones for each kind of model, and which size explains it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from foretell.reports.plots import COLOURS, GREY, INK

SHORT = {"gru": "GRU", "ssm-signed": "SSM"}
NAMES = {"transformer": "transformer", "gru": "GRU", "ssm-signed": "state space, gates in [-1, 1]"}


def draw(curves: Mapping[str, Any]) -> Figure:
    """A map for each kind; bars of explained variance last."""
    figure = Figure(figsize=(11.5, 6.4), layout="constrained")
    halves: Any = figure.subfigures(2, 1, height_ratios=(1.25, 1))
    above, below = halves
    panels = above.subplots(1, len(curves["grids"]), sharey=True, squeeze=False)[0]
    for panel, (kind, grid) in zip(panels, curves["grids"].items(), strict=True):
        shown = _draw_map(panel, curves, NAMES.get(kind, kind), np.array(grid, float))
    panels[0].set_ylabel("length")
    above.colorbar(shown, ax=panels, label="accuracy, neighbours averaged")
    lines, bars = below.subplots(1, 2, width_ratios=(2, 1))
    _draw_lines(lines, curves)
    _draw_variances(bars, curves)
    return figure


def smoothed(grid: np.ndarray) -> np.ndarray:
    """Each number of ones with the next: a constant answer is right half of the time."""
    return (grid[:, :-1] + grid[:, 1:]) / 2


def _draw_map(panel: Axes, curves: Mapping[str, Any], name: str, grid: np.ndarray) -> Any:
    values = smoothed(grid)
    ones, lengths = np.arange(values.shape[1]) + 0.5, curves["lengths"]
    shown = panel.pcolormesh(
        ones, lengths, values, cmap="cividis", vmin=0, vmax=1, shading="nearest"
    )
    longest, most = curves["trained"]
    low, high = panel.get_ylim()
    frame = Rectangle((0, low), most, longest + (lengths[1] - lengths[0]) / 2 - low)
    frame.set(fill=False, edgecolor=COLOURS[1], linewidth=2)
    panel.add_patch(frame)
    panel.axvline(most, color=COLOURS[1], linestyle="--", linewidth=1.2)
    panel.set_ylim(low, high)
    panel.set_title(name, fontsize=10.5)
    panel.set_xlabel("number of ones")
    return shown


def _draw_lines(panel: Axes, curves: Mapping[str, Any]) -> None:
    values = smoothed(np.array(curves["grids"]["transformer"], float))
    ones = np.arange(values.shape[1]) + 0.5
    for row, length, colour in zip(values, curves["lengths"], COLOURS, strict=False):
        panel.plot(ones, row, color=colour, linewidth=1.4, label=f"length {length}")
    most = curves["trained"][1]
    panel.axvline(most, color=INK, linestyle="--", linewidth=1)
    panel.text(most, 1.04, " most ones in training", fontsize=8.5, va="bottom")
    panel.axhline(0.5, color=GREY, linestyle=":", linewidth=1)
    panel.set_ylim(0, 1.15)
    panel.set_xlabel("number of ones")
    panel.set_ylabel("transformer's accuracy")
    panel.legend(fontsize=8, frameon=False, loc="lower right", ncols=3)


def _draw_variances(panel: Axes, curves: Mapping[str, Any]) -> None:
    kinds = list(curves["variances"])
    places = np.arange(len(kinds))
    for offset, (name, column) in enumerate((("length", 0), ("number of ones", 1))):
        heights = [curves["variances"][kind][column] for kind in kinds]
        panel.bar(places + 0.36 * offset - 0.18, heights, 0.36, color=COLOURS[offset], label=name)
    panel.set_xticks(places, [SHORT.get(kind, kind) for kind in kinds])
    panel.set_ylabel("variance of accuracy")
    panel.legend(fontsize=8.5, frameon=False, title="explained by")
