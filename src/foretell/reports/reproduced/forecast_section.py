"""The section of a page whose rows were drawn to test a forecast."""

from __future__ import annotations

from collections.abc import Sequence

from foretell.core.question import Verdict
from foretell.core.scoreboard import Agreement
from foretell.numerics.intervals import wilson
from foretell.reports import _sections as parts
from foretell.reports._markup import Markup, bullets, element, table, together
from foretell.reports.reproduced.forecasts import (
    IN_DA,
    READINGS,
    RULE,
    TYPICAL,
    WORST,
    Judged,
    Tally,
    judged,
    tallies,
)
from foretell.reports.reproduced.line import FORECAST
from foretell.reports.reproduced.summary import links
from foretell.reports.reproduced.table import Comparison

NOTE = (
    "Shown: by the protocol's rule, on the ranges up to this one. Typical and worst: a row counts "
    "as a yes if its best run reaches the bar at this range, or if every run does on every kind of "
    "word; one that did not fit counts as a no. Rates are over rows that came out one way or the "
    "other, with Wilson's 95 % interval."
)


def forecast_section(whole: Comparison) -> list[Markup]:
    """Forecast against measured, beside the plain theory; nothing where none is tested."""
    forecast = whole.reproduction.forecast
    found = judged(whole.lines, forecast) if forecast else ()
    if forecast is None or not any(each.shown for each in found):
        return []
    told = (
        element("h3", "Foretold and shown"),
        _counted(found, forecast),
        element("h3", "How often each forecast is right, where a program exists"),
        _rates(tallies(found)),
        element("p", NOTE, class_="quiet"),
        element("h3", "Rows where it was wrong"),
        _misses(found, forecast),
    )
    return [parts.section(f"The forecast {forecast}, put to the test", *told)]


def _counted(found: Sequence[Judged], forecast: str) -> Markup:
    """Group by group: forecast by measured."""
    gathered: dict[tuple[str, str, str], list[Judged]] = {}
    order = {verdict: place for place, verdict in enumerate(Verdict)}
    for each in sorted(found, key=lambda one: (one.sizes, order[one.said[forecast]])):
        said = each.said[forecast].value
        if each.shown:
            place = (f"to {each.sizes.high}", each.line.line.heading, said)
            gathered.setdefault(place, []).append(each)
    heads = ["Asked", "Group", "Foretold", "Rows", "Shown: yes", "no", "undecided"]
    heads += ["Typical: yes", "Worst: yes"]
    rows = [
        (
            *place,
            str(len(rows)),
            *(str(_count(rows, RULE, verdict)) for verdict in Verdict),
            str(_count(rows, TYPICAL, Verdict.YES)),
            str(_count(rows, WORST, Verdict.YES)),
        )
        for place, rows in gathered.items()
    ]
    return table(heads, rows, numeric=range(3, len(heads)))


def _count(rows: Sequence[Judged], reading: str, verdict: Verdict) -> int:
    return sum(each.shown[reading] is verdict for each in rows)


def _rates(found: Sequence[Tally]) -> Markup:
    """The plain theory says yes to all of these rows; the others say no to some."""
    names = {FORECAST: f"{FORECAST}: a program exists, so yes", IN_DA: "in DA: yes, otherwise no"}
    rows: list[Sequence[str]] = []
    heading = None
    for each in found:
        if not each.program:
            continue
        judged_by = f"Asked to {each.sizes.high}, {READINGS[each.reading]}"
        if judged_by != heading:
            heading = judged_by
            rows.append((element("strong", heading),))
        shares = (
            rate(sum(each.right.values()), sum(each.wrong.values())),
            *(rate(each.right[said], each.wrong[said]) for said in (Verdict.YES, Verdict.NO)),
        )
        cells = [element("span", share, class_="nowrap") for share in shares]
        rows.append((names.get(each.way, each.way), *cells))
    return table(("Forecast", "Right", "Its yes is right", "Its no is right"), rows)


def rate(right: int, wrong: int) -> str:
    """How many of how many, in percent with its interval.

    >>> rate(9, 1), rate(0, 0)
    ('9 of 10: 90 % (60 to 98)', '–')
    """
    tried = right + wrong
    if not tried:
        return "–"
    low, high = (round(100 * end) for end in wilson(right, tried))
    return f"{right} of {tried}: {100 * right / tried:.0f} % ({low} to {high})"


def _misses(found: Sequence[Judged], forecast: str) -> Markup:
    """By range and reading, with links to the evidence."""
    items = []
    for sizes in sorted({each.sizes for each in found}):
        for reading, words in READINGS.items():
            wrong = [
                each.line
                for each in found
                if each.sizes == sizes and each.agreement(forecast, reading) is Agreement.DISAGREES
            ]
            shown = links(wrong) if wrong else "none"
            items.append(together([f"To {sizes.high}, {words}: ", shown]))
    return bullets(items)
