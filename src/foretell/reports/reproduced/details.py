"""Behind each row of a reproduction: settings, curves, every test seed by seed, provenance.

What all rows of a group have in common is told once, over the group: a suite has hundreds of rows,
and most of what could be said of each is the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, final

from foretell.core.measurement import Interval, Measurement, Value
from foretell.reports import _sections as parts
from foretell.reports import phrases
from foretell.reports._markup import Markup, bullets, element, pairs
from foretell.reports.reproduced.line import Compared
from foretell.reports.reproduced.small_curves import frames, small_curves
from foretell.reports.reproduced.summary import anchor
from foretell.reports.reproduced.table import percent

KEY = (
    "In a table of tests: a line a kind of word, a column a range of sizes. In a cell the mean of "
    "the runs that count, its 95 % interval, and each run, those that do not count in brackets; "
    "last, after ~, what guessing would score."
)


@final
@dataclass(frozen=True)
class Told:
    """What is said of a row, or of all rows of a group, in words."""

    settings: tuple[tuple[str, str], ...] = ()
    said: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    provenance: tuple[tuple[str, str], ...] = ()

    def without(self, shared: Told) -> Told:
        """What is left to say where that was said before."""
        return Told(*(_less(own, theirs) for own, theirs in zip(self, shared, strict=True)))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter((self.settings, self.said, self.notes, self.provenance))


def _less(own: tuple[Any, ...], theirs: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(item for item in own if item not in theirs)


def details_section(lines: Sequence[Compared]) -> Markup:
    """Every row, closed at first; following a link from the table opens it."""
    shown: list[Markup] = []
    groups = itertools.groupby(lines, lambda line: line.line.heading)
    for number, (heading, found) in enumerate(groups, start=1):
        shown += _group(heading, list(found), number)
    measured = [line.measured for line in lines if line.measured]
    key = [element("p", KEY, class_="quiet")] if measured else []
    return parts.section("Behind each row", *key, frames(measured), *shown)


def _group(heading: str, lines: Sequence[Compared], number: int) -> list[Markup]:
    """What the rows of each encoding have in common, then every row, in the table's order."""
    alike: dict[str, list[Compared]] = {}
    for line in lines:
        alike.setdefault(line.question.architecture.positional, []).append(line)
    shared = {positional: _shared(found) for positional, found in alike.items()}
    shown = [
        _in_common(f"{heading}, {positional}", told, f"group-{number}-{positional}")
        for positional, told in shared.items()
        if told.settings
    ]
    for line in lines:
        positional = line.question.architecture.positional
        shown.append(_details(line, shared[positional], f"group-{number}-{positional}"))
    return shown


def _shared(lines: Sequence[Compared]) -> Told:
    """What is the same in all rows; of one row alone, nothing is left to be said elsewhere."""
    if len(lines) < 2:
        return Told()
    told = [_told(line) for line in lines]
    run = [each for each, line in zip(told, lines, strict=True) if line.measured] or [Told()]
    found = (_same([each.settings for each in told]), _same([each.said for each in told]))
    return Told(
        *found, _same([each.notes for each in run]), _same([each.provenance for each in run])
    )


def _same(lists: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    return tuple(item for item in lists[0] if all(item in each for each in lists))


def _told(line: Compared) -> Told:
    said = tuple(
        f"{each.predictor}: {phrases.predicted(each)}; {each.reason}" for each in line.row.stated
    )
    measured = line.measured
    if measured is None:
        return Told(_settings(line), said)
    notes = (*map(phrases.sentence, measured.notes), f"Rule: {measured.rule}")
    return Told(_settings(line), said, notes, _provenance(measured))


def _in_common(title: str, told: Told, name: str) -> Markup:
    shown = element("strong", title), " ", element("span", "in common", class_="quiet")
    content = [
        element("p", "Settings of every row", id=name, class_="part"),
        pairs(told.settings),
        *_listed(told.notes),
        *_quiet(told.said),
    ]
    if told.provenance:
        content += [element("p", "Provenance of every row", class_="part"), pairs(told.provenance)]
    return element("details", element("summary", *shown), *content, class_="line-details")


def _details(line: Compared, shared: Told, group: str) -> Markup:
    shown = [element("strong", line.name), " ", parts.chip(line.question.architecture.label), " "]
    own = _told(line).without(shared)
    content = [element("p", "Settings", id=anchor(line), class_="part")]
    content += [pairs(own.settings)] if own.settings else []
    if shared.settings:
        link = element("a", "what its group has in common", href=f"#{group}")
        content.append(element("p", link))
    if line.measured is None:
        shown.append(element("span", "not run yet", class_="quiet"))
    else:
        means = " / ".join(percent(value.mean) for value in line.values)
        shown += [parts.badge(line.measured.verdict), element("span", means, class_="quiet")]
        content += _measured(line.measured, own)
    content += _quiet(own.said)
    return element("details", element("summary", *shown), *content, class_="line-details")


def _quiet(said: Sequence[str]) -> list[Markup]:
    return [element("p", text, class_="quiet") for text in said]


def _listed(notes: Sequence[str]) -> list[Markup]:
    return [bullets(notes)] if notes else []


def _measured(measured: Measurement, own: Told) -> list[Markup]:
    return [
        element("p", "Exact match by size, in percent", class_="part"),
        small_curves(measured),
        element("p", "Every test, seed by seed, in percent", class_="part"),
        parts.grid(measured, lambda value: _cell(measured, value)),
        element("p", phrases.sentence(measured.reason)),
        *_listed(own.notes),
        element("p", "Provenance", class_="part"),
        pairs(own.provenance),
    ]


def _settings(line: Compared) -> tuple[tuple[str, str], ...]:
    shape, asked = line.question.architecture, line.line.asked
    protocol = asked.protocol.as_json()
    told = (
        ("architecture", f"{shape.label}, {shape.context} positions"),
        ("learning rate", f"{protocol['learning_rate']:g}"),
        ("steps", f"at most {protocol['steps']:,} of {protocol['batch']} examples"),
        ("warm-up", f"{protocol['warmup']:,} steps"),
        ("checked every", f"{protocol['check_every']:,} steps"),
        ("test samples", f"{protocol['samples']:,} for each probe and range"),
        ("seeds", phrases.seed_names(asked.seeds)),
    )
    theirs = " / ".join(percent(value) for value in line.line.published or ())
    return (*told, ("published", theirs)) if theirs else told


def _cell(measurement: Measurement, value: Value) -> str:
    guess = "" if value.baseline is None else f" ~{percent(value.baseline)}"
    runs = _seeds(measurement, value)
    return f"{percent(value.mean)}\n{interval(value.interval)}\n{runs}{guess}"


def interval(found: Interval) -> str:
    """Both ends in percent."""
    return f"[{percent(found.low)}, {percent(found.high)}]"


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


def _provenance(measurement: Measurement) -> tuple[tuple[str, str], ...]:
    known = measurement.provenance
    together_with = [("trained together", f"{known['fleet']} models")] if "fleet" in known else []
    sessions = known.get("sessions", ())
    went_on = [("sessions", str(len(sessions)))] if len(sessions) > 1 else []
    items = phrases.provenance_items(measurement)
    return (*items, *together_with, *went_on, ("question", measurement.question.hash))
