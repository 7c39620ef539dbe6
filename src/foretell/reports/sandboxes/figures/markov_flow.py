"""The flow in the plane of two parameters, its basins, and the chance to start in the bad one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch

from foretell.reports.plots import COLOURS, GREY, INK

LEARNS, FORGETS = "#D7EAF7", "#F9DCC8"  # pale, so that arrows and lines stay readable on them
LINE = COLOURS[2]
LEVELS = (-3, -2.2, -1.6, -1.2, -0.5, 0, 0.6, 1.4, 2.4)
BALL = 0.25


def draw(curves: Mapping[str, Any]) -> Figure:
    """The flow for p + q < 1 and p + q > 1, with what surrounds the origin; then two summaries."""
    figure = Figure(figsize=(11, 10.6), layout="constrained")
    panels = figure.subplots(2, 2, height_ratios=[1.65, 1])
    for panel, chain in zip(panels[0], curves["chains"], strict=False):
        _draw_flow(panel, chain, curves)
    panels[0, 0].set_ylabel("w, strength of the ReLU layer")
    _draw_chances(panels[1, 0], curves)
    _draw_attention(panels[1, 1], curves)
    figure.legend(handles=_key(), loc="outside upper center", ncols=4, frameon=False, fontsize=9.5)
    return figure


def _key() -> list[Any]:
    return [
        Patch(color=LEARNS, label="integrated: learns the chain"),
        Line2D([], [], color=LINE, linestyle="--", linewidth=2.2, label="global minima"),
        Line2D([], [], color=INK, linewidth=2.2, label="predicted border"),
        Line2D([], [], color=GREY, linewidth=0.7, label="constant energy"),
        Patch(color=FORGETS, label="integrated: ends at the marginal"),
        Line2D([], [], color=COLOURS[1], linewidth=2.6, label="e = 0, attracting"),
        Line2D([], [], color=INK, marker="X", linestyle="", label="saddle"),
        Line2D([], [], color=COLOURS[3], marker="*", linestyle="", label="good start"),
    ]


def _draw_flow(panel: Axes, chain: Mapping[str, Any], curves: Mapping[str, Any]) -> None:
    (across, upwards), energy = curves["window"], np.array(curves["energy"])
    basins = np.array([[int(each) for each in row] for row in chain["basins"]])
    panel.imshow(
        basins,
        extent=(-across, across, -upwards, upwards),
        origin="lower",
        cmap=ListedColormap([LEARNS, FORGETS]),
        vmin=0,
        vmax=1,
        aspect="auto",
        interpolation="nearest",
    )
    _draw_energy(panel, energy, across, upwards)
    _draw_arrows(panel, np.array(curves["arrows"]), np.array(chain["velocities"]))
    for name, colour, style in (("border", INK, "-"), ("minima", LINE, "--")):
        e, w = np.array(chain[name]).T
        for side in (-1, 1):
            panel.plot(side * e, w, color=colour, linewidth=2.2, linestyle=style)
    often, saddle = chain["p"] + chain["q"] > 1, curves["saddle"][0]
    panel.vlines(
        0, *((saddle, upwards) if often else (-upwards, saddle)), color=COLOURS[1], linewidth=2.6
    )
    panel.plot(0, saddle, "X", color=INK, markersize=10, markeredgecolor="white", zorder=5)
    panel.plot(*curves["good"], "*", color=COLOURS[3], markersize=14, markeredgecolor="white")
    panel.add_patch(Circle((0, 0), BALL, fill=False, color=INK, linestyle=":", linewidth=1.3))
    panel.set(xlim=(-across, across), ylim=(-upwards, upwards), xlabel="e, length of the embedding")
    panel.set_title(f"p + q {'>' if often else '<'} 1  (p = {chain['p']:g}, q = {chain['q']:g})")
    _draw_ball(panel, chain)


def _draw_energy(panel: Axes, energy: np.ndarray, across: float, upwards: float) -> None:
    """Above and below w = 0 apart: the energy jumps there."""
    rows, columns = energy.shape
    e, w = np.linspace(-across, across, columns), np.linspace(-upwards, upwards, rows)
    for half in (slice(0, rows // 2), slice(rows // 2, rows)):
        panel.contour(
            e, w[half], energy[half], levels=LEVELS, colors=GREY, linewidths=0.7, linestyles="-"
        )


def _draw_arrows(panel: Axes, places: np.ndarray, velocities: np.ndarray) -> None:
    """Directions; lengths grow with the fourth root of the speed, else most would be dots."""
    speed = np.linalg.norm(velocities, axis=1, keepdims=True)
    shown = velocities / np.maximum(speed, 1e-12) * np.minimum(speed, 3) ** 0.25
    panel.quiver(*places.T, *shown.T, color="#555555", scale=28, width=0.0035, alpha=0.85)


def _draw_ball(panel: Axes, chain: Mapping[str, Any]) -> None:
    """Where training starts, enlarged: every dot coloured by where it ended."""
    inset = panel.inset_axes((0.015, 0.765, 0.26, 0.225))
    dots, stuck = np.array(chain["ball"]), np.array(chain["ball_trapped"])
    inset.set_facecolor("white")
    for chosen, colour in ((stuck, COLOURS[1]), (~stuck, COLOURS[0])):
        inset.plot(*dots[chosen].T, "o", color=colour, markersize=3)
    inset.add_patch(Circle((0, 0), BALL, fill=False, color=INK, linestyle=":", linewidth=1.3))
    inset.set(xlim=(-0.3, 0.3), ylim=(-0.37, 0.29), xticks=[], yticks=[])
    inset.text(0, -0.36, "starts, spread 0.1", ha="center", va="bottom", fontsize=7.5)


def _draw_chances(panel: Axes, curves: Mapping[str, Any]) -> None:
    chance = curves["chance"]
    for name, colour in (("often", COLOURS[1]), ("seldom", COLOURS[0])):
        panel.plot(chance["spread"], chance[name], "--", color=colour, linewidth=1.4)
    for number, chain in enumerate(curves["chains"]):
        share = np.array(chain["trapped"])
        panel.errorbar(
            np.array(curves["spreads"]) * (0.96 if number < 2 else 1.04),
            share,
            3 * np.sqrt(share * (1 - share) / chain["draws"]),
            fmt="os"[number // 2],
            color=COLOURS[1] if chain["p"] + chain["q"] > 1 else COLOURS[0],
            markersize=5,
            label=f"p = {chain['p']:g}, q = {chain['q']:g}",
        )
    panel.set(xscale="log", xlabel="spread of a Gaussian start", ylabel="share of starts trapped")
    panel.legend(
        fontsize=8.5,
        frameon=False,
        loc="center left",
        title="measured; dashed: predicted",
        title_fontsize=8.5,
    )


def _draw_attention(panel: Axes, curves: Mapping[str, Any]) -> None:
    for chain, colour in zip(curves["chains"], (*COLOURS[:2], *COLOURS[2:]), strict=False):
        label = f"p = {chain['p']:g}, q = {chain['q']:g}"
        panel.plot(
            chain["lengths"],
            np.abs(chain["attention"]),
            "o",
            color=colour,
            markersize=4,
            label=label,
        )
        panel.plot(chain["lengths"], np.abs(chain["attention_formula"]), "--", color=colour)
    e, w = curves["probe"]
    panel.set(xscale="log", yscale="log", xlabel="length of the sequences")
    panel.set_ylabel(f"slope along attention\nat e = {e:g}, w = {w:g}")
    panel.legend(
        fontsize=8.5,
        frameon=False,
        loc="lower left",
        title="read; dashed: formula",
        title_fontsize=8.5,
    )
