"""Facts held against the product of width and hidden width."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, INK


def draw(curves: Mapping[str, Any]) -> Figure:
    """A line each width, beside the line of slope 1."""
    figure = Figure(figsize=(6.4, 4.6), layout="constrained")
    panel = figure.subplots()
    points = np.array(curves["held"], float)
    products = points[:, 0] * points[:, 1]
    low = np.prod(np.array(curves["rank"], float)[:, :2], axis=1).min()
    ends = np.array([0.8 * min(low, products.min()), 1.25 * products.max()])
    found = np.isfinite(points[:, 2])
    constant = np.exp(np.mean(np.log(points[found, 2] / products[found]))) if found.any() else 1.0
    panel.plot(ends, constant * ends, "--", color=INK, linewidth=1.2, label=f"{constant:.2f} m d")
    for number, width in enumerate(np.unique(points[:, 0])):
        own = points[points[:, 0] == width]
        panel.plot(
            own[:, 0] * own[:, 1],
            own[:, 2],
            "os^D"[number % 4],
            linestyle="-",
            color=COLOURS[number],
            label=f"trained, d = {width:g}",
        )
    for name, mark in (("tangent", "x"), ("one-hot", "+")):
        width, hidden, held = curves[name]
        label = {"tangent": "tangent at the start", "one-hot": "one-hot inputs"}[name]
        label += f", d = {width}"
        panel.plot(width * hidden, held or np.nan, mark, color=GREY, markersize=9, label=label)
    ranked = np.array(curves["rank"], float)
    panel.plot(
        ranked[:, 0] * ranked[:, 1],
        ranked[:, 2],
        "P:",
        color=INK,
        markersize=5,
        label=f"matrix of rank {ranked[0, 1]:g}",
    )
    panel.set(xscale="log", yscale="log", xlabel="hidden units times width, m d")
    panel.set_ylabel("facts held to 99 %")
    panel.set_title("how many facts two layers hold", fontsize=10.5)
    panel.legend(fontsize=9, frameon=False, loc="upper left")
    panel.set_ylim(top=5 * constant * ends[1])
    return figure
