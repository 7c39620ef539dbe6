"""Drawings: where a network's heads look, how its regularizer grows, how long work took."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.compiler.patterns import Pattern
from foretell.compiler.regularizer import Growth, Regularizer
from foretell.reports.plots import COLOURS, INK, STYLE, as_svg

COLUMNS = 4  # panels side by side
LETTERED = 24  # tokens up to which every one is written at the axis
# Okabe and Ito's colours, then the same again dashed


def attention_figure(patterns: Sequence[Pattern], tokens: Sequence[str]) -> str:
    """One panel a head: query downwards, key to the right, darker where it looks more."""
    rows = -(-len(patterns) // COLUMNS)
    columns = min(COLUMNS, len(patterns))
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(2.6 * columns + 0.4, 2.75 * rows + 0.5), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False)
        for panel in list(grid.flat)[len(patterns) :]:
            panel.set_visible(False)
        for panel, pattern in zip(grid.flat, patterns, strict=False):
            _draw_head(panel, pattern, tokens)
        heading = f"attention of {len(patterns)} heads on {' '.join(tokens[1:])}"
        return as_svg(figure, heading)


def _draw_head(panel: Axes, pattern: Pattern, tokens: Sequence[str]) -> None:
    seen = np.tril(np.ones_like(pattern.weights, dtype=bool))
    shown = np.where(seen, pattern.weights, np.nan)
    panel.imshow(shown, cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
    panel.set_title(f"{pattern.layer}.{pattern.head}  {pattern.name}", fontsize=9, parse_math=False)
    places = range(len(tokens)) if len(tokens) <= LETTERED else range(0, len(tokens), 10)
    labels = [tokens[place] for place in places]
    panel.set_xticks(list(places), labels, fontsize=8, parse_math=False)
    panel.set_yticks(list(places), labels, fontsize=8, parse_math=False)
    panel.tick_params(length=0)


def times_figure(seconds: Sequence[float], what: str) -> str:
    """How many took how long, on a logarithmic scale, with the median and 95 % marked."""
    milliseconds = 1e3 * np.sort(np.asarray(seconds))
    edges = np.geomspace(milliseconds[0] * 0.99, milliseconds[-1] * 1.01, 41)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.4, 2.8), layout="constrained")
        panel = figure.subplots()
        panel.hist(milliseconds, bins=edges.tolist(), color=COLOURS[0])
        for share, name in ((0.5, "median"), (0.95, "95 %")):
            at = float(np.quantile(milliseconds, share))
            panel.axvline(at, color=INK, linewidth=0.8, linestyle="--")
            panel.text(at, panel.get_ylim()[1], f" {name}", va="top")
        panel.set_xscale("log")
        panel.set_xlabel("milliseconds, with certificates")
        panel.set_ylabel(what)
        panel.spines[["top", "right"]].set_visible(False)
        return as_svg(figure, f"times for {len(milliseconds):,} {what}")


def growth_figure(growth: Growth) -> str:
    """Every term of R(T_N) against N; flat lines are what the theory promises."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.4, 3.6), layout="constrained")
        panel = figure.subplots()
        names = [item.name for item in dataclasses.fields(Regularizer)]
        shown = [name for name in names if any(getattr(row, name) for row in growth.rows)]
        for place, name in enumerate(shown):
            heights = [getattr(row, name) for row in growth.rows]
            panel.plot(
                growth.contexts,
                heights,
                marker="o",
                markersize=3,
                color=COLOURS[place % len(COLOURS)],
                linestyle="-" if place < len(COLOURS) else "--",
                label=name.replace("_", " "),
            )
        panel.set_xscale("log", base=2)
        panel.set_xticks(growth.contexts, [str(context) for context in growth.contexts])
        panel.minorticks_off()
        panel.set_ylim(bottom=0)
        panel.set_xlabel("context N")
        panel.set_ylabel("value of the term")
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, labelcolor=INK)
        return as_svg(figure, "terms of the regularizer R(T) against the context N")
