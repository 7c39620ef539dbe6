"""The ladder of depth classes with the automata on it, the integers behind, sizes by formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from foretell.reports.plots import COLOURS, GREY, INK

# Where each rung stands (centre, in a panel of 0 to 1), and its two bounds.
BOXES = {
    "non-solvable": (0.5, 0.86, "all: also non-solvable", "enough: O(log T)", "not O(1)*"),
    "solvable": (0.5, 0.5, "solvable groups", "enough: O(|Q|² log |Q|)", "no bound known"),
    "commutative": (0.24, 0.13, "commutative", "enough: O(1), counting", "no bound known"),
    "aperiodic": (0.76, 0.13, "aperiodic: no groups", "enough: O(|Q|² log |Q|)", "no bound known"),
}
COLOUR_OF = dict(
    zip(("commutative", "aperiodic", "solvable", "non-solvable"), COLOURS, strict=False)
)
HALF_WIDTH, HALF_HEIGHT = 0.225, 0.125


def draw(curves: Mapping[str, Any]) -> Figure:
    """Ladder and sizes above, table below."""
    rows = curves["automata"]
    figure = Figure(figsize=(12, 5.2 + 0.27 * len(rows)), layout="constrained")
    parts: Any = figure.subfigures(2, 1, height_ratios=(4.6, 0.6 + 0.27 * len(rows)))
    ladder, sizes = parts[0].subplots(1, 2, width_ratios=(1.45, 1))
    _draw_ladder(ladder, rows)
    _draw_sizes(sizes, curves["sweeps"])
    _draw_table(parts[1].subplots(), rows)
    return figure


def _draw_ladder(panel: Axes, rows: Sequence[Mapping[str, Any]]) -> None:
    """A class stands above those that it holds."""
    panel.axis("off")
    panel.set_xlim(0, 1)
    panel.set_ylim(-0.09, 1)
    top, middle = BOXES["non-solvable"], BOXES["solvable"]
    for below in (middle, BOXES["commutative"], BOXES["aperiodic"]):
        above = top if below is middle else middle
        ends = (below[0], above[0]), (below[1] + HALF_HEIGHT, above[1] - HALF_HEIGHT)
        panel.plot(*ends, color=GREY, linewidth=1.2, zorder=1)
    for rung, (x, y, title, upper, lower) in BOXES.items():
        names = [row["name"] for row in rows if row["rung"] == rung]
        lines = [", ".join(names[start : start + 2]) for start in range(0, len(names), 2)] or ["–"]
        colour = COLOUR_OF[rung]
        corner = (x - HALF_WIDTH, y - HALF_HEIGHT)
        box = {"facecolor": "white", "edgecolor": colour, "linewidth": 1.6, "zorder": 2}
        panel.add_patch(_box(corner, box))
        bounds = f"{upper}\nneeded: {lower}"
        panel.text(x, y + 0.088, title, ha="center", va="center", weight="bold", color=colour)
        panel.text(x, y + 0.022, bounds, ha="center", va="center", fontsize=8.5, color=INK)
        panel.text(x, y - 0.076, "\n".join(lines[:3]), ha="center", va="center", fontsize=8.5)
    note = "layers for words of length T.  * with log T bits of precision, unless TC⁰ = NC¹"
    panel.text(0.5, -0.06, note, ha="center", va="center", fontsize=8.5, color=GREY)


def _box(corner: tuple[float, float], style: dict[str, Any]) -> FancyBboxPatch:
    return FancyBboxPatch(corner, 2 * HALF_WIDTH, 2 * HALF_HEIGHT, "round,pad=0.01", **style)


def _draw_sizes(panel: Axes, sweeps: Mapping[str, Any]) -> None:
    for (family, sweep), colour in zip(sweeps.items(), COLOURS, strict=False):
        panel.semilogy(sweep["numbers"], sweep["formula"], "--", color=colour, linewidth=1.2)
        panel.semilogy(sweep["numbers"], sweep["sizes"], "o", color=colour, label=family, ms=5)
    panel.set_xlabel("number n of the family")
    panel.set_ylabel("maps in the semigroup")
    panel.set_title("Sizes: dashed closed form, points by closure", fontsize=10.5)
    panel.legend(fontsize=8.5, frameon=False, loc="upper right")


def _draw_table(panel: Axes, rows: Sequence[Mapping[str, Any]]) -> None:
    panel.axis("off")
    heads = ["automaton", "states", "maps", "formula", "idempotents", "derived series", "class"]
    cells = [
        [
            row["name"],
            str(row["states"]),
            f"{row['size']:,}",
            f"{row['formula']:,}",
            str(row["idempotents"]),
            _series(row["series"]),
            row["rung"],
        ]
        for row in rows
    ]
    widths = [0.16, 0.08, 0.09, 0.09, 0.12, 0.26, 0.16]
    table = panel.table(cells, colLabels=heads, colWidths=widths, loc="center", cellLoc="center")
    table.auto_set_font_size(False)
    table.set_fontsize(9)
    table.scale(1, 1.25)
    for (line, column), cell in table.get_celld().items():
        cell.set_linewidth(0)
        if line == 0:
            cell.get_text().set_color(GREY)
        elif column == len(heads) - 1:
            cell.get_text().set_color(COLOUR_OF[rows[line - 1]["rung"]])
            cell.get_text().set_fontweight("bold")


def _series(series: Sequence[Sequence[int]]) -> str:
    """Of the largest group; a series that stays says so."""
    orders = list(series[0])
    if orders[-1] == 1:
        return " > ".join(f"{order:,}" for order in orders)
    return " > ".join(f"{order:,}" for order in orders[:-1]) + " = itself"
