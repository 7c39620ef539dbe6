"""The parts of a page: badges, cards, tables. Each takes a value and gives its markup."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from foretell.core.measurement import Measurement, Value
from foretell.core.prediction import NotApplicable, Prediction, Standing
from foretell.core.question import SizeRange, Verdict
from foretell.core.scoreboard import Agreement, Row
from foretell.plain.errors import StoreProblem
from foretell.reports import phrases
from foretell.reports._markup import Markup, bullets, element, pairs, table, together
from foretell.reports.plots import length_curves

TONE: dict[str, str] = {
    Verdict.YES: "good",
    Verdict.NO: "bad",
    Verdict.UNDECIDED: "unsure",
    Agreement.AGREES: "good",
    Agreement.DISAGREES: "bad",
    Agreement.OPEN: "unsure",
    Standing.CHECKED: "good",
    Standing.ASSUMED: "unsure",
    Standing.VIOLATED: "bad",
}


def badge(value: Verdict | Agreement | Standing, *, large: bool = False) -> Markup:
    """A word with its sign and its colour: none of the three is needed to read the others."""
    sign = element("i", phrases.MARK[value], aria_hidden="true")
    size = " large" if large else ""
    return element("span", sign, value.value, class_=f"badge {TONE[value]}{size}")


def chip(text: str) -> Markup:
    """A quiet label."""
    return element("span", text, class_="chip")


def section(title: str, *children: str) -> Markup:
    """A titled part of a page."""
    return element("section", element("h2", title), *children)


def headline(row: Row) -> Markup:
    """Verdict and agreement, readable from across the room."""
    measured = (
        badge(row.measurement.verdict, large=True) if row.measurement else chip("not measured")
    )
    parts = [element("span", row.question.outcome.name, class_="outcome"), measured]
    if row.stated and row.measurement:
        agreement = row.agreement(row.stated[0])
        said = f"with the prediction: {phrases.predicted(row.stated[0])}"
        parts.append(element("span", badge(agreement), " ", said, class_="beside"))
    elif not row.stated:
        parts.append(element("span", phrases.no_prediction(row), class_="beside"))
    return element("div", *parts, class_="headline")


def stated(row: Row, prediction: Prediction) -> Markup:
    """What one theory says, and whether the measurement agrees."""
    by = f"{prediction.strength.label} · {prediction.predictor}"
    shown: list[str] = [badge(prediction.verdict), " "]
    if row.measurement:
        shown += [badge(row.agreement(prediction)), " "]
    return together([*shown, element("span", by, class_="quiet")])


def prediction_card(row: Row) -> Markup:
    """What the theories say, strongest first; those that do not apply, quietly."""
    parts: list[Markup] = []
    for item in row.stated:
        head = element("p", badge(item.verdict), chip(item.strength.label), chip(item.predictor))
        parts += [head, element("p", phrases.sentence(item.reason))]
        if item.bound:
            parts.append(element("p", "Bound: ", phrases.bound_sentence(item.bound)))
    for silent in row.predictions:
        if isinstance(silent, NotApplicable):
            said = f"{silent.predictor} does not apply: {silent.reason}"
            parts.append(element("p", said, class_="quiet"))
    if not parts:
        parts.append(element("p", "No theory was asked.", class_="quiet"))
    return element("article", element("h2", "Prediction"), *parts, class_="card")


def measurement_card(measurement: Measurement | None) -> Markup:
    """What training showed, in one number."""
    if measurement is None:
        return element(
            "article",
            element("h2", "Measurement"),
            element("p", "Not measured yet.", class_="quiet"),
            class_="card",
        )
    parts = [element("p", badge(measurement.verdict), chip(measurement.protocol))]
    parts.append(element("p", phrases.sentence(measurement.reason)))
    value = phrases.largest_value(measurement)
    if value:
        label = f"mean at sizes {value.sizes}, 95 % interval {phrases.interval(value.interval)}"
        number = element("span", phrases.score(value.mean), class_="figure-number")
        parts.append(element("p", number, element("span", label, class_="quiet"), class_="big"))
    return element("article", element("h2", "Measurement"), *parts, class_="card")


def figure(measurement: Measurement, predictions: Sequence[Prediction]) -> Markup:
    """The curves on a light card, which keeps them readable in the dark scheme too."""
    if not measurement.curves:
        return Markup("")
    drawn = Markup(length_curves(measurement, predictions))
    probes = len({curve.probe for curve in measurement.curves})
    frame = element("div", drawn, class_="plot wide" if probes > 1 else "plot")
    caption = (
        "Share of examples with every scored position right, by input size, about ten sizes to "
        "a point. Dashed vertical lines separate the tested ranges. Guessing: the best answer from "
        "the current token"
    )
    asked = any(len(value.looking_back) > 1 for value in measurement.values)
    told = "; looking back: from the last 2 to 32, whichever does best on this test."
    caption += told if asked else "."
    return element("figure", frame, element("figcaption", caption))


def values_table(measurement: Measurement) -> Markup:
    """One line for each probe and range."""
    heads = ("Probe", "Sizes", "Mean", "95 % interval", "Guessing", "Each seed")
    told = phrases.how_to_print(measurement)
    rows = [
        (
            element("span", value.probe, class_="nowrap"),
            element("span", _sizes(measurement, value.sizes), class_="nowrap"),
            element("strong", told(value.mean)),
            phrases.interval(value.interval, told),
            told(value.baseline),
            element("span", phrases.seed_scores(value.seeds, told), class_="nowrap"),
        )
        for value in measurement.values
    ]
    return table(heads, rows, numeric=(2, 3, 4))


def values_grid(measurement: Measurement) -> Markup:
    """The same in little room."""
    told = phrases.how_to_print(measurement)

    def cell(value: Value) -> str:
        seeds = phrases.seed_scores(value.seeds, told)
        guess = "" if value.baseline is None else f" ~{told(value.baseline, 2)}"
        return f"{told(value.mean)}\n{phrases.interval(value.interval, told)}\n{seeds}{guess}"

    return grid(measurement, cell)


def grid(measurement: Measurement, cell: Callable[[Value], str]) -> Markup:
    """A line a probe, a column a range; a cell's first line is bold, what follows quiet."""
    ranges = sorted({value.sizes for value in measurement.values})
    cells: dict[str, dict[SizeRange, str]] = {}
    for value in measurement.values:
        cells.setdefault(value.probe, {})[value.sizes] = cell(value)
    heads = ("Probe", *(_sizes(measurement, sizes) for sizes in ranges))
    rows = [(probe, *(own.get(sizes, "–") for sizes in ranges)) for probe, own in cells.items()]
    return element("div", table(heads, rows), class_="dense grid")


