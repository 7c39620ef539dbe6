"""The matrix of architectures and tasks with predicted signs, and what GRUs remember by width."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from foretell.plain.wording import counted
from foretell.reports.plots import COLOURS, GREY, INK

SOLVED, FAILED = "#cfe8dc", "#f6d8c6"  # measured
SIGNS = {True: "✓", False: "✗", None: "·"}
COSTS = ("parameters", "state", "pass")


def draw(curves: Mapping[str, Any]) -> Figure:
    """The matrix on the left, memory on the right."""
    games, kinds = curves["games"], curves["kinds"]
    columns = len(games) + len(COSTS)
    figure = Figure(figsize=(1.15 * columns + 5.6, 0.62 * len(kinds) + 2.2), layout="constrained")
    matrix, memory = figure.subplots(1, 2, width_ratios=[1.15 * columns + 1.2, 4.2])
    _draw_matrix(matrix, curves, games, kinds)
    _draw_memory(memory, curves["memory"], curves["bar"])
    return figure


def _draw_matrix(panel: Axes, curves: Mapping[str, Any], games: Any, kinds: Any) -> None:
    for row, own in enumerate(kinds):
        cells = zip(own["signs"], own["accuracy"], strict=True)
        for column, (sign, accuracy) in enumerate(cells):
            solved = accuracy >= curves["bar"]
            wrong = sign is not None and sign != solved
            panel.add_patch(
                Rectangle(
                    (column - 0.48, row - 0.46),
                    0.96,
                    0.92,
                    facecolor=SOLVED if solved else FAILED,
                    edgecolor=COLOURS[1] if wrong else "white",
                    linewidth=2.2 if wrong else 1,
                )
            )
            panel.text(
                column, row - 0.17, SIGNS[sign], ha="center", va="center", fontsize=12, color=INK
            )
            panel.text(
                column, row + 0.22, f"{accuracy:.2f}", ha="center", va="center", fontsize=9.5
            )
        costs = (
            f"{own['parameters']:,}",
            _bytes(own["state"]),
            f"O({own['order'].replace('^2', '²')})",
        )
        for column, text in enumerate(costs, len(games)):
            panel.text(column, row, text, ha="center", va="center", fontsize=9.5, color=GREY)
    panel.set_xlim(-0.55, len(games) + len(COSTS) - 0.45)
    panel.set_ylim(len(kinds) - 0.45, -0.55)
    panel.set_yticks(range(len(kinds)), [own["kind"] for own in kinds])
    below = ["longer words" if game["longer"] else _bits(game["bits"]) for game in games]
    names = [f"{game['name']}\n{text}" for game, text in zip(games, below, strict=True)]
    panel.set_xticks(range(len(names) + len(COSTS)), [*names, *COSTS], fontsize=9)
    panel.xaxis.tick_top()
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    panel.set_xlabel(
        "predicted sign over the measured share of right answers\n"
        f"shaded green from {curves['bar']:g} on; framed where they differ; · nothing is predicted",
        fontsize=9,
        color=GREY,
    )


def _bits(count: float) -> str:
    return f"{count:g} bit" if count == 1 else f"{count:g} bits"


def _bytes(count: int) -> str:
    return f"{count:,} B" if count < 10_000 else f"{count / 1_000:,.0f} kB"


def _draw_memory(panel: Axes, memory: Mapping[str, Any], bar: float) -> None:
    rows = zip(memory["widths"], memory["known"], memory["reach"], strict=True)
    for (width, known, reach), colour in zip(rows, COLOURS, strict=False):
        panel.plot(
            memory["lengths"],
            known,
            marker="o",
            markersize=4,
            color=colour,
            label=f"{counted(width, 'unit')}: {_bits(reach)}",
        )
        panel.axvline(width, color=colour, linestyle=":", linewidth=1)
    panel.axhline(bar, color=GREY, linestyle="--", linewidth=1)
    panel.set_xscale("log", base=2)
    ticks = [each for each in (2, 4, 8, 16, 32, 64) if each <= max(memory["widths"])]
    panel.set_xticks(ticks, [str(each) for each in ticks])
    panel.set_xlabel("bits read (dotted: one bit a unit)")
    panel.set_ylabel("share of bits a GRU still knows")
    panel.set_ylim(0.48, 1.03)
    panel.legend(fontsize=8.5, frameon=False, title="GRU", title_fontsize=8.5, loc="lower left")
