"""Each theory's record as one sees it: what it said, how often it was right, with which models."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from foretell.core.architecture import KINDS
from foretell.core.question import GeneralizesInLength, Verdict
from foretell.core.scoreboard import Agreement, Record, Row, Scoreboard
from foretell.numerics.intervals import wilson
from foretell.reports import phrases
from foretell.reports._markup import Markup, element, table
from foretell.reports._sections import TONE, badge

Column = tuple[float, str]  # a rank, and what stands above
WIDTH, HEIGHT, EDGE = 90, 14, 4  # of the drawn interval
KEY = (
    "A theory's yes and its no have records of their own. Right and wrong: the theory and the "
    "measurement both say yes or no; open: either is undecided. Drawn: the share that was right, "
    "from 0 to 1, with its 95 % interval, which takes questions for independent, while many share "
    "a language or a shape."
)
BY_ORDER = (
    "Right of settled questions, by how a model knows where a token stands: its positional "
    "encoding, or the kind of a model that needs none."
)
BY_REACH = "The same, by how long the longest inputs of the question are beside those of training."
COLOURS = "Green or red: the 95 % interval lies on one side of a half."


def records_table(records: Sequence[Record]) -> Markup:
    """A line for what each theory says at each strength; the longest bar is the most questions."""
    heads = ("Theory", "Says", "Strength", "Right, wrong, open", "Share right, 95 % interval")
    most = max((record.settled + record.open for record in records), default=1)
    rows = [
        (
            element("span", record.predictor, class_="nowrap"),
            badge(record.said),
            record.strength,
            _counts(record, most),
            element("span", _interval(record), " ", phrases.hit_rate(record), class_="nowrap"),
        )
        for record in records
    ]
    return element("div", table(heads, rows), class_="dense")


def apart_tables(scoreboard: Scoreboard) -> list[Markup]:
    """The same records by how models know order, and by how far beyond training was asked."""
    found: list[Markup] = []
    for title, key in ((BY_ORDER, _order), (BY_REACH, _reach)):
        if shown := _apart(scoreboard, key):
            found += [element("p", title, class_="quiet spaced"), shown]
    return [*found, element("p", COLOURS, class_="quiet spaced")] if found else []


def _apart(scoreboard: Scoreboard, key: Callable[[Row], Column]) -> Markup | None:
    """A column a key, of equal rank the commonest first; nothing if only one has settled rows."""
    rows: dict[Column, list[Row]] = {}
    for row in scoreboard.rows:
        rows.setdefault(key(row), []).append(row)
    columns = sorted(rows, key=lambda own: (own[0], -len(rows[own]), own[1]))
    cells: dict[tuple[str, Verdict], dict[Column, list[Record]]] = {}
    for column in columns:
        for record in Scoreboard(tuple(rows[column])).records():
            if record.settled:
                place = (record.predictor, record.said)
                cells.setdefault(place, {}).setdefault(column, []).append(record)
    shown = [own for own in columns if any(own in found for found in cells.values())]
    if len(shown) < 2:
        return None
    lines = [
        (theory, badge(said), *(_settled(cells[theory, said].get(own, ())) for own in shown))
        for theory, said in sorted(
            cells, key=lambda place: (place[0], list(Verdict).index(place[1]))
        )
    ]
    heads = ("Theory", "Says", *(label for _, label in shown))
    return element("div", table(heads, lines), class_="dense")


def _order(row: Row) -> Column:
    shape = row.question.architecture
    return 0, shape.positional if shape.kind == KINDS[0] else shape.kind


def _reach(row: Row) -> Column:
    asked = row.question.outcome
    if not isinstance(asked, GeneralizesInLength):
        return math.inf, asked.name
    times = asked.asked[-1].high / asked.seen.high
    return times, f"to {times:.3g} times"


def _settled(records: Sequence[Record]) -> Markup | str:
    """Strengths of one theory together."""
    agrees, settled = (sum(r.agrees for r in records), sum(r.settled for r in records))
    if not settled:
        return "–"
    low, high = wilson(agrees, settled)
    tone = "good" if low > 0.5 else "bad" if high < 0.5 else "unsure"
    return element("span", f"{agrees} of {settled}", class_=f"badge {tone}")


def _counts(record: Record, most: int) -> Markup:
    """A bar in three parts, as long as the record has questions."""
    counts = zip(Agreement, (record.agrees, record.disagrees, record.open), strict=True)
    parts = [
        element(
            "span",
            f"{phrases.MARK[kind]} {count}",
            class_=TONE[kind],
            style=f"width:{100 * count / most:.1f}%",
            title=f"{count} {kind.value}",
        )
        for kind, count in counts
        if count
    ]
    return element("div", *parts, class_="tally")


def _interval(record: Record) -> Markup:
    """A dot on a line from 0 to 1."""
    if not record.settled:
        return Markup("")
    low, high = (_place(end) for end in wilson(record.agrees, record.settled))
    half, dot = _place(0.5), _place(record.agrees / record.settled)
    middle = HEIGHT / 2
    drawn = (
        ("axis", f"M{EDGE} {middle:g}H{WIDTH - EDGE}M{half} 2V{HEIGHT - 2}"),
        ("range", f"M{low} {middle:g}H{high}"),
        ("rate", f"M{dot} {middle:g}h0"),
    )
    return element(
        "svg",
        *(element("path", d=path, class_=name) for name, path in drawn),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=str(WIDTH),
        height=str(HEIGHT),
        class_="interval",
        aria_hidden="true",
    )


def _place(share: float) -> str:
    return f"{EDGE + share * (WIDTH - 2 * EDGE):.1f}"
