"""Distance of the answer from the counts and from the true row, at home and away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY


def draw(curves: Mapping[str, Any]) -> Figure:
    """Left, how well it counts; right, how near that is to the truth."""
    figure = Figure(figsize=(9.6, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    colours = (GREY, *COLOURS)
    for (world, rows), colour in zip(curves["worlds"].items(), colours, strict=False):
        lengths = [row["length"] for row in rows]
        left.plot(lengths, [row["to counts"] for row in rows], "o-", color=colour, label=world)
        right.plot(lengths, [row["to truth"] for row in rows], "o-", color=colour, label=world)
        right.plot(lengths, [row["counts to truth"] for row in rows], "--", color=colour)
    left.axhline(curves["bound"], color=COLOURS[3], linestyle=":", linewidth=1.3)
    left.text(lengths[0], curves["bound"], "tolerance", fontsize=8, va="bottom", color=COLOURS[3])
    left.set_ylabel("largest difference from the counts, mean")
    right.set_ylabel("largest difference from the true row, mean")
    right.plot([], [], "--", color=GREY, label="counts (theory)")
    for panel in (left, right):
        panel.set_xticks(lengths)
        panel.set_xlabel("length of the word")
        panel.set_ylim(0)
    left.legend(fontsize=8, frameon=False, loc="upper right", bbox_to_anchor=(1, 0.93))
    right.legend(fontsize=8, frameon=False, loc="lower left")
    return figure
