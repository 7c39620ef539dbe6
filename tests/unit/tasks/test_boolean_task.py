"""A Boolean function as a task: the sampler against the oracle, sizes, reading back."""

import numpy as np
import pytest

from foretell.boolean.reading import read_function
from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput
from foretell.protocols.gap import question_about
from foretell.tasks.lookup import find_task, task_from_json

CHAIN = "parity,T=5,steps"
TEXTS = ["degree=2,sparsity=3,T=6", "parity,T=5", CHAIN, "x1 xor x2 and not x3"]


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
        if not task.steps:
            assert task.answer(word) == (f"{task.value(word):.6g}",)


@pytest.mark.parametrize("text", TEXTS)
def test_reading_back_what_identifies_it(text):
    task = find_task(f"boolean:{text}")
    again = task_from_json(task.as_json())
    assert again.as_json() == task.as_json() and again.steps == task.steps
    assert find_task(task.name).as_json() == task.as_json()
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


def test_a_chain_writes_the_parity_of_more_and_more_bits():
    task = find_task(f"boolean: {CHAIN.replace(',', ' , ')}")
    assert task.name == f"boolean:{CHAIN}"
    assert task.answer(tuple("10110")) == tuple("11011")
    tokens, targets, mask = task.lay_out(tuple("10110"))
    assert task.alphabet.decode(tokens) == tuple("10110" + "0" + "1101")
    assert (targets[5:], mask) == ([1, 1, 0, 1, 1], [False] * 5 + [True] * 5)
    assert (len(tokens), task.scored(5)) == (task.width(5), 5)
    inputs = np.random.default_rng(0).integers(0, 2, (40, 5))
    written = task.targets(inputs)
    assert np.array_equal(written[:, -1], 1 - task.function(inputs))
    assert [tuple(f"{bit:.0f}" for bit in row) for row in written] == [
        task.answer(tuple(map(str, row))) for row in inputs.tolist()
    ]


def test_one_pass_is_stored_as_ever():
    """Stored questions go by the hash of this; it must not change, nor need the new field."""
    task = find_task("boolean:parity,T=4")
    assert "steps" not in task.as_json()
    assert question_about("parity,T=4", 256).hash == "4f1384e17a425bce"
    assert question_about("parity,T=4,steps", 256).hash != "4f1384e17a425bce"
    assert not task_from_json(task.as_json()).steps


@pytest.mark.parametrize(
    "text",
    ["x1 xor x2", "tiling,degree=2,T=4", "parity,T=1", "maj(x1,x2,x3)", "degree=4,sparsity=1,T=5"],
)
def test_only_parity_has_steps(text):
    with pytest.raises(BadInput, match="only parity of two bits or more"):
        find_task(f"boolean:{text},steps")


@pytest.mark.parametrize(
    "text", ["parity,T=4,steps,steps", "parity,T=4,steps=1", "parity,T=4,step"]
)
def test_steps_are_a_single_word(text):
    with pytest.raises(BadInput):
        find_task(f"boolean:{text}")


def test_a_function_has_no_steps():
    with pytest.raises(BadInput, match="not a part of it"):
        read_function("parity,T=4,steps")
