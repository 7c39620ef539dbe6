"""The length protocol plans and reads as its printed rule says."""

from __future__ import annotations

import dataclasses
import functools
import json
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from foretell.core import Architecture, Measurement, Protocol, Question, SizeRange
from foretell.core.question import GeneralizesInLength, Outcome, Verdict
from foretell.plain import catalogue
from foretell.plain.canonical import canonical_json
from foretell.plain.errors import BadInput
from foretell.tasks.lookup import find_task
from foretell.training.plan import Plan
from foretell.training.record import MemberRecord, Record, Score

PROTOCOLS = [catalogue.find("length", ("protocols",))]
REQUIRED = {"steps": 1000, "check_every": 500, "learning_rate": 1e-3}
PROVENANCE = {"versions": {"jax": "0"}, "device": "cpu", "seeds": []}
SEEN, NEAR, FAR = SizeRange(1, 50), SizeRange(51, 100), SizeRange(101, 150)
NAMES = ("binary-majority", "tomita-4", "anbn")


@pytest.fixture(params=PROTOCOLS, ids=lambda entry: entry.name)
def entry(request: pytest.FixtureRequest) -> catalogue.Entry:
    return request.param


@functools.cache
def ask(name: str = "binary-majority", asked: tuple[SizeRange, ...] = (NEAR, FAR)) -> Question:
    task = find_task(name)
    shape = Architecture(
        layers=1,
        heads=1,
        width=16,
        positional="nope",
        context=task.width(150),
        tied=task.labels == task.alphabet.tokens,
    )
    return Question(task, shape, GeneralizesInLength(SEEN, asked))


def build(entry: catalogue.Entry, **changes: Any) -> Any:
    """A protocol with what it requires, and defaults for the rest."""
    kind = entry.load()
    required = {
        field.name: REQUIRED[field.name]
        for field in dataclasses.fields(kind)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    }
    return kind(**{**required, **changes})


def record(plan: Plan, members: Sequence[tuple[str, dict[SizeRange, float]]]) -> Record:
    """A run that ended like this: status and share of right answers by range, seed by seed."""
    scores = []
    for each, (_, shares) in zip(plan.members, members, strict=True):
        for test in plan.trials:
            sizes = each.task.sizes(test.sizes.low, test.sizes.high, test.probe)
            right = round(shares[test.sizes] * test.count)
            place = (each.seed, test.probe, test.sizes.low, test.sizes.high)
            half = test.count // 2  # two sizes, so that adding up over sizes is tried as well
            scores.append(Score(*place, sizes[0], min(right, half), half))
            scores.append(Score(*place, sizes[-1], right - min(right, half), test.count - half))
    ends = tuple(
        MemberRecord(each.seed, each.learning_rate, status, plan.steps, 0.1)
        for each, (status, _) in zip(plan.members, members, strict=True)
    )
    baselines = tuple((test.probe, test.sizes.low, test.sizes.high, (0.5,)) for test in plan.trials)
    return Record(ends, tuple(scores), baselines, (), 1.0)


def shares(near: float, far: float, seen: float = 1.0) -> dict[SizeRange, float]:
    return {SEEN: seen, NEAR: near, FAR: far}


def read(
    entry: catalogue.Entry, members: Sequence[tuple[str, dict[SizeRange, float]]], **changes: Any
) -> Measurement:
    protocol = build(entry, **changes)
    plan = protocol.plan(ask(), tuple(range(len(members))))
    return protocol.read(ask(), plan, record(plan, members), dict(PROVENANCE))


GOOD, BAD = ("fitted", shares(1.0, 1.0)), ("fitted", shares(1.0, 0.0))
LOST, BURNT = ("not fitted", shares(0.0, 0.0, 0.3)), ("diverged", shares(0.0, 0.0, 0.0))


def test_it_loads_under_its_own_name_and_is_documented(entry: catalogue.Entry) -> None:
    protocol = build(entry)
    assert isinstance(protocol, Protocol)
    assert protocol.name == entry.name
    assert tuple(name for name, _ in entry.sections) == catalogue.SECTIONS
    assert all(text for _, text in entry.sections)
    assert type(protocol).__dataclass_params__.frozen


@pytest.mark.parametrize("bar", [0.95, 0.9, 0.5])
def test_the_rule_names_its_bar_and_all_three_verdicts(entry: catalogue.Entry, bar: float) -> None:
    rule = build(entry, bar=bar).rule
    assert f"{bar:g}" in rule
    assert all(f"{verdict.value}:" in rule for verdict in Verdict)
    assert rule == build(entry, bar=bar).rule


