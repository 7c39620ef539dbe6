"""The figure of a reproduction with many tasks: a dot a task, group by group."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from foretell.core.question import SizeRange, Verdict
from foretell.reports.plots import GREY, INK, STYLE, as_svg
from foretell.reports.reproduced.line import Compared
from foretell.reports.reproduced.table import Comparison

COLOUR = {Verdict.YES: "#0072B2", Verdict.NO: "#D55E00", None: GREY, Verdict.UNDECIDED: GREY}
SPREAD = 0.36  # how far dots of one group reach to either side
SIDE_BY_SIDE = 4  # groups whose names stand beside each other; names of more are turned
LETTERS = 16  # of a heading, in one line


def strips_figure(whole: Comparison) -> str:
    """SVG text: a row of panels for each encoding, a column for each longer range."""
    run = [line for line in whole.lines if line.measured]
    encodings = list(dict.fromkeys(line.question.architecture.positional for line in run))
    ranges = run[0].ranges[1:]
    groups = list(dict.fromkeys(line.line.heading for line in run))
    salt = f"strips {whole.reproduction.title} {whole.budget}"
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": salt}):
        turned = 1.9 if len(groups) > SIDE_BY_SIDE else 0.0
        height = 0.75 + 2.6 * len(encodings) + turned
        figure = Figure(figsize=(12, height), layout="constrained")
        panels = figure.subplots(len(encodings), len(ranges), squeeze=False, sharey=True)
        for row, positional in enumerate(encodings):
            for column, sizes in enumerate(ranges):
                lines = [
                    line for line in run if line.question.architecture.positional == positional
                ]
                panel = panels[row][column]
                _draw_panel(panel, lines, sizes, groups)
                panel.set_title(f"{positional}, sizes {sizes}", fontsize=10, loc="left")
                if row + 1 < len(encodings):
                    panel.set_xticklabels([])
        panels[0][0].figure.legend(handles=_key(), loc="outside upper left", ncols=4, frameon=False)
        return as_svg(figure, f"{whole.reproduction.title}: a dot for each task")


def _draw_panel(
    panel: Axes, lines: Sequence[Compared], sizes: SizeRange, groups: Sequence[str]
) -> None:
    """Dots from worst to best within each group, and how many reach the bar."""
    bar = next(line.measured.bar or 1.0 for line in lines if line.measured)
    crowded = len(groups) > SIDE_BY_SIDE
    panel.axhline(bar, color=INK, linewidth=0.8, linestyle=(0, (2, 2)))
    for place, group in enumerate(groups):
        found = sorted(
            ((_mean(line, sizes), line) for line in lines if line.line.heading == group),
            key=lambda pair: pair[0],
        )
        for rank, (mean, line) in enumerate(found):
            aside = SPREAD * (2 * rank / max(1, len(found) - 1) - 1) if len(found) > 1 else 0.0
            said = line.forecast.verdict if line.forecast else None
            panel.plot(place + aside, mean, _marker(said), color=COLOUR[said], markersize=3.6)
        reached = sum(mean >= bar for mean, _ in found)
        told = f"{reached}/{len(found)}" if crowded else f"{reached} of {len(found)}"
        size = 7 if crowded else 9
        panel.text(place, 1.06, told, ha="center", fontsize=size, color=INK)
    panel.set_xlim(-0.5, len(groups) - 0.5)
    panel.set_ylim(-0.04, 1.16)
    panel.set_yticks([0, 0.5, 1])
    names = list(groups) if crowded else [_short(group) for group in groups]
    panel.set_xticks(range(len(groups)), names, fontsize=8.5, rotation=90 if crowded else 0)
    panel.tick_params(length=0)


def _mean(line: Compared, sizes: SizeRange) -> float:
    return next(value.mean for value in line.values if value.sizes == sizes)


def _marker(said: Verdict | None) -> str:
    return {Verdict.YES: "o", Verdict.NO: "s"}.get(said, "D") if said else "D"


def _short(group: str) -> str:
    """A heading in lines that do not run into the next one's.

    >>> _short("In C-RASP[periodic, local] only").splitlines()
    ['In', 'C-RASP[periodic,', 'local] only']
    """
    return textwrap.fill(group, LETTERS, break_long_words=False, break_on_hyphens=False)


def _key() -> list[Line2D]:
    told = {
        Verdict.YES: "C-RASP says it generalizes",
        Verdict.NO: "C-RASP says it does not",
        None: "nothing said",
    }
    return [
        Line2D([], [], color=COLOUR[said], marker=_marker(said), linestyle="", label=text)
        for said, text in told.items()
    ] + [Line2D([], [], color=INK, linewidth=0.8, linestyle=(0, (2, 2)), label="the bar")]
