"""Reports for the terminal, by Rich.

Everything is built from `Text`, never from markup strings: a task may be called `regex:[ab]*`, and
Rich would take the brackets for a colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from foretell.core.measurement import Measurement
from foretell.core.prediction import Checked, NotApplicable, Prediction, Standing
from foretell.core.question import Question, Verdict
from foretell.core.scoreboard import Agreement, Record, Row, Scoreboard
from foretell.plain.errors import StoreProblem
from foretell.plain.wording import counted
from foretell.reports import phrases
from foretell.reports.kinds import NOTE, kinds_matrix
from foretell.reports.misses import misses
from foretell.reports.orders import orders

VERDICT_STYLE = {
    Verdict.YES: "bold green",
    Verdict.NO: "bold red",
    Verdict.UNDECIDED: "bold yellow",
}
STANDING_STYLE = {Standing.CHECKED: "green", Standing.ASSUMED: "yellow", Standing.VIOLATED: "red"}
AGREEMENT_STYLE = {
    Agreement.AGREES: "green",
    Agreement.DISAGREES: "bold red",
    Agreement.OPEN: "yellow",
}
MOST_ROWS = 40  # of the scoreboard; a large store has thousands
WIDE = 110  # from here on a scoreboard line has room for more than the essentials


def show_row(console: Console, row: Row) -> None:
    """The answer of `foretell check`; its last line is the verdict."""
    _show_question(console, row.question)
    if row.predictions:
        _show_answers(console, row.predictions)
    if row.measurement is not None:
        show_measurement(console, row.measurement)
    console.print(_verdict_text(row), soft_wrap=True)


def show_predictions(
    console: Console,
    predictions: Sequence[Prediction | NotApplicable],
    checks: Sequence[Checked | None] = (),
) -> None:
    """What every theory says, question by question; `checks` are those of the certificates."""
    known = {id(item): found for item, found in zip(predictions, checks, strict=False)}
    questions = {item.question.hash: item.question for item in predictions}
    for place, question in questions.items():
        _show_question(console, question)
        _show_answers(console, [item for item in predictions if item.question.hash == place], known)


def _show_question(console: Console, question: Question) -> None:
    name = Text(f"{question.task.name} · {question.architecture.label}", style="bold")
    sentence = Text(question.outcome.sentence)
    fits = len(name) + 3 + len(sentence) <= console.width
    console.print(Text(" · " if fits else "\n").join((name, sentence)))
    console.print()


def _show_answers(
    console: Console,
    predictions: Sequence[Prediction | NotApplicable],
    checks: Mapping[int, Checked | None] = MappingProxyType({}),
) -> None:
    stated = [item for item in predictions if isinstance(item, Prediction)]
    silent = [item for item in predictions if isinstance(item, NotApplicable)]
    console.print(Text("PREDICTION", style="bold"))
    for prediction in sorted(stated, key=lambda item: -item.strength):
        _show_prediction(console, prediction, checks.get(id(prediction)))
    for item in silent:
        said = Text(f"{item.predictor} does not apply: {item.reason}", style="dim")
        console.print(_indented(said))
    console.print()


def _show_prediction(
    console: Console, prediction: Prediction, checked: Checked | None = None
) -> None:
    head = Text.assemble(
        (prediction.verdict.value, VERDICT_STYLE[prediction.verdict]),
        (f", {prediction.strength.label}", "bold"),
        (f"   by {prediction.predictor}", "dim"),
    )
    console.print(_indented(head))
    console.print(_indented(Text(prediction.reason)))
    if prediction.bound:
        console.print(_indented(Text(f"bound: {phrases.bound_sentence(prediction.bound)}")))
    if prediction.assumptions:
        legend = ", ".join(f"{phrases.MARK[item]} {item.value}" for item in Standing)
        console.print(_indented(Text(f"assumptions ({legend})", style="dim")))
    marks = [
        (Text(phrases.MARK[item.standing], STANDING_STYLE[item.standing]), item.text)
        for item in prediction.assumptions
    ]
    console.print(_indented(_listed(marks)))
    facts = [("certificate", phrases.certificate_sentence(prediction, checked))]
    facts.append(("sources", "; ".join(prediction.sources)))
    console.print(_indented(_listed([(Text(name, "dim"), text) for name, text in facts])))


def show_measurement(console: Console, measurement: Measurement) -> None:
    """Scores by probe and range, notes, the rule, and what stood behind the numbers."""
    style = VERDICT_STYLE[measurement.verdict]
    console.print(Text("MEASUREMENT", style="bold"))
    head = Text.assemble((measurement.verdict.value, style), f", {measurement.reason}")
    console.print(_indented(head))
    console.print(_indented(_values_table(measurement)))
    lines = [(Text("note", "dim"), note) for note in measurement.notes]
    lines.append((Text("rule", "dim"), measurement.rule))
    console.print(_indented(_listed(lines)))
    console.print(_indented(Text(phrases.provenance_line(measurement), style="dim")))
    console.print()


def _values_table(measurement: Measurement) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("probe", no_wrap=True)
    table.add_column("sizes", justify="right", no_wrap=True)
    table.add_column("mean", justify="right", no_wrap=True)
    table.add_column("95 % interval", no_wrap=True)
    table.add_column("guess", justify="right", no_wrap=True)
    table.add_column("each seed", overflow="fold")
    before, told = None, phrases.how_to_print(measurement)
    for value in measurement.values:
        seen = phrases.is_seen(measurement.question, value.sizes)
        table.add_row(
            Text("" if value.probe == before else value.probe),
            Text(f"{value.sizes}{'*' if seen else ' '}"),
            Text(told(value.mean), "bold"),
            Text(phrases.interval(value.interval, told)),
            Text(told(value.baseline), "dim"),
            Text(phrases.seed_scores(value.seeds, told)),
        )
        before = value.probe
    if any(phrases.is_seen(measurement.question, value.sizes) for value in measurement.values):
        table.caption = Text("* sizes seen in training; guess: the best answer from one token")
        table.caption_justify = "left"
    return table


def _indented(content: RenderableType) -> Padding:
    return Padding(content, (0, 0, 0, 2), expand=False)


def _listed(lines: Iterable[tuple[Text, str]]) -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for mark, text in lines:
        grid.add_row(mark, Text(text))
    return grid


def _verdict_text(row: Row) -> Text:
    text = Text(phrases.verdict_line(row))
    start = len(row.question.outcome.name) + 2
    verdict = row.measurement.verdict if row.measurement else None
    text.stylize("bold", 0, start)
    if verdict:
        text.stylize(VERDICT_STYLE[verdict], start, start + len(verdict.value))
    if row.measurement and row.stated:
        agreement = row.agreement(row.stated[0])
        text.stylize(AGREEMENT_STYLE[agreement], len(text) - 1 - len(agreement.value), -1)
    return text


def show_scoreboard(
    console: Console, scoreboard: Scoreboard, problems: Sequence[StoreProblem] = ()
) -> None:
    """Every question measured so far, each theory's record, and what could not be read."""
    if scoreboard.rows:
        shown = newest(scoreboard.rows)
        more = len(scoreboard.rows) - len(shown)
        told = f", the newest {MOST_ROWS} of {len(scoreboard.rows):,}" if more else ""
        console.print(Text.assemble(("ROWS", "bold"), (told, "dim")))
        console.print(_rows_table(shown, wide=console.width >= WIDE))
        if more:
            console.print(Text(f"{more:,} more: --html FILE, --json or --sql", style="dim"))
        console.print()
        console.print(Text("RECORDS", style="bold"))
        console.print(_records_table(scoreboard.records()))
        for order in orders(scoreboard):
            console.print(Text(order.sentence))
        if wrong := len(misses(scoreboard)):
            told = f"{counted(wrong, 'miss', 'misses')}; --html FILE leads to the curves"
            console.print(Text(told, style="dim"))
        _show_kinds(console, scoreboard)
    else:
        console.print(Text("nothing measured yet; try: foretell check majority"))
    if problems:
        console.print()
        console.print(Text("NOT READ", style="bold"))
    for problem in problems:
        said = f"{problem.seen}: {problem.what}" + (f" ({problem.why})" if problem.why else "")
        console.print(Text(said, style="yellow"), soft_wrap=True)  # a path stays in one piece


