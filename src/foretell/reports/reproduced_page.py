"""The page of a reproduction: what came out, the figure, the table, and every line's evidence."""

from __future__ import annotations

from collections.abc import Sequence

from foretell.core.measurement import Interval, Measurement, Value
from foretell.reports import _sections as parts
from foretell.reports import phrases
from foretell.reports._markup import Markup, bullets, element, pairs, table, together
from foretell.reports.html import masthead, page
from foretell.reports.reproduced import Comparison, percent
from foretell.reports.reproduced_figure import MOST_PANELS, reproduction_figure
from foretell.reports.reproduced_forecasts import forecast_section
from foretell.reports.reproduced_line import Compared
from foretell.reports.reproduced_probes import probes_section
from foretell.reports.reproduced_strips import strips_figure
from foretell.reports.reproduced_summary import against, anchor, links, summary
from foretell.reports.small_curves import small_curves
from foretell.theory._existence import FRAGMENT


def reproduction_page(whole: Comparison) -> str:
    """One self-contained document."""
    title, apart = whole.reproduction.title, probes_section(whole)
    under = f"{whole.reproduction.source} · budget {whole.budget}"
    content = [
        masthead("foretell reproduce", title, under),
        summary(whole),
        *forecast_section(whole),
        # Few tasks in many ways are a table: as dots, their headings would run into each other.
        *((whole.has_published or not apart) * [_figure(whole)]),
        *apart,
        parts.section("Every row", _table(whole), _table_notes()),
        parts.section("Behind each row", *(_details(line) for line in whole.lines)),
    ]
    return page(title, content)


def _figure(whole: Comparison) -> Markup:
    tasks = len({line.line.label for line in whole.lines})
    if tasks > MOST_PANELS or not whole.has_published:
        return _strips(whole)
    caption = (
        "Exact match in percent: the share of examples with every scored position right, by range "
        "of input sizes; the shaded range was trained on. Ours is the mean over the runs that fit "
        "the training range, the bar its 95 % interval over seeds (none for a single run). "
        "An encoding without filled marks was not run yet."
    )
    frame = element("div", Markup(reproduction_figure(whole)), class_="plot wide")
    return element("figure", frame, element("figcaption", caption), class_="broad")


def _strips(whole: Comparison) -> Markup:
    """A dot a task, where a panel each would be too many."""
    if not any(line.measured for line in whole.lines):
        return element("p", "Nothing was run yet, so there is nothing to draw.", class_="quiet")
    caption = (
        "Exact match at longer sizes: a dot for each task, the mean over the runs that count, from "
        "the worst to the best of its group; over each group, how many reach the bar. Colour and "
        "shape tell what C-RASP says for that encoding."
    )
    frame = element("div", Markup(strips_figure(whole)), class_="plot wide")
    return element("figure", frame, element("figcaption", caption), class_="broad")


def _table(whole: Comparison) -> Markup:
    ranges = ["trained", *map(str, whole.lines[0].ranges[1:])]
    published = any(line.line.published for line in whole.lines)
    heads: list[str] = ["Row", *(_head("Ours,", sizes) for sizes in ranges)]
    heads += ["Published"] * published + ["Fitted"]
    heads += [_head(*name.replace("[", "|[").split("|")) for name in FRAGMENT.values()]
    heads += ["Shown", _head("Against", "C-RASP")] + ["Against published"] * published
    rows: list[Sequence[str]] = []
    group = None
    for line in whole.lines:
        if line.line.heading != group:
            group = line.line.heading
            rows.append((element("strong", group),))
        rows.append(_cells(line, published=published))
    numbers = range(1, len(ranges) + 2 + published)
    return element("div", table(heads, rows, numeric=numbers), class_="broad dense")


def _head(*words: str) -> Markup:
    """A heading that breaks between these words only."""
    pieces = [element("span", word, class_="nowrap") for word in words]
    return Markup(" ".join(pieces))


def _cells(line: Compared, *, published: bool) -> tuple[str, ...]:
    name = [links([line])]
    if line.line.note:
        name.append(element("div", line.line.note, class_="quiet"))
    ours: list[str] = [_mean(value) for value in line.values]
    ours = ours or ["–"] * len(line.ranges)
    theirs = " / ".join(percent(value) for value in line.line.published or ()) or "–"
    compared = line.forecast if line.measured else None
    return (
        together(name),
        *ours,
        *([theirs] * published),
        _fitted(line),
        *(line.fragments[fragment] for fragment in FRAGMENT),
        parts.badge(line.measured.verdict) if line.measured else "–",
        parts.badge(line.row.agreement(compared)) if compared else "–",
        *([against(line.verdict)] * published),
    )


def _mean(value: Value) -> Markup:
    found = element("div", _interval(value.interval), class_="quiet")
    return together([element("strong", percent(value.mean)), found])


