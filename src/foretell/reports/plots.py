"""Figures as SVG text: deterministic, text kept as text, colours safe for the colour-blind."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from html import escape
from typing import Any

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from foretell.core.measurement import Measurement, Value
from foretell.core.prediction import Prediction
from foretell.numerics.intervals import over_seeds
from foretell.reports import phrases
from foretell.reports.bins import Bins, bins_of, counted_seeds, joined
from foretell.reports.drawn_small import drawn_small

# From the palette of Okabe and Ito, which the colour-blind can tell apart.
MEAN, LEFT_OUT, TRAINED, GREY = "#0072B2", "#D55E00", "#E69F00", "#6b6b6b"
TABLE = "#009E73"
INK = "#222222"
COLOURS = (MEAN, LEFT_OUT, "#009E73", "#CC79A7", TRAINED, "#56B4E9", GREY, "#7A4A21")
SAID = 60  # letters of predictions in one line of a heading
FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 10.5,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": "#555555",
    "xtick.color": INK,
    "ytick.color": INK,
}
SERIES = (
    "mean",
    "95 % interval",
    "one seed",
    "seed not fitted, left out",
    "guessing",
    "trained on",
    "bar",
    "looking back",
)


def length_curves(measurement: Measurement, predictions: Sequence[Prediction] = ()) -> str:
    """Share of right answers by size: thin lines seeds, thick line their mean with its interval."""
    probes = list(dict.fromkeys(curve.probe for curve in measurement.curves)) or ["typical"]
    with matplotlib.rc_context():
        matplotlib.rcParams.update(STYLE)
        # The salt makes ids repeatable, and keeps those of two figures on one page apart.
        matplotlib.rcParams["svg.hashsalt"] = measurement.question.hash
        columns = len(probes) if len(probes) < 4 else 2
        rows = -(-len(probes) // columns)
        inches = (7.6, 3.9) if len(probes) == 1 else (10.5 if columns == 3 else 9, 3.0 * rows + 1)
        figure = Figure(figsize=inches, layout="constrained")
        grid = figure.subplots(rows, columns, sharey=True, squeeze=False)
        panels = list(grid.flat)[: len(probes)]
        for panel, probe in zip(panels, probes, strict=True):
            _draw_panel(panel, measurement, probe, titled=len(probes) > 1)
        for panel in list(grid.flat)[len(probes) :]:
            panel.set_visible(False)
        figure.supylabel("share of examples all right", fontsize=10.5)
        heading = _heading(measurement, predictions)
        figure.suptitle(heading, x=0.01, ha="left", fontsize=11.5, parse_math=False)
        _draw_legend(figure, panels)
        return as_svg(figure, heading)


def _draw_panel(panel: Axes, measurement: Measurement, probe: str, *, titled: bool) -> None:
    pieces = bins_of(measurement, probe)
    counted = counted_seeds(measurement, probe)
    values = [value for value in measurement.values if value.probe == probe]
    _draw_ranges(panel, measurement, values)
    for seed in sorted({curve.seed for curve in measurement.curves if curve.probe == probe}):
        _draw_seed(panel, pieces, seed, counted=seed in counted)
    _draw_mean(panel, pieces, counted)
    if measurement.bar is not None:
        panel.axhline(measurement.bar, color=INK, linewidth=0.9, linestyle=":", label=SERIES[6])
    panel.set_ylim(-0.03, 1.05)
    panel.set_yticks([0, 0.25, 0.5, 0.75, 1.0])
    panel.set_xlabel("input size")
    panel.margins(x=0.02)
    panel.grid(axis="y", color="#e3e3e3", linewidth=0.8)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)
    if titled:
        panel.set_title(probe, loc="left", fontsize=10, parse_math=False)


def _draw_legend(figure: Figure, panels: Sequence[Axes]) -> None:
    """One legend for all panels, since a series may be missing from some of them."""
    found: dict[str, Artist] = {}
    for panel in panels:
        handles, labels = panel.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    names = [name for name in SERIES if name in found]
    room = {1: 5, 2: 5, 3: 7}.get(len(panels), 6)
    columns = len(names) if len(names) <= room else 4
    handles = [found[name] for name in names]
    figure.legend(handles, names, loc="outside lower left", ncols=columns, frameon=False)


def _draw_ranges(panel: Axes, measurement: Measurement, values: Sequence[Value]) -> None:
    for place, value in enumerate(sorted(values, key=lambda value: value.sizes)):
        low, high = value.sizes.low - 0.5, value.sizes.high + 0.5
        if phrases.is_seen(measurement.question, value.sizes):
            panel.axvspan(low, high, color=TRAINED, alpha=0.13, linewidth=0, label=SERIES[5])
        if place:
            panel.axvline(low, color="#9a9a9a", linewidth=0.8, linestyle=(0, (2, 2)))
        if value.baseline is not None:
            label = SERIES[4] if place == 0 else "_again"
            panel.plot([low, high], [value.baseline] * 2, color=GREY, linestyle="--", label=label)
        if place and len(value.looking_back) > 1:  # the first range is what tables are made of
            best = [max(value.looking_back)] * 2
            panel.plot([low, high], best, color=TABLE, linestyle=":", label=SERIES[7])


def _draw_seed(panel: Axes, pieces: Sequence[Bins], seed: int, *, counted: bool) -> None:
    places, shares = joined(pieces, [piece.shares(seed) for piece in pieces])
    panel.plot(
        places,
        shares,
        color=MEAN if counted else LEFT_OUT,
        alpha=0.45 if counted else 0.8,
        linewidth=0.9,
        linestyle="-" if counted else ":",
        label=SERIES[2] if counted else SERIES[3],
    )


def _draw_mean(panel: Axes, pieces: Sequence[Bins], counted: set[int]) -> None:
    found = [
        [_over_counted(piece, place, counted) for place in range(len(piece.places))]
        for piece in pieces
    ]
    means, lows, highs = ([[one[part] for one in piece] for piece in found] for part in range(3))
    places, mean = joined(pieces, means)
    if len(counted) > 1:  # the interval of one seed is [0, 1] and would only paint the panel
        low, high = joined(pieces, lows)[1], joined(pieces, highs)[1]
        panel.fill_between(places, low, high, color=MEAN, alpha=0.18, linewidth=0, label=SERIES[1])
    panel.plot(places, mean, color=MEAN, linewidth=2.4, marker="o", markersize=3.5, label=SERIES[0])


def _over_counted(piece: Bins, place: int, counted: set[int]) -> tuple[float, float, float]:
    cells = [own[place] for seed, own in piece.counts.items() if seed in counted and own[place][1]]
    tried = sum(cell[1] for cell in cells) // max(1, len(cells))
    return over_seeds([right / count for right, count in cells], tried)


def _heading(measurement: Measurement, predictions: Sequence[Prediction]) -> str:
    question = measurement.question
    said = [f"{phrases.predicted(item)} ({item.predictor})" for item in predictions]
    second = "\n" if len("".join(said)) > SAID else " "  # a line has no more room than that
    name = question.task.name
    short = name if len(name) <= 40 else name[:39] + "…"
    predicted = f";{second}".join(said) or phrases.NO_THEORY
    return (
        f"{short} · {question.architecture.label}\n"
        f"measured: {measurement.verdict.value}  ·  predicted: {predicted}"
    )


def as_svg(figure: Figure, heading: str) -> str:
    """A figure as text that can stand in a page; the heading is read aloud in its place."""
    return drawn_small(_clean(_render(figure), heading))


def _render(figure: Figure) -> str:
    stream = io.StringIO()
    empty = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    FigureCanvasSVG(figure).print_svg(stream, metadata=empty)
    return stream.getvalue()


def _clean(svg: str, heading: str) -> str:
    """Ready to stand inside a page: no prologue, no group ids to collide, sized by its frame."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = svg.replace("'DejaVu Sans'", FONTS)
    spoken = escape(heading.replace("\n", ", "), quote=True)
    return re.sub(
        r'<svg (.*?)width="([\d.]+)pt" height="[\d.]+pt"(.*?)>',
        lambda found: f'<svg role="img" aria-label="{spoken}" {found[1].strip()}{found[3]}>',
        svg,
        count=1,
        flags=re.DOTALL,
    )
