"""The top of a reproduction's page: what came out, against what was published and each theory."""

from __future__ import annotations

import re
from collections.abc import Sequence

from foretell.core.question import SizeRange
from foretell.core.scoreboard import Scoreboard
from foretell.reports import _sections as parts
from foretell.reports._markup import Markup, bullets, element, table, together
from foretell.reports.records_shown import records_table
from foretell.reports.reproduced.bars import Reached, best, reached
from foretell.reports.reproduced.classes import split_section
from foretell.reports.reproduced.line import NOT_RUN, Compared
from foretell.reports.reproduced.table import AGAINST_PUBLISHED, SAME_ANSWER, Comparison

TONE = {"agrees": "good", "differs": "bad", "published spread": "unsure"}
SIGN = {"agrees": "=", "differs": "≠", "published spread": "~"}
MEANING = {
    "agrees": "every published value of at least 95 or at most 5 is met within 5 points",
    "differs": "some such value is missed by more than 5 points",
    "published spread": "no published value at longer sizes is that clear",
    "nothing published": "",
    NOT_RUN: "",
}


def summary(whole: Comparison) -> Markup:
    """What came out, in counts and lists."""
    run = [line for line in whole.lines if line.measured]
    counted = whole.summary()["published"]
    number = element("span", f"{len(run)} of {len(whole.lines)}", class_="figure-number")
    told = [element("p", number, element("span", "rows run", class_="quiet"), class_="big")]
    counts = [
        (against(kind), str(counted[kind]), element("span", MEANING[kind], class_="quiet"))
        for kind in AGAINST_PUBLISHED
        if counted[kind]
    ]
    if whole.has_published:
        told.append(table(("Against the published values", "Rows", ""), counts, numeric=(1,)))
        told += _answers(whole)
    if run:
        records = Scoreboard(tuple(line.row for line in run)).records()
        told.append(element("h3", "Against each theory"))
        told.append(records_table(records))
        told += _reached(whole) + _best(whole) + split_section(whole)
        told.append(element("h3", "Runs that did not fit the training range"))
        told += _unfitted(run)
    told += _listed("Rows that differ from the published values", whole, "differs")
    if missed := whole.missed():
        told.append(element("h3", "Rows where a theory was wrong"))
        for theory, lines in missed.items():
            told.append(element("p", element("b", theory), ": ", links(lines)))
    told += _listed("Rows not run yet", whole, NOT_RUN)
    return parts.section("What came out", *told)


def _answers(whole: Comparison) -> list[Markup]:
    """The same as answers: a row may miss a value and still say the same."""
    rows = [
        (kind, str(len(found)), links(found))
        for kind in SAME_ANSWER
        if (found := [line for line in whole.lines if line.same_answer == kind])
    ]
    title = element("h3", "The same answer, where the published values are clear")
    return [title, table(("Yes or no", "Rows", ""), rows, numeric=(1,))] if rows else []


def _reached(whole: Comparison) -> list[Markup]:
    """How many rows reach the bar: the typical and the worst case apart."""
    apart = any(line.question.task.last_apart for line in whole.lines)
    found: dict[tuple[str, str], dict[SizeRange, Reached]] = {}
    for each in reached(whole.lines):
        found.setdefault((each.group, each.positional), {})[each.sizes] = each
    ranges = sorted({sizes for cells in found.values() for sizes in cells})
    rows = [
        (
            *place,
            str(max(each.rows for each in cells.values())),
            *(_counts(cells.get(sizes), apart=apart) for sizes in ranges),
        )
        for place, cells in found.items()
    ]
    bars = {f"{line.measured.bar:g}" for line in whole.lines if line.measured}
    told = ["best run", "every run", "every run and probe"] + [
        "best run at the last answer alone"
    ] * apart
    return [
        element("h3", f"Rows that reach {' or '.join(sorted(bars))}"),
        table(("Group", "Encoding", "Rows", *map(str, ranges)), rows, numeric=range(2, 99)),
        element("p", f"In each range of sizes: {' · '.join(told)}.", class_="quiet"),
    ]


def _counts(found: Reached | None, *, apart: bool) -> Markup:
    if found is None:
        return element("span", "–", class_="quiet")
    counts = [found.some, found.every, found.always] + [found.last] * apart
    return element("span", " · ".join(map(str, counts)), class_="nowrap")


def _best(whole: Comparison) -> list[Markup]:
    """What the best of all settings reaches, where there are several."""
    rows = [
        (each.group, str(each.sizes), str(each.tasks), str(each.reached))
        for each in best(whole.lines)
    ]
    if not rows:
        return []
    heads = ("Group", "Sizes", "Tasks", "Some setting, encoding and run reaches the bar")
    told = "Many tries, the best counted: read it beside the tables of single settings."
    return [
        element("h3", "Tasks that reach the bar in some way"),
        table(heads, rows, numeric=(2, 3)),
        element("p", told, class_="quiet"),
    ]


def _unfitted(run: Sequence[Compared]) -> list[Markup]:
    """How many runs failed to fit, and what the rule did with them."""
    runs = sum(len(line.line.asked.seeds) for line in run)
    failed = sum(_failed(line) for line in run)
    told = [element("p", f"{failed} of {runs} runs did not get all of the in-range test right.")]
    dropped = [line for line in run if line.left_out]
    kept = [line for line in run if line.counts_unfitted]
    rules = (
        (dropped, "left out of means, which are over the runs that fit"),
        (kept, "kept in means, since too few fit, and such a row cannot be a yes"),
    )
    items = [
        together([f"{sum(map(_failed, lines))} {rule}: ", links(lines, fitted=True), "."])
        for lines, rule in rules
        if lines
    ]
    return [*told, bullets(items)] if items else told


def _failed(line: Compared) -> int:
    return line.fitted[1] - line.fitted[0] if line.fitted else 0


def _listed(title: str, whole: Comparison, verdict: str) -> list[Markup]:
    found = [line for line in whole.lines if line.verdict == verdict]
    return [element("h3", title), element("p", links(found))] if found else []


def links(lines: Sequence[Compared], *, fitted: bool = False) -> Markup:
    """Names that lead to the evidence."""
    pieces: list[str] = []
    for line in lines:
        link = element("a", line.name, href=f"#{anchor(line)}")
        pieces += [", ", link]
        if fitted and line.fitted:
            pieces.append(f" ({line.fitted[0]} of {line.fitted[1]} fit)")
    return together(pieces[1:])


def against(verdict: str) -> Markup:
    """How a row stands to what was published: a word, a sign and a colour."""
    if verdict not in TONE:
        return element("span", verdict, class_="quiet")
    sign = element("i", SIGN[verdict], aria_hidden="true")
    return element(
        "span", sign, verdict.removeprefix("published "), class_=f"badge {TONE[verdict]}"
    )


def anchor(line: Compared) -> str:
    """The name of a line's evidence on the page."""
    setting = "".join(f"-{word}" for word in re.findall(r"\w+", line.line.setting or ""))
    return f"row-{line.question.hash}{setting}"  # one question can be trained in several ways
