"""Tasks of a regular language that name their probes: what is trained on, and what is tested."""

import itertools

import jax
import numpy as np
import pytest

from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput
from foretell.tasks.lookup import find_task, task_from_json
from foretell.tasks.next_symbols import LINGERING, MEMBERS, RUNS
from foretell.tasks.probe_words import EVERY_PROBE, PROBES
from foretell.tasks.regular import RegularTask
from foretell.tasks.tracking import MIXED, TrackingTask

LANGUAGE = find_task("012-star-02").language
SIZE = 60
IN_RUNS = (RUNS, *PROBES)


def tasks(probed):
    return (
        RegularTask(SIZE, language=LANGUAGE, probed=probed),
        TrackingTask(SIZE, "accept", language=LANGUAGE, probed=probed),
    )


def words(task, probe=None, count=200):
    sizes = np.full(count, SIZE)
    example = jax.jit(lambda: task.sample(root_key(0), sizes, SIZE + 1, probe))()
    return ["".join(task.read_word(row.tolist())) for row in np.asarray(example.tokens)]


def longest_run(word, letter="2"):
    return max(
        (len(list(run)) for seen, run in itertools.groupby(word) if seen == letter), default=0
    )


@pytest.mark.parametrize("task", tasks(IN_RUNS), ids=lambda task: task.name)
def test_runs_are_long_where_staying_is_not(task):
    found = {probe: words(task, probe) for probe in (MEMBERS, LINGERING, RUNS)}
    assert all(LANGUAGE.accepts(word) for drawn in found.values() for word in drawn)
    mean = {probe: np.mean([longest_run(w) for w in drawn]) for probe, drawn in found.items()}
    assert mean[MEMBERS] < mean[LINGERING] < 7 < 10 < mean[RUNS]


@pytest.mark.parametrize("task", tasks(IN_RUNS), ids=lambda task: task.name)
def test_the_first_probe_is_what_training_draws(task):
    assert task.probes == IN_RUNS
    assert words(task) == words(task, RUNS)
    assert "repeated" in task.sampler


@pytest.mark.parametrize("probed", [IN_RUNS, EVERY_PROBE])
def test_read_back_and_told_apart(probed):
    for task, usual in zip(tasks(probed), tasks(()), strict=True):
        assert task_from_json(task.as_json()).as_json() == task.as_json()
        assert task.as_json() != usual.as_json()
        assert "probes" not in usual.as_json()  # what is in stores keeps its name


def test_the_mixture_stays_what_it_was():
    usual = TrackingTask(SIZE, "accept", language=LANGUAGE)
    more = TrackingTask(SIZE, "accept", language=LANGUAGE, probed=(MIXED, *EVERY_PROBE))
    assert words(usual) == words(more)
    assert usual.sampler == more.sampler


def test_labels_follow_the_oracle_on_runs():
    for task in tasks(IN_RUNS):
        sizes = np.full(50, SIZE)
        example = jax.jit(lambda task=task, sizes=sizes: task.sample(root_key(1), sizes, 61))()
        for tokens, targets in zip(*map(np.asarray, example[:2]), strict=True):
            word = task.read_word(tokens.tolist())
            assert targets.tolist() == task.lay_out(word)[1]


def test_unknown_or_repeated_probes_are_refused():
    for probed in ((MEMBERS, MEMBERS), ("words",)):
        for make in (RegularTask, TrackingTask):
            with pytest.raises(BadInput, match="named once each"):
                make(SIZE, language=LANGUAGE, probed=probed)
    with pytest.raises(BadInput):
        RegularTask(SIZE, language=LANGUAGE, probed=(MIXED,))
