"""Ours beside theirs from hand-made measurements: the rule, the table and the page."""

from __future__ import annotations

import dataclasses
import io
import re
from html.parser import HTMLParser
from typing import Any, final

import pytest
from rich.console import Console

from foretell.core.measurement import Interval
from foretell.core.question import Verdict
from foretell.core.scoreboard import Row
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.protocols._running import Asked
from foretell.reports._markup import ENDED_BY_THE_NEXT
from foretell.reports.reproduced.bars import best, reached
from foretell.reports.reproduced.classes import splits
from foretell.reports.reproduced.details import details_section
from foretell.reports.reproduced.figure import MOST_PANELS, reproduction_figure
from foretell.reports.reproduced.line import Compared
from foretell.reports.reproduced.page import reproduction_page
from foretell.reports.reproduced.shown import short_name, show
from foretell.reports.reproduced.table import (
    AGAINST_PUBLISHED,
    Comparison,
    chosen,
    compare,
    percent,
)
from foretell.reproductions import Line, Reproduction
from foretell.training.store import Store

FRAGMENTS = {"crasp": "yes", "crasp-periodic-local": "none found"}


@final
class HandMade(Reproduction):
    title = "A table & its <figure>"
    source = "nobody"

    def __init__(self, lines: tuple[Line, ...] = ()) -> None:
        self.kept = lines

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        return self.kept


@pytest.fixture
def compared(protocol: Any) -> Any:
    """A line from a row, with what was published about it."""

    def make(row: Row, published: tuple[float, ...] | None, **others: Any) -> Compared:
        asked = Asked(row.question, protocol, (0, 1, 2, 3))
        given = {"group": "Some tasks", "label": row.question.task.name, **others}
        return Compared(Line(asked=asked, published=published, **given), row, FRAGMENTS)

    return make


def scoring(row: Row, *means: float) -> Row:
    """The row with these means on the probe that decides."""
    assert row.measurement is not None
    left = list(means)
    values = tuple(
        dataclasses.replace(value, mean=left.pop(0), interval=Interval(0, 1)) if left else value
        for value in row.measurement.values
    )
    measured = dataclasses.replace(row.measurement, values=values)
    return dataclasses.replace(row, measurement=measured)


@pytest.fixture
def whole(compared: Any, majority: Row, failing: Row, hostile: Row) -> Comparison:
    lines = (
        compared(majority, (1, 1, 0.98), note="one seed: 12 <layers>"),
        compared(dataclasses.replace(failing, measurement=None), (0.544, 0, 0)),
        compared(failing, (0.071, 0, 0), group="Others & more"),
        compared(hostile, None, group="Others & more"),
    )
    return Comparison(HandMade(), "cpu", lines)


@pytest.mark.parametrize(
    ("ours", "published", "verdict"),
    [
        ((1, 1, 1), (1, 1, 1), "agrees"),
        ((1, 0.95, 1), (1, 1, 1), "agrees"),
        ((1, 0.949, 1), (1, 1, 1), "differs"),
        ((1, 0.05, 0), (1, 0, 0), "agrees"),
        ((1, 0.3, 0), (1, 0.28, 0.1), "published spread"),
        ((1, 0.9, 0), (1, 0.28, 0), "agrees"),  # only what is clear is compared
        ((0.2, 1, 1), (1, 1, 1), "agrees"),  # and only longer sizes
        ((1, 0.96, 0), (1, 0.95, 0.05), "agrees"),  # the ends are clear
        ((1, 1, 1), None, "nothing published"),
    ],
)
def test_the_rule(compared: Any, majority: Row, ours: Any, published: Any, verdict: str) -> None:
    assert compared(scoring(majority, *ours), published).verdict == verdict


@pytest.mark.parametrize(
    ("published", "answer"),
    [
        ((1, 1, 1), "same"),
        ((0.1, 0.95, 0.95), "same"),  # the training range does not count
        ((1, 0.99, 0.9), None),  # a spread
        ((1, 0.9, 0.05), "opposite"),  # one clear miss is a no
        (None, None),
    ],
)
def test_the_same_answer_as_published(
    compared: Any, majority: Row, published: Any, answer: str | None
) -> None:
    assert compared(majority, published).same_answer == answer
    assert majority.measurement is not None
    unsure = dataclasses.replace(majority.measurement, verdict=Verdict.UNDECIDED)
    line = compared(dataclasses.replace(majority, measurement=unsure), published)
    assert line.same_answer == (answer and "undecided here")
    assert compared(dataclasses.replace(majority, measurement=None), published).same_answer is None


