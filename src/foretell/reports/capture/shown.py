"""Samples against size on the terminal and as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from foretell.core.measurement import Value
from foretell.plain.wording import counted
from foretell.reports import _sections as parts
from foretell.reports._markup import Markup, element, table
from foretell.reports.capture.curves import OURS, CaptureCurve, CaptureCurves, in_some_way
from foretell.reports.capture.looks import CAPTION as LOOKS_CAPTION
from foretell.reports.capture.looks import HEADS as LOOKS_HEADS
from foretell.reports.capture.looks import (
    has_looks,
    looks_figure,
    looks_rows,
    looks_sentences,
)
from foretell.reports.capture.plots import WAYS, curves_figure
from foretell.reports.capture.scaling import scaling_sentences
from foretell.reports.capture.theory import theory_section
from foretell.reports.columns import print_columns
from foretell.reports.html import masthead, page
from foretell.reports.phrases import number
from foretell.training.capture_plan import STEP_BY_STEP

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
BEHIND: tuple[str, ...] = ("Curve, inputs", "Task", "Shape", "Threshold, adapting")
BEHIND += ("Rate, adapting", "Batch, adapting", "Device", "Commit")
CAPTION = (
    "Samples that a model needs until the threshold at a size, against that size, both in "
    "logarithms. Solid with dots: from the weights that the small sizes gave, mean over seeds "
    "with its 95 % interval. Dashed: step by step, all steps up to a size added up. Dotted: the "
    "control, from scratch. Thin: the better of the two fits to samples from the start. An upward "
    "triangle: some run was given up there, so the mean is too low. Grey: samples after which a "
    "run is given up, at each size. The exponent of step by step is that of a single step, for "
    "each doubling of the size: if it is 0, all steps together grow as a logarithm. In the table, "
    "as it is: share right before adapting; one answer: share right by always giving the "
    "commonest answers of that size."
)

SOME_WAY = (
    "The definition of capture asks for some way to adapt. Yes: one of those tried says yes. No: "
    "all of them say no. Undecided: anything else, also where a way was not tried."
)


def show(console: Console, whole: CaptureCurves) -> None:
    """A table for each group, the fits, and what they say."""
    console.print(Text(whole.reproduction.title, style="bold"))
    if whole.ways():
        print_columns(console, _ways_heads(whole), _ways(whole))
    for group, own in whole.groups().items():
        console.print(Text(group, style="bold"))
        if rows := _rows(own):
            print_columns(console, HEADS, rows)
        print_columns(console, FIT_HEADS, _fits(own))
        if has_looks(own):
            print_columns(console, LOOKS_HEADS, looks_rows(own))
    for sentence in findings(whole):
        console.print(Text(sentence, style="dim"))


def _ways_heads(whole: CaptureCurves) -> tuple[str, ...]:
    """What models adapt on, and all of it together."""
    names = dict.fromkeys(curve.name for own in whole.ways().values() for curve in own)
    return ("captured", *names, "in some way")


def _ways(whole: CaptureCurves) -> list[tuple[str, ...]]:
    """A row for each question that was answered in several ways."""
    rows, names = [], _ways_heads(whole)[1:-1]
    for group, own in whole.ways().items():
        said = {curve.name: _verdict(curve) for curve in own}
        rows.append((group, *(said.get(name, "") for name in names), in_some_way(own).value))
    return rows


def _verdict(curve: CaptureCurve) -> str:
    return curve.measured.verdict.value if curve.measured else "not trained yet"


def _rows(curves: Sequence[CaptureCurve]) -> list[tuple[str, ...]]:
    return [
        (curve.name, f"{size:,}", *_cells(curve, size))
        for curve in curves
        if curve.measured
        for size in curve.outcome.adapted
        if any(_at(curve.samples(arm), size) for arm in WAYS)  # others were left out
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
        verdict = _verdict(curve)
        fits = {arm: fit for arm in WAYS if (fit := curve.fit(arm))}
        for place, (arm, fit) in enumerate(fits.items()):
            exponent, ends = _rounded(fit["exponent"]), ", ".join(map(_rounded, fit["interval"]))
            ends, tried = f"[{ends}]", fit["runs"]["seeds"] * fit["runs"]["sizes"]
            aics = fit["power"]["aic"], fit["logarithm"]["aic"]
            rows.append(
                (
                    curve.name,
                    f"{arm}, a doubling" if arm == STEP_BY_STEP else arm,
                    *(("–", "–") if fit["runs"]["above"] == tried else (exponent, ends)),
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
        if measured and group not in whole.ways():  # else a table has it
            kinds = [found.verdict.value for found in measured]
            said = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
            told.append(f"{group}, captured: {said}, of {counted(len(kinds), 'curve')}")
        told += _said(own)
    return [*told, *_about(whole)]


def _said(own: Sequence[CaptureCurve]) -> list[str]:
    """Of the curves of a group."""
    told = []
    for curve in own:
        if curve.measured:
            told.append(f"{curve.line.label}: {curve.measured.reason}")
            told += [f"{curve.line.label}, {_lost(run)}" for run in curve.lost]
    return told + scaling_sentences(own)


def _about(whole: CaptureCurves) -> list[str]:
    missing = sum(curve.measured is None for curve in whole.curves)
    return [*([f"not trained yet: {counted(missing, 'curve')}"] if missing else []), OURS]


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
    if whole.ways():
        heads = [head.capitalize() for head in _ways_heads(whole)]
        summary = table(heads, _ways(whole)), element("p", SOME_WAY, class_="quiet")
        content.append(parts.section("Captured?", *summary))
    content.append(element("p", "; ".join(_about(whole)), class_="quiet"))
    drawn = 0
    for group, own in whole.groups().items():
        figure: tuple[Markup, ...] = ()
        if any(len(curve.samples(arm)) > 1 for curve in own for arm in WAYS):
            frame = element("div", Markup(curves_figure(whole, group, own)), class_="plot wide")
            caption = () if drawn else (element("figcaption", CAPTION),)  # all are read alike
            figure, drawn = (element("figure", frame, *caption, class_="broad"),), drawn + 1
        told = (element("p", each) for each in _said(own))
        content.append(parts.section(group.capitalize(), *figure, *told, *_tables(own)))
        if has_looks(own):
            content.append(_looks_section(group, own))
    content.append(theory_section(whole))
    rules = {curve.measured.rule for curve in whole.curves if curve.measured}
    told = (element("p", rule) for rule in sorted(rules))
    content.append(parts.section("The rule", *told))
    return page(title, content)


def _tables(own: Sequence[CaptureCurve]) -> list[Markup]:
    """Samples, fits, and what is behind them."""
    heads = [head.capitalize() for head in HEADS]
    fit_heads = [head[:1].upper() + head[1:] for head in FIT_HEADS]
    samples = _unbroken(_rows(own))
    return [
        *([table(heads, samples, numeric=range(1, 7))] if samples else []),
        table(fit_heads, _unbroken(_fits(own)), numeric=range(2, 5)),
        *_behind(own),
    ]


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
    """Settings and machine of every curve that was measured."""
    rows = []
    for curve in curves:
        if curve.measured is None:
            continue
        known, plan = curve.measured.provenance, curve.line.asked.plan.as_json()
        asked = curve.line.asked.question
        rates = f"{plan['learning_rate']:g}, {plan['adapting_rate']:g}"
        batches = f"{plan['batch']}, {plan['adapting_batch']}"
        bars = f"{plan.get('first_threshold', plan['threshold']):g}, {plan['threshold']:g}"
        inputs = curve.line.asked.protocol.way
        name = curve.name if curve.name == inputs else f"{curve.name}, {inputs}"
        told = [_whole(name), asked.task.name, asked.architecture.label, bars]
        rows.append([*told, rates, batches, str(known["device"]), str(known.get("commit"))])
    return [table(BEHIND, rows, numeric=range(3, 6))] if rows else []


def _unbroken(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The same with names that stay on one line."""
    return [(_whole(row[0]), *row[1:]) for row in rows]


def _whole(name: str) -> Markup:
    return element("span", name, class_="nowrap")
