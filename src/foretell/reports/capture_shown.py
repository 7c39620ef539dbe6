"""Samples against size on the terminal and as a page."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rich.console import Console
from rich.text import Text

from foretell.core.measurement import Value
from foretell.plain.wording import counted
from foretell.reports import _sections as parts
from foretell.reports._markup import Markup, element, table
from foretell.reports.capture_curves import OURS, CaptureCurve, CaptureCurves
from foretell.reports.capture_looks import CAPTION as LOOKS_CAPTION
from foretell.reports.capture_looks import HEADS as LOOKS_HEADS
from foretell.reports.capture_looks import (
    has_looks,
    looks_figure,
    looks_rows,
    looks_sentences,
)
from foretell.reports.capture_scaling import scaling_sentences
from foretell.reports.capture_theory import theory_section
from foretell.reports.columns import print_columns
from foretell.reports.html import masthead, page
from foretell.reports.phrases import number
from foretell.reports.plots import COLOURS, GREY, STYLE, as_svg
from foretell.training.capture_plan import FROM_SCRATCH, FROM_START, STEP_BY_STEP

HEADS: tuple[str, ...] = (
    "curve",
    "size",
    "from the start",
    "step by step",
    "from scratch",
    "as it is",
)
HEADS += ("one answer",)
FIT_HEADS = ("curve", "arm", "exponent", "95 %", "AIC, power − logarithm", "grows as", "captured")
BEHIND = ("Task", "Shape", "Threshold", "Rate, adapting", "Batch, adapting", "Device", "Commit")
WAYS = {FROM_START: "-", STEP_BY_STEP: "--", FROM_SCRATCH: ":"}  # how each is drawn
CAPTION = (
    "Samples of one size that a model needs until the threshold, against that size, both in "
    "logarithms. Solid with dots: from the weights that the small sizes gave, mean over seeds with "
    "its 95 % interval. Dashed: step by step, all steps up to a size added up. Dotted: the "
    "control, from scratch. Thin: the better of the two fits. An upward triangle: some run was "
    "given up there, so the mean is too low. Grey: samples after which a run is given up. In the "
    "table, as it is: share right before adapting; one answer: share right by always giving the "
    "commonest answer of that size."
)


def show(console: Console, whole: CaptureCurves) -> None:
    """A table for each group, the fits, and what they say."""
    console.print(Text(whole.reproduction.title, style="bold"))
    for group, own in whole.groups().items():
        console.print(Text(group, style="bold"))
        print_columns(console, HEADS, _rows(own))
        print_columns(console, FIT_HEADS, _fits(own))
        if has_looks(own):
            print_columns(console, LOOKS_HEADS, looks_rows(own))
    for sentence in findings(whole):
        console.print(Text(sentence, style="dim"))


def _rows(curves: Sequence[CaptureCurve]) -> list[tuple[str, ...]]:
    return [
        (curve.name, f"{size:,}", *_cells(curve, size))
        for curve in curves
        if curve.measured
        for size in curve.outcome.adapted
    ]


def _cells(curve: CaptureCurve, size: int) -> tuple[str, ...]:
    found = []
    for arm in WAYS:
        value = _at(curve.samples(arm), size)
        given_up = curve.missed(arm).get(size)
        mark = f" ({given_up} given up)" if given_up else ""
        found.append("–" if value is None else f"{value.mean:,.0f}{mark}")
    as_it_is = _at(curve.unadapted, size)
    if as_it_is is None:
        return (*found, "–", "–")
    constant = "–" if as_it_is.baseline is None else number(as_it_is.baseline, 2)
    return (*found, number(as_it_is.mean, 2), constant)


def _at(values: Sequence[Value], size: int) -> Value | None:
    """What was measured at a size, if anything."""
    return next((value for value in values if value.sizes.high == size), None)


def _fits(curves: Sequence[CaptureCurve]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for curve in curves:
        verdict = curve.measured.verdict.value if curve.measured else "not trained yet"
        fits = {arm: fit for arm in WAYS if (fit := curve.fit(arm))}
        for place, (arm, fit) in enumerate(fits.items()):
            low, high = fit["interval"]
            aics = fit["power"]["aic"], fit["logarithm"]["aic"]
            rows.append(
                (
                    curve.name,
                    arm,
                    _rounded(fit["exponent"]),
                    f"[{_rounded(low)}, {_rounded(high)}]",
                    _rounded(None if None in aics else aics[0] - aics[1]),
                    fit["grows_as"],
                    "" if place else verdict,
                )
            )
        if not fits:
            rows.append((curve.name, *["–"] * 5, verdict))
    return rows


def _rounded(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def findings(whole: CaptureCurves) -> list[str]:
    """What the curves say, in sentences that could have come out otherwise."""
    told = []
    for group, own in whole.groups().items():
        measured = [curve.measured for curve in own if curve.measured]
        if measured:
            kinds = [found.verdict.value for found in measured]
            said = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
            told.append(f"{group}, captured: {said}, of {counted(len(kinds), 'curve')}")
        for curve in own:
            if curve.measured:
                told.append(f"{curve.line.label}: {curve.measured.reason}")
                told += [f"{curve.line.label}, {_lost(run)}" for run in curve.lost]
        told += scaling_sentences(own)
    missing = sum(curve.measured is None for curve in whole.curves)
    if missing:
        told.append(f"not trained yet: {counted(missing, 'curve')}")
    return [*told, OURS]


def _lost(run: Mapping[str, Any]) -> str:
    """Which symbols a run that was given up no longer finds."""
    names = ", ".join(f"{name} ({share:.2f})" for name, share in run["lost"].items())
    return (
        f"{run['arm']} at {run['size']:,}, seed {run['seed']}: given up at {run['share']:.2f} with "
        f"{names} right less than half of the time, the other symbols in {run['others']:.2f}"
    )


def capture_page(whole: CaptureCurves) -> str:
    """One self-contained document."""
    title = whole.reproduction.title
    content = [
        masthead(
            "foretell reproduce", title, f"{whole.reproduction.source} · budget {whole.budget}"
        )
    ]
    told = (element("p", each) for each in findings(whole))
    content.append(parts.section("What came out", *told))
    for group, own in whole.groups().items():
        frame = element("div", Markup(curves_figure(whole, group, own)), class_="plot wide")
        content.append(
            parts.section(
                group.capitalize(),
                element("figure", frame, element("figcaption", CAPTION), class_="broad"),
                table(
                    [head.capitalize() for head in HEADS],
                    _unbroken(_rows(own)),
                    numeric=range(1, 7),
                ),
                table(
                    [head[:1].upper() + head[1:] for head in FIT_HEADS],
                    _unbroken(_fits(own)),
                    numeric=range(2, 5),
                ),
                *_behind(own),
            )
        )
        if has_looks(own):
            content.append(_looks_section(group, own))
    content.append(theory_section(whole.curves))
    return page(title, content)


def _looks_section(group: str, own: Sequence[CaptureCurve]) -> Markup:
    frame = element("div", Markup(looks_figure(own, group)), class_="plot wide")
    told = (element("p", each) for each in looks_sentences(own))
    return parts.section(
        "Attention against size",
        element("figure", frame, element("figcaption", LOOKS_CAPTION), class_="broad"),
        *told,
        table([head.capitalize() for head in LOOKS_HEADS], looks_rows(own), numeric=range(1, 8)),
    )


def _behind(curves: Sequence[CaptureCurve]) -> list[Markup]:
    """Settings and machine of every curve that was measured, and the rule."""
    rows = []
    for curve in curves:
        if curve.measured is None:
            continue
        known, plan = curve.measured.provenance, curve.line.asked.plan.as_json()
        asked = curve.line.asked.question
        rates = f"{plan['learning_rate']:g}, {plan['adapting_rate']:g}"
        batches = f"{plan['batch']}, {plan['adapting_batch']}"
        told = [asked.task.name, asked.architecture.label, f"{plan['threshold']:g}"]
        rows.append([*told, rates, batches, str(known["device"]), str(known.get("commit"))])
    found = [table(BEHIND, rows, numeric=range(2, 5))] if rows else []
    rules = {curve.measured.rule for curve in curves if curve.measured}
    return [*found, *(element("p", "Rule: ", rule, class_="quiet") for rule in sorted(rules))]


def curves_figure(whole: CaptureCurves, group: str, own: Sequence[CaptureCurve]) -> str:
    """Samples by size, a colour a curve."""
    salt = f"{group} {whole.reproduction.title} {whole.budget}"
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": salt}):
        drawn = Figure(figsize=(11, 4.5), layout="constrained")
        panel = drawn.subplots()
        for colour, curve in zip(itertools.cycle(COLOURS), own, strict=False):
            _draw(panel, colour, curve)
        for cap in sorted({curve.cap for curve in own}):
            panel.axhline(cap, color=GREY, linewidth=0.8)
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        means = [value.mean for curve in own for arm in WAYS for value in curve.samples(arm)]
        if means and min(means) > 0:  # an interval down to nothing would flatten all curves
            panel.set_ylim(bottom=min(means) / 3)
        places = sorted({size for curve in own for size in curve.outcome.adapted})
        panel.set_xticks(places, _apart(places))
        panel.set_xlabel("size")
        panel.set_ylabel("samples to adapt")
        if panel.get_legend_handles_labels()[0]:
            panel.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return as_svg(drawn, f"samples needed to adapt, by size; {group}")


def _apart(places: Sequence[int]) -> list[str]:
    """What to write at each place; nothing where the next one is too near.

    >>> _apart([16, 64, 1_024, 3_072, 4_096])
    ['16', '64', '1,024', '', '4,096']
    """
    least = (places[-1] / places[0]) ** (1 / 16)
    near = [after < least * place for place, after in itertools.pairwise(places)]
    said = zip(places, [*near, False], strict=True)
    return ["" if close else f"{place:,}" for place, close in said]


def _unbroken(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The same with names that stay on one line."""
    return [(row[0].replace("-", "\N{NON-BREAKING HYPHEN}"), *row[1:]) for row in rows]