@pytest.mark.parametrize("name", NAMES)
def test_the_plan_is_a_pure_function_of_question_and_seeds(
    entry: catalogue.Entry, name: str
) -> None:
    before = ask(name).hash
    first = build(entry).plan(ask(name), (0, 1, 2))
    random.seed(1)
    np.random.seed(1)
    second = build(entry).plan(ask(name), (0, 1, 2))
    assert first == second and first.hash == second.hash
    assert ask(name).hash == before
    assert json.loads(canonical_json(first.as_json())) == first.as_json()
    assert build(entry).plan(ask(name), (0, 1)).hash != first.hash
    assert build(entry).plan(ask(name), (0, 1, 3)).hash != first.hash


@pytest.mark.parametrize("name", NAMES)
def test_the_plan_trains_what_was_seen_and_tests_everything_asked(
    entry: catalogue.Entry, name: str
) -> None:
    plan = build(entry).plan(ask(name), (3, 5))
    task = ask(name).task
    assert plan.train == SEEN and plan.architecture == ask(name).architecture
    assert [member.seed for member in plan.members] == [3, 5]
    assert (plan.trials[0].probe, plan.trials[0].sizes) == (task.probes[0], SEEN)
    places = [(test.probe, test.sizes) for test in plan.trials]
    assert len(set(places)) == len(places)
    assert {sizes for probe, sizes in places if probe == task.probes[0]} == {SEEN, NEAR, FAR}
    for probe, sizes in places:
        assert task.sizes(sizes.low, sizes.high, probe)  # no test without examples


@pytest.mark.parametrize(
    "field", ["steps", "check_every", "learning_rate", "samples", "batch", "warmup"]
)
def test_every_setting_that_decides_the_run_is_in_its_hash(
    entry: catalogue.Entry, field: str
) -> None:
    changed = {"steps": 2000, "check_every": 1000, "learning_rate": 1e-4}
    changed |= {"samples": 100, "batch": 32, "warmup": 10}
    plan = build(entry, **{field: changed[field]}).plan(ask(), (0, 1))
    assert plan.hash != build(entry).plan(ask(), (0, 1)).hash


def test_a_plan_without_seeds_or_sizes_is_refused(entry: catalogue.Entry) -> None:
    with pytest.raises(BadInput, match="seed"):
        build(entry).plan(ask(), ())
    with pytest.raises(BadInput, match="no input in that range"):
        build(entry).plan(ask("anbn", (SizeRange(101, 101),)), (0, 1))


@pytest.mark.parametrize(
    "bad",
    [
        {"learning_rate": 0.0},
        {"learning_rate": -1e-3},
        {"learning_rate": 1.0},
        {"learning_rate": float("nan")},
        {"samples": 0},
    ],
    ids=str,
)
def test_settings_that_mean_nothing_are_refused(
    entry: catalogue.Entry, bad: dict[str, float]
) -> None:
    with pytest.raises(BadInput):
        build(entry, **bad)


@pytest.mark.parametrize(
    "bad", [{"steps": 0}, {"check_every": 0}, {"batch": 0}, {"batch": 3}], ids=str
)
def test_schedules_that_do_not_fit_are_refused(entry: catalogue.Entry, bad: dict[str, int]) -> None:
    with pytest.raises(BadInput):
        build(entry, **bad).plan(ask(), (0, 1))


def test_another_kind_of_question_is_refused(entry: catalogue.Entry) -> None:
    class Other(Outcome):
        name = "something-else"
        sentence = "something else?"

        def __init__(self) -> None:
            self.asked = SizeRange(1, 50)

    other = Question(ask().task, ask().architecture, Other())
    with pytest.raises(BadInput) as caught:
        build(entry).plan(other, (0, 1))
    assert caught.value.seen == "something-else"