def _show_kinds(console: Console, scoreboard: Scoreboard) -> None:
    matrix = kinds_matrix(scoreboard)
    if matrix is None:
        return
    console.print()
    if len(matrix.tasks) > MOST_ROWS or sum(map(_height, matrix.cells)) > 3 * MOST_ROWS:
        told = f": {len(matrix.tasks):,} tasks; --html FILE shows them"
        console.print(Text.assemble(("KINDS OF MODEL", "bold"), (told, "dim")))
        return
    console.print(Text("KINDS OF MODEL", style="bold"))
    shown = Table("task", *matrix.kinds, box=None, pad_edge=False, header_style="dim")
    for task, cells in zip(matrix.tasks, matrix.cells, strict=True):
        shown.add_row(task, *("\n".join(lines) for lines in cells))
    console.print(shown)
    console.print(Text(NOTE, style="dim"))


def newest(rows: Sequence[Row]) -> Sequence[Row]:
    """All that a terminal has room for, in their order: the last that were measured."""
    if len(rows) <= MOST_ROWS:
        return rows

    def time(place: int) -> str:
        measured = rows[place].measurement
        return str(measured.provenance.get("time", "")) if measured else ""

    last = sorted(range(len(rows)), key=time)[-MOST_ROWS:]
    return [rows[place] for place in sorted(last)]


