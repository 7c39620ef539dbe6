"""Following an automaton: the sampler against the oracle, the mixture, and reading back."""

import itertools

import jax
import numpy as np
import pytest

from foretell.core.alphabet import PAD
from foretell.numerics.keys import root_key
from foretell.plain.catalogue import PREFIXES, WRITTEN_OUT
from foretell.plain.errors import BadInput
from foretell.tasks.lookup import find_task, task_from_json
from foretell.tasks.tracking import ASKS, MIXED, TrackingTask
from foretell.theory._existence import existence

NAMES = [
    "accept:tomita-4",
    "state:aa-star",
    "accept:regex:(ab)*c",
    "accept-before:regex:(ab)*c",
    "state-before:tomita-4",
]


def drawn(task, probe, count=80):
    sizes = task.sizes(1, 20, probe)
    picked = np.resize(np.array(sizes), count)
    example = jax.jit(lambda: task.sample(root_key(3), picked, task.width(20), probe))()
    return picked, jax.tree.map(np.asarray, example)


@pytest.mark.parametrize("name", NAMES)
def test_the_sampler_agrees_with_the_oracle(name):
    task = find_task(name, 20)
    for probe in task.probes:
        if not task.sizes(1, 20, probe):
            continue
        sizes, example = drawn(task, probe)
        for row, size in enumerate(sizes.tolist()):
            end = task.width(size)
            tokens = example.tokens[row][:end].tolist()
            word = task.read_word(tokens)
            assert len(word) == size
            assert (example.tokens[row][end:] == PAD).all()
            assert (tokens, example.targets[row][:end].tolist()) == task.lay_out(word)[:2]
            assert example.mask[row].tolist()[:end] == task.lay_out(word)[2]
            assert example.mask[row].sum() == task.scored(size)
            assert example.first[row] == 1


def test_before_is_the_same_answer_one_letter_later():
    after, before = find_task("state:regex:(ab)*c"), find_task("state-before:regex:(ab)*c")
    word = ("a", "b", "c", "a")
    assert before.answer(word)[1:] == after.answer(word)
    assert before.answer(()) == ("state 0",)
    tokens, targets, mask = before.lay_out(word)
    assert len(tokens) == before.width(4) == 6
    assert sum(mask) == before.scored(4) == 5
    # the letter that is seen says nothing of what is asked
    assert before.lay_out((*word[:3], "b"))[1][:5] == targets[:5]


def test_each_probe_draws_its_words():
    task = find_task("accept:tomita-4", 20)
    for probe, member in (("members", True), ("non-members", False), ("near-non-members", False)):
        sizes, example = drawn(task, probe)
        last = example.targets[np.arange(len(sizes)), sizes]
        assert (last == int(member)).all()


def test_the_mixture_has_members_and_non_members_at_every_size():
    task = find_task("accept:aa-star", 20)
    sizes, example = drawn(task, MIXED, 400)
    last = example.targets[np.arange(len(sizes)), sizes]
    assert set(last[sizes % 2 == 0].tolist()) == {1}  # every even word over one letter is a member
    assert set(last[sizes % 2 == 1].tolist()) == {0}
    assert task.sizes(1, 20) == tuple(range(1, 21))
    mixed = drawn(find_task("accept:regex:(a|b)*b", 20), MIXED, 400)[1]
    assert 0.2 < mixed.targets[:, 1:].mean() < 0.8


@pytest.mark.slow
def test_tasks_of_one_fleet_stack():
    tasks = tuple(find_task(name, 20) for name in ("state:tomita-4", "state:regex:(ab)*c"))
    stacked = TrackingTask.stack(tasks)
    for place, task in enumerate(tasks):
        own = jax.tree.map(lambda leaf, place=place: leaf[place], stacked)
        for probe in task.probes:
            if not task.sizes(1, 20, probe):
                continue
            sizes = np.resize(np.array(task.sizes(1, 20, probe)), 30)
            alone = task.sample(root_key(5), sizes, 21, probe)
            among = task.sample(root_key(5), sizes, 21, probe, own)
            assert all(
                (np.asarray(a) == np.asarray(b)).all() for a, b in zip(alone, among, strict=True)
            )


def test_reading_back_what_identifies_it():
    for name in NAMES:
        task = find_task(name, 20)
        again = task_from_json(task.as_json())
        assert again.as_json() == task.as_json()
        assert again.name == name


def test_what_can_be_asked_is_told_from_settings_of_a_sandbox():
    assert set(ASKS) <= set(WRITTEN_OUT) <= set(PREFIXES)


def test_what_has_no_states_is_refused():
    with pytest.raises(BadInput, match="only a regular language has states"):
        find_task("state:majority")
    with pytest.raises(BadInput, match="accept or accept-before or state"):
        TrackingTask(20, "letters", language=find_task("aa-star").language)


def test_what_is_told_before_the_next_letter_is_harder():
    for asked in ("accept", "state"):
        assert existence(find_task(f"{asked}:regex:(a|b)*b"), "crasp").value == "yes"
        assert existence(find_task(f"{asked}-before:regex:(a|b)*b"), "crasp").value == "no"
        assert existence(find_task(f"{asked}-before:regex:(ab)*"), "crasp").value == "yes"


def test_states_are_as_hard_as_the_hardest_of_their_languages():
    assert existence(find_task("state:aa-star"), "crasp").value == "no"
    assert existence(find_task("state:aa-star"), "crasp-periodic-local").value == "yes"
    # b anywhere accepts: one state only, told by counting
    assert existence(find_task("state:regex:.*b.*"), "crasp").value == "yes"
    for name, fragment in itertools.product(
        ("tomita-4", "tomita-7"), ("crasp", "crasp-periodic-local")
    ):
        accepted = existence(find_task(f"accept:{name}"), fragment).value
        assert accepted == existence(find_task(name), fragment).value
