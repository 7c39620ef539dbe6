"""Share right by length with steps and without, while training, and what circuits cost in steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY

WAYS = {"with steps": COLOURS[0], "without steps": COLOURS[1]}


def draw(curves: Mapping[str, Any]) -> Figure:
    """Length, training, and the construction's steps."""
    figure = Figure(figsize=(13, 4.3), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    _draw_lengths(left, curves["trained"], curves["verdicts"])
    _draw_training(middle, curves["trained"])
    _draw_steps(right, curves["built"])
    return figure


def _draw_lengths(panel: Axes, trained: Mapping[str, Any], verdicts: Any) -> None:
    for way, colour in WAYS.items():
        shares = trained["shares"][way]
        panel.plot(range(1, len(shares) + 1), shares, "o-", color=colour, label=way)
    panel.axhline(trained["chance"], color=GREY, linewidth=0.8)
    said = {each["steps"]: each["answer"] for each in verdicts}
    words = f"theory, constant depth: n steps {said['linear']};\nno steps {said['none']}"
    panel.text(
        0.5,
        1.31,
        words,
        fontsize=8,
        color=GREY,
        va="top",
        parse_math=False,
        transform=panel.get_yaxis_transform(),
        ha="center",
    )
    panel.set_ylim(0, 1.34)
    panel.set_yticks([0, 0.25, 0.5, 0.75, 1.0])
    panel.set_xlabel("letters multiplied")
    panel.set_ylabel("share of products right")
    panel.set_title("Products of permutations, trained", fontsize=10.5)
    panel.legend(fontsize=8.5, frameon=False, loc="center right")


def _draw_training(panel: Axes, trained: Mapping[str, Any]) -> None:
    for way, colour in WAYS.items():
        panel.plot(trained["steps"], trained["last"][way], color=colour, label=way)
    for level, colour in ((0.95, COLOURS[0]), (0.5, COLOURS[1])):
        panel.axhline(level, color=colour, linestyle="--", linewidth=1)
    panel.axhline(trained["chance"], color=GREY, linewidth=0.8)
    end = trained["steps"][-1]
    panel.text(end, trained["chance"], "guessing", fontsize=8, color=GREY, va="bottom", ha="right")
    panel.set_ylim(0, 1.04)
    panel.set_xlabel("training step")
    panel.set_ylabel("share of the longest products right")
    panel.set_title("While training; dashed: at least, at most", fontsize=10.5)


def _draw_steps(panel: Axes, built: Mapping[str, Any]) -> None:
    for (task, gates), colour in zip(built.items(), COLOURS[2:], strict=False):
        panel.plot(range(1, len(gates) + 1), gates, "s-", color=colour, label=task)
    panel.set_ylim(bottom=0)
    panel.set_xlabel("terms, squarings or letters")
    panel.set_ylabel("gates = steps of thought")
    panel.set_title("Written down by hand: no error in any", fontsize=10.5)
    panel.legend(fontsize=8.5, frameon=False, loc="upper left")