def _sizes(measurement: Measurement, sizes: SizeRange) -> Markup:
    seen = [" ", chip("seen")] if phrases.is_seen(measurement.question, sizes) else []
    return together([str(sizes), *seen])


def evidence(prediction: Prediction) -> Markup:
    """Assumptions, certificate and sources of one prediction."""
    assumed = [(badge(item.standing), item.text) for item in prediction.assumptions]
    certificate: list[Markup] = [
        element("p", phrases.sentence(phrases.certificate_sentence(prediction)))
    ]
    if prediction.certificate is not None:
        text = json.dumps(prediction.certificate.as_json(), indent=1, ensure_ascii=False)
        shown = element("pre", text)
        certificate.append(element("details", element("summary", "the certificate"), shown))
    return together(
        [
            section(
                f"Assumptions of {prediction.predictor}",
                table(("Standing", "Assumption"), assumed)
                if assumed
                else element("p", "None.", class_="quiet"),
            ),
            section("Certificate", *certificate),
            section("Sources", bullets(prediction.sources)),
        ]
    )


def provenance(measurement: Measurement) -> Markup:
    """What stood behind the numbers."""
    items = (*phrases.provenance_items(measurement), ("question", measurement.question.hash))
    return section("Provenance", pairs(items))


def problems_list(problems: Sequence[StoreProblem]) -> Markup:
    """Runs that could not be read, by name."""
    lines = []
    for item in problems:
        why = f" ({item.why})" if item.why else ""
        lines.append(together([element("code", str(item.seen)), f": {item.what}{why}"]))
    return bullets(lines)
