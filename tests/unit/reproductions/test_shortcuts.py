"""One change at a time: every way differs from the base in one thing, and is tested alike."""

import dataclasses

from foretell.protocols._asking import Budget
from foretell.protocols._running import fleets
from foretell.reproductions.shortcuts import LANGUAGES, WAYS, Shortcuts, Way
from foretell.tasks.probe_words import EVERY_PROBE
from foretell.tasks.tracking import MIXED


def test_each_way_changes_one_thing():
    base = WAYS[0]
    named = {"changed", "name"}
    for way in WAYS[1:]:
        changed = [
            field.name
            for field in dataclasses.fields(Way)
            if field.name not in named and getattr(way, field.name) != getattr(base, field.name)
        ]
        # the mixture has dead words, of which next letters cannot be asked
        assert len(changed) == 1 or (changed == ["asks", "drawn"] and way.drawn == MIXED)


def test_every_row_is_tested_on_every_kind_of_word():
    lines = Shortcuts().lines(Budget.CPU)
    assert len(lines) == len(WAYS) * len(LANGUAGES)
    for line in lines:
        probes = {trial.probe for trial in line.asked.plan.trials}
        assert set(EVERY_PROBE) <= probes
        assert line.asked.plan.trials[0].probe == line.asked.question.task.probes[0]


def test_rows_that_train_on_other_words_are_other_fleets():
    packs = fleets([line.asked for line in Shortcuts().lines(Budget.CPU)])
    for pack in packs:
        assert len({each.question.task.probes for each in pack}) == 1
