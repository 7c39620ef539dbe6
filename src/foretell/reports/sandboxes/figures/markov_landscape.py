"""Loss along random directions, and the Hessian's eigenvalues, chain by chain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, MEAN

KINDS = {"tied": "output tied to embedding", "separate": "separate output"}


def draw(curves: Mapping[str, Any]) -> Figure:
    """A column a chain: tied above, separate below, eigenvalues last."""
    chains = curves["chains"]
    figure = Figure(figsize=(2.9 * len(chains), 7.2), layout="constrained")
    panels = figure.subplots(3, len(chains), squeeze=False)
    for column, chain in zip(panels.T, chains, strict=True):
        p, q = chain["p"], chain["q"]
        sign = "=" if abs(p + q - 1) < 1e-12 else ">" if p + q > 1 else "<"
        column[0].set_title(f"p = {p:g}, q = {q:g}\np + q {sign} 1", fontsize=10.5)
        for panel, kind in zip(column[:2], KINDS, strict=True):
            _draw_losses(panel, chain, kind)
        _draw_eigenvalues(column[2], chain)
    for panel, kind in zip(panels[:2, 0], KINDS.values(), strict=True):
        panel.set_ylabel(f"loss, {kind}")
    panels[2, 0].set_ylabel("Hessian's eigenvalues")
    return figure


def _draw_losses(panel: Axes, chain: Mapping[str, Any], kind: str) -> None:
    distance, (level, least) = chain["distance"], chain["levels"]
    for losses in chain[kind]["losses"]:
        panel.plot(distance, losses, color=MEAN, alpha=0.5, linewidth=1)
    panel.axhline(level, color=GREY, linestyle="--", linewidth=1)
    panel.axhline(least, color=COLOURS[2], linestyle=":", linewidth=1.2)
    room = max(level - least, 0.02)
    panel.set_ylim(min(level, least) - 0.4 * room, level + 1.2 * room)
    panel.set_xlabel("distance from the point")
    panel.text(distance[0], level, "marginal", fontsize=8, va="bottom", color=GREY)
    panel.text(distance[0], least, "entropy rate", fontsize=8, va="top", color=COLOURS[2])


def _draw_eigenvalues(panel: Axes, chain: Mapping[str, Any]) -> None:
    for kind, colour in zip(KINDS, COLOURS, strict=False):
        values = np.sort(chain[kind]["eigenvalues"])
        values = values[np.abs(values) > 1e-9]
        places = np.arange(len(values)) - len(values) / 2
        panel.vlines(places, 0, values, color=colour, linewidth=1.5)
        panel.plot(places, values, "o", color=colour, markersize=4, label=kind)
    panel.axhline(0, color=GREY, linewidth=0.8)
    panel.set_xticks([])
    panel.legend(fontsize=8, frameon=False)