CASES = {
    "all right": ([GOOD] * 4, "yes"),
    "two seeds, all right": ([GOOD] * 2, "undecided"),
    "three seeds, all right": ([GOOD] * 3, "yes"),
    "far wrong": ([BAD] * 4, "no"),
    "near wrong, far right": ([("fitted", shares(0.0, 1.0))] * 4, "no"),
    "everything longer wrong": ([("fitted", shares(0.0, 0.0))] * 4, "no"),
    "none fitted": ([LOST] * 4, "undecided"),
    "none fitted, all wrong or all right": ([("not fitted", shares(1.0, 1.0))] * 4, "undecided"),
    "one seed, right": ([GOOD], "undecided"),
    "one seed, wrong": ([BAD], "undecided"),
    "one of four fitted": ([GOOD, LOST, LOST, LOST], "undecided"),
    "half fitted, too few": ([GOOD, GOOD, LOST, LOST], "undecided"),
    "half fitted, right": ([GOOD] * 3 + [LOST] * 3, "yes"),
    "half fitted, wrong": ([BAD] * 3 + [LOST, LOST, BURNT], "no"),
    "two of five fitted": ([GOOD, GOOD, LOST, LOST, LOST], "undecided"),
    "three of five fitted": ([GOOD, GOOD, GOOD, LOST, BURNT], "yes"),
    "one of two fitted": ([GOOD, LOST], "undecided"),
    "all diverged": ([BURNT] * 4, "undecided"),
    "seeds disagree": ([GOOD, GOOD, BAD, BAD], "undecided"),
    "near the bar": ([("fitted", shares(1.0, far)) for far in (0.93, 0.95, 0.96)], "undecided"),
    "at the bar exactly": ([("fitted", shares(1.0, 0.95))] * 4, "yes"),
    "one seed below": ([GOOD, GOOD, GOOD, GOOD, BAD], "undecided"),
    "steady above the bar": ([("fitted", shares(0.98, 0.98))] * 4, "yes"),
    "steady below the bar": ([("fitted", shares(1.0, 0.92))] * 4, "no"),
    "in range imperfect later": ([("fitted", shares(1.0, 1.0, 0.5))] * 4, "yes"),
}


@pytest.mark.parametrize("case", CASES)
def test_reading_gives_the_verdict_that_the_rule_states(entry: catalogue.Entry, case: str) -> None:
    members, verdict = CASES[case]
    found = read(entry, members)
    assert found.verdict.value == verdict, found.reason
    assert found.rule == build(entry).rule


def test_too_few_samples_leave_it_undecided_however_good_the_score(entry: catalogue.Entry) -> None:
    assert read(entry, [GOOD] * 3, samples=10).verdict is Verdict.UNDECIDED
    assert read(entry, [GOOD] * 3, samples=1000).verdict is Verdict.YES


def test_the_bar_is_where_it_says(entry: catalogue.Entry) -> None:
    steady = [("fitted", shares(0.9, 0.9))] * 4
    assert read(entry, steady, bar=0.95).verdict is Verdict.NO
    assert read(entry, steady, bar=0.85).verdict is Verdict.YES


def test_reading_is_pure(entry: catalogue.Entry) -> None:
    provenance = {**PROVENANCE, "seeds": [9]}
    protocol = build(entry)
    plan = protocol.plan(ask(), (0, 1))
    run = record(plan, [GOOD, BAD])
    first = protocol.read(ask(), plan, run, provenance)
    assert first == protocol.read(ask(), plan, run, provenance)
    assert provenance == {**PROVENANCE, "seeds": [9]}
    assert first.question == ask() and first.protocol == entry.name


def test_the_values_are_those_of_the_fitted_runs(entry: catalogue.Entry) -> None:
    found = read(entry, [("fitted", shares(1.0, 0.5)), LOST, ("fitted", shares(0.5, 0.25))])
    by_range = {value.sizes: value for value in found.values}
    assert by_range[NEAR].seeds == (1.0, 0.5) and by_range[FAR].seeds == (0.5, 0.25)
    assert by_range[FAR].mean == pytest.approx(0.375)
    for value in found.values:
        assert value.interval.low <= value.mean <= value.interval.high
        assert value.baseline == 0.5
    assert any("2 of 3" in note for note in found.notes)


def test_the_order_of_members_and_scores_does_not_change_the_verdict(
    entry: catalogue.Entry,
) -> None:
    protocol = build(entry)
    plan = protocol.plan(ask(), (0, 1, 2))
    run = record(plan, [GOOD, BAD, LOST])
    turned = dataclasses.replace(run, scores=run.scores[::-1], members=run.members[::-1])
    first = protocol.read(ask(), plan, run, PROVENANCE)
    second = protocol.read(ask(), plan, turned, PROVENANCE)
    assert first.verdict == second.verdict
    assert [value.mean for value in first.values] == [value.mean for value in second.values]


