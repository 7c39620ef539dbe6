"""Errors of one head by its two preferences, shares by gap, and the κ that a length needs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, INK

NAMES = {0.1: "dense", 0.8: "training law", 0.98: "sparse"}


def draw(curves: Mapping[str, Any]) -> Figure:
    """Three maps above, with both thresholds; margins below."""
    figure = Figure(figsize=(11, 7), layout="constrained")
    halves: Any = figure.subfigures(2, 1, height_ratios=(1.1, 1))
    above, below = halves
    panels = above.subplots(1, len(curves["maps"]), sharey=True, squeeze=False)[0]
    for panel, own in zip(panels, curves["maps"], strict=True):
        shown = _draw_map(panel, curves, own)
    panels[0].set_ylabel("preference for late pairs, c")
    above.colorbar(shown, ax=panels, label="share of words misread")
    shares, needed = below.subplots(1, 2, width_ratios=(1.5, 1))
    _draw_shares(shares, curves)
    _draw_needed(needed, curves)
    return figure


def _draw_map(panel: Axes, curves: Mapping[str, Any], own: Mapping[str, Any]) -> Any:
    kappas, steeps = curves["kappas"], curves["steeps"]
    shown = panel.pcolormesh(
        kappas, steeps, own["errors"], cmap="cividis", vmin=0, vmax=0.5, shading="nearest"
    )
    panel.axhline(math.log(2), color="white", linestyle="--", linewidth=1.4)
    panel.text(kappas[-1], math.log(2), "c = ln 2 ", color="white", ha="right", va="bottom")
    panel.plot(
        [0, kappas[-1]],
        [0, kappas[-1] / own["long_gap"]],
        color="white",
        linestyle=":",
        linewidth=1.8,
        label=f"κ = c·{own['long_gap']:.0f}, {own['gap']}",
    )
    panel.set_xlim(kappas[0], kappas[-1])
    panel.set_ylim(steeps[0], steeps[-1])
    panel.legend(fontsize=8, loc="upper left", facecolor="#888888", labelcolor="white")
    name = NAMES.get(own["ignoring"])
    panel.set_title(f"ignores {own['ignoring']:g}" + (f" ({name})" if name else ""), fontsize=10.5)
    panel.set_xlabel("preference for writes, κ")
    return shown


def _draw_shares(panel: Axes, curves: Mapping[str, Any]) -> None:
    for own, colour in zip(curves["shares"], COLOURS, strict=False):
        kappa, steepness = own["head"]
        label = f"κ = {kappa:g}, c = {steepness:g}"
        panel.plot(curves["gaps"], own["measured"], color=colour, label=label, linewidth=1.8)
        panel.plot(curves["gaps"], own["bound"], color=INK, linestyle="--", linewidth=0.9)
    panel.axhline(0.5, color=GREY, linestyle=":", linewidth=1)
    middle = curves["gaps"][len(curves["gaps"]) // 2]
    panel.text(middle, 0.51, "below: some word is misread", ha="center", fontsize=8.5)
    panel.set_xlabel("pairs since the last write")
    panel.set_ylabel("least share of the last write")
    panel.set_ylim(0, 1.02)
    panel.legend(fontsize=8, frameon=False, loc="upper center", ncols=3, title="bound dashed")


def _draw_needed(panel: Axes, curves: Mapping[str, Any]) -> None:
    panel.plot(curves["lengths"], curves["predicted"], color=INK, linestyle="--", label="formula")
    panel.plot(curves["lengths"], curves["needed"], "o", color=COLOURS[0], label="attention")
    panel.set_xlabel("pairs in the word, n")
    panel.set_ylabel(f"κ needed with c = {curves['steepness']:g}")
    panel.legend(fontsize=8.5, frameon=False)