def _draw(panel: Axes, colour: str, curve: CaptureCurve) -> None:
    """Both ways of adapting, and the fit of the first. No sample is drawn as one."""
    for arm, style in WAYS.items():
        values = curve.samples(arm)
        if not values:
            continue
        sizes = [value.sizes.high for value in values]
        means = [max(value.mean, 1.0) for value in values]
        first = arm == FROM_START
        panel.plot(
            sizes,
            means,
            style,
            color=colour,
            marker="o" if first else None,
            markersize=4,
            label=curve.name if arm == next(filter(curve.samples, WAYS)) else None,
        )
        for size, value, mean in zip(sizes, values, means, strict=True):
            if curve.missed(arm)[size]:
                panel.plot([size], [mean], marker="^", markersize=8, color=colour)
            low, high = value.interval.low, value.interval.high
            if first and math.isfinite(high):
                panel.plot([size] * 2, [max(low, 1.0), high], color=colour, alpha=0.3, linewidth=3)
    run = [value.sizes.high for value in curve.samples()]
    tried = sum(len(value.seeds) for value in curve.samples())
    if 2 * sum(curve.missed(FROM_START).values()) >= tried:
        return  # a curve through runs that were mostly given up says nothing
    grid = np.geomspace(run[0], run[-1], 50)
    fitted = [curve.fitted(FROM_START, float(size)) or 0.0 for size in grid]
    if min(fitted) > 0:
        panel.plot(grid, fitted, color=colour, linewidth=0.7)
