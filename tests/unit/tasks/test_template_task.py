"""Templates as a task: the sampler against the oracle, blocks of symbols, sizes, reading back."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.core.alphabet import PAD, SEP
from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput
from foretell.tasks.lookup import find_task, task_from_json

TEXTS = ["ab->-1;aa->+1", "program-symbols", "symbols P Q S R; aSb -> a; ab -> b"]
LONGEST, DRAWS = 20, 60
CASES = [(text, probe) for text in TEXTS for probe in ("typical", "validation", "unseen")]


@functools.cache
def drawn(text, probe):
    """A batch over all sizes, compiled once, with its task and sizes."""
    task = find_task(f"template:{text}", LONGEST)
    every = np.array(task.sizes(1, LONGEST))
    sizes, traced = every[np.arange(DRAWS) % len(every)], []

    @jax.jit
    def sample(key, sizes):
        traced.append(1)
        return task.sample(key, sizes, task.width(LONGEST) + 2, probe)

    key = key_for(root_key(0), text, probe)
    batch, again = (sample(key, jnp.asarray(sizes)) for _ in range(2))
    assert all((a == b).all() for a, b in zip(batch, again, strict=True)) and len(traced) == 1
    return task, sizes, jax.tree.map(np.asarray, batch)


@pytest.mark.parametrize(("text", "probe"), CASES)
def test_the_sampler_agrees_with_the_oracle(text, probe):
    task, sizes, batch = drawn(text, probe)
    for row, size in enumerate(sizes.tolist()):
        tokens = batch.tokens[row].tolist()
        length = tokens.index(SEP) + 1
        word = task.read_word(tokens)
        laid, targets, mask = task.lay_out(word)
        assert tokens == laid + [PAD] * (len(tokens) - length)
        assert batch.mask[row].tolist() == mask + [False] * (len(tokens) - length)
        assert np.allclose(batch.targets[row][:length], targets, atol=1e-6)
        assert batch.first[row] == length - 1
        assert length <= task.width(size) and batch.mask[row].sum() == task.scored(size)
        answer = task.labels[batch.targets[row][length - 1]] if len(task.labels) > 1 else None
        assert task.answer(word) == ((answer,) if answer else (f"{targets[-1]:.6g}",))


@pytest.mark.parametrize(("text", "probe"), CASES)
def test_symbols_come_from_the_block_of_the_probe(text, probe):
    task, sizes, batch = drawn(text, probe)
    block = task.blocks[task.probes.index(probe)]
    known = {*task.templates.regular}
    for row, size in enumerate(sizes.tolist()):
        word = task.read_word(batch.tokens[row].tolist())
        _, found = task.templates.match(word)
        given = size if probe == "typical" else len(block)
        allowed = {task.alphabet.symbols[i] for i in block[:given]}
        assert {token for _, token in found.pairs} <= allowed
        assert probe == "typical" or not {token for _, token in found.pairs} & known


def test_train_and_unseen_symbols_have_no_token_in_common():
    task = find_task("template:same-different", 50)
    train, validation, unseen = (set(block.tolist()) for block in task.blocks)
    assert not train & validation and not train & unseen and not validation & unseen
    assert (len(train), len(validation), len(unseen)) == (50, 100, 100)
    assert task.alphabet.size == 4 + 250


def test_sizes_are_alphabets():
    task = find_task("template:aba-abb", 30)
    assert task.sizes(1, 5) == (2, 3, 4, 5)
    assert task.sizes(28, 99) == (28, 29, 30)
    assert task.nearest_sizes(1, 1) == (2,)
    assert task.nearest_sizes(10, 12) == (9, 13)
    assert task.nearest_sizes(40, 50) == (30,)
    declared = find_task("template:symbols 12; aba -> 1; abb -> -1", 30)
    assert declared.sizes(1, 99) == (12,) and declared.longest == 12
    assert declared.nearest_sizes(1, 5) == (12,)


@pytest.mark.parametrize("text", [*TEXTS, "majority,length=4", "random,regular=1,length=4"])
def test_reading_back_what_identifies_it(text):
    task = find_task(f"template:{text}", LONGEST)
    again = task_from_json(task.as_json())
    assert again == task and again.as_json() == task.as_json()
    assert find_task(task.name, task.longest) == task


def test_templates_of_different_lengths_are_padded():
    task = find_task("template:a->1;ab->2;abc->3", 9)
    batch = jax.jit(lambda key: task.sample(key, jnp.full(40, 9), task.width(9)))(root_key(3))
    lengths = np.asarray(batch.first)
    assert set(lengths.tolist()) == {1, 2, 3}
    assert (np.asarray(batch.targets).sum(axis=1) == lengths).all()


def test_templates_may_have_no_wildcard():
    task = find_task("template:ST->1;TS->2", 9)
    batch = jax.jit(lambda key: task.sample(key, jnp.full(40, 9), task.width(9)))(root_key(3))
    words = {task.read_word(row) for row in np.asarray(batch.tokens).tolist()}
    assert words == {("S", "T"), ("T", "S")}


def test_names_of_symbols_give_way_to_tokens():
    task = find_task("template:'s1' a -> a; 'v2' a -> a", 5)
    assert task.alphabet.symbols[:3] == ("s1", "v2", "s_1")
    assert task.value(("v2", "s_1")) == "s_1"


def test_nonsense_is_refused():
    with pytest.raises(BadInput, match="fewer symbols"):
        find_task("template:abcd->1", 3)
    with pytest.raises(BadInput, match="A S matches"):
        find_task("template:aS->1;ab->2")
    with pytest.raises(BadInput, match="no template matches"):
        find_task("template:aa->1").value(("P", "Q"))