def _interval(found: Interval) -> str:
    return f"[{percent(found.low)}, {percent(found.high)}]"


def _fitted(line: Compared) -> str:
    if line.fitted is None:
        return "–"
    return f"{line.fitted[0]} of {line.fitted[1]}" + ("*" if line.counts_unfitted else "")


def _table_notes() -> Markup:
    told = (
        "In percent, ours as mean and 95 % interval over the runs that count. C-RASP[∅] and "
        "C-RASP[periodic, local]: is there a program? The first is what counts without positions "
        "(nope), the second with learned ones (ape). Shown: do our runs generalize in length, by "
        "the rule given with each row? Then whether C-RASP says the same, and whether published "
        "values of at least 95 or at most 5 at longer sizes are met within 5 points.",
        "* Fewer than half of the runs fit, so the mean is over all of them.",
    )
    return element("div", *(element("p", text, class_="quiet") for text in told), class_="under")


def _details(line: Compared) -> Markup:
    """Closed at first; following a link from the table opens it."""
    shown = [element("strong", line.name), " ", parts.chip(line.question.architecture.label), " "]
    content = [element("p", "Settings", id=anchor(line), class_="part"), pairs(_settings(line))]
    if line.measured is None:
        shown.append(element("span", "not run yet", class_="quiet"))
    else:
        means = " / ".join(percent(value.mean) for value in line.values)
        shown += [parts.badge(line.measured.verdict), element("span", means, class_="quiet")]
        content += [
            element("p", "Exact match by size, in percent", class_="part"),
            small_curves(line.measured),
            element("p", "Every test, seed by seed, in percent", class_="part"),
            _values(line.measured),
            element("p", phrases.sentence(line.measured.reason)),
            bullets(map(phrases.sentence, line.measured.notes)),
            element("p", "Rule: ", line.measured.rule, class_="quiet"),
            element("p", "Provenance", class_="part"),
            pairs(_provenance(line.measured)),
        ]
    content += [
        element("p", f"{said.predictor}: {phrases.predicted(said)}; {said.reason}", class_="quiet")
        for said in line.row.stated
    ]
    return element("details", element("summary", *shown), *content, class_="line-details")


def _settings(line: Compared) -> list[tuple[str, str]]:
    shape, asked = line.question.architecture, line.line.asked
    protocol = asked.protocol.as_json()
    told = [
        ("architecture", f"{shape.label}, {shape.context} positions"),
        ("learning rate", f"{protocol['learning_rate']:g}"),
        ("steps", f"at most {protocol['steps']:,} of {protocol['batch']} examples"),
        ("warm-up", f"{protocol['warmup']:,} steps"),
        ("checked every", f"{protocol['check_every']:,} steps"),
        ("test samples", f"{protocol['samples']:,} for each probe and range"),
        ("seeds", phrases.seed_names(asked.seeds)),
    ]
    theirs = " / ".join(percent(value) for value in line.line.published or ())
    return [*told, ("published", theirs)] if theirs else told


def _values(measurement: Measurement) -> Markup:
    """One line for each probe and range; runs that do not count in brackets."""
    heads = ("Probe", "Sizes", "Mean", "95 % interval", "Guessing", "Each seed")
    rows = [
        (
            element("span", value.probe, class_="nowrap"),
            str(value.sizes),
            element("strong", percent(value.mean)),
            _interval(value.interval),
            "–" if value.baseline is None else percent(value.baseline),
            element("span", _seeds(measurement, value), class_="nowrap"),
        )
        for value in measurement.values
    ]
    return table(heads, rows, numeric=(2, 3, 4))


def _seeds(measurement: Measurement, value: Value) -> str:
    counted = dict(zip(value.runs, value.seeds, strict=True))
    told = []
    for seed in measurement.provenance["seeds"]:
        if seed in counted:
            told.append(percent(counted[seed]))
        else:
            told.append(f"({percent(_share(measurement, value, seed))})")
    return " ".join(told)


def _share(measurement: Measurement, value: Value, seed: int) -> float:
    """The score of a run that its value leaves out, from the curves, which have every run."""
    points = [
        point
        for curve in measurement.curves
        if (curve.probe, curve.seed) == (value.probe, seed)
        for point in curve.points
        if value.sizes.low <= point[0] <= value.sizes.high
    ]
    return sum(right for _, right, _ in points) / max(1, sum(tried for *_, tried in points))


def _provenance(measurement: Measurement) -> list[tuple[str, str]]:
    known = measurement.provenance
    together_with = [("trained together", f"{known['fleet']} models")] if "fleet" in known else []
    sessions = known.get("sessions", ())
    went_on = [("sessions", str(len(sessions)))] if len(sessions) > 1 else []
    items = phrases.provenance_items(measurement)
    return [*items, *together_with, *went_on, ("question", measurement.question.hash)]
