"""A program as a task: oracle, sampler, labels, and what it says about itself."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.core.alphabet import PAD
from foretell.crasp.program import Program
from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput
from foretell.tasks.agreement import compare_program, draw_examples
from foretell.tasks.attached import attached_program
from foretell.tasks.lookup import find_task, task_from_json
from foretell.tasks.program import ProgramTask

ACCEPTOR = "alphabet a b\naccept(i) := #[j <= i] Q_a(j) >= #[j <= i] Q_b(j)\nempty accept\n"
PREDICTOR = "alphabet a b\nlet next[x](i) := #[j <= i] Q_x(j) >= 2\nnext[<eos>](i) := Q_a(i)\n"


@pytest.mark.parametrize("text", [ACCEPTOR, PREDICTOR])
def test_the_sampler_agrees_with_the_oracle(text):
    task = ProgramTask(20, program=Program.parse(text), title="mine")
    sizes = jnp.asarray([1, 5, 20, 20, 13])
    batch = jax.jit(lambda key: task.sample(key, sizes, task.width(20)))(root_key(3))
    for row, size in enumerate(sizes.tolist()):
        tokens = [int(token) for token in batch.tokens[row] if token != PAD]
        word = task.read_word(tokens)
        assert len(word) == size
        expected = task.lay_out(word)
        assert tokens == expected[0]
        assert batch.targets[row][: size + 1].tolist() == expected[1]
        assert batch.mask[row].tolist() == [place <= size for place in range(21)]


def test_the_empty_word_is_labelled_as_the_program_says():
    task = ProgramTask(5, program=Program.parse(ACCEPTOR), title="mine")
    assert task.answer(())[0] == "accept"
    assert task.answer(("b",)) == ("accept", "reject")


def test_its_facts_are_those_of_the_program():
    plain = ProgramTask(5, program=Program.parse(ACCEPTOR), title="mine")
    every = {"crasp", "crasp-local", "crasp-periodic-local"}
    assert {fact.name for fact in plain.facts} == every
    looks_back = find_task("contains-ab")
    assert {fact.name for fact in looks_back.facts} == every - {"crasp"}


def test_it_is_read_back_from_json():
    task = ProgramTask(9, program=Program.parse(ACCEPTOR), title="mine")
    again = task_from_json(task.as_json())
    assert again == task
    assert again.as_json() == task.as_json()


def test_too_many_symbols_are_refused():
    letters = " ".join("abcdefghij")
    text = f"alphabet {letters}\nlet next[x](i) := Q_x(i)\n"
    with pytest.raises(BadInput, match="too much to train"):
        ProgramTask(5, program=Program.parse(text), title="mine")


def test_a_language_that_only_carries_a_known_name_gets_no_program():
    known = find_task("tomita-1")
    assert attached_program(known) is not None
    described = {**find_task("regex:(01)*").as_json(), "name": "tomita-1"}
    assert attached_program(task_from_json(described)) is None
    assert attached_program(find_task("parity")) is None


@pytest.mark.parametrize("name", ["tomita-2", "anbncn", "binary-majority", "d-3", "copy-unique"])
def test_library_programs_give_their_tasks_answers(name):
    task = find_task(name, 12)
    sizes, example = draw_examples(task, 12, each=10)
    tested = compare_program(attached_program(task), task, sizes, example)
    assert tested.wrong is None
    assert tested.positions == np.asarray(example.mask).sum()


def test_a_wrong_program_is_caught_and_the_first_wrong_prefix_named():
    task = find_task("tomita-1", 12)
    text = "alphabet 0 1\nlet next[x](i) := true\nnext[<eos>](i) := true\nempty next 0 1 <eos>\n"
    sizes, example = draw_examples(task, 12, each=3)
    tested = compare_program(Program.parse(text), task, sizes, example)
    assert tested.wrong == ()
    assert tested.expected == "{1,<eos>}" or tested.expected == "{<eos>,1}"
    assert tested.found == "none of the labels"
