"""A Boolean function as a task: the sampler against the oracle, sizes, reading back."""

import numpy as np
import pytest

from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput
from foretell.tasks.lookup import find_task, task_from_json

TEXTS = ["degree=2,sparsity=3,T=6", "parity,T=5", "x1 xor x2 and not x3"]


@pytest.mark.parametrize("text", TEXTS)
def test_the_sampler_agrees_with_the_oracle(text):
    task = find_task(f"boolean:{text}")
    sizes = np.full(20, task.bits)
    example = task.sample(root_key(0), sizes, task.width(task.bits))
    for row in range(20):
        tokens = np.asarray(example.tokens[row]).tolist()
        word = task.read_word(tokens)
        assert len(word) == task.bits
        laid, targets, mask = task.lay_out(word)
        assert tokens == laid
        assert np.asarray(example.mask[row]).tolist() == mask
        assert np.allclose(example.targets[row], targets, atol=1e-6)
        assert task.answer(word) == (f"{task.value(word):.6g}",)


@pytest.mark.parametrize("text", TEXTS)
def test_reading_back_what_identifies_it(text):
    task = find_task(f"boolean:{text}")
    again = task_from_json(task.as_json())
    assert again.as_json() == task.as_json()
    inputs = np.random.default_rng(0).integers(0, 2, (30, task.bits))
    assert np.array_equal(again.function(inputs), task.function(inputs))


def test_there_is_one_size():
    task = find_task("boolean:parity,T=8")
    assert task.sizes(1, 50) == (8,)
    assert task.sizes(9, 50) == ()
    assert task.nearest_sizes(9, 50) == (8,)


def test_nonsense_is_refused():
    with pytest.raises(BadInput):
        find_task("boolean:degree=3,sparsity=900,T=5")
    with pytest.raises(BadInput):
        find_task("boolean:x1 xor")
