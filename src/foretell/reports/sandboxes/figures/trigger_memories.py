"""Pairs recalled by the three memories while training, and the answers they give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, INK

PAIRS = {
    "output": "W_O²: what is there → say it",
    "second": "W_K²: symbol → place after it",
    "first": "W_K¹: place → the one before",
}


def draw(curves: Mapping[str, Any]) -> Figure:
    """Probes with their half-times on the left, loss and share right on the right."""
    figure = Figure(figsize=(11, 4.4), layout="constrained")
    probes, answers = figure.subplots(1, 2)
    for number, (name, label) in enumerate(PAIRS.items()):
        colour, time = COLOURS[number], curves["times"][name]
        probes.plot(curves["steps"], curves[name], color=colour, linewidth=1.8, label=label)
        if time is not None:
            half = (curves[name][0] + curves[name][-1]) / 2
            probes.plot(time, half, "o", color=colour, markersize=7)
            probes.axvline(time, color=colour, linestyle=":", linewidth=1)
    probes.set(xlabel="step", ylabel="share of pairs recalled", ylim=(0, 1.05))
    probes.set_xlim(0, curves["steps"][-1])
    probes.set_title("memories, with half-times", fontsize=10.5)
    figure.legend(
        *probes.get_legend_handles_labels(), loc="outside lower left", ncols=3, frameon=False
    )
    answers.plot(curves["steps"], curves["loss"], color=INK, label="loss")
    answers.set(xlabel="step", ylabel="loss at triggers seen before")
    answers.set_ylim(0, 1.05 * max(curves["loss"]))
    answers.set_xlim(0, curves["steps"][-1])
    twin = answers.twinx()
    twin.plot(curves["steps"], curves["right"], color=COLOURS[4], label="share right")
    twin.set(ylabel="share right", ylim=(0, 1.05))
    twin.axhline(1, color=GREY, linestyle="--", linewidth=1)
    lines = [*answers.get_lines(), *twin.get_lines()[:1]]
    answers.legend(lines, ["loss", "share right"], fontsize=9, frameon=False, loc="center right")
    answers.set_title("what comes of it", fontsize=10.5)
    return figure
