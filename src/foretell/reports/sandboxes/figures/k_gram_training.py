"""What is left above the best by order and depth, its course, and the first layer's lags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, INK


def draw(curves: Mapping[str, Any]) -> Figure:
    """Bars on the left, then the course of training, then attention by lag."""
    figure = Figure(figsize=(14, 4.3), layout="constrained")
    bars, course, lags = figure.subplots(1, 3)
    _draw_bars(bars, curves)
    _draw_course(course, curves)
    _draw_lags(lags, curves)
    return figure


def _draw_bars(panel: Axes, curves: Mapping[str, Any]) -> None:
    orders, width = np.arange(len(curves["orders"])), 0.8 / len(curves["depths"])
    for number, (layers, gaps) in enumerate(zip(curves["depths"], curves["gaps"], strict=True)):
        places = orders + (number - (len(curves["depths"]) - 1) / 2) * width
        panel.bar(places, gaps, 0.92 * width, color=COLOURS[number], label=f"{layers} layers")
        for place, gap in zip(places, gaps, strict=True):
            panel.text(place, max(gap, 0), f"{gap:.3f}", ha="center", va="bottom", fontsize=8)
    for order, level in zip(orders, curves["unigram"], strict=True):
        label = "a unigram" if order == 0 else "_again"
        panel.hlines(level, order - 0.45, order + 0.45, color=INK, linestyle="--", label=label)
    panel.axhline(0.03, color=GREY, linestyle=":", linewidth=1.2, label="learnt, if below 0.03")
    panel.set_xticks(orders, map(str, curves["orders"]))
    panel.set(xlabel="order k", ylabel="loss above the best")
    panel.set_ylim(top=1.35 * max([*curves["unigram"], *map(max, curves["gaps"])]))
    panel.set_title("what is left after training", fontsize=10.5)
    panel.legend(fontsize=8.5, frameon=False, ncols=2, loc="upper left")


def _draw_course(panel: Axes, curves: Mapping[str, Any]) -> None:
    for number, (layers, course) in enumerate(zip(curves["depths"], curves["course"], strict=True)):
        for at, gap in enumerate(np.array(course).T):
            order = curves["orders"][at]
            panel.plot(
                curves["steps"],
                np.maximum(gap, 1e-4),
                "-" if number == 0 else "--",
                color=COLOURS[at % len(COLOURS)],
                label=f"k = {order}, {layers} layers",
            )
    panel.axhline(0.03, color=GREY, linestyle=":", linewidth=1.2)
    panel.set(yscale="log", xlabel="step", ylabel="loss above the best")
    panel.set_title("course", fontsize=10.5)
    panel.legend(fontsize=8, frameon=False)


def _draw_lags(panel: Axes, curves: Mapping[str, Any]) -> None:
    for number, (layers, looks) in enumerate(zip(curves["depths"], curves["looks"], strict=True)):
        for at, weights in enumerate(looks):
            panel.plot(
                range(len(weights)),
                weights,
                "o-" if number == 0 else "s--",
                markersize=4,
                color=COLOURS[at % len(COLOURS)],
                label=f"k = {curves['orders'][at]}, {layers} layers",
            )
    panel.set(xlabel="lag", ylabel="attention from the last symbol", ylim=(0, None))
    panel.set_title("first layer, by lag", fontsize=10.5)
    panel.legend(fontsize=8, frameon=False)
