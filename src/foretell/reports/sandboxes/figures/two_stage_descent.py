"""Attention by lag and loss through both stages, and what is left by length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, INK

SHADES = ("#fbe3c8", "#dceef7")
STAGES = ("stage 1: where to look", "stage 2: how firmly")


def draw(curves: Mapping[str, Any]) -> Figure:
    """Four panels: the pull at the start, attention, loss, and excess against length."""
    figure = Figure(figsize=(15, 4.2), layout="constrained")
    pull, attention, loss, excess = figure.subplots(1, 4, width_ratios=(0.8, 1, 1.1, 1))
    lags = np.arange(len(curves["pull"]))
    colours = [COLOURS[1] if lag == 1 else COLOURS[0] for lag in lags]
    pull.bar(lags, curves["pull"], color=colours)
    pull.axhline(0, color=GREY, linewidth=0.8)
    pull.set(xlabel="lag", ylabel="pull on its score", xticks=lags)
    pull.set_title("pull at the start", fontsize=10.5)
    _draw_attention(attention, curves)
    _draw_loss(loss, curves)
    _draw_excess(excess, curves)
    return figure


def _shade(panel: Axes, curves: Mapping[str, Any]) -> None:
    edges = (0, curves["between"], curves["steps"][-1])
    for stage, name in enumerate(STAGES):
        panel.axvspan(edges[stage], edges[stage + 1], color=SHADES[stage], linewidth=0)
        middle = (edges[stage] + edges[stage + 1]) / 2
        panel.text(
            *(middle, 0.99),
            name,
            transform=panel.get_xaxis_transform(),
            ha="center",
            va="top",
            fontsize=8.5,
        )
    panel.set_xlim(0, edges[-1])
    panel.set_xlabel("step")


def _draw_attention(panel: Axes, curves: Mapping[str, Any]) -> None:
    _shade(panel, curves)
    for lag, looks in enumerate(np.array(curves["looks"]).T):
        label = f"lag {lag}" if lag < 3 else "further" if lag == 3 else None
        colour = COLOURS[lag] if lag < 3 else GREY
        panel.plot(curves["steps"], looks, color=colour, linewidth=1.6, label=label)
    panel.set_ylim(0, 1.15)
    panel.set_ylabel("attention of the first layer")
    panel.set_title(f"words of {curves['lengths'][-1]} symbols", fontsize=10.5)
    panel.legend(fontsize=8.5, frameon=False, loc="center right")


def _draw_loss(panel: Axes, curves: Mapping[str, Any]) -> None:
    _shade(panel, curves)
    losses = np.array(curves["loss"])
    for member, length in enumerate(curves["lengths"]):
        colour = COLOURS[member % len(COLOURS)]
        panel.plot(curves["steps"], losses[:, member], color=colour, label=f"T = {length}")
    panel.axhline(curves["best"], color=INK, linestyle="--", linewidth=1.2)
    panel.text(0, curves["best"], " L*, the best possible", va="bottom", fontsize=9)
    room = losses.max() - curves["best"]
    panel.set_ylim(curves["best"] - 0.1 * room, losses.max() + 0.2 * room)
    panel.set_ylabel("loss")
    panel.legend(fontsize=8.5, frameon=False, loc="lower left", bbox_to_anchor=(0, 0.15))


def _draw_excess(panel: Axes, curves: Mapping[str, Any]) -> None:
    lengths = np.array(curves["lengths"], float)
    excess = np.array(curves["loss"])[-1] - curves["best"]
    counting = np.array(curves["counting"]) - curves["best"]
    panel.plot(lengths, counting, "x", color=GREY, markersize=8, label="counting bigrams")
    panel.plot(lengths, excess, "o-", color=COLOURS[0], label="trained")
    left = np.log(np.maximum(excess, 1e-9)) - np.log(np.log(lengths + 1))
    power, constant = np.polyfit(np.log(lengths + 1), left, 1)
    shape = np.exp(constant) * np.log(lengths + 1) * (lengths + 1) ** power
    label = f"∝ log(T+1) / (T+1)^{-power:.2f}"
    panel.plot(lengths, shape, "--", color=INK, linewidth=1.2, label=label)
    panel.set(xscale="log", yscale="log", xlabel="length T", ylabel="loss above L*")
    panel.set_xticks(lengths, [f"{length:g}" for length in lengths], minor=False)
    panel.minorticks_off()
    panel.set_title("what is left", fontsize=10.5)
    panel.legend(fontsize=8.5, frameon=False)
