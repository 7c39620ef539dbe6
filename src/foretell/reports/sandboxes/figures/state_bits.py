"""Information against bits of the state and against its states, and a cell before and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, INK

MARKERS = {"random cells": "o", "attention": "^", "trained": "D", "shift registers": "s"}


def draw(curves: Mapping[str, Any]) -> Figure:
    """Two ceilings as scatter plots, then information against precision."""
    figure = Figure(figsize=(13, 4.4), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    word = curves["word"]
    _draw_dots(left, curves["dots"], word, "bits", "width × precision, bits")
    _draw_dots(middle, curves["dots"], word, "states", "log₂ of the states reached")
    left.set_xlim(0, 3 * word)
    left.set_title(f"All {2**word:,} words of {word} bits", fontsize=10.5)
    middle.set_title("Every dot below both lines", fontsize=10.5)
    middle.legend(fontsize=8.5, frameon=False, loc="upper left")
    _draw_trained(right, curves)
    return figure


def _draw_dots(panel: Axes, dots: Mapping[str, Any], word: int, across: str, label: str) -> None:
    top = 1.06 * word
    panel.fill_between([0, top], [0, top], top, color=GREY, alpha=0.15, linewidth=0)
    panel.plot([0, top], [0, top], "--", color=INK, linewidth=1)
    panel.axhline(word, color=GREY, linestyle=":", linewidth=1)
    for (kind, marker), colour in zip(MARKERS.items(), COLOURS, strict=False):
        own = dots[kind]
        faint = kind in ("random cells", "attention")
        panel.plot(
            own[across],
            own["information"],
            marker,
            color=colour,
            markersize=3.5 if faint else 5.5,
            alpha=0.5 if faint else 0.95,
            label=kind,
        )
    panel.set_xlim(0, top)
    panel.set_ylim(-0.2, top)
    panel.set_xlabel(label)
    panel.set_ylabel("information on the word, bits")


def _draw_trained(panel: Axes, curves: Mapping[str, Any]) -> None:
    own, word = curves["trained"], curves["word"]
    precisions, units = np.array(own["precisions"]), own["units"]
    after = curves["dots"]["trained"]
    most = np.minimum(precisions * (after["bits"][0] / precisions[0]), word)
    panel.plot(precisions, most, "--", color=INK, linewidth=1, label="ceiling: min(width × p, n)")
    panel.plot(precisions, after["states"], ":", color=COLOURS[2], label="log₂ states, trained")
    panel.plot(precisions, after["information"], "D-", color=COLOURS[2], label="trained")
    panel.plot(precisions, curves["before"], "o-", color=GREY, label="before training")
    panel.set_ylim(0, 1.06 * word)
    panel.set_xlabel("precision p, bits a unit")
    panel.set_ylabel("information on the word, bits")
    panel.set_title(f"{own['cell'].upper()} of {units} units, trained to recall", fontsize=10.5)
    panel.legend(fontsize=8.5, frameon=False, loc="lower right")
