"""Error against sharpness for each construction, sharpness against order, and heads by layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.plain.wording import counted
from foretell.reports.plots import COLOURS, GREY, INK

FLOOR = 1e-7  # errors below it are not drawn
MARKERS = "osD^"


def draw(curves: Mapping[str, Any]) -> Figure:
    """Above: error curves, a panel a construction. Below: what order costs, and the table."""
    made = curves["constructions"]
    figure = Figure(figsize=(13, 7.6), layout="constrained")
    rows: Any = figure.subfigures(2, 1, height_ratios=(1, 1.05))
    panels = rows[0].subplots(1, len(made), sharey=True)
    for panel, one in zip(panels, made, strict=True):
        _draw_errors(panel, one, curves["error"])
    panels[0].set_ylabel("largest error")
    panels[0].legend(
        fontsize=8.5,
        title_fontsize=8.5,
        loc="lower left",
        frameon=False,
        title="dashed: κ predicted\ndotted: T·exp(-κ·gap)",
    )
    left, right = rows[1].subplots(1, 2, width_ratios=(1, 1.35))
    _draw_orders(left, made)
    _draw_reach(right, curves["reach"])
    return figure


def _draw_errors(panel: Axes, one: Mapping[str, Any], error: float) -> None:
    for curve, colour in zip(one["orders"], COLOURS, strict=False):
        drawn = [max(each, FLOOR / 10) for each in curve["errors"]]
        panel.loglog(curve["sharpness"], drawn, color=colour, label=f"k = {curve['order']}")
        panel.loglog(curve["sharpness"], curve["bound"], ":", color=colour, linewidth=1)
        panel.axvline(curve["predicted"], color=colour, linestyle="--", linewidth=1)
    panel.axhline(error, color=GREY, linewidth=0.8)
    panel.set_ylim(FLOOR, 3)
    panel.set_title(one["name"], fontsize=10.5)
    panel.set_xlabel("sharpness κ of the last attention")


def _draw_orders(panel: Axes, made: Any) -> None:
    for one, colour, marker in zip(made, COLOURS, MARKERS, strict=False):
        orders = [curve["order"] for curve in one["orders"]]
        predicted = [curve["predicted"] for curve in one["orders"]]
        panel.semilogy(orders, predicted, "--", color=colour, linewidth=1)
        measured = [(c["order"], c["measured"]) for c in one["orders"] if c["measured"]]
        # The second copies exactly as the first does: its marks are drawn larger and empty.
        hollow = {"markerfacecolor": "none", "markersize": 9} if marker == "s" else {}
        panel.semilogy(
            *zip(*measured, strict=True), marker, color=colour, label=one["name"], **hollow
        )
    panel.set_xticks(orders)
    panel.set_xlabel("order k")
    panel.set_ylabel("sharpness for an error of 1/1000")
    panel.set_title("What order costs: dashed ln(T/ε)/gap, points measured", fontsize=10.5)
    panel.legend(fontsize=8, frameon=False, loc="upper left")


def _draw_reach(panel: Axes, reach: Any) -> None:
    """A cell for each number of heads and layers; below one head what codes add."""
    layers = sorted({cell["layers"] for cell in reach})
    heads = sorted({cell["heads"] for cell in reach})
    for cell in reach:
        column, row = layers.index(cell["layers"]), heads.index(cell["heads"])
        text = f"copies: k ≤ {cell['built']}\nimpossible: k ≥ {cell['impossible']}"
        panel.text(column, row, text, ha="center", va="center", fontsize=9, color=INK)
    for column, word in ((0, "with norm and MLP: any k"), (1, "with a norm: any k")):
        panel.text(column, -0.34, word, ha="center", va="center", fontsize=9, color=COLOURS[2])
    panel.set_xlim(-0.5, len(layers) - 0.5)
    panel.set_ylim(-0.55, len(heads) - 0.5)
    panel.set_xticks(range(len(layers)), [counted(each, "layer") for each in layers])
    panel.set_yticks(range(len(heads)), [counted(each, "head") for each in heads])
    panel.set_xticks([each - 0.5 for each in range(1, len(layers))], minor=True)
    panel.set_yticks([each - 0.5 for each in range(1, len(heads))], minor=True)
    panel.grid(which="minor", color="#cccccc")
    panel.tick_params(which="both", length=0)
    panel.set_title("Attention only, and what norm and MLP add", fontsize=10.5)