def _height(cells: Sequence[Sequence[str]]) -> int:
    return max(map(len, cells), default=0)


def _rows_table(rows: Sequence[Row], *, wide: bool) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2 if wide else 1, 0, 0), header_style="dim")
    theories = {item.predictor for row in rows for item in row.stated}
    named = wide or len(theories) > 1
    table.add_column("task", overflow="fold", ratio=1 if wide else None, max_width=48)
    table.add_column("architecture", overflow="fold")
    if named:
        table.add_column("theory", overflow="fold")
    table.add_column("predicted", overflow="fold")
    table.add_column("measured", no_wrap=True)
    ranges = {value.sizes for row in rows if (value := phrases.largest_value(row.measurement))}
    shared = len(ranges) == 1  # then the heading says it once
    table.add_column(f"at {min(ranges)}" if shared else "at largest sizes", no_wrap=True)
    table.add_column("", no_wrap=True)
    for row in rows:
        for place, prediction in enumerate(row.stated or (None,)):
            cells = _row_cells(row, prediction, first=place == 0, shared=shared)
            if not named:
                del cells[2]
            table.add_row(*cells)
    return table


def _row_cells(row: Row, prediction: Prediction | None, *, first: bool, shared: bool) -> list[Text]:
    value = phrases.largest_value(row.measurement)
    verdict = row.measurement.verdict if row.measurement else None
    mark, said, theory = Text(), Text("none applies", "dim"), Text("–", "dim")
    if prediction:
        agreement = row.agreement(prediction)
        mark = Text(f"{phrases.MARK[agreement]} {agreement.value}", AGREEMENT_STYLE[agreement])
        said = Text.assemble(
            (prediction.verdict.value, VERDICT_STYLE[prediction.verdict]),
            f", {prediction.strength.label}",
        )
        theory = Text(prediction.predictor)
    measured = Text(verdict.value, VERDICT_STYLE[verdict]) if verdict else Text("–", "dim")
    score = Text(phrases.score(value.mean)) if value else Text("–", "dim")
    if value and not shared:
        score.append(f" {value.sizes}")
    task, shape = row.question.task.name, row.question.architecture.label
    if not first:
        task = shape = ""
        measured = score = Text()
    return [Text(task), Text(shape), theory, said, measured, score, mark]


def _records_table(records: Sequence[Record]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("theory", "says", "strength"):
        table.add_column(name, overflow="fold")
    for name in ("right", "wrong", "open"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("share right, 95 %", no_wrap=True)
    for record in records:
        said = Text(record.said.value, VERDICT_STYLE[record.said])
        counts = map(str, (record.agrees, record.disagrees, record.open))
        cells = (*counts, phrases.hit_rate(record))
        table.add_row(Text(record.predictor), said, Text(record.strength), *map(Text, cells))
    return table
