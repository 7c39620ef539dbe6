"""What the nodes of a path know after each layer; layers and steps against the diameter."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.plain.wording import counted
from foretell.reports.plots import COLOURS, INK, LEFT_OUT, MEAN

MARKERS = "osD^"


def draw(curves: Mapping[str, Any]) -> Figure:
    """Matrices above, growth below."""
    figure = Figure(figsize=(11.5, 7), layout="constrained")
    parts: Any = figure.subfigures(2, 1, height_ratios=(1, 1.9))
    panels = parts[0].subplots(1, len(curves["known"]), squeeze=False)[0]
    for layer, (panel, known) in enumerate(zip(panels, curves["known"], strict=True)):
        panel.imshow(known, cmap="Blues", vmin=0, vmax=1.2)
        _draw_reach(panel, 2**layer, len(known))
        panel.set_title(counted(layer, "layer"), fontsize=10.5)
        panel.set_xticks([])
        panel.set_yticks([])
    panels[0].set_ylabel(f"path of {len(curves['known'][0])}:\nwho is known to whom", fontsize=9)
    _draw_growth(parts[1].subplots(), curves["points"])
    return figure


def _draw_reach(panel: Axes, reach: int, nodes: int) -> None:
    """Dashed: pairs at the distance that this many layers reach."""
    if reach < nodes:
        there, here = [reach, nodes - 1], [0, nodes - 1 - reach]
        panel.plot(there, here, "--", color=LEFT_OUT, linewidth=1)
        panel.plot(here, there, "--", color=LEFT_OUT, linewidth=1)


def _draw_growth(panel: Axes, points: Any) -> None:
    longest = max(max(each["diameters"]) for each in points)
    diameters = range(1, longest + 1)
    log = [math.ceil(math.log2(diameter)) for diameter in diameters]
    panel.plot(diameters, diameters, "--", color=INK, linewidth=1.2)
    panel.plot(diameters, log, "--", color=INK, linewidth=1.2, drawstyle="steps-pre")
    for each, colour, marker in zip(points, COLOURS, MARKERS, strict=False):
        style: dict[str, Any] = {
            "color": colour,
            "marker": marker,
            "linestyle": "none",
            "alpha": 0.75,
        }
        panel.plot(each["diameters"], each["steps"], **style, label=each["name"], markersize=6)
        panel.plot(each["diameters"], each["layers"], **style, fillstyle="none", markersize=6)
    panel.set_xscale("log", base=2)
    panel.set_yscale("symlog", base=2, linthresh=1)
    panel.set_yticks([0, 1, 2, 4, 8, 16, 32, 64], ["0", "1", "2", "4", "8", "16", "32", "64"])
    panel.set_ylim(-0.2, longest * 1.6)
    panel.text(longest * 0.55, longest * 0.75, "steps of a search: D", ha="right", color=INK)
    panel.text(longest, log[-1] * 0.52, "layers of squaring: ⌈log₂ D⌉ (hollow)", ha="right")
    panel.set_xlabel("diameter D")
    panel.set_ylabel("until every pair is right")
    panel.legend(fontsize=9, frameon=False, loc="upper left", title="graphs", labelcolor=INK)
    panel.grid(color=MEAN, alpha=0.12)
