"""Loss with its levels, closeness to each reference, and the two layers' growth, by prior."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, INK

NAMES = ("uniform", "unigram", "bigram")
SHADES = (GREY, COLOURS[0], COLOURS[1])
LEVEL_GAP = 0.02  # of levels closer than this, one name is written below its line


def draw(curves: Mapping[str, Any]) -> Figure:
    """A row for each prior."""
    priors = curves["priors"]
    figure = Figure(figsize=(11.5, 3.2 * len(priors)), layout="constrained")
    panels = figure.subplots(len(priors), 3, squeeze=False)
    for (loss, apart, growth), prior in zip(panels, priors, strict=True):
        _draw_loss(loss, curves["steps"], prior)
        _draw_closeness(apart, curves["steps"], prior)
        _draw_growth(growth, curves["steps"], prior)
    for panel, title in zip(panels[0], ("loss", "KL from the model", "layers"), strict=True):
        panel.set_title(title, fontsize=10.5)
    for panel in panels[-1]:
        panel.set_xlabel("step")
    return figure


def _draw_loss(panel: Axes, steps: Any, prior: Mapping[str, Any]) -> None:
    levels = prior["levels"]
    for i, (level, name, shade) in enumerate(zip(levels, NAMES, SHADES, strict=True)):
        under = i == 2 or (i == 0 and abs(level - levels[1]) < LEVEL_GAP)
        panel.axhline(level, color=shade, linestyle="--", linewidth=1.2)
        side = "top" if under else "bottom"
        panel.text(steps[-1], level, name, fontsize=8.5, ha="right", va=side, color=shade)
    panel.plot(steps, prior["loss"], color=INK, linewidth=1.8)
    room = levels[0] - levels[2]
    panel.set_ylim(levels[2] - 0.16 * room, max(levels) + 0.18 * room)
    panel.set_ylabel(f"{prior['name']}: loss (nats)")


def _draw_closeness(panel: Axes, steps: Any, prior: Mapping[str, Any]) -> None:
    for column, name, shade in zip(np.transpose(prior["apart"]), NAMES, SHADES, strict=True):
        panel.plot(steps, np.maximum(column, 1e-4), color=shade, label=name)
    panel.axhline(0.02, color=GREY, linestyle=":", linewidth=1)
    panel.set_yscale("log")
    panel.legend(fontsize=8, frameon=False, loc="lower right")


def _draw_growth(panel: Axes, steps: Any, prior: Mapping[str, Any]) -> None:
    panel.plot(steps, prior["alignment"], color=COLOURS[2], label="alignment of layer 1")
    panel.plot(steps, prior["matching"], color=COLOURS[3], label="matching of layer 2")
    panel.axhline(0, color=GREY, linewidth=0.6)
    panel.legend(fontsize=8, frameon=False)
