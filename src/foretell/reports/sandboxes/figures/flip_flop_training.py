"""Wrong reads by kind of model and law, by gap, and where heads look at a read that fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.numerics.intervals import wilson
from foretell.reports.plots import COLOURS, GREY, INK

FLOOR = 1e-5  # where a count of zero is drawn
LEVELS = ((1e-3, "in distribution\nat most 0.1 %"), (1e-4, "recurrent\nat most 0.01 %"))
NAMES = {0.8: "as in training (0.8)", 0.98: "sparse (0.98)", 0.1: "dense (0.1)"}


def draw(curves: Mapping[str, Any]) -> Figure:
    """Counts above, one glitch below."""
    figure = Figure(figsize=(11, 7.4), layout="constrained")
    halves: Any = figure.subfigures(2, 1, height_ratios=(1.15, 1))
    above, below = halves
    laws, gaps = above.subplots(1, 2, sharey=True, width_ratios=(1.45, 1))
    _draw_laws(laws, curves)
    _draw_gaps(gaps, curves)
    _draw_glitch(below.subplots(), curves["glitch"])
    return figure


def _label(kind: str, cell: str) -> str:
    return cell.upper() if kind == "recurrent" else kind


def _draw_laws(panel: Axes, curves: Mapping[str, Any]) -> None:
    kinds = curves["kinds"]
    for law, value in enumerate(curves["laws"]):
        rows = [own["laws"][law] for own in kinds]
        rates = np.array([max(row["wrong"] / row["reads"], FLOOR) for row in rows])
        ends = np.maximum(np.array([row["interval"] for row in rows]).T, FLOOR)
        places = np.arange(len(kinds)) + 0.24 * (law - 1)
        spread = np.abs(ends - rates)
        colour, label = COLOURS[law], NAMES.get(value, f"ignores {value:g}")
        panel.errorbar(places, rates, spread, fmt="o", color=colour, label=label, capsize=3)
        for place, row, high in zip(places, rows, ends[1], strict=True):
            panel.text(place, 1.3 * high, str(row["wrong"]), ha="center", fontsize=8, color=colour)
    right = len(kinds) + 0.3  # room for what the levels are
    for level, text in LEVELS:
        panel.axhline(level, color=GREY, linestyle="--", linewidth=1)
        panel.text(right, level, text, fontsize=8, ha="right", va="bottom", color=GREY)
    panel.set_yscale("log")
    panel.set_ylim(FLOOR / 2, 1)
    panel.set_xlim(-0.5, right)
    panel.set_xticks(
        range(len(kinds)), [_label(own["kind"], curves["cell"]) for own in kinds], fontsize=9
    )
    panel.set_ylabel("share of reads that are wrong")
    panel.legend(fontsize=8.5, frameon=False, loc="upper right", title="ignores in the test")


def _draw_gaps(panel: Axes, curves: Mapping[str, Any]) -> None:
    for own, colour in zip(curves["kinds"], COLOURS, strict=False):
        wrong, reads = (np.array(own["by_gap"][name]) for name in ("wrong", "reads"))
        tried = np.flatnonzero(reads > 0)
        rates = np.maximum(wrong[tried] / reads[tried], FLOOR)
        label = _label(own["kind"], curves["cell"])
        panel.plot(tried, rates, ".-", color=colour, label=label, linewidth=1.2)
        if own["kind"] == "transformer":
            ends = [wilson(int(wrong[gap]), int(reads[gap])) for gap in tried]
            low, high = np.maximum(np.transpose(ends), FLOOR)
            panel.fill_between(tried, low, high, color=colour, alpha=0.2, linewidth=0)
    panel.set_xlabel("pairs since the last write")
    panel.set_title("all three laws together; zero is drawn at the bottom", fontsize=9)
    panel.legend(fontsize=8, frameon=False, loc="upper right")


def _draw_glitch(panel: Axes, glitch: Mapping[str, Any] | None) -> None:
    if glitch is None:
        panel.text(0.5, 0.5, "no wrong read to look into", ha="center", color=GREY)
        panel.set_axis_off()
        return
    attention = np.array(glitch["attention"])
    rows = attention.reshape(-1, attention.shape[-1])
    shown = panel.imshow(rows, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    names = [
        f"layer {layer + 1}, head {head + 1}"
        for layer in range(attention.shape[0])
        for head in range(attention.shape[1])
    ]
    size = 8 if len(names) < 16 else 4
    panel.set_yticks(range(len(names)), names, fontsize=size)
    panel.set_xticks(range(len(glitch["tokens"])), glitch["tokens"], fontsize=9)
    place = glitch["places"].index(glitch["last_write"])
    panel.axvline(place - 0.5, color=COLOURS[1], linewidth=1.2)
    panel.axvline(place + 0.5, color=COLOURS[1], linewidth=1.2)
    panel.get_xticklabels()[place].set_color(COLOURS[1])
    panel.set_xlabel("tokens up to the wrong read, which is last; the bit to be read is framed")
    panel.set_title("attention at one glitch", fontsize=10.5, color=INK)
    panel.figure.colorbar(shown, ax=panel, label="weight", pad=0.01)
