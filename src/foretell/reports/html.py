"""Reports as one self-contained HTML file: nothing is fetched, so it can be mailed and archived."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from foretell.core.prediction import Prediction
from foretell.core.scoreboard import Row, Scoreboard
from foretell.plain.errors import StoreProblem
from foretell.reports import _sections as parts
from foretell.reports import phrases
from foretell.reports._markup import Markup, bullets, element, table, together
from foretell.reports.kinds import NOTE, kinds_matrix
from foretell.reports.orders import orders


def row_page(row: Row) -> str:
    """The answer to one question: verdict, prediction beside measurement, and all behind them."""
    question = row.question
    head = masthead("foretell check", question.task.name, question.architecture.label)
    title = f"{question.task.name} · {question.architecture.label}"
    return page(title, [head, *_whole_row(row)])


def rows_page(rows: Sequence[Row]) -> str:
    """The answers to several questions, as one command may ask them; a table leads to each."""
    if len(rows) == 1:
        return row_page(rows[0])
    names = ", ".join(dict.fromkeys(row.question.task.name for row in rows))
    head = masthead("foretell check", names, f"{len(rows)} questions")
    content = [head, parts.section("Questions", _rows_table(rows))]
    for row in rows:
        whole = [_row_title(row), *_whole_row(row), _back()]
        content.append(element("section", *whole, id=_anchor(row), class_="row"))
    return page(names, content)


def _whole_row(row: Row) -> list[Markup]:
    measurement = row.measurement
    cards = (parts.prediction_card(row), parts.measurement_card(measurement))
    content = [
        element("p", phrases.sentence(row.question.outcome.sentence), class_="question"),
        parts.headline(row),
        element("div", *cards, class_="cards"),
    ]
    if measurement:
        content += [
            parts.figure(measurement, row.stated),
            parts.section("Values", parts.values_table(measurement)),
            parts.section("Decision rule", element("p", phrases.sentence(measurement.rule))),
            parts.section("Notes", bullets(map(phrases.sentence, measurement.notes))),
        ]
    content += [parts.evidence(item) for item in row.stated]
    if measurement:
        content.append(parts.provenance(measurement))
    return content


def scoreboard_page(scoreboard: Scoreboard, problems: Sequence[StoreProblem] = ()) -> str:
    """Everything measured so far against everything predicted, with a section for each row."""
    rows = scoreboard.rows
    many = f"{len(rows)} {'question' if len(rows) == 1 else 'questions'} measured"
    content = [masthead("foretell scoreboard", "Prediction against measurement", many)]
    if rows:
        content += [
            parts.section(
                "Record of each theory",
                parts.records_table(scoreboard.records()),
                bullets(phrases.sentence(order.sentence) for order in orders(scoreboard)),
            ),
            *_kinds(scoreboard),
            parts.section("Questions", _rows_table(rows)),
        ]
    else:
        content.append(element("p", "Nothing measured yet.", class_="question"))
    if problems:
        content.append(parts.section("Not read", parts.problems_list(problems)))
    content += [_row_section(row) for row in rows]
    return page("foretell scoreboard", content)


def _kinds(scoreboard: Scoreboard) -> list[Markup]:
    """Task by kind of model, if several kinds were asked."""
    matrix = kinds_matrix(scoreboard)
    if matrix is None:
        return []
    rows = [
        (task, *(_lines(element("span", line, class_="nowrap") for line in own) for own in cells))
        for task, cells in zip(matrix.tasks, matrix.cells, strict=True)
    ]
    shown = table(("Task", *matrix.kinds), rows)
    return [parts.section("Kinds of model", shown, element("p", NOTE, class_="quiet"))]


def _rows_table(rows: Sequence[Row]) -> Markup:
    heads = ("Task", "Architecture", "Predicted", "Measured", "At largest sizes", "Agreement")
    several = len({item.predictor for row in rows for item in row.stated}) > 1
    return table(heads, [_row_cells(row, name_theories=several) for row in rows])


def _row_cells(row: Row, *, name_theories: bool) -> tuple[str, ...]:
    value = phrases.largest_value(row.measurement)
    quiet = element("span", phrases.no_prediction(row), class_="quiet")
    score = f"{phrases.score(value.mean)} at {value.sizes}" if value else "–"
    return (
        element("a", row.question.task.name, href=f"#{_anchor(row)}", class_="name"),
        element("span", row.question.architecture.label, class_="nowrap"),
        _lines(_predicted(item, named=name_theories) for item in row.stated) or quiet,
        parts.badge(row.measurement.verdict) if row.measurement else "–",
        element("span", score, class_="nowrap"),
        _lines(parts.badge(row.agreement(item)) for item in row.stated) or "–",
    )


def _predicted(prediction: Prediction, *, named: bool) -> Markup:
    by = f"{prediction.strength.label} · {prediction.predictor}"
    said = by if named else prediction.strength.label
    return together([parts.badge(prediction.verdict), " ", element("span", said, class_="quiet")])


def _lines(pieces: Iterable[Markup]) -> Markup:
    return together(element("div", piece, class_="line") for piece in pieces)


def _row_section(row: Row) -> Markup:
    asked = element("p", phrases.sentence(row.question.outcome.sentence), class_="question")
    content = [_row_title(row), asked, parts.headline(row)]
    content += [element("p", phrases.sentence(item.reason)) for item in row.stated]
    if row.measurement:
        content.append(parts.figure(row.measurement, row.stated))
        content.append(parts.values_table(row.measurement))
        content.append(element("p", "Rule: ", row.measurement.rule, class_="quiet"))
        told = phrases.provenance_line(row.measurement)
        content.append(element("p", told, class_="quiet"))
    return element("section", *content, _back(), id=_anchor(row), class_="row")


def _row_title(row: Row) -> Markup:
    return element("h2", row.question.task.name, " ", parts.chip(row.question.architecture.label))


def _back() -> Markup:
    return element("p", element("a", "back to the table", href="#top"), class_="quiet")


def _anchor(row: Row) -> str:
    return f"question-{row.question.hash}"


def masthead(eyebrow: str, title: str, under: str) -> Markup:
    """What every page opens with."""
    return element(
        "header",
        element("p", eyebrow, class_="eyebrow"),
        element("h1", title),
        element("p", under, class_="under"),
    )


def page(title: str, content: Sequence[Markup]) -> str:
    """The whole document."""
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    head = together(
        [
            Markup('<meta charset="utf-8">'),
            Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            Markup('<meta name="color-scheme" content="light dark">'),
            element("title", title),
            element("style", Markup(style)),
        ]
    )
    body = element("body", element("main", *content, id="top"))
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n{body}</html>\n'