def test_what_did_not_work_is_said(entry: catalogue.Entry) -> None:
    found = read(entry, [LOST, BURNT, LOST, LOST])
    notes = " ".join(found.notes)
    assert "0 of 4" in notes and "diverged" in notes and "seeds 1" in notes
    assert any(ask().task.sampler in note for note in found.notes)


@pytest.mark.parametrize("name", NAMES)
def test_a_measurement_of_any_task_is_json(entry: catalogue.Entry, name: str) -> None:
    protocol = build(entry)
    plan = protocol.plan(ask(name), (0, 1, 2))
    found = protocol.read(ask(name), plan, record(plan, [GOOD] * 3), PROVENANCE)
    described = found.as_json()
    assert json.loads(canonical_json(described)) == described
    assert described["provenance"]["seeds"] == [0, 1, 2]  # type: ignore[index]
    assert len(found.values) == len(plan.trials)
    assert found.verdict is Verdict.YES


def test_one_seed_several_times_is_one_seed(entry: catalogue.Entry) -> None:
    with pytest.raises(BadInput):
        build(entry).plan(ask(), (0, 0, 0))


def test_scores_that_are_missing_are_not_wrong_answers(entry: catalogue.Entry) -> None:
    protocol = build(entry)
    plan = protocol.plan(ask(), (0, 1))
    run = dataclasses.replace(record(plan, [GOOD, GOOD]), scores=())
    with pytest.raises(BadInput, match="lacks the scores"):
        protocol.read(ask(), plan, run, PROVENANCE)


def test_the_reason_of_a_no_shows_a_range_below_the_bar(entry: catalogue.Entry) -> None:
    mixed = [("fitted", shares(0.9, far)) for far in (0.1, 0.2, 1.0)]
    found = read(entry, mixed)
    assert found.verdict is Verdict.NO
    assert str(NEAR) in found.reason and "0 of 3" in found.reason  # FAR has the lower mean


def test_the_reason_for_one_seed_is_that_it_is_one(entry: catalogue.Entry) -> None:
    assert "fewer than 3 runs" in read(entry, [GOOD]).reason


def test_full_published_training_counts_runs_that_do_not_fit(entry: catalogue.Entry) -> None:
    assert read(entry, [LOST] * 4, count_unfitted=True).verdict is Verdict.NO
    lucky = [("not fitted", shares(1.0, 1.0))] * 4
    assert read(entry, lucky, count_unfitted=True).verdict is Verdict.UNDECIDED


@pytest.mark.parametrize(
    ("tables", "told"),
    [
        ((0.96,), "a table of the current token reaches the bar"),
        ((0.1, 0.2, 0.97, 0.98, 0.99, 1.0), "a table of the last 4 tokens reaches the bar"),
        ((0.1, 0.2, 0.3, 0.4, 0.5, 0.6), "looking back does not pass: tables of the last 1 to 32"),
        ((0.1,), None),  # a run from before there were tables of more tokens
    ],
)
def test_what_looking_back_would_score_is_told(
    entry: catalogue.Entry, tables: tuple[float, ...], told: str | None
) -> None:
    protocol = build(entry)
    plan = protocol.plan(ask(), (0, 1, 2))
    run = record(plan, [GOOD] * 3)
    run = dataclasses.replace(run, baselines=tuple((*b[:3], tables) for b in run.baselines))
    found = protocol.read(ask(), plan, run, PROVENANCE)
    notes = [note for note in found.notes if "last" in note or "current token" in note]
    assert len(notes) == (told is not None)
    assert all(note.startswith(told or "") for note in notes)
    assert found.verdict is Verdict.YES  # a verdict is about the models alone


def test_looking_back_must_pass_every_longer_range(entry: catalogue.Entry) -> None:
    protocol = build(entry)
    plan = protocol.plan(ask(), (0, 1, 2))
    run = record(plan, [GOOD] * 3)
    last = run.baselines[-1]
    easy = [(*each[:3], (0.0, 1.0, 1.0, 1.0, 1.0, 1.0)) for each in run.baselines[:-1]]
    tables = (*easy, (*last[:3], (0.0, 0.1, 0.1, 1.0, 1.0, 1.0)))
    run = dataclasses.replace(run, baselines=tables)
    notes = " ".join(protocol.read(ask(), plan, run, PROVENANCE).notes)
    assert last[0] == plan.trials[0].probe  # of this task: its probe decides
    assert "last 8 tokens" in notes
