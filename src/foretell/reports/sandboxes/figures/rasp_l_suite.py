"""Whole answers right on longer inputs, by what the conjecture says, and by length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from foretell.reports.plots import COLOURS, GREY

WITH, WITHOUT = "short program", "no short program known"
CLASSES = {WITH: COLOURS[2], "short with a scratchpad": COLOURS[5], WITHOUT: COLOURS[1]}
LEAST = 0.3  # by which the conjecture's classes should differ
STYLES = ("-", "--", ":", "-.")


def draw(curves: Mapping[str, Any]) -> Figure:
    """Bars on the left, length curves on the right."""
    order = list(CLASSES)
    tasks = sorted(curves["tasks"], key=lambda task: order.index(task["expected"]))
    figure = Figure(figsize=(11.5, max(3.4, 1.6 + 0.42 * len(tasks))), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.15))
    _draw_bars(left, tasks, curves)
    _draw_lengths(right, tasks, curves)
    present = [name for name in order if any(task["expected"] == name for task in tasks)]
    figure.legend(
        handles=[Patch(color=CLASSES[name], label=name) for name in present],
        loc="outside lower center",
        ncols=len(present),
        frameon=False,
        fontsize=9,
    )
    return figure


def _draw_bars(panel: Axes, tasks: list[dict[str, Any]], curves: Mapping[str, Any]) -> None:
    places = np.arange(len(tasks))[::-1]
    for place, task in zip(places, tasks, strict=True):
        final = np.array(task["exact"])[:, -1]
        panel.barh(place, final.mean(), color=CLASSES[task["expected"]], height=0.62)
        panel.plot(final, np.full(len(final), place), "|", color=GREY, markersize=9)
        panel.text(1.04, place, _note(task), fontsize=8, va="center", color=GREY)
    panel.set_yticks(places, [task["name"].replace("-", " ") for task in tasks])
    panel.set_xlim(-0.01, 1.01)
    means = _means(tasks)
    for label, mean in means.items():
        panel.axvline(mean, color=CLASSES[label], linestyle="--", linewidth=1.2)
    if WITHOUT in means:
        panel.axvline(means[WITHOUT] + LEAST, color=CLASSES[WITH], linestyle=":", linewidth=1.6)
    longest = curves["length"] + curves["beyond"]
    panel.set_xlabel(f"answers without a mistake, length {longest}")
    note = f"dashed: mean of a class; dotted: mean of the others + {LEAST}, the least predicted"
    panel.set_title(note, fontsize=8, color=GREY)


def _means(tasks: list[dict[str, Any]]) -> dict[str, float]:
    """Of the two classes that the conjecture sets apart."""
    shares = {
        label: [
            np.array(task["exact"])[:, -1].mean() for task in tasks if task["expected"] == label
        ]
        for label in (WITH, WITHOUT)
    }
    return {label: float(np.mean(found)) for label, found in shares.items() if found}


def _note(task: Mapping[str, Any]) -> str:
    size = "size ?" if task["size"] is None else f"size {task['size']}"
    return size if task["crasp"] is None else f"{size}\nC-RASP {task['crasp']}"


def _draw_lengths(panel: Axes, tasks: list[dict[str, Any]], curves: Mapping[str, Any]) -> None:
    panel.axvspan(1, curves["length"], color="#eeeeee", zorder=0)
    seen: dict[str, int] = {}
    for task in tasks:
        number = seen.get(task["expected"], 0)
        seen[task["expected"]] = number + 1
        panel.plot(
            task["sizes"],
            np.array(task["exact"]).mean(axis=0),
            color=CLASSES[task["expected"]],
            linestyle=STYLES[number % len(STYLES)],
            marker="os^Dv<"[number % 6],
            markersize=3.5,
            linewidth=1.4,
            label=task["name"].replace("-", " "),
        )
    panel.set_ylim(-0.03, 1.05)
    panel.set_xlabel("length (shaded: trained on)")
    panel.set_ylabel("answers without a mistake")
    panel.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
