"""The figure of a penalty on products of positions: scores, heads and distances, task by task."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, INK, STYLE, as_svg
from foretell.reports.positions.penalized import Penalized, Penalties

TITLES = ("share of words all right", "offset variance of heads", "squared products by distance")


def penalty_figure(found: Penalties) -> str:
    """A row of panels for each task; a colour is a strength."""
    heading = "scores, offset variances and squared products by strength of the penalty"
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": heading}):
        figure = Figure(figsize=(11, 3.3 * len(found.tasks) + 0.4), layout="constrained")
        grid = figure.subplots(len(found.tasks), 3, squeeze=False, width_ratios=(1, 1, 1.15))
        for place, (task, panels) in enumerate(zip(found.tasks, grid, strict=True)):
            rows = [row for row in found.of(task) if row.measured]
            _draw_shares(panels[0], rows)
            looked = [row for row in rows if row.looked]
            _draw_offsets(panels[1], looked)
            _draw_squares(panels[2], looked)
            for panel, title in zip(panels, TITLES, strict=True):
                panel.set_title(f"{task}: {title}", loc="left", fontsize=10, parse_math=False)
                panel.spines[["top", "right"]].set_visible(False)
            if place == 0 and rows:
                panels[0].legend(frameon=False, fontsize=8.5, loc="lower left")
        return as_svg(figure, heading)


def _draw_shares(axes: Axes, rows: Sequence[Penalized]) -> None:
    """Means joined by lines, a dot a seed; strengths stand a little apart."""
    for place, (colour, row) in enumerate(zip(COLOURS, rows, strict=False)):
        shift = 0.09 * (place - (len(rows) - 1) / 2)
        across = np.arange(len(row.ranges)) + shift
        shares = [list(row.shares(sizes).values()) for sizes in row.ranges]
        moved = [list(row.shares(sizes, shifted=True).values()) for sizes in row.ranges]
        axes.plot(across, shares, "o", color=colour, ms=4, alpha=0.55)
        axes.plot(across, np.mean(shares, axis=1), color=colour, lw=1.5, label=row.line.setting)
        axes.plot(across, np.mean(moved, axis=1), color=colour, lw=1.1, ls="--")
    if rows:
        names = [str(sizes) for sizes in rows[0].ranges]
        axes.set_xticks(range(len(names)), [f"{names[0]}\n(trained)", *names[1:]])
    axes.set_ylim(-0.04, 1.04)
    axes.set_xlabel("size")


def _draw_offsets(axes: Axes, rows: Sequence[Penalized]) -> None:
    """Filled: around the mean at each distance; hollow: around the mean of all products."""
    for place, (colour, row) in enumerate(zip(COLOURS, rows, strict=False)):
        across = np.linspace(-0.24, 0.24, len(row.offsets)) + place
        axes.vlines(across, row.offsets, row.uses, color=colour, lw=0.7, alpha=0.6)
        axes.plot(across, row.uses, "o", color=colour, mfc="white", ms=4.5, mew=1)
        axes.plot(across, row.offsets, "o", color=colour, ms=4.5)
    axes.set_yscale("log")
    names = [str(row.line.setting).replace(", ", "\n") for row in rows]
    axes.set_xticks(range(len(rows)), names, fontsize=8)
    axes.set_xlabel("strength (a dot a head, all seeds)")


def _draw_squares(axes: Axes, rows: Sequence[Penalized]) -> None:
    for colour, row in zip(COLOURS, rows, strict=False):
        squares = row.squares()
        for own in squares:
            axes.plot(own, color=colour, lw=0.6, alpha=0.45)
        axes.plot(np.exp(np.log(squares).mean(axis=0)), color=colour, lw=1.6)
    if rows:
        axes.axvline(rows[0].reach - 0.5, color=INK, lw=0.8, ls="--")
    axes.set_yscale("log")
    axes.set_xlabel("distance of query and key")