def test_not_run_is_a_verdict_too(compared: Any, majority: Row) -> None:
    line = compared(dataclasses.replace(majority, measurement=None), (1, 1, 1))
    assert line.verdict == "not run"
    assert (line.values, line.fitted, line.left_out, line.counts_unfitted) == ((), None, 0, False)
    assert line.as_json()["ours"] == []


def test_runs_that_do_not_fit_are_counted(compared: Any, failing: Row, make: Any) -> None:
    line = compared(failing, (1, 1, 1))  # one of four did not fit
    assert (line.fitted, line.left_out, line.counts_unfitted) == ((3, 4), 1, False)
    none = compared(make[0]("tomita-5", unfitted=(0, 1, 2, 3)), (1, 1, 1))
    assert (none.fitted, none.left_out, none.counts_unfitted) == ((0, 4), 0, True)


def test_beside_published_means_ours_are_over_the_runs_that_fit(compared: Any, make: Any) -> None:
    row = make[0]("tomita-5", unfitted=(0, 1, 2))
    alone, beside = compared(row, None), compared(row, (1, 1, 1))
    assert (alone.fitted, alone.left_out, alone.counts_unfitted) == ((1, 4), 0, True)
    assert (beside.fitted, beside.left_out, beside.counts_unfitted) == ((1, 4), 3, False)
    for own, shared in zip(beside.values, alone.values, strict=True):
        assert own.runs == (3,) and own.seeds == (own.mean,) == shared.seeds[3:]
        assert (own.interval.low, own.interval.high) == (0, 1)  # one run tells of no other
    assert beside.measured.verdict is alone.measured.verdict  # the rule sees all runs
    assert beside.as_json()["other_tests"] == alone.as_json()["other_tests"]


def test_the_summary_counts_every_line(whole: Comparison) -> None:
    told = whole.as_json()
    counted = told["summary"]["published"]
    assert tuple(counted) == AGAINST_PUBLISHED
    assert sum(counted.values()) == len(whole.lines) == len(told["rows"])
    assert counted["not run"] == counted["nothing published"] == 1
    assert told["summary"]["answers"] == {"same": 2, "undecided here": 0, "opposite": 0}
    theory = told["summary"]["theories"]["crasp-length"]
    assert sum(theory.values()) == 2  # the hostile row has no prediction, one was not run
    assert told["rows"][0]["fragments"] == FRAGMENTS


@pytest.mark.parametrize("width", [80, 100])
def test_the_table_is_one_line_a_row(whole: Comparison, width: int) -> None:
    stream = io.StringIO()
    show(Console(file=stream, width=width), whole)
    lines = stream.getvalue().splitlines()
    assert all(len(line.rstrip()) <= width for line in lines)
    (row,) = [line for line in lines if line.startswith("majority")]
    assert row.split() == [
        *("majority", "nope", "yes", "100", "99.9", "97.7", "4/4"),
        *("100", "100", "98.0", "yes", "agrees"),
    ]
    assert any("Others & more" in line for line in lines)
    assert any(line.startswith("one seed: 12 <layers>: majority nope") for line in lines)


def test_names_are_shortened_by_word() -> None:
    assert short_name("binary-majority-interleave", 24) == "bin-majority-interleave"
    assert short_name("x" * 30) == "x" * 19 + "…"
    assert (percent(0.9999), percent(0.00001), percent(0.5)) == ("99.9", "0.1", "50.0")


