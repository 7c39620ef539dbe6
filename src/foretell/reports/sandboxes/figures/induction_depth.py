"""Share right against width for one and two layers, its growth in training, and by position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.plain.wording import counted
from foretell.reports.plots import COLOURS, GREY, INK

ORDER = (COLOURS[1], COLOURS[0], *COLOURS[2:])  # of one layer, of two, ...


def _colour(depth: int) -> str:
    return ORDER[(depth - 1) % len(ORDER)]


def draw(curves: Mapping[str, Any]) -> Figure:
    """Widths, steps and positions; a row for the shortest length, and one for the longest."""
    lengths = sorted({one["length"] for one in curves["trained"]})
    shown = lengths if len(lengths) <= 2 else [lengths[0], lengths[-1]]
    figure = Figure(figsize=(13, 4.2 * len(shown)), layout="constrained")
    for row, length in zip(figure.subplots(len(shown), 3, squeeze=False), shown, strict=True):
        trained = [one for one in curves["trained"] if one["length"] == length]
        bounds = [one for one in curves["bounds"] if one["length"] == length]
        _draw_widths(row[0], trained, bounds, curves["chance"], length)
        _draw_steps(row[1], trained, curves["chance"])
        _draw_places(row[2], trained, curves["chance"])
    return figure


def _draw_widths(panel: Axes, trained: Any, bounds: Any, chance: float, length: int) -> None:
    for depth in sorted({one["layers"] for one in trained}):
        name, colour = counted(depth, "layer"), _colour(depth)
        own = sorted((one["width"], one["right"]) for one in trained if one["layers"] == depth)
        panel.semilogx(*zip(*own, strict=True), "o-", base=2, color=colour, label=name)
    for bound, style in zip(bounds, (":", "--"), strict=True):
        bits = f"{counted(bound['bits'], 'bit')} a number"
        panel.axvline(
            max(bound["width"], 1),
            color=INK,
            linestyle=style,
            linewidth=1.1,
            label=f"1 layer excluded to the left: {bits}",
        )
    panel.axhline(chance, color=GREY, linewidth=0.8)
    panel.text(
        panel.get_xlim()[1], chance, "guessing ", fontsize=8, color=GREY, va="bottom", ha="right"
    )
    panel.set_ylim(0, 1.42)
    panel.set_yticks([0, 0.25, 0.5, 0.75, 1.0])
    panel.set_xlabel("width")
    panel.set_ylabel("share right where there is a match")
    panel.set_title(f"Trained at length {length}", fontsize=10.5)
    panel.legend(fontsize=8.5, loc="upper right", framealpha=1.0, edgecolor="white")


def _draw_steps(panel: Axes, trained: Any, chance: float) -> None:
    for one in trained:
        colour = _colour(one["layers"])
        panel.plot(one["steps"], one["shares"], color=colour, alpha=0.85)
        panel.annotate(
            f" {one['width']}",
            (one["steps"][-1], one["shares"][-1]),
            fontsize=8,
            color=colour,
            va="center",
        )
    panel.axhline(chance, color=GREY, linewidth=0.8)
    panel.margins(x=0.08)
    panel.set_ylim(0, 1.04)
    panel.set_xlabel("step")
    panel.set_ylabel("share right where there is a match")
    panel.set_title("While training; numbers are widths", fontsize=10.5)


def _draw_places(panel: Axes, trained: Any, chance: float) -> None:
    for one in trained:
        colour = _colour(one["layers"])
        panel.plot(one["places"], one["by_place"], ".-", color=colour, alpha=0.85, linewidth=0.9)
        end = one["places"][-1], one["by_place"][-1]
        panel.annotate(f" {one['width']}", end, fontsize=8, color=colour, va="center")
    panel.axhline(chance, color=GREY, linewidth=0.8)
    panel.margins(x=0.08)
    panel.set_ylim(0, 1.04)
    panel.set_xlabel("position")
    panel.set_title("At the end, by position", fontsize=10.5)
