"""Figures of attention: what heads pick, by length; and shares by distance, short beside long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.protocols._attending import MIXES, Head
from foretell.reports.plots import COLOURS, GREY, INK, STYLE, as_svg

MOST_MODELS = 3  # drawn
ACROSS = 4  # layers side by side


def length_figure(models: Mapping[str, list[Head]], lengths: Sequence[int], under: str) -> str:
    """A panel for each layer of each model."""
    panels = [
        (name, layer, [head for head in heads if head.layer == layer])
        for name, heads in models.items()
        for layer in sorted({head.layer for head in heads})
    ]
    across = min(ACROSS, max(sum(name == panels[0][0] for name, _, _ in panels), 1))
    down = -(-len(panels) // across)
    heading = f"share of attention on what each head picks, {under}"
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": heading}):
        figure = Figure(figsize=(max(2.7 * across, 5.4), 2.7 * down + 0.5), layout="constrained")
        grid = list(figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).flat)
        for axes, (name, layer, heads) in zip(grid, panels, strict=False):
            title = f"layer {layer + 1}" if len(models) == 1 else f"{name}, layer {layer + 1}"
            axes.set_title(title, loc="left", fontsize=10)
            _draw_layer(axes, heads, lengths)
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        figure.supylabel("share of attention", fontsize=10.5)
        figure.supxlabel("length of the input", fontsize=10.5)
        return as_svg(figure, heading)


def _draw_layer(axes: Axes, heads: Sequence[Head], lengths: Sequence[int]) -> None:
    for place, head in enumerate(heads):
        colour = GREY if head.looks_at == MIXES else COLOURS[place % (len(COLOURS) - 2)]
        width, label = (0.8, None) if head.looks_at == MIXES else (1.6, _short(head))
        axes.plot(lengths, head.shares, "o-", color=colour, linewidth=width, ms=3, label=label)
        if head.diluted is not None:
            axes.plot(lengths, head.diluted, ":", color=colour, linewidth=1.2)
    axes.set_xscale("log")
    axes.set_xticks(lengths, [f"{length:,}" for length in lengths])
    axes.minorticks_off()
    axes.set_ylim(-0.02, 1.02)
    axes.grid(axis="y", color="#e3e3e3", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if any(head.looks_at != MIXES for head in heads):
        axes.legend(frameon=False, fontsize=8, handlelength=1.2, loc="lower left")


def _short(head: Head) -> str:
    return f"{head.head + 1}: {head.looks_at.split(',')[0]}"


def distance_figure(models: Mapping[str, list[Head]], lengths: Sequence[int], under: str) -> str:
    """A row for each model: shares of all heads by distance, at the first and the last length."""
    heading = f"share of attention by distance, {under}"
    most = max(map(len, models.values()))
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": heading}):
        size = (10.0, (0.6 + 0.22 * most) * len(models) + 0.9)
        figure = Figure(figsize=size, layout="constrained")
        ends = sorted({0, len(lengths) - 1})
        grid = figure.subplots(len(models), len(ends), squeeze=False)
        for row, (name, heads) in zip(grid, models.items(), strict=True):
            for axes, end in zip(row, ends, strict=True):
                named = "" if len(models) == 1 else f"{name}, "
                axes.set_title(f"{named}at {lengths[end]:,}", loc="left", fontsize=10)
                image = _draw_distances(axes, heads, end)
        figure.colorbar(image, ax=grid, shrink=0.8, label="share of attention")
        return as_svg(figure, heading)


def _draw_distances(axes: Axes, heads: Sequence[Head], end: int):  # type: ignore[no-untyped-def]
    near = np.array([head.lengths[end].near for head in heads])
    told = np.concatenate([near, 1.0 - near.sum(axis=1, keepdims=True)], axis=1)
    image = axes.imshow(told, cmap="viridis", vmin=0.0, vmax=1.0, aspect="auto")
    marks = range(0, near.shape[1], 3)
    axes.set_xticks([*marks, near.shape[1]], [*map(str, marks), "beyond"], fontsize=8)
    axes.set_xlabel("distance back", fontsize=9)
    names = [f"{head.layer + 1}.{head.head + 1}" for head in heads]
    axes.set_yticks(range(len(heads)), names, fontsize=7, color=INK)
    axes.set_ylabel("layer.head", fontsize=9)
    return image
