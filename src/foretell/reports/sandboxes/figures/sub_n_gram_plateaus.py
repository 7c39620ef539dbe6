"""Loss and gradient while training, closeness to each k-gram, heads at three times, and θ_k."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, INK

NAMES = ("unigram", "bigram", "trigram", "4-gram", "5-gram")
WINDOW = 9  # values of the gradient, which jitters with every batch, that one median is of
SHOWN = 12  # positions of an attention map


def draw(curves: Mapping[str, Any]) -> Figure:
    """Curves above; below, where the heads look at the start, on the plateau and at the end."""
    figure = Figure(figsize=(12.5, 6.2), layout="constrained")
    heads, theta = len(curves["lags"][0]), bool(curves["lengths"])
    halves: Any = figure.subfigures(2, 1, height_ratios=[1.9, 1])
    above, below = halves
    panels = above.subplots(1, 3 if theta else 2, width_ratios=[1.5, 1.2, 1.0][: 2 + theta])
    _draw_loss(panels[0], curves)
    _draw_closeness(panels[1], curves)
    if theta:
        _draw_gradients(panels[2], curves)
    maps = below.subplots(1, 3 * (heads + 1), squeeze=False)[0]
    for moment, step in enumerate(curves["moments"]):
        _draw_moment(maps[moment * (heads + 1) :][: heads + 1], curves, moment, step)
    return figure


def _draw_loss(panel: Axes, curves: Mapping[str, Any]) -> None:
    steps = curves["steps"]
    panel.axvspan(*curves["stay"], color="#eeeeee")
    for level, name, colour in zip(curves["levels"], NAMES, COLOURS, strict=False):
        panel.axhline(level, color=colour, linestyle="--", linewidth=1.2)
        panel.text(
            steps[-1], level, f"{name} ", fontsize=8.5, ha="right", va="bottom", color=colour
        )
    panel.plot(steps, curves["loss"], color=INK, linewidth=1.8)
    panel.set_xlabel("step")
    panel.set_ylabel("loss (nats)")
    panel.set_title("loss and, shaded, its flat stay", fontsize=10.5)
    twin = panel.twinx()
    gradient = np.array(curves["gradient"])
    twin.plot(steps, gradient, color=GREY, linewidth=0.6, alpha=0.35)
    around = np.lib.stride_tricks.sliding_window_view(np.pad(gradient, WINDOW // 2, "edge"), WINDOW)
    twin.plot(steps, np.median(around, axis=1), color=GREY, linewidth=1.1)
    twin.set_yscale("log")
    twin.set_ylabel("length of the gradient (median of 9)", color=GREY)
    twin.tick_params(axis="y", colors=GREY)


def _draw_closeness(panel: Axes, curves: Mapping[str, Any]) -> None:
    for column, name, colour in zip(np.transpose(curves["apart"]), NAMES, COLOURS, strict=False):
        panel.plot(curves["steps"], np.maximum(column, 1e-4), color=colour, label=name)
    panel.axvspan(*curves["stay"], color="#eeeeee")
    panel.set_yscale("log")
    panel.set_xlabel("step")
    panel.set_ylabel("KL from the model")
    panel.set_title("which k-gram it is closest to", fontsize=10.5)
    panel.legend(fontsize=8, frameon=False)


def _draw_gradients(panel: Axes, curves: Mapping[str, Any]) -> None:
    lengths = np.array(curves["lengths"], float)
    colours = (COLOURS[1], COLOURS[0], COLOURS[3])
    for (name, found), colour in zip(curves["gradients"].items(), colours, strict=True):
        panel.plot(lengths, found, "o-", color=colour, markersize=4, label=name)
    first = next(iter(curves["gradients"].values()))[0]
    panel.plot(lengths, first * (lengths / lengths[0]) ** -0.5, ":", color=INK, label="T^-0.5")
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    panel.set_xlabel("length of the words T")
    panel.set_title("length of the gradient at θ_k", fontsize=10.5)
    panel.legend(fontsize=7.5, frameon=False)


def _draw_moment(panels: Any, curves: Mapping[str, Any], moment: int, step: int) -> None:
    """The heads' attention, rebuilt from their scores by lag, and the second layer's form."""
    when = ("at the start", "on the plateau", "at the end")[moment]
    for head, (panel, lags) in enumerate(zip(panels, curves["lags"][moment], strict=False)):
        place = np.arange(min(SHOWN, len(lags)))
        lag = place[:, None] - place[None, :]
        scores = np.where(lag >= 0, np.exp(np.asarray(lags)[np.maximum(lag, 0)] - max(lags)), 0)
        weights = scores / scores.sum(axis=1, keepdims=True)
        panel.imshow(weights, cmap="Blues", vmin=0, vmax=1)
        panel.set_title(f"head {head + 1}", fontsize=9)
    panels[0].set_ylabel(f"step {step}: {when}", fontsize=9)
    form = np.asarray(curves["matching"][moment])
    reach = max(1.0, float(np.abs(form).max()))
    panels[-1].imshow(form, cmap="RdBu", vmin=-reach, vmax=reach)
    panels[-1].set_title("matching", fontsize=9)
    for edge in np.arange(1, len(form) // curves["symbols"]) * curves["symbols"] - 0.5:
        panels[-1].axhline(edge, color=GREY, linewidth=0.5)
        panels[-1].axvline(edge, color=GREY, linewidth=0.5)
    for panel in panels:
        panel.set_xticks([])
        panel.set_yticks([])
