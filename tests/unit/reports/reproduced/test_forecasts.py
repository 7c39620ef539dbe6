"""A forecast against rows drawn to test it, from hand-made measurements."""

from __future__ import annotations

import dataclasses
from typing import Any, final

import pytest

from foretell.core import Alphabet, Architecture, Question, SizeRange
from foretell.core.prediction import NotApplicable, Prediction
from foretell.core.question import GeneralizesInLength, Verdict
from foretell.core.scoreboard import Row
from foretell.languages.regular import RegularLanguage
from foretell.protocols._asking import Budget
from foretell.protocols._running import Asked
from foretell.protocols.length import Length
from foretell.reports.hindsight import begun, without_hindsight
from foretell.reports.reproduced.forecasts import IN_DA, RULE, TYPICAL, WORST, judged, tallies
from foretell.reports.reproduced.line import Compared
from foretell.reports.reproduced.page import reproduction_page
from foretell.reports.reproduced.table import Comparison, compare
from foretell.reproductions import Line, Reproduction
from foretell.tasks.tracking import TrackingTask
from foretell.theory import predict
from foretell.training.record import MemberRecord, Record, Score
from foretell.training.store import Store

SEEN = SizeRange(1, 50)
NEAR, FAR = SizeRange(101, 150), SizeRange(451, 500)
PROTOCOL = Length(steps=100, check_every=50, learning_rate=1e-3, samples=500, bar=0.99)
SEEDS = (0, 1, 2)
NAME = "late-moves"
FRAGMENTS = {"crasp": "yes", "crasp-periodic-local": "yes"}
YES, NO, OPEN = Verdict.YES, Verdict.NO, Verdict.UNDECIDED


def question(text: str) -> Question:
    language = RegularLanguage.from_regex(text, Alphabet(("a", "b")))
    task = TrackingTask(500, "state", language=language)
    shape = Architecture(layers=4, heads=4, width=128, positional="nope", context=501)
    return Question(task, shape, GeneralizesInLength(SEEN, (SizeRange(51, 100), NEAR, FAR)))


def measured(asked: Question, provenance: Any, near: Any, far: Any, members: float = 1.0) -> Row:
    """Right of 100, seed by seed, at the two ranges; on members the worst of both."""
    scores = []
    labels = [*asked.task.probes, *(f"{probe}, last letter" for probe in asked.task.probes)]
    for probe in labels:
        for sizes in (SEEN, SizeRange(51, 100), NEAR, FAR):
            for seed in SEEDS:
                share = {NEAR: near, FAR: far}.get(sizes, (1.0,) * 3)[seed]
                share = min(share, members) if probe == "members" and sizes == NEAR else share
                right = round(100 * share)
                scores.append(Score(seed, probe, sizes.low, sizes.high, sizes.high, right, 100))
    runs = tuple(MemberRecord(seed, 1e-3, "fitted", 100, 0.01) for seed in SEEDS)
    record = Record(runs, tuple(scores), (), (), 1.0)
    found = PROTOCOL.read(asked, PROTOCOL.plan(asked, SEEDS), record, provenance)
    return Row(asked, predict(asked), found)


def line(row: Row) -> Compared:
    asked = Asked(row.question, PROTOCOL, SEEDS)
    name = row.question.task.language.name.removeprefix("regex:")
    return Compared(Line("Some languages", name, asked), row, FRAGMENTS)


@final
class Drawn(Reproduction):
    title, source, forecast = "Drawn", "nobody", NAME

    def __init__(self, lines: tuple[Line, ...] = ()) -> None:
        self.kept = lines

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        return self.kept


@pytest.fixture
def lines(provenance: Any) -> tuple[Compared, ...]:
    rows = (
        measured(question("a*"), provenance, (1, 1, 1), (0.5, 0.5, 1), members=0.5),
        measured(question("(ab)*"), provenance, (1, 0.9, 1), (0.2, 0.2, 0.2)),
        measured(question("(aa)*b*"), provenance, (0.1, 0.1, 0.1), (0, 0, 0)),
        dataclasses.replace(Row(question(".*a"), predict(question(".*a")), None)),
    )
    return tuple(map(line, rows))


def test_each_range_is_asked_and_read_by_itself(lines: tuple[Compared, ...]) -> None:
    found = {(each.line.line.label, each.sizes): each for each in judged(lines, NAME)}
    assert {sizes for _, sizes in found} == {NEAR, FAR}  # to 100 the forecast says nothing
    simple, far = found["a*", NEAR], found["a*", FAR]
    assert dict(simple.said) == {NAME: YES, IN_DA: YES, "crasp-length": YES}
    assert dict(simple.shown) == {RULE: YES, TYPICAL: YES, WORST: NO}  # not on members
    assert far.said[NAME] is NO
    assert dict(far.shown) == {RULE: OPEN, TYPICAL: YES, WORST: NO}
    counting = found["(ab)*", NEAR]
    assert dict(counting.said) == {NAME: NO, IN_DA: NO, "crasp-length": YES}
    assert dict(counting.shown) == {RULE: OPEN, TYPICAL: YES, WORST: NO}
    assert set(found["(aa)*b*", NEAR].said.values()) == {NO}
    assert found[".*a", NEAR].shown == {}


