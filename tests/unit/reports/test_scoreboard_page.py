from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest

from foretell.core.question import GeneralizesInLength, Question, SizeRange, Verdict
from foretell.core.scoreboard import Row, Scoreboard
from foretell.reports.misses import misses
from foretell.reports.records_shown import apart_tables, records_table
from foretell.reports.reproduced.small_curves import frames, small_curves
from foretell.reports.scoreboard_page import MOST_OPEN, scoreboard_page
from foretell.theory import _existence, predict

NEAR = (SizeRange(51, 100),)
MOST = 12_500  # bytes a row: 400 rows in 5 MB


def wrong(row: Row) -> Row:
    """The same row, but its theory said the opposite."""
    (said,) = row.stated
    opposite = Verdict.NO if said.verdict is Verdict.YES else Verdict.YES
    return dataclasses.replace(row, predictions=(dataclasses.replace(said, verdict=opposite),))


def moved(row: Row, asked: Question) -> Row:
    """The same row as if it had been asked something else."""
    assert row.measurement is not None
    said = tuple(dataclasses.replace(item, question=asked) for item in row.stated)
    return Row(asked, said, dataclasses.replace(row.measurement, question=asked))


def test_many_rows_make_a_page_that_still_opens(failing: Row) -> None:
    small, large = (len(scoreboard_page(Scoreboard((failing,) * n)).encode()) for n in (2, 6))
    assert (large - small) / 4 < MOST


def test_every_row_has_its_curves_and_no_figure_is_drawn(
    board: Scoreboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "foretell.reports._sections.length_curves", None
    )  # it takes most of a second
    page = scoreboard_page(board)
    assert page.count('class="small"') == len(board.rows)


def test_every_miss_is_listed_with_a_link_to_its_curves(majority: Row, failing: Row) -> None:
    missed = wrong(majority)
    board = Scoreboard((missed, failing))
    (miss,) = misses(board)
    assert (miss.row, miss.prediction.verdict) == (missed, Verdict.NO)
    assert miss.as_json()["predicted"] == "no" and miss.as_json()["measured"] == "yes"
    page = scoreboard_page(board)
    listed = page[page.index("<h2>Misses") : page.index("<h2>Questions")]
    assert re.findall(r'href="#(question-\w+)"', listed) == [f"question-{missed.question.hash}"]
    behind = page[page.index("<h2>Behind each row") :]
    rows = re.findall(r"<details.*?</details>", behind, flags=re.DOTALL)
    opened = [row for row in rows if 'open="open"' in row]
    assert len(rows) == 2 and len(opened) == 1
    assert f'id="question-{missed.question.hash}"' in opened[0] and "<svg" in opened[0]


def test_misses_stand_by_what_was_said_and_long_lists_are_closed(majority: Row) -> None:
    missed = wrong(majority)
    few, many = (scoreboard_page(Scoreboard((missed,) * n)) for n in (2, MOST_OPEN + 1))
    for page, opened in ((few, True), (many, False)):
        listed = page[page.index("<h2>Misses") : page.index("<h2>Rules")]
        summaries = re.findall(r"<details([^>]*)><summary>([^<]*)<", listed)
        assert [bool("open=" in found) for found, _ in summaries] == [opened] * 2
    assert summaries[0][1] == f"crasp-length said no, conditional: {MOST_OPEN + 1} misses"


def test_a_yes_and_a_no_have_records_of_their_own(majority: Row, failing: Row) -> None:
    board = Scoreboard((majority, wrong(majority), failing))
    drawn = records_table(board.records())
    assert re.findall(r'title="([^"]*)"', drawn) == ["1 agrees", "1 disagrees", "1 agrees"]
    assert re.findall(r"width:([^%]*)%", drawn) == ["100.0"] * 3  # the longest bar is one question
    assert drawn.count("<svg") == 3 and drawn.count("0.00 [0.00, 0.79]") == 1


def test_records_apart_by_encoding_and_reach_where_there_are_two(majority: Row) -> None:
    question = majority.question
    assert apart_tables(Scoreboard((majority, wrong(majority)))) == []
    shape = dataclasses.replace(question.architecture, positional="ape")
    other = dataclasses.replace(question, architecture=shape)
    nearer = dataclasses.replace(question, outcome=GeneralizesInLength(SizeRange(1, 50), NEAR))
    rows = [majority, majority, *(moved(majority, asked) for asked in (other, nearer))]
    (_, by_order, _, by_reach, _) = apart_tables(Scoreboard(tuple(rows)))
    assert re.findall("<th>([^<]*)", by_order) == ["Theory", "Says", "nope", "ape"]
    assert re.findall(r"\d of \d", by_order) == ["3 of 3", "1 of 1"]
    assert re.findall("<th>([^<]*)", by_reach) == ["Theory", "Says", "to 2 times", "to 3 times"]
    assert re.findall(r"\d of \d", by_reach) == ["1 of 1", "3 of 3"]


def test_a_board_without_misses_says_so(board: Scoreboard) -> None:
    assert misses(board) == ()
    assert "No prediction is contradicted" in scoreboard_page(board)


def test_small_curves_tell_runs_left_out_and_sizes_not_tested(failing: Row, make: Any) -> None:
    assert failing.measurement is not None
    drawn = small_curves(failing.measurement)
    assert drawn.count('class="run"') == 3 and drawn.count('class="left-out"') == 1
    frame = frames([failing.measurement, failing.measurement])
    assert frame.count('class="seen"') == frame.count('class="bar"') == 1
    (name,) = re.findall(r'<g id="([^"]*)"', frame)
    assert f'<use href="#{name}"/>' in drawn
    paths = re.findall(r'<path d="([^"]*)" class="run"', drawn)
    assert all(path.count("M") == 1 for path in paths)  # all sizes were tested
    ranges = {SizeRange(1, 50), SizeRange(101, 150)}
    kept = tuple(value for value in failing.measurement.values if value.sizes in ranges)
    drawn = small_curves(dataclasses.replace(failing.measurement, values=kept))
    paths = re.findall(r'<path d="([^"]*)" class="run"', drawn)
    assert all(path.count("M") == 2 for path in paths)


def test_a_measurement_without_curves_shows_its_values(majority: Row) -> None:
    assert majority.measurement is not None
    bare = dataclasses.replace(majority.measurement, curves=())
    page = scoreboard_page(Scoreboard((dataclasses.replace(majority, measurement=bare),)))
    assert 'class="small"' not in page and "Each seed" in page


def test_a_language_is_decided_once_for_all_its_rows(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, make_question, _ = make
    asked = []
    decide = _existence.decide
    monkeypatch.setattr(
        _existence, "decide", lambda dfa, *how: asked.append(dfa) or decide(dfa, *how)
    )
    _existence._decision.cache_clear()
    for positional in ("nope", "ape"):
        predict(make_question("state:tomita-3", positional))
    assert asked and len(asked) == len(set(asked))


def test_each_rule_is_told_once_and_every_row_leads_to_its_own(majority: Row, failing: Row) -> None:
    assert failing.measurement is not None and majority.measurement is not None
    other = dataclasses.replace(majority.measurement, rule="another <rule>")
    rows = (failing, dataclasses.replace(majority, measurement=other), failing)
    page = scoreboard_page(Scoreboard(rows))
    assert page.count("Another &lt;rule&gt;.") == 1
    assert re.findall(r'href="#(rule-\d)"', page) == ["rule-1", "rule-2", "rule-1"]
    assert page.count('id="rule-') == 2
