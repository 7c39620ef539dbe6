"""The loss in its two parts with three stages shaded, the order turned round, and all times."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.plots import COLOURS, GREY, INK

PARTS = {
    "loss": ("all of the loss", INK, "-"),
    "relation": ("is it an answer of the relation?", COLOURS[0], "-"),
    "subject": ("which of its answers?", COLOURS[1], "-"),
    "distance": ("distance from p(answer | relation)", COLOURS[2], ":"),
}
SHADES = ("#f1f1f1", "#fbe3c8", "#dceef7")


def draw(curves: Mapping[str, Any]) -> Figure:
    """The first world, the first in which the subject comes first, and a point each part."""
    worlds = curves["worlds"]
    turned = [world for world in worlds if world["predicted"][0] > world["predicted"][1]]
    shown = [worlds[0], *turned[:1]]
    figure = Figure(figsize=(5.2 * (len(shown) + 1), 4.6), layout="constrained")
    panels = figure.subplots(1, len(shown) + 1, squeeze=False)[0]
    for panel, world in zip(panels, shown, strict=False):
        _draw_stages(panel, world)
    panels[0].set_ylabel("nats")
    _draw_times(panels[-1], worlds)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=5, frameon=False, fontsize=9.5)
    return figure


def _draw_stages(panel: Axes, world: Mapping[str, Any]) -> None:
    relation, subject = world["predicted"]
    all_answers = world["relations"] * world["answers"]
    names = ("guesses", "knows the relation", "knows the fact")
    between = ("ln D", math.log(world["answers"]))
    if relation > subject:
        names = ("guesses", "knows the subject", "knows the fact")
        between = ("ln R", math.log(world["relations"]))
    last = world["steps"][-1]
    edges = (0, *sorted((relation, subject)), last)
    top = 1.22 * math.log(all_answers)
    for number, (low, high) in enumerate(itertools.pairwise(edges)):
        panel.axvspan(low, high, color=SHADES[number], linewidth=0)
        where = (low + high) / 2
        panel.text(where, 0.985 * top, names[number], ha="center", va="top", fontsize=8.5)
    for name, (label, colour, style) in PARTS.items():
        width = 2.2 if name == "loss" else 1.5
        panel.plot(world["steps"], world[name], style, color=colour, linewidth=width, label=label)
    for text, level in (("ln RD", math.log(all_answers)), between):
        panel.axhline(level, color=GREY, linestyle="--", linewidth=1)
        panel.text(last, level, text, fontsize=9, ha="right", va="bottom", color=GREY)
    for at in (relation, subject):
        label = "predicted half-time" if at == relation else "_again"
        panel.axvline(at, color=GREY, linestyle="-.", linewidth=1, label=label)
    panel.set_xlim(0, last)
    panel.set_ylim(0, top)
    panel.set_xlabel("steps of gradient descent")
    sizes = "S = {subjects} subjects, R = {relations} relations, D = {answers} answers"
    panel.set_title(sizes.format(**world), fontsize=10)


def _draw_times(panel: Axes, worlds: list[Mapping[str, Any]]) -> None:
    ends = [math.inf, 0.0]
    for part, name in enumerate(("relation", "subject")):
        pairs = [(world["predicted"][part], world["measured"][part]) for world in worlds]
        pairs = [pair for pair in pairs if pair[1] is not None]
        ends = [min([ends[0], *map(min, pairs)]), max([ends[1], *map(max, pairs)])]
        panel.plot(*zip(*pairs, strict=True), "os"[part], color=COLOURS[part], label=name)
    line = [0.8 * ends[0], 1.25 * ends[1]]
    panel.plot(line, line, "--", color=GREY, linewidth=1)
    panel.fill_between(
        line,
        [0.88 * at for at in line],
        [1.12 * at for at in line],
        color=GREY,
        alpha=0.15,
        linewidth=0,
        label="within 12 %",
    )
    panel.set(xscale="log", yscale="log", xlabel="predicted half-time", ylabel="measured half-time")
    panel.set_title("every world: ln(2/α) / (η g)", fontsize=10)
    panel.legend(fontsize=9, frameon=False, loc="upper left")
