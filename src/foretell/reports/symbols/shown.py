"""Curves of unseen symbols on the terminal and as a page."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from rich.console import Console
from rich.text import Text

from foretell.plain.wording import counted
from foretell.reports import _sections as parts
from foretell.reports._markup import Markup, element, pairs, table
from foretell.reports.columns import print_columns
from foretell.reports.html import masthead, page
from foretell.reports.phrases import number
from foretell.reports.plots import COLOURS, GREY, STYLE, as_svg
from foretell.reports.symbols.curves import Point, SymbolCurves, spread

HEADS = ("curve", "samples", "ours", "95 %", "published", "verdict")
CAPTION = (
    "Loss on strings of symbols that never occurred in training, against the number of training "
    "strings, which have as many symbols. Solid with dots: ours, mean over seeds at the look with "
    "the best validation loss, the bar its 95 % interval. Dotted: published. At the grey line is "
    "the best answer that ignores the string."
)
PREDICTED = (
    " Thin and dashed: what kernel regression that stands for the model would lose if symbols "
    "never repeated, not fitted to any run; for keys and queries with an identity a heuristic."
)
STYLES: dict[str, dict[str, Any]] = {  # what a line is, besides whose colour it has
    "ours": {"linestyle": "-", "marker": "o", "markersize": 4},
    "published": {"linestyle": ":", "linewidth": 1.3},
    "kernel theory": {"linestyle": "--", "linewidth": 0.8, "alpha": 0.8},
}


def show(console: Console, curves: SymbolCurves) -> None:
    """A table for each figure, and what it adds up to."""
    console.print(Text(curves.reproduction.title, style="bold"))
    for figure, own in curves.figures().items():
        console.print(Text(figure, style="bold"))
        print_columns(console, HEADS, _rows(own))
    for sentence in findings(curves):
        console.print(Text(sentence, style="dim"))


def _rows(curves: Mapping[str, tuple[Point, ...]]) -> list[tuple[str, ...]]:
    return [cells(label, point) for label, points in curves.items() for point in points]


def cells(label: str, point: Point) -> tuple[str, ...]:
    """One row of the table."""
    ours = point.ours
    ends = spread(ours) if ours else None
    return (
        label,
        f"{point.samples:,}",
        number(ours.mean) if ours else "–",
        f"[{number(ends[0], 2)}, {number(ends[1], 2)}]" if ends else "–",
        number(point.published),
        point.measured.verdict.value if point.measured else "–",
    )


def findings(curves: SymbolCurves) -> list[str]:
    """What the curves say, in sentences that could have come out otherwise."""
    told = []
    same, both = curves.agreement()
    if both:
        told.append(
            f"ours and the published value lie on the same side of one half of what a constant "
            f"loses at {same} of {counted(both, 'point')}; the median difference is "
            f"{number(curves.distance(), 2)}"
        )
    missing = sum(point.measured is None for point in curves.points)
    if missing:
        told.append(f"not trained yet: {counted(missing, 'point')}")
    return told


def symbols_page(curves: SymbolCurves) -> str:
    """One self-contained document."""
    title = curves.reproduction.title
    source = f"{curves.reproduction.source} · budget {curves.budget}"
    content = [masthead("foretell reproduce", title, source)]
    told = (element("p", each) for each in findings(curves))
    content.append(parts.section("What came out", *told))
    for figure, own in curves.figures().items():
        frame = element("div", Markup(curves_figure(curves, figure, own)), class_="plot wide")
        content.append(
            parts.section(
                figure,
                element("figure", frame, element("figcaption", _caption(own)), class_="broad"),
                table([head.capitalize() for head in HEADS], _rows(own), numeric=range(1, 5)),
                *_behind(own),
            )
        )
    return page(title, content)


def _caption(curves: Mapping[str, tuple[Point, ...]]) -> str:
    shown = any(point.predicted is not None for points in curves.values() for point in points)
    return CAPTION + (PREDICTED if shown else "")


def _behind(curves: Mapping[str, tuple[Point, ...]]) -> list[Markup]:
    """Device, versions and rule of the first point that was measured: they are those of all."""
    measured = [each.measured for points in curves.values() for each in points if each.measured]
    if not measured:
        return []
    known = measured[0].provenance
    settings = [("device", known["device"]), ("commit", str(known.get("commit")))]
    settings += [(name, str(version)) for name, version in known["versions"].items()]
    return [pairs(settings), element("p", "Rule: ", measured[0].rule, class_="quiet")]


def curves_figure(curves: SymbolCurves, figure: str, own: Mapping[str, tuple[Point, ...]]) -> str:
    """Losses by samples, in logarithms to the base 2: a colour a curve, published dotted."""
    salt = f"{figure} {curves.reproduction.title} {curves.budget}"
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": salt}):
        drawn = Figure(figsize=(11, 4.5), layout="constrained")
        panel = drawn.subplots()
        for colour, (label, points) in zip(itertools.cycle(COLOURS), own.items(), strict=False):
            _curve(panel, colour, label, points)
        baselines = [p.ours.baseline or 1.0 for points in own.values() for p in points if p.ours]
        panel.axhline(max(baselines, default=1.0), color=GREY, linewidth=0.8)
        panel.set_xscale("log", base=2)
        panel.set_ylim(-0.03, 1.25 * _top(own))  # intervals of two seeds go far beyond
        places = sorted({point.samples for points in own.values() for point in points})
        panel.set_xticks(places, [f"{place:,}" for place in places])
        panel.set_xlabel("training strings, and symbols")
        panel.set_ylabel("loss on unseen symbols")
        _legend(panel, own)
        return as_svg(drawn, f"loss on unseen symbols by number of samples; {figure}")


def _top(curves: Mapping[str, tuple[Point, ...]]) -> float:
    points = [point for own in curves.values() for point in own]
    ours = [point.ours.mean for point in points if point.ours]
    return max([1.0, *ours, *(point.published for point in points if point.published)])


def _curve(panel: Axes, colour: str, label: str, points: tuple[Point, ...]) -> None:
    found = [(point.samples, point.ours) for point in points if point.ours is not None]
    places, means = [place for place, _ in found], [ours.mean for _, ours in found]
    panel.plot(places, means, color=colour, label=label, **STYLES["ours"])
    for place, ours in found:
        if ends := spread(ours):
            panel.plot([place] * 2, ends, color=colour, alpha=0.35, linewidth=3)
    for name, values in _beside(points).items():
        panel.plot(*zip(*values, strict=True), color=colour, **STYLES[name])


def _beside(points: tuple[Point, ...]) -> dict[str, list[tuple[int, float]]]:
    """What is drawn besides ours, where there is any of it."""
    found = {
        "published": [(p.samples, p.published) for p in points if p.published is not None],
        "kernel theory": [(p.samples, p.predicted) for p in points if p.predicted is not None],
    }
    return {name: values for name, values in found.items() if values}


def _legend(panel: Axes, curves: Mapping[str, tuple[Point, ...]]) -> None:
    """Which colour is which curve; below, in grey, which line is ours, published or predicted."""
    names = ["ours", *dict.fromkeys(name for own in curves.values() for name in _beside(own))]
    drawn = [Line2D([], [], color=GREY, label=name, **STYLES[name]) for name in names]
    handles = [*panel.get_legend_handles_labels()[0], *drawn]
    panel.legend(
        handles=handles, frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0)
    )
