"""The figure of a reproduction: one small panel a task, ours beside what was published."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from foretell.core.scoreboard import Agreement
from foretell.plain.canonical import content_hash
from foretell.reports import phrases
from foretell.reports.plots import GREY, INK, STYLE, as_svg
from foretell.reports.reproduced.line import Compared
from foretell.reports.reproduced.table import Comparison

MOST_PANELS = 60  # beyond, a page of small panels says less than the table
COLUMNS = 6
GUESSING = "#9a9a9a"
WIDTH = 12.0  # inches, as all lengths here
LEFT, RIGHT, GAP = 0.42, 0.08, 0.17  # beside the panels, and between two of them
TALL, ABOVE, BELOW = 1.12, 0.46, 0.12  # a panel; the title over it; the space under it
HEADING, TICKS, KEY = 0.34, 0.3, 0.84  # a group's name; its sizes, under the last panels; the key


@dataclass(frozen=True)
class Look:
    """How one encoding is drawn: from the palette of Okabe and Ito, and told by shape too."""

    name: str
    colour: str
    marker: str
    aside: float  # so that equal values do not hide each other


LOOKS = {
    "ape": Look("APE", "#0072B2", "o", -0.12),
    "nope": Look("NoPE", "#D55E00", "s", 0.12),
}


def reproduction_figure(whole: Comparison) -> str:
    """SVG text; panels in the table's order, group by group, read from left to right."""
    groups = [
        (name, [list(lines) for _, lines in itertools.groupby(part, lambda x: x.line.label)])
        for name, part in itertools.groupby(whole.lines, lambda line: line.line.heading)
    ]
    with matplotlib.rc_context():
        matplotlib.rcParams.update(STYLE)
        title = whole.reproduction.title
        matplotlib.rcParams["svg.hashsalt"] = content_hash([title, whole.budget])
        rows = [-(-len(tasks) // COLUMNS) for _, tasks in groups]
        height = KEY + sum(HEADING + TICKS + each * (ABOVE + TALL + BELOW) for each in rows)
        figure = Figure(figsize=(WIDTH, height))
        _draw_key(figure, height, whole)
        top = height - KEY
        for (name, tasks), many in zip(groups, rows, strict=True):
            _draw_group(figure, name, tasks, top)
            top -= HEADING + TICKS + many * (ABOVE + TALL + BELOW)
        return as_svg(figure, f"{title}: exact match by range of sizes, one panel a task")


def _draw_group(figure: Figure, name: str, tasks: list[list[Compared]], top: float) -> None:
    height = figure.get_figheight()
    place = (LEFT / WIDTH, (top - 0.2) / height)
    figure.text(*place, name, fontsize=12, fontweight="bold", parse_math=False)
    wide = (WIDTH - LEFT - RIGHT - GAP * (COLUMNS - 1)) / COLUMNS
    for number, lines in enumerate(tasks):
        row, column = divmod(number, COLUMNS)
        left = LEFT + column * (wide + GAP)
        bottom = top - HEADING - row * (ABOVE + TALL + BELOW) - ABOVE - TALL
        panel = figure.add_axes(
            (left / WIDTH, bottom / height, wide / WIDTH, TALL / height), label=lines[0].name
        )
        last = number + COLUMNS >= len(tasks)
        _draw_panel(panel, lines, first=column == 0, last=last)


def _draw_panel(panel: Axes, lines: Sequence[Compared], *, first: bool, last: bool) -> None:
    ranges = lines[0].ranges
    places = range(len(ranges))
    panel.axvspan(-0.5, 0.5, color="#f3f1ea", linewidth=0, zorder=0)
    _draw_guessing(panel, lines)
    for line in lines:
        if line.line.published is not None:
            _draw_published(panel, line)
        if line.values:
            _draw_ours(panel, line)
    panel.set_xlim(-0.5, len(ranges) - 0.5)
    panel.set_ylim(-7, 107)
    panel.set_yticks([0, 50, 100], ["0", "50", "100"] if first else [])
    names = ["trained", *(f"{sizes.low}–{sizes.high}" for sizes in ranges[1:])]
    panel.set_xticks(list(places), names if last else [])
    panel.tick_params(length=0, labelsize=8.5, pad=3)
    panel.grid(axis="y", color="#e3e3e3", linewidth=0.7)
    panel.set_axisbelow(True)
    for side in panel.spines.values():
        side.set_color("#bbbbbb")
        side.set_linewidth(0.7)
    _draw_title(panel, lines)


def _draw_title(panel: Axes, lines: Sequence[Compared]) -> None:
    """The task, and under it what C-RASP predicts for each encoding."""
    across: dict[str, Any] = {"transform": panel.transAxes, "parse_math": False, "clip_on": False}
    label = lines[0].line.label
    short = label if len(label) <= 30 else label[:29] + "…"
    panel.text(0, 1.19, short, fontsize=10, color=INK, **across)
    panel.text(0, 1.045, "C-RASP", fontsize=8, color=GREY, **across)
    for place, line in enumerate(lines):
        look = _look(line)
        panel.text(
            0.275 + 0.36 * place,
            1.045,
            f"{look.name} {_foretold(line)}",
            fontsize=8.5,
            color=look.colour,
            **across,
        )


def _foretold(line: Compared) -> str:
    """What C-RASP predicts as a sign, and a second one where the measurement says otherwise."""
    if line.forecast is None:
        return "–"
    said = phrases.MARK[line.forecast.verdict]
    missed = line.row.agreement(line.forecast) is Agreement.DISAGREES
    return f"{said} {phrases.MARK[Agreement.DISAGREES]}" if missed else said


def _draw_guessing(panel: Axes, lines: Sequence[Compared]) -> None:
    """What the current token alone gives; the same test for every encoding."""
    values = next((line.values for line in lines if line.values), ())
    for place, value in enumerate(values):
        if value.baseline is not None:
            height = 100 * value.baseline
            panel.plot([place - 0.4, place + 0.4], [height] * 2, color=GUESSING, linewidth=2.2)


def _draw_published(panel: Axes, line: Compared) -> None:
    look, values = _look(line), line.line.published or ()
    panel.plot(
        [place + look.aside for place in range(len(values))],
        [100 * value for value in values],
        color=look.colour,
        linestyle=(0, (3, 2)),
        linewidth=1,
        marker=look.marker,
        markersize=5.6,
        markerfacecolor="white",
        markeredgewidth=1.1,
        zorder=3,
    )


def _draw_ours(panel: Axes, line: Compared) -> None:
    look, values = _look(line), line.values
    places = [place + look.aside for place in range(len(values))]
    bar: dict[str, Any] = {"alpha": 0.35, "linewidth": 3.2, "zorder": 2, "solid_capstyle": "butt"}
    for place, value in zip(places, values, strict=True):
        if len(value.seeds) > 1:  # one seed says nothing about another
            ends = [100 * value.interval.low, 100 * value.interval.high]
            panel.plot([place] * 2, ends, color=look.colour, **bar)
    panel.plot(
        places,
        [100 * value.mean for value in values],
        color=look.colour,
        linewidth=1.6,
        marker="X" if line.counts_unfitted else look.marker,
        markersize=5.2 if line.counts_unfitted else 4,
        markeredgewidth=0,
        zorder=4,
    )


def _look(line: Compared) -> Look:
    """Of an encoding that the figure was not made for: black."""
    name = line.question.architecture.positional
    return LOOKS.get(name, Look(name, INK, "D", 0))


def _draw_key(figure: Figure, height: float, whole: Comparison) -> None:
    """What the signs mean, over all panels."""
    looks = dict.fromkeys(_look(line) for line in whole.lines)
    series: list[tuple[Artist, str]] = []
    for look in looks:
        series.append((_key(look.colour, look.marker, 4.5, linewidth=1.6), f"{look.name}, ours"))
        if any(line.line.published for line in whole.lines):
            theirs = _key(look.colour, look.marker, 5.6, linewidth=1, markerfacecolor="white")
            theirs.set(linestyle=(0, (3, 2)), markeredgewidth=1.1)
            series.append((theirs, f"{look.name}, published"))
    series.append((_key("#bdbdbd", "", 0, linewidth=4), "95 % interval over seeds"))
    others: list[tuple[Artist, str]] = [
        (_key(GREY, "X", 6, linestyle=""), "too few of the runs fit: all are averaged"),
        (_key(GUESSING, "", 0, linewidth=2.2), "guessing from the current token"),
    ]
    for down, entries in ((0.04, series), (0.27, others)):
        figure.legend(
            [artist for artist, _ in entries],
            [text for _, text in entries],
            loc="upper left",
            bbox_to_anchor=(LEFT / WIDTH, 1 - down / height),
            ncols=len(entries),
            frameon=False,
            fontsize=9,
            handlelength=2.2,
            columnspacing=1.6,
            borderaxespad=0,
            borderpad=0,
        )
    told = "Over each panel, what C-RASP predicts for longer inputs: ✓ right, ✗ not right, "
    told += "? undecided, – nothing; ≠ where our runs show the opposite."
    figure.text(LEFT / WIDTH, (height - 0.66) / height, told, fontsize=9, color=INK)


def _key(colour: str, marker: str, size: float, **others: Any) -> Line2D:
    return Line2D([], [], color=colour, marker=marker, markersize=size, markeredgewidth=0, **others)
