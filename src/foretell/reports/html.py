"""Reports as one self-contained HTML file: nothing is fetched, so it can be mailed and archived."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from foretell.core.scoreboard import Row
from foretell.reports import _sections as parts
from foretell.reports import phrases
from foretell.reports._markup import Markup, bullets, element, numeric_columns, table, together


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
    content = [head, parts.section("Questions", rows_table(rows))]
    for row in rows:
        whole = [_row_title(row), *_whole_row(row), back()]
        content.append(element("section", *whole, id=anchor(row), class_="row"))
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


def rows_table(rows: Sequence[Row]) -> Markup:
    """A line a question; what each theory said of it stands in one cell that may break."""
    heads = ("Task", "Architecture", "Measured", "At largest sizes", "Predicted")
    return element("div", table(heads, [_row_cells(row) for row in rows]), class_="dense")


def _row_cells(row: Row) -> tuple[str, ...]:
    quiet = element("span", phrases.no_prediction(row), class_="quiet")
    said = [parts.stated(row, item) for item in row.stated]
    return (
        link_to(row),
        row.question.architecture.label,
        parts.badge(row.measurement.verdict) if row.measurement else "–",
        at_largest(row),
        together(element("div", one, class_="said") for one in said) or quiet,
    )


def link_to(row: Row) -> Markup:
    """The task's name, leading to the row."""
    return element("a", row.question.task.name, href=f"#{anchor(row)}", class_="name")


def at_largest(row: Row) -> str:
    """The score that a table of rows has room for."""
    value = phrases.largest_value(row.measurement)
    if value is None:
        return "–"
    return element("span", f"{phrases.score(value.mean)} at {value.sizes}", class_="nowrap")


def _row_title(row: Row) -> Markup:
    return element("h2", row.question.task.name, " ", parts.chip(row.question.architecture.label))


def back() -> Markup:
    """The way up from a row."""
    return element("p", element("a", "back to the table", href="#top"), class_="quiet")


def anchor(row: Row) -> str:
    """Where a row stands on its page."""
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
            element("style", Markup(style + numeric_columns())),
        ]
    )
    body = element("body", element("main", *content, id="top"))
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n{body}</html>\n'
