"""Every reproduction loads, says where its numbers come from, and lists what can be run."""

from __future__ import annotations

import itertools

import pytest

from foretell.boolean.outcome import GapAtMost
from foretell.core.question import GeneralizesInLength
from foretell.plain import catalogue
from foretell.protocols._asking import Budget
from foretell.reproductions import Experiment, Reproduction, load
from foretell.tasks.capturing import CapturesAlgorithm
from foretell.templates.outcome import HandlesUnseenSymbols

REPRODUCTIONS = catalogue.entries("reproductions")


@pytest.fixture(params=REPRODUCTIONS, ids=lambda entry: entry.name)
def entry(request: pytest.FixtureRequest) -> catalogue.Entry:
    found: catalogue.Entry = request.param
    return found


def test_it_loads_by_its_name_and_documents_itself(entry: catalogue.Entry) -> None:
    found = load(entry.name)
    assert isinstance(found, Reproduction | Experiment)
    assert found.title and found.source
    assert tuple(name for name, _ in entry.sections) == catalogue.SECTIONS
    assert all(text.strip() for _, text in entry.sections)


def test_its_lines_can_be_run_and_compared(entry: catalogue.Entry) -> None:
    found = load(entry.name)
    if isinstance(found, Experiment):
        assert found.cells(Budget.SMOKE) == found.cells(Budget.SMOKE) != ()
        return
    lines = found.lines(Budget.SMOKE)
    assert lines
    assert len({(line.asked.question.hash, line.setting) for line in lines}) == len(lines)
    assert len({line.asked.plan.hash for line in lines}) == len(lines)
    groups = [group for group, _ in itertools.groupby(line.heading for line in lines)]
    assert len(set(groups)) == len(groups)  # a table shows each heading once
    again = found.lines(Budget.SMOKE)
    for line, same in zip(lines, again, strict=True):
        assert line.asked.plan.hash == same.asked.plan.hash
        outcome = line.asked.question.outcome
        if found.about == "gap":
            assert isinstance(outcome, GapAtMost)
            continue
        if found.about == "capture":
            assert isinstance(outcome, CapturesAlgorithm)
            continue
        if found.about == "symbols":
            assert isinstance(outcome, HandlesUnseenSymbols)
            continue
        assert isinstance(outcome, GeneralizesInLength)
        if line.published is not None:
            assert len(line.published) == 1 + len(outcome.asked)
            assert all(0 <= share <= 1 for share in line.published)


def test_fewer_seeds_may_be_asked_for(entry: catalogue.Entry) -> None:
    found = load(entry.name)
    if isinstance(found, Experiment):
        return
    lines = found.lines(Budget.SMOKE, 2)
    if found.about == "gap":  # a function may have one model of its own
        assert {seed for line in lines for seed in line.asked.seeds} == {0, 1}
    else:
        assert all(line.asked.seeds == (0, 1) for line in lines)
