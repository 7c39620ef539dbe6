"""The tree, the three matrices that were learnt, the first gradient, and the losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from foretell.reports.plots import COLOURS, GREY, INK, LEFT_OUT, MEAN


def draw(curves: Mapping[str, Any]) -> Figure:
    """Above, one tree and its weights; below, the gradient beside the information, and losses."""
    trees = curves["trees"]
    name = next(each for each in trees if "attention" in trees[each])
    figure = Figure(figsize=(14.5, 7.4), layout="constrained")
    panels = figure.subplots(2, 4)
    one, symbols = trees[name], curves["symbols"]
    _draw_tree(panels[0, 0], one["parents"], name)
    _draw_attention(panels[0, 1], one)
    _draw_blocks(panels[0, 2], one, symbols)
    _draw_readout(panels[0, 3], one, symbols)
    probe = curves["probe"]
    for panel, kind, title in zip(
        panels[1],
        ("information", "gradient"),
        ("χ² information (theory)", "first gradient (measured)"),
        strict=False,
    ):
        _draw_probe(panel, probe[kind], probe["parents"], title)
    _draw_losses(panels[1, 2], trees)
    _draw_lengths(panels[1, 3], curves["scan"])
    return figure


def _draw_tree(panel: Axes, parents: Sequence[int], name: str) -> None:
    """Places on a line, an arc from each parent."""
    for place, parent in enumerate(parents):
        if parent >= 0:
            bend = -0.55 if (place - parent) > 1 else 0.0
            panel.add_patch(
                FancyArrowPatch(
                    (parent, 0),
                    (place, 0),
                    connectionstyle=f"arc3,rad={bend}",
                    arrowstyle="-|>",
                    mutation_scale=10,
                    color=MEAN,
                    shrinkA=9,
                    shrinkB=9,
                )
            )
        panel.text(
            place,
            0,
            str(place + 1),
            ha="center",
            va="center",
            fontsize=9,
            bbox={"boxstyle": "circle,pad=0.25", "facecolor": "white", "edgecolor": INK},
        )
    reach = max([1, *(place - parent for place, parent in enumerate(parents) if parent >= 0)])
    panel.set_xlim(-0.7, len(parents) - 0.3)
    panel.set_ylim(-0.2 * reach - 0.3, 0.32 * reach + 0.5)
    panel.set_axis_off()
    panel.set_title(f"causal graph: {name}", fontsize=10.5)


def _draw_attention(panel: Axes, one: Mapping[str, Any]) -> None:
    attention = np.array(one["attention"])
    panel.imshow(attention, cmap="Blues", vmin=0, vmax=1)
    _mark_parents(panel, one["parents"])
    _number_places(panel, len(attention))
    panel.set_title("first attention, by place", fontsize=10.5)


def _draw_probe(panel: Axes, rows: Any, parents: Sequence[int], title: str) -> None:
    """Each row over its largest entry, since only the order within a row matters."""
    table = np.array(rows)
    largest = np.maximum(table.max(axis=1, keepdims=True), 1e-12)
    shown = np.where(np.tril(np.ones(table.shape, bool), -1), table / largest, np.nan)
    panel.imshow(shown, cmap="Blues", vmin=0, vmax=1)
    _mark_parents(panel, parents)
    _number_places(panel, len(table))
    panel.set_title(title + "\neach row over its largest", fontsize=10.5)


def _mark_parents(panel: Axes, parents: Sequence[int]) -> None:
    for place, parent in enumerate(parents):
        if parent >= 0:
            corner = (parent - 0.5, place - 0.5)
            panel.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=LEFT_OUT, linewidth=1.6))


def _number_places(panel: Axes, count: int) -> None:
    every = 1 if count <= 12 else 3
    places = range(0, count, every)
    panel.set_xticks(places, [str(place + 1) for place in places], fontsize=8)
    panel.set_yticks(places, [str(place + 1) for place in places], fontsize=8)
    panel.set_xlabel("reads from place")
    panel.set_ylabel("place")


def _draw_blocks(panel: Axes, one: Mapping[str, Any], symbols: int) -> None:
    """The second matrix with its four kinds of rows and columns."""
    table = np.array(one["second"])
    length = len(table) // 2 - symbols
    reach = np.abs(table).max() or 1.0
    panel.imshow(table, cmap="RdBu_r", vmin=-reach, vmax=reach)
    edges = np.cumsum([0, symbols, length, symbols, length])
    for edge in edges[1:-1]:
        panel.axhline(edge - 0.5, color=GREY, linewidth=0.7)
        panel.axvline(edge - 0.5, color=GREY, linewidth=0.7)
    corner = (edges[2] - 0.5, -0.5)
    panel.add_patch(
        Rectangle(corner, symbols, symbols, fill=False, edgecolor=LEFT_OUT, linewidth=1.6)
    )
    middle = (edges[:-1] + edges[1:] - 1) / 2
    names = ["symbol", "place", "copied\nsymbol", "copied\nplace"]
    panel.set_xticks(middle, names, fontsize=7.5)
    panel.set_yticks(middle, names, fontsize=7.5)
    panel.set_title("second attention matrix\n(symbol × copied symbol)", fontsize=10.5)


def _draw_readout(panel: Axes, one: Mapping[str, Any], symbols: int) -> None:
    """Only the four blocks of symbols: places play no part in the answer."""
    table = np.array(one["readout"])
    width = len(table) // 4
    blocks = np.concatenate([table[start * width :][:symbols] for start in range(4)])
    reach = np.abs(blocks).max() or 1.0
    panel.imshow(blocks, cmap="RdBu_r", vmin=-reach, vmax=reach, aspect="auto")
    for block in range(1, 4):
        panel.axhline(block * symbols - 0.5, color=GREY, linewidth=0.7)
    corner = (-0.5, 2 * symbols - 0.5)
    panel.add_patch(
        Rectangle(corner, symbols, symbols, fill=False, edgecolor=LEFT_OUT, linewidth=1.6)
    )
    middle = symbols * (np.arange(4) + 0.5) - 0.5
    names = ["question", "first\nattention", "second\nattention", "second\nof first"]
    panel.set_yticks(middle, names, fontsize=7.5)
    panel.set_xticks(range(symbols))
    panel.set_xlabel("answer")
    panel.set_title("readout, rows of symbols", fontsize=10.5)


def _draw_losses(panel: Axes, trees: Mapping[str, Any]) -> None:
    for (name, one), colour in zip(trees.items(), COLOURS, strict=False):
        panel.plot(one["steps"], one["losses"], color=colour, linewidth=1.2, label=name)
        panel.axhline(one["bayes"], color=colour, linestyle="--", linewidth=1)
    top = max(one["losses"][0] for one in trees.values())
    least = min(one["bayes"] for one in trees.values())
    panel.set_ylim(least - 0.15 * (top - least), top + 0.15 * (top - least))
    panel.set_xlabel("step")
    panel.set_ylabel("loss (dashed: counting)")
    panel.legend(fontsize=8, frameon=False, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))


def _draw_lengths(panel: Axes, scan: Sequence[Mapping[str, Any]]) -> None:
    lengths = [row["length"] for row in scan]
    panel.plot(lengths, [row["loss"] for row in scan], "o-", color=MEAN, label="trained")
    counting = [row["counting"] for row in scan]
    panel.plot(lengths, counting, "s--", color=GREY, label="counting", markersize=4)
    panel.set_xticks(lengths)
    panel.set_xlabel("length of the word (chains)")
    panel.set_ylabel("loss above the true rows")
    if scan:
        panel.set_ylim(0)
        panel.legend(fontsize=8, frameon=False)
