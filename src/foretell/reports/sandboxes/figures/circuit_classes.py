"""The table of verdicts, task by model, and average sensitivities beside their formulas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from foretell.reports.plots import COLOURS, GREY, INK

FILLS = {"representable": "#BFE3D0", "not representable": "#F0B79B", "unknown": "#EDEDED"}
CONDITIONAL = "#FBE3B5"
SHORT = {"none": "0", "logarithmic": "log n", "linear": "n", "polynomial": "poly"}
WORDS = {"representable": "yes", "not representable": "no", "unknown": "?"}


def draw(curves: Mapping[str, Any]) -> Figure:
    """The table takes most of the room."""
    figure = Figure(figsize=(14, 5.2), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(4.4, 1))
    _draw_table(left, curves["table"])
    _draw_sensitivity(right, curves["sensitivity"])
    return figure


def _draw_table(panel: Axes, table: Mapping[str, Any]) -> None:
    tasks, models = table["tasks"], table["models"]
    for row, answers in enumerate(table["answers"]):
        for column, answer in enumerate(answers):
            fill = FILLS.get(answer, CONDITIONAL)
            panel.add_patch(Rectangle((column, row), 1, 1, facecolor=fill, edgecolor="white"))
            text = WORDS.get(answer) or "no unless\n" + answer.split("unless ")[1].replace(" ", "")
            panel.text(
                column + 0.5,
                row + 0.5,
                text,
                ha="center",
                va="center",
                fontsize=9 if answer in WORDS else 7,
                color=INK,
            )
    for column in range(4, len(models), 4):
        panel.axvline(column, color=INK, linewidth=2 if column % 8 == 0 else 1)
    for first in range(0, len(models), 4):
        depth, precision, _ = models[first]
        words = f"depth {_order(depth)}\nprecision {_order(precision)}"
        panel.text(first + 2, -0.75, words, ha="center", va="bottom", fontsize=9.5)
    for column, (_, _, steps) in enumerate(models):
        panel.text(column + 0.5, -0.12, SHORT[steps], ha="center", va="bottom", fontsize=8.5)
    panel.text(-0.1, -0.12, "steps of thought", ha="right", va="bottom", fontsize=8.5, color=GREY)
    panel.set_xlim(0, len(models))
    panel.set_ylim(len(tasks), -1.9)
    panel.set_yticks([row + 0.5 for row in range(len(tasks))], tasks)
    panel.set_xticks([])
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    panel.set_xlabel("asymptotic: small instances may be representable", fontsize=9, color=GREY)


def _order(word: str) -> str:
    return "O(1)" if word == "constant" else "O(log n)"


def _draw_sensitivity(panel: Axes, sensitivity: Any) -> None:
    bits = [row["bits"] for row in sensitivity]
    for task, colour in zip(sensitivity[0]["formula"], COLOURS, strict=False):
        panel.plot(bits, [row["formula"][task] for row in sensitivity], "--", color=colour)
        panel.plot(
            bits,
            [row["counted"][task] for row in sensitivity],
            "o",
            color=colour,
            markersize=4.5,
            label=task,
        )
    panel.set_xticks(bits)
    panel.set_xlabel("bits n")
    panel.set_title("Average sensitivity\ndashed: formula", fontsize=10)
    panel.legend(fontsize=8.5, frameon=False, loc="upper left")
