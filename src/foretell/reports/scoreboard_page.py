"""The scoreboard as one page: each theory's record, its misses, every question and its curves.

A store may have hundreds of questions, so curves are small drawings and rows are closed at first;
`foretell check` makes the large figure of one question.
"""

from __future__ import annotations

from collections.abc import Sequence

from foretell.core.measurement import Measurement
from foretell.core.question import Verdict
from foretell.core.scoreboard import Row, Scoreboard
from foretell.plain.errors import StoreProblem
from foretell.plain.wording import counted
from foretell.reports import _sections as parts
from foretell.reports import phrases
from foretell.reports._markup import Markup, bullets, element, table, together
from foretell.reports.html import anchor, at_largest, back, link_to, masthead, page, rows_table
from foretell.reports.kinds import NOTE, kinds_matrix
from foretell.reports.misses import Miss, misses
from foretell.reports.orders import orders
from foretell.reports.records_shown import KEY, apart_tables, records_table
from foretell.reports.reproduced.small_curves import KEY as CURVES
from foretell.reports.reproduced.small_curves import frames, small_curves

MOST_OPEN = 40  # lines of a table; more are closed at first
CELLS = (
    "In a cell: the mean of the runs that count, its 95 % interval and each run; last, after ~, "
    "what guessing would score."
)


def scoreboard_page(scoreboard: Scoreboard, problems: Sequence[StoreProblem] = ()) -> str:
    """Everything measured so far against everything predicted, with a section for each row."""
    rows = scoreboard.rows
    many = f"{counted(len(rows), 'question')} measured"
    content = [masthead("foretell scoreboard", "Prediction against measurement", many)]
    wrong = misses(scoreboard)
    if rows:
        content += [
            parts.section("Record of each theory", *_records(scoreboard)),
            parts.section("Misses", *_misses(wrong)),
            *_kinds(scoreboard),
            parts.section("Questions", _folded(f"all {len(rows):,}", len(rows), rows_table(rows))),
        ]
    else:
        content.append(element("p", "Nothing measured yet.", class_="question"))
    if problems:
        content.append(parts.section("Not read", parts.problems_list(problems)))
    if rows:
        missed = {miss.row.question.hash for miss in wrong}
        measured = [row.measurement for row in rows if row.measurement]
        rules = list(dict.fromkeys(measurement.rule for measurement in measured))
        shown = [_row(row, rules, missed=row.question.hash in missed) for row in rows]
        keys = [element("p", text, class_="quiet") for text in (CURVES, CELLS)]
        content.append(parts.section("Rules of decision", _rules(rules)))
        content.append(parts.section("Behind each row", *keys, frames(measured), *shown))
    return page("foretell scoreboard", content)


def _records(scoreboard: Scoreboard) -> list[Markup]:
    """How often each theory was right, then with which models."""
    shown = [element("p", KEY, class_="quiet"), records_table(scoreboard.records())]
    shown += apart_tables(scoreboard)
    told = [phrases.sentence(order.sentence) for order in orders(scoreboard)]
    return [*shown, bullets(told)] if told else shown


def _misses(wrong: Sequence[Miss]) -> list[Markup]:
    """What each theory said, by itself; each miss leads to its curves."""
    if not wrong:
        return [element("p", "No prediction is contradicted by its measurement.", class_="quiet")]
    said = "Measured was the opposite of what is predicted here. A name leads to the curves."
    claims: dict[tuple[str, str, Verdict], list[Miss]] = {}
    for miss in wrong:
        claim = miss.prediction
        place = (claim.predictor, claim.strength.label, claim.verdict)
        claims.setdefault(place, []).append(miss)
    shown = [
        _folded(
            f"{theory} said {verdict.value}, {strength}: {counted(len(own), 'miss', 'misses')}",
            len(wrong),
            _missed(own),
        )
        for (theory, strength, verdict), own in claims.items()
    ]
    return [element("p", said, class_="quiet"), *shown]


def _missed(wrong: Sequence[Miss]) -> Markup:
    heads = ("Its curves", "Architecture", "At largest sizes")
    rows = [
        (link_to(miss.row), miss.row.question.architecture.label, at_largest(miss.row))
        for miss in wrong
    ]
    return element("div", table(heads, rows), class_="dense")


def _folded(summary: str, many: int, content: Markup) -> Markup:
    """Closed at first where a page has too much of it."""
    opened = {} if many > MOST_OPEN else {"open": "open"}
    return element("details", element("summary", summary), content, class_="line-details", **opened)


def _kinds(scoreboard: Scoreboard) -> list[Markup]:
    """Task by kind of model, if several kinds were asked."""
    matrix = kinds_matrix(scoreboard)
    if matrix is None:
        return []
    rows = [
        (task, *(together(element("div", line, class_="line") for line in own) for own in cells))
        for task, cells in zip(matrix.tasks, matrix.cells, strict=True)
    ]
    shown = table(("Task", *matrix.kinds), rows)
    return [parts.section("Kinds of model", shown, element("p", NOTE, class_="quiet"))]


def _rules(rules: Sequence[str]) -> Markup:
    """Each once, by number: hundreds of rows are decided by the same few."""
    lines = [element("li", phrases.sentence(rule), id=_rule(rules, rule)) for rule in rules]
    return element("ol", *lines)


def _rule(rules: Sequence[str], rule: str) -> str:
    return f"rule-{rules.index(rule) + 1}"


def _row(row: Row, rules: Sequence[str], *, missed: bool) -> Markup:
    """Closed at first, unless a theory missed; following a link opens it."""
    name = element("strong", row.question.task.name, class_="name")
    shown = [name, " ", parts.chip(row.question.architecture.label)]
    shown += [parts.badge(row.measurement.verdict)] if row.measurement else []
    shown += [parts.badge(row.agreement(item)) for item in row.stated[:1] if row.measurement]
    asked = phrases.sentence(row.question.outcome.sentence)
    content = [element("p", asked, id=anchor(row), class_="part")]
    content += _measured(row.measurement) if row.measurement else []
    content += [
        element("p", parts.stated(row, item), ": ", phrases.sentence(item.reason))
        for item in row.stated
    ]
    if row.measurement:
        number = _rule(rules, row.measurement.rule)
        link = element("a", number.replace("-", " "), href=f"#{number}")
        told = f" · {phrases.provenance_line(row.measurement)}"
        content.append(element("p", "decided by ", link, told, class_="quiet"))
    opened = {"open": "open"} if missed else {}
    summary = element("summary", *shown)
    return element("details", summary, *content, back(), class_="line-details", **opened)


def _measured(measurement: Measurement) -> list[Markup]:
    reason = element("p", phrases.sentence(measurement.reason))
    if not measurement.curves:  # its values are not shares by size, and need their names
        return [reason, parts.values_table(measurement)]
    return [small_curves(measurement), reason, parts.values_grid(measurement)]
