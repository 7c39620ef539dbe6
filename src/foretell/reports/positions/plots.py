"""Figures about positions: errors by length, products as heat maps and by distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.models.position_products import diagonal_means
from foretell.reports.plots import COLOURS, INK, STYLE, as_svg

COLUMNS = 3  # panels side by side
MOST_DRAWN = 256  # rows of a heat map; of more, every second or third is drawn
SHOWN = (0.005, 0.995)  # quantiles between which colours differ


@dataclass(frozen=True)
class Series:
    """One line of a panel: each seed, their mean, and what was published."""

    label: str
    seeds: tuple[tuple[float, ...], ...]
    mean: tuple[float, ...]
    published: tuple[float, ...] | None


@dataclass(frozen=True)
class Panel:
    """Series that share their axes."""

    title: str
    series: tuple[Series, ...]


def fit_figure(panels: Sequence[Panel], columns: int, lengths: Sequence[int], heading: str) -> str:
    """A grid of error curves; `columns` panels are a row, broken where the page ends."""
    rows = [panels[first : first + columns] for first in range(0, len(panels), columns)]
    blocks = range(0, columns, COLUMNS)
    broken = [row[first : first + COLUMNS] for first in blocks for row in rows]
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": heading}):
        figure = Figure(figsize=(10.5, 3.0 * len(broken)))
        figure.set_layout_engine("constrained", h_pad=0.12)
        grid = figure.subplots(len(broken), min(columns, COLUMNS), sharey=True, squeeze=False)
        for place, row in zip(grid, broken, strict=True):
            for axes in place[len(row) :]:
                axes.set_visible(False)
            for axes, panel in zip(place, row, strict=False):
                _draw_errors(axes, panel, lengths)
        figure.supylabel("mean squared error", fontsize=10.5)
        figure.supxlabel("length of the window", fontsize=10.5)
        return as_svg(figure, heading)


def _draw_errors(axes: Axes, panel: Panel, lengths: Sequence[int]) -> None:
    for colour, one in zip(COLOURS, panel.series, strict=False):
        for seed in one.seeds if len(one.seeds) > 1 else ():
            axes.plot(lengths, seed, color=colour, linewidth=0.7, alpha=0.5)
        if one.mean:
            axes.plot(lengths, one.mean, color=colour, marker="o", markersize=4, label=one.label)
        if one.published is not None:
            label = "_" if one.mean else f"{one.label}, published"
            look = {"marker": "o", "markersize": 6, "markerfacecolor": "none", "linestyle": ":"}
            axes.plot(lengths, one.published, color=colour, linewidth=0.9, label=label, **look)  # type: ignore[arg-type]
    axes.set_yscale("symlog", linthresh=1, linscale=0.6)
    axes.set_ylim(-0.1, 2e3)
    axes.set_yticks([0, 0.5, 1, 10, 100, 1000], ["0", "0.5", "1", "10", "100", "1000"])
    axes.minorticks_off()
    axes.set_xticks(list(lengths), [str(length) for length in lengths])
    axes.set_xlim(lengths[0] - 8, lengths[-1] + 8)
    axes.set_title(panel.title, loc="left", fontsize=9.5, parse_math=False)
    axes.grid(axis="y", color="#e3e3e3", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper left", frameon=False, fontsize=8, handlelength=1.4)


def products_figure(shown: Sequence[tuple[str, np.ndarray]], heading: str) -> str:
    """A row for each head: its products, and beside them their mean and spread by distance."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": heading}):
        figure = Figure(figsize=(9.6, 3.9 * len(shown)), layout="constrained")
        grid = figure.subplots(len(shown), 2, squeeze=False, width_ratios=(1, 1.15))
        for (left, right), (name, products) in zip(grid, shown, strict=True):
            left.set_title(name, loc="left", fontsize=10, parse_math=False)
            _draw_products(figure, left, products)
            _draw_by_distance(right, products)
        return as_svg(figure, heading)


def _draw_products(figure: Figure, axes: Axes, products: np.ndarray) -> None:
    count = len(products)
    index = np.arange(0, count, -(-count // MOST_DRAWN))
    later = index[:, None] < index[None, :]
    low, high = np.quantile(products[np.tril_indices(count)], SHOWN)
    image = axes.imshow(
        np.where(later, np.nan, products[index][:, index]),
        cmap="viridis",
        vmin=low,
        vmax=high,
        interpolation="nearest",
        extent=(0.5, count + 0.5, count + 0.5, 0.5),
    )
    axes.set_xlabel("key position")
    axes.set_ylabel("query position")
    figure.colorbar(image, ax=axes, shrink=0.85, label="product", extend="both")


def _draw_by_distance(axes: Axes, products: np.ndarray) -> None:
    """A band no wider than its line would mean that only the distance counts."""
    means = diagonal_means(products)
    spread = np.sqrt(np.maximum(diagonal_means(np.square(products)) - means**2, 0))
    distance = np.arange(len(means))
    axes.fill_between(distance, means - spread, means + spread, color=COLOURS[0], alpha=0.22, lw=0)
    axes.plot(distance, means, color=COLOURS[0], linewidth=0.9)
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.set_title("by distance: mean, and deviation over places", loc="left", fontsize=10)
    axes.set_xlabel("distance of query and key")
    axes.spines[["top", "right"]].set_visible(False)


def distance_figure(
    curves: Sequence[tuple[str, np.ndarray]], reach: int | None, heading: str
) -> str:
    """How large products are at each distance, one line a model; `reach` ends what was trained."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": heading}):
        figure = Figure(figsize=(7.4, 3.0), layout="constrained")
        axes = figure.subplots()
        for place, (name, heights) in enumerate(curves):
            colour = COLOURS[place % len(COLOURS)]
            axes.plot(np.arange(len(heights)), heights, color=colour, linewidth=1.2, label=name)
        if reach is not None:
            axes.axvline(reach - 0.5, color=INK, linewidth=0.8, linestyle="--")
        axes.set_yscale("log")
        axes.set_xlabel("distance of query and key")
        axes.set_ylabel("squared products")
        axes.spines[["top", "right"]].set_visible(False)
        if len(curves) > 1:
            axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        return as_svg(figure, heading)