class Reader(HTMLParser):
    """Elements close in order; ids and links are collected."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in {"meta", *ENDED_BY_THE_NEXT}:
            self.open.append(tag)
        self.handle_startendtag(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in {"script", "link", "img", "iframe"}
        found = dict(attrs)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [found["href"] or ""] if "href" in found else []

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_stands_alone_and_links_to_the_evidence(whole: Comparison) -> None:
    page = reproduction_page(dataclasses.replace(whole, lines=whole.lines[1:]))
    read = Reader(page)
    assert {link for link in read.links if not link.startswith("#")} == set()
    assert {link[1:] for link in read.links} <= set(read.ids)
    assert not re.search(r"@import|url\((?!#)", page)


def test_the_page_tells_everything(whole: Comparison) -> None:
    page = reproduction_page(whole)
    assert page == reproduction_page(whole)
    for text in (
        "3 of 4",
        "rows run",
        "C-RASP</span> <span",
        "none found",
        "1 of 12 runs did not get all of the in-range test right",
        "1 left out of means, which are over the runs that fit",
        "Rows not run yet",
        "near-non-members",
        "one seed: 12 &lt;layers&gt;",
        "at most 1,000 of 64 examples",
        "e1f2a3b4c5d6",
        "cpu: cpu, x86_64",
        "6 min 52 s",
    ):
        assert text in page, text
    assert re.search(r"\d\d\.\d \d\d\.\d \(\d\d\.\d\) \d\d\.\d", page)  # seed 2 was left out


def test_what_a_group_has_in_common_is_told_once_and_the_rest_with_its_row(
    whole: Comparison,
) -> None:
    line = next(line for line in whole.lines if line.measured)
    alone = details_section([line])
    many = details_section([line, line, line])
    for text in ("cpu: cpu, x86_64", "at most 1,000 of 64 examples", "Rule: "):
        assert alone.count(text) == many.count(text) == 1, text
    assert "in common" not in alone and many.count('href="#group-1-') == 3
    assert many.count("<svg") == 4 and alone.count("<svg") == 2  # and the frame that they share


def test_names_are_escaped(whole: Comparison) -> None:
    page = reproduction_page(whole)
    assert "<script" not in page and "<figure>" not in page.replace('<figure class="broad">', "")
    assert "A table &amp; its &lt;figure&gt;" in page
    assert "regex:(&lt;script&gt;|[ab]&amp;%)*" in page
    assert "Others &amp; more" in page


def test_the_figure_is_text_and_repeatable(whole: Comparison) -> None:
    drawn = reproduction_figure(whole)
    assert drawn == reproduction_figure(whole)
    for text in ("majority", "tomita-5", "NoPE ✓", "NoPE ✗", "101–150", "Some tasks", "published"):
        assert text in drawn
    without = [dataclasses.replace(x.line, published=None) for x in whole.lines]
    lines = [dataclasses.replace(x, line=y) for x, y in zip(whole.lines, without, strict=True)]
    assert "published" not in reproduction_figure(dataclasses.replace(whole, lines=tuple(lines)))


def test_many_tasks_are_dots_instead_of_panels(whole: Comparison) -> None:
    one = whole.lines[0]
    many = tuple(
        dataclasses.replace(one, line=dataclasses.replace(one.line, label=f"task-{number}"))
        for number in range(MOST_PANELS + 1)
    )
    drawn = reproduction_page(dataclasses.replace(whole, lines=many))
    assert "a dot for each task" in drawn
    assert f"of {MOST_PANELS + 1}" in drawn  # over the group, how many reach the bar
    assert "a dot for each task" not in reproduction_page(whole)


def test_rows_are_chosen_by_task_and_encoding(protocol: Any, make: Any) -> None:
    rows = [(name, positional) for name in ("sort", "parity") for positional in ("ape", "nope")]
    lines = tuple(
        Line("In one, not the other", row[0], Asked(make[1](*row), protocol, (0,)), setting=row[1])
        for row in rows
    )

    def chosen_names(*arguments: Any) -> list[tuple[str, str]]:
        found = chosen(HandMade(lines), "cpu", None, *arguments)
        return [(line.label, line.asked.question.architecture.positional) for line in found]

    assert chosen_names(None, None) == rows
    assert chosen_names("parity, sort", None) == rows
    assert chosen_names("parity", None) == rows[2:]
    assert chosen_names("sort", "nope") == [("sort", "nope")]
    assert chosen_names("In one, not the other", None) == rows  # a group's name has a comma
    assert chosen_names("parity,In one, not the other, sort", None) == rows
    assert chosen_names("In one, not the other,nope", None) == [rows[1], rows[3]]  # narrowed down
    assert chosen_names("parity,ape", None) == [("parity", "ape")]
    assert chosen_names("nope", None) == [("sort", "nope"), ("parity", "nope")]  # a setting
    lines = tuple(
        dataclasses.replace(line, setting=None if line.setting == "ape" else line.setting)
        for line in lines
    )
    assert chosen_names("usual,sort", None) == [("sort", "ape")]  # where others have a setting
    lines = tuple(dataclasses.replace(line, setting=None) for line in lines)
    for unknown in ("sorted", "parity, not the other", "parity,", "usual"):
        with pytest.raises(BadInput, match="no such row"):
            chosen_names(unknown, None)
    with pytest.raises(BadInput, match="no such row"):
        chosen_names("", None)
    with pytest.raises(BadInput, match="ape or nope"):
        chosen_names(None, "rotary")


def test_names_that_leave_no_row_are_refused(protocol: Any, make: Any) -> None:
    asked = [Asked(make[1]("sort", each), protocol, (0,)) for each in ("ape", "nope")]
    lines = (Line("One", "sort", asked[0]), Line("Another", "sort again", asked[1]))
    for only, positional in (("One, sort again", None), ("sort", "nope")):
        with pytest.raises(BadInput, match="no row is all of that"):
            chosen(HandMade(lines), "cpu", None, only, positional)


def test_lines_are_compared_with_what_the_store_has(
    compared: Any, majority: Row, failing: Row, tmp_path: Any
) -> None:
    lines = (compared(majority, (1, 1, 1)).line, compared(failing, None).line)
    found = compare(HandMade(lines), "smoke", None, Store.at(str(tmp_path)))
    assert [line.verdict for line in found.lines] == ["not run", "not run"]
    assert all(line.forecast is not None for line in found.lines)
    assert [tuple(line.fragments.values()) for line in found.lines] == [("yes",) * 2, ("no",) * 2]


def test_rows_that_reach_the_bar_are_counted_by_group(whole: Comparison) -> None:
    found = reached(whole.lines)
    assert {each.group for each in found} == {"Some tasks", "Others & more"}
    assert all(each.always <= each.every <= each.some <= each.rows for each in found)
    first = [each for each in found if each.group == "Some tasks"]
    assert [each.rows for each in first] == [1, 1]  # one row was not run
    page = reproduction_page(whole)
    assert "best run · every run · every run and probe" in page
    assert best(whole.lines) == ()  # one way to train: nothing to choose from


def test_the_best_of_several_settings_is_counted_by_task(
    compared: Any, majority: Row, failing: Row
) -> None:
    """A task counts once, however many settings reach the bar or miss it."""

    def under(line: Compared, setting: str) -> Compared:
        named = dataclasses.replace(line.line, setting=setting, group="One", label="same")
        return dataclasses.replace(line, line=named)

    good, bad = compared(majority, None), compared(failing, None)
    lines = (under(bad, "wide"), under(good, "narrow"))
    assert {each.group for each in reached(lines)} == {"One; wide", "One; narrow"}
    assert [(each.tasks, each.reached) for each in best(lines)] == [(1, 1), (1, 1)]
    assert [(each.tasks, each.reached) for each in best(lines[:1])] == [(1, 0), (1, 0)]
    assert lines[0].name.endswith(" wide")


def test_rows_a_theory_got_wrong_are_listed(whole: Comparison) -> None:
    wrong = {line.name for lines in whole.missed().values() for line in lines}
    expected = {
        line.name
        for line in whole.lines
        for said in line.row.stated
        if line.row.agreement(said).value == "disagrees"
    }
    assert wrong == expected


def test_regular_languages_are_split_by_class(compared: Any, majority: Row, failing: Row) -> None:
    whole = Comparison(HandMade(), "cpu", (compared(majority, None), compared(failing, None)))
    (found,) = splits(whole)  # majority is no regular language
    assert (found.inside, found.rows) == (False, 1)  # tomita-5 counts modulo two
    line = whole.lines[1]
    decisive = [v for v in line.measured.values if v.probe == line.question.task.probes[0]]
    assert [mean for _, mean in found.right] == [value.mean for value in decisive[1:]]
    assert "by class of the language" in reproduction_page(whole)
