"""Attention layer by layer, the states it leads to, layers by length, and what goes wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.plain.wording import counted
from foretell.reports.plots import COLOURS, GREY, INK, LEFT_OUT, MEAN

FLOOR = 2e-6  # nothing wrong, on an axis of powers of ten


def draw(curves: Mapping[str, Any]) -> Figure:
    """Attention above, the states beneath, then three panels of numbers."""
    figure = Figure(figsize=(13, 10.2), layout="constrained")
    parts: Any = figure.subfigures(3, 1, height_ratios=(1, 0.95, 1.2))
    panels = parts[0].subplots(1, len(curves["attention"]), squeeze=False)[0]
    for layer, (panel, weights) in enumerate(zip(panels, curves["attention"], strict=True)):
        _draw_attention(panel, np.array(weights), layer)
    panels[0].set_ylabel("from position")
    _draw_states(parts[1].subplots(), curves)
    left, middle, right = parts[2].subplots(1, 3)
    _draw_layers(left, curves)
    _draw_by_layer(middle, curves["by_layer"])
    _draw_sharpness(right, curves)
    return figure


def _draw_attention(panel: Axes, weights: np.ndarray, layer: int) -> None:
    panel.imshow(weights, cmap="Blues", vmin=0, vmax=1)
    back = 2**layer
    panel.plot([0, len(weights) - 1 - back], [back, len(weights) - 1], "--", color=LEFT_OUT, lw=1.2)
    panel.set_title(f"layer {layer + 1}: dashed {back} back", fontsize=10.5)
    panel.set_xlabel("to position (0: start)")
    ticks = range(0, len(weights), 4)
    panel.set_xticks(ticks)
    panel.set_yticks(ticks)


def _draw_states(panel: Axes, curves: Mapping[str, Any]) -> None:
    """A row for every number of layers; a cross where the state is wrong."""
    said, wrong = np.array(curves["said"]), np.array(curves["wrong"])
    rows, length = said.shape
    for (row, place), state in np.ndenumerate(said):
        colour = COLOURS[state % len(COLOURS)]
        fade = 0.28 if wrong[row, place] else 0.85
        panel.bar(place + 1, 0.9, 0.94, row - 0.45, facecolor=colour, alpha=fade, linewidth=0)
        mark = f"{state} ×" if wrong[row, place] else f"{state}"
        shade = INK if wrong[row, place] else "white"
        panel.text(place + 1, row, mark, ha="center", va="center", fontsize=9, color=shade)
    for row in range(rows):
        edge = min(2**row, length) + 0.5
        panel.plot([edge, edge], [row - 0.5, row + 0.5], "--", color=INK, linewidth=1.6)
    panel.set_ylim(rows - 0.5, -0.55)
    panel.set_xlim(0.4, length + 0.7)
    panel.set_yticks(range(rows), [counted(row, "layer") for row in range(rows)])
    panel.set_xticks(range(1, length + 1), curves["letters"], fontsize=8)
    heading = f"States of {curves['name']} as read after each layer: × wrong; right for certain "
    panel.set_title(heading + "left of the dashed line", fontsize=10.5)
    panel.spines[["top", "right"]].set_visible(False)


def _draw_layers(panel: Axes, curves: Mapping[str, Any]) -> None:
    lengths = range(1, curves["longest"] + 1)
    needed = curves["needed"]
    panel.plot(lengths, lengths, ":", color=GREY, label="one step a letter: T")
    theory = [math.ceil(math.log2(length)) for length in lengths]
    panel.step(lengths, theory, where="mid", color=MEAN, ls="--", label="⌈log₂ T⌉")
    panel.plot(needed["lengths"], needed["layers"], "o", color=LEFT_OUT, label="layers needed")
    panel.set_xscale("log", base=2)
    panel.set_ylim(0, max(theory) + 2)
    panel.set_xlabel("length T")
    panel.set_ylabel("layers")
    panel.set_title(f"Depth, {curves['name']}", fontsize=10.5)
    panel.legend(fontsize=8.5, frameon=False)


def _draw_by_layer(panel: Axes, shares: Any) -> None:
    for index, one in enumerate(shares):
        style = "-" if index < len(COLOURS) else "--"
        drawn = [max(share, FLOOR) for share in one["wrong"]]
        colour = COLOURS[index % len(COLOURS)]
        panel.semilogy(drawn, style, color=colour, marker="o", ms=3, lw=1.2, label=one["name"])
    panel.set_yticks([FLOOR, 1e-4, 1e-3, 1e-2, 1e-1, 1], ["0", "10⁻⁴", "10⁻³", "0.01", "0.1", "1"])
    panel.minorticks_off()
    panel.set_xlabel("layers")
    panel.set_ylabel("share of wrong states")
    panel.set_title("Random words: groups need every layer", fontsize=10.5)
    panel.legend(fontsize=7.5, frameon=False, loc="lower left")


def _draw_sharpness(panel: Axes, curves: Mapping[str, Any]) -> None:
    sharp = curves["sharpness"]
    share = [wrong / curves["states"] for wrong in sharp["wrong"]]
    panel.plot(sharp["tried"], share, "o-", color=MEAN, label="measured")
    panel.axvline(
        sharp["limit"], color=LEFT_OUT, linestyle="--", label="sharp enough: ln(2T(2ᴸ - 1))"
    )
    panel.set_ylim(-0.03, 1)
    panel.set_xlabel("sharpness κ of soft attention")
    panel.set_ylabel("share of wrong states")
    panel.set_title(f"Soft attention, {curves['name']}, T = {curves['longest']}", fontsize=10.5)
    panel.legend(fontsize=8.5, frameon=False)
