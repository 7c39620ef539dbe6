"""How few directions the trained matrices need, and whether they are the embedding's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, INK, MEAN

MATRICES = {
    "first": "W₁",
    "second": "W₂",
    "value": "value matrix",
    "embedding and positions": "embedding, positions",
}


def draw(curves: Mapping[str, Any]) -> Figure:
    """A column a layer: a row for every matrix, then the angles to the embedding."""
    cells = curves["cells"]
    figure = Figure(figsize=(3.9 * len(cells) + 0.6, 10.5), layout="constrained")
    panels = figure.subplots(len(MATRICES) + 1, len(cells), squeeze=False, sharex=True)
    for column, cell in zip(panels.T, cells, strict=True):
        learns = cell["loss"][-1] < (cell["levels"][0] + cell["levels"][1]) / 2
        column[0].set_title(f"{cell['label']}\n{'learns' if learns else 'is stuck'}", fontsize=10.5)
        for panel, name in zip(column, MATRICES, strict=False):
            _draw_shares(panel, cell, name, curves["asked"])
        _draw_angles(column[-1], cell, curves["asked"])
    for panel, name in zip(panels[:, 0], MATRICES.values(), strict=False):
        panel.set_ylabel(f"share of energy,\n{name}")
    panels[-1, 0].set_ylabel("|cos| of the angle")
    panels[0, 0].legend(fontsize=8.5, loc="lower right", title="directions", title_fontsize=8.5)
    panels[-1, 0].legend(fontsize=8.5, loc="lower right")
    return figure


def _draw_shares(panel: Axes, cell: Mapping[str, Any], name: str, asked: float) -> None:
    shares = np.array(cell[name])
    for count in range(shares.shape[1]):
        strength = 1 - 0.22 * count
        below = shares[:, count - 1] if count else 0
        panel.fill_between(
            cell["steps"],
            below,
            shares[:, count],
            color=MEAN,
            alpha=strength,
            linewidth=0,
            label="first" if count == 0 else f"and {count + 1}.",
        )
    panel.set(ylim=(0, 1.02), xlim=(0, cell["steps"][-1]))
    if name in ("first", "second"):
        panel.axhline(asked, color=INK, linestyle="--", linewidth=1.2)


def _draw_angles(panel: Axes, cell: Mapping[str, Any], asked: float) -> None:
    names = ("W₁ reads, to the embedding", "W₂ writes, to the output")
    for angles, name, colour in zip(
        np.array(cell["alignment"]).T, names, (COLOURS[1], COLOURS[2]), strict=True
    ):
        panel.plot(cell["steps"], angles, color=colour, linewidth=1.8, label=name)
    panel.axhline(asked, color=INK, linestyle="--", linewidth=1.2)
    panel.set(ylim=(0, 1.02), xlabel="step")