def test_the_last_range_is_what_the_protocol_said(lines: tuple[Compared, ...]) -> None:
    for each in judged(lines, NAME):
        if each.sizes == FAR and each.line.measured:
            assert each.shown[RULE] is each.line.measured.verdict


def test_hits_are_counted_by_what_was_said(lines: tuple[Compared, ...]) -> None:
    found = {(x.way, x.sizes, x.reading, x.program): x for x in tallies(judged(lines, NAME))}
    one = found[NAME, NEAR, TYPICAL, True]
    assert (one.right, one.wrong, one.open) == ({YES: 1, NO: 0}, {YES: 0, NO: 1}, 0)
    ruled = found[NAME, NEAR, RULE, True]
    assert (ruled.right, ruled.wrong, ruled.open) == ({YES: 1, NO: 0}, {YES: 0, NO: 0}, 1)
    plain = found["crasp-length", NEAR, WORST, True]
    assert (plain.right, plain.wrong) == ({YES: 0, NO: 0}, {YES: 2, NO: 0})
    without = found[NAME, NEAR, RULE, False]
    assert (without.right, without.wrong) == ({YES: 0, NO: 1}, {YES: 0, NO: 0})


def test_the_page_shows_it_and_lists_misses(lines: tuple[Compared, ...]) -> None:
    whole = Comparison(Drawn(), "cpu", lines)
    page = reproduction_page(whole)
    assert "The forecast late-moves, put to the test" in page
    assert "1 of 2: 50 %" in page
    missed = page[page.index("Rows where it was wrong") :]
    assert "To 150, best run at the bar: <a" in missed
    assert len(whole.as_json()["summary"]["forecasts"]) == 2 * 3 * 3 * 2
    nothing = dataclasses.replace(whole, lines=lines[3:])
    assert "put to the test" not in reproduction_page(nothing)


def test_a_reproduction_that_tests_none_has_no_such_section(lines: tuple[Compared, ...]) -> None:
    @final
    class Plain(Reproduction):
        title, source = "Plain", "nobody"

        def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
            return ()

    whole = Comparison(Plain(), "cpu", lines)
    assert "put to the test" not in reproduction_page(whole)
    assert "forecasts" not in whole.as_json()["summary"]


def test_a_rule_made_from_runs_counts_only_where_it_was_on_record() -> None:
    said = predict(question("a*"))
    late = without_hindsight(said, {"crasp-length": "yes"})
    by_name = {each.predictor: each for each in late}
    assert isinstance(by_name[NAME], NotApplicable)
    assert "hindsight" in by_name[NAME].reason
    assert isinstance(by_name["crasp-length"], Prediction)  # a theorem needs no record
    assert without_hindsight(said, {NAME: "no"}) == said
    turned = {each.predictor: each for each in without_hindsight(said, {NAME: "yes"})}
    assert isinstance(turned[NAME], NotApplicable)  # it said the opposite before the run
    asked = question("a*")
    shape = dataclasses.replace(asked.architecture, positional="local")
    asked = dataclasses.replace(asked, architecture=shape)
    said = predict(asked)  # of `local` it is a conjecture of ours, made after runs
    early = {each.predictor: each for each in without_hindsight(said, {"crasp-length": "yes"})}
    late = {each.predictor: each for each in without_hindsight(said, {})}
    assert isinstance(early["crasp-length"], Prediction)
    assert isinstance(late["crasp-length"], NotApplicable)


def test_what_is_put_on_record_after_the_run_comes_too_late(tmp_path: Any) -> None:
    store = Store.at(str(tmp_path))
    for time, name in (
        ("2026-01-01T00:00:00+00:00", "first"),
        ("2026-01-03T00:00:00+00:00", "late"),
    ):
        said = [{"predictor": name, "verdict": "yes"}]
        store.note_predictions("hash", {"time": time, "predictions": said})
    assert set(store.first_predictions("hash")) == {"first", "late"}
    assert set(store.first_predictions("hash", before="2026-01-02T00:00:00+00:00")) == {"first"}


def test_rows_trained_before_the_rule_are_no_test(lines: tuple[Compared, ...]) -> None:
    old = [
        dataclasses.replace(
            each,
            row=dataclasses.replace(
                each.row, predictions=without_hindsight(each.row.predictions, {})
            ),
        )
        for each in lines
    ]
    assert judged(old, NAME) == ()


def test_what_was_not_run_is_still_foretold(lines: tuple[Compared, ...], tmp_path: Any) -> None:
    asked = tuple(each.line for each in lines)
    found = compare(Drawn(asked), "cpu", None, Store.at(str(tmp_path)))
    assert all(NAME in {said.predictor for said in each.row.stated} for each in found.lines)


def test_a_run_begins_with_its_first_session() -> None:
    sessions = [{"time": "2026-01-01T00:00:00+00:00"}, {"time": "2026-01-03T00:00:00+00:00"}]
    ended = {"time": "2026-01-04T00:00:00+00:00"}
    assert begun({**ended, "sessions": sessions}) == sessions[0]["time"]
    assert begun(ended) == ended["time"] and begun({}) == ""
