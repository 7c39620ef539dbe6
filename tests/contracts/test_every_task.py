"""Every task in the catalogue keeps its promises: the folder walk finds new ones by itself."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.core.alphabet import PAD
from foretell.numerics.keys import key_for, root_key
from foretell.plain import catalogue
from foretell.tasks.lookup import find_task

LONGEST = 40
NAMES = [entry.name for kind in ("tasks", "languages") for entry in catalogue.entries(kind)]


@functools.cache
def task_named(name):
    return find_task(name, LONGEST)


@functools.cache
def sampler_of(name, probe):
    """One compiled sampler for all sizes, and how often it was traced."""
    task, traced = task_named(name), []
    width = task.width(LONGEST)

    @jax.jit
    def sample(key, sizes):
        traced.append(1)
        return task.sample(key, sizes, width, probe)

    return sample, traced


@functools.cache
def draw_many(name, probe, count=60):
    task = task_named(name)
    sizes = np.array(task.sizes(1, LONGEST, probe))
    picked = sizes[np.arange(count) % len(sizes)]
    batch = sampler_of(name, probe)[0](key_for(root_key(7), name, probe), jnp.asarray(picked))
    return picked, jax.tree.map(np.asarray, batch)


# the first two probes; the others are drawn by the same code, and tried slowly
CASES = [
    pytest.param(name, probe, marks=() if place < 2 else pytest.mark.slow)
    for name in NAMES
    for place, probe in enumerate(task_named(name).probes)
]


@pytest.mark.parametrize(("name", "probe"), CASES)
def test_the_sampler_agrees_with_the_oracle(name, probe):
    task = task_named(name)
    if not task.sizes(1, LONGEST, probe):
        pytest.skip("this language has no such word")
    sizes, batch = draw_many(name, probe)
    for row, size in enumerate(sizes):
        tokens = np.asarray(batch.tokens[row]).tolist()
        length = len(tokens) - tokens[::-1].count(PAD)
        expected = task.lay_out(task.read_word(tokens[:length]))
        assert tokens[:length] == expected[0]
        assert np.asarray(batch.mask[row]).tolist() == expected[2] + [False] * (
            len(tokens) - length
        )
        scored = np.asarray(batch.mask[row])
        assert np.asarray(batch.targets[row])[scored].tolist() == [
            target for target, wanted in zip(expected[1], expected[2], strict=True) if wanted
        ]
        word = task.read_word(tokens[:length])
        assert len(word) == getattr(task, "word_length", int)(int(size))  # of the size asked for
        assert length <= task.width(int(size))
        assert scored.sum() <= task.scored(int(size))


@pytest.mark.parametrize("name", NAMES)
def test_scored_positions_are_consecutive_from_first(name):
    _, batch = draw_many(name, task_named(name).probes[0])
    for mask, first in zip(np.asarray(batch.mask), np.asarray(batch.first), strict=True):
        places = np.flatnonzero(mask)
        assert places[0] == first
        assert (np.diff(places) == 1).all()


@pytest.mark.parametrize("name", NAMES)
def test_draws_depend_on_the_key_alone_and_compile_once(name):
    task = task_named(name)
    sizes, batch = draw_many(name, task.probes[0])
    sample, traced = sampler_of(name, task.probes[0])
    again = sample(key_for(root_key(7), name, task.probes[0]), jnp.asarray(sizes))
    other = sample(root_key(8), jnp.full_like(sizes, sizes.max()))
    assert len(traced) == 1
    assert all((a == b).all() for a, b in zip(batch, again, strict=True))
    assert len(task.read_word(np.asarray(other.tokens[0]).tolist())) > 0


@pytest.mark.parametrize("name", NAMES)
def test_nearest_sizes_exist_and_are_nearest(name):
    task = task_named(name)
    every = task.sizes(0, LONGEST)
    for low, high in ((0, 0), (9, 9), (13, 14)):
        below, above = [s for s in every if s < low], [s for s in every if s > high]
        assert task.nearest_sizes(low, high) == (*below[-1:], *above[:1])


@pytest.mark.parametrize("name", NAMES)
def test_labels_and_facts(name):
    task = task_named(name)
    assert task.name == name
    assert len(set(task.labels)) == len(task.labels)
    assert task.sampler
    for fact in task.facts:
        assert fact.source
    for name in ("crasp", "crasp-periodic-local"):
        fact = task.fact(name)  # a task need not declare anything
        assert fact is None or fact.value in {"yes", "no", "none-found"}


@pytest.mark.parametrize("entry", catalogue.entries("tasks"), ids=lambda entry: entry.name)
def test_documentation_has_every_section(entry):
    assert tuple(name for name, _ in entry.sections) == catalogue.SECTIONS
    assert entry.title
