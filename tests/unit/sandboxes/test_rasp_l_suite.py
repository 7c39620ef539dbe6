"""Tasks of the suite against their oracles, programs against tasks, and the run on a CPU."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.core.alphabet import PAD
from foretell.models.small_decoder import create
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.representation.rasp_l_suite import (
    CPU_TASKS,
    SIZES,
    RaspLSuite,
    gap,
    try_program,
)
from foretell.worlds.rasp_l_tasks import SHORT, SUITE, UNKNOWN, member
from foretell.worlds.rasp_l_training import answers, plan

OURS = ("count", "parity-with-scratchpad", "reverse-addition-with-hints")


@pytest.mark.parametrize(
    ("name", "word", "answer"),
    [
        ("count", "3 6", "3 4 5 6"),
        ("count", "7 7", "7"),
        ("parity-with-scratchpad", "h4 1 h5 0 h6 1", "h4 1 h5 1 h6 0"),
        # 011 + 001 = 100, from its last digit on
        (
            "reverse-addition-with-hints",
            "h2 0 h3 1 h4 1 + h2 0 h3 0 h4 1",
            "h4 0 h3 0 h2 1",
        ),
    ],
)
def test_oracles(name: str, word: str, answer: str) -> None:
    assert member(name).build(12).answer(tuple(word.split())) == tuple(answer.split())


@pytest.mark.parametrize("name", OURS)
def test_samplers_say_what_the_oracles_say(name: str) -> None:
    task = member(name).build(9)
    sizes = jnp.repeat(jnp.asarray(task.sizes(1, 9)), 6)
    width = task.width(9)
    drawn = jax.device_get(jax.jit(lambda key: task.sample(key, sizes, width))(jax.random.key(0)))
    words = set()
    for tokens, targets, mask in zip(drawn.tokens, drawn.targets, drawn.mask, strict=True):
        written = [token for token in tokens.tolist() if token != PAD]
        word = task.read_word(written)
        words.add(word)
        assert task.lay_out(word) == (
            written,
            targets[: len(written)].tolist(),
            mask[: len(written)].tolist(),
        )
    assert len(words) > 40


@pytest.mark.parametrize("name", SIZES)
def test_programs_are_exact_and_as_long_as_they_look(name: str) -> None:
    program = member(name).solution()
    assert program is not None and program.size == SIZES[name]
    short = {"longest": 21, "inputs": 60, "seed": 3}
    assert try_program(program, member(name).build(21), short) == (0, 0)


def test_a_program_for_another_task_is_found_out() -> None:
    sort, copying = member("sort").solution(), member("unique-copy").build(12)
    assert sort is not None
    wrong, _ = try_program(sort, copying, {"longest": 12, "inputs": 30, "seed": 0})
    assert wrong > 10


def test_classes_and_gap() -> None:
    assert all((each.program is None) == (each.expected == UNKNOWN) for each in SUITE.values())
    assert {member(name).expected for name in CPU_TASKS} == {SHORT, UNKNOWN}
    shares = {"count": 1.0, "mode": 0.8, "parity": 0.5, "parity-with-scratchpad": 0.0}
    assert gap(shares) == pytest.approx(0.4)
    assert math.isnan(gap({"count": 1.0}))


def test_claims_of_the_large_preset_are_about_every_task_and_derive_nothing() -> None:
    sandbox = RaspLSuite()
    claims = sandbox.claims(sandbox.settings(Budget.GPU))
    trained = [claim for claim in claims if claim.quantity.startswith("trained")]
    assert len(trained) == len(SUITE) + 1
    assert {claim.evidence for claim in trained} == {"conjecture", "empirical"}


def test_words_begin_anywhere_among_the_positions() -> None:
    settings = RaspLSuite().settings(Budget.SMOKE) | {"positions": "absolute"}
    made = plan(member("parity").build(5), settings)

    @jax.jit
    def read(key):
        model = create(made.shape, key)
        return answers(made.shape, model, jnp.full((3, 4), 5), jnp.array([0, 2, 2]))

    said = np.asarray(read(jax.random.key(0)))
    assert np.array_equal(said[1], said[2]) and not np.allclose(said[0], said[1])


def test_bad_input() -> None:
    with pytest.raises(BadInput, match="no task of the RASP-L suite"):
        member("cuont")
    settings = RaspLSuite().settings(Budget.SMOKE) | {"length": 2, "beyond": 1}
    with pytest.raises(BadInput, match="no sizes"):
        plan(member("addition").build(10), settings)


@pytest.mark.slow
def test_every_claim_holds_on_a_cpu() -> None:
    sandbox = RaspLSuite()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert [row.claim.quantity for row in rows if not row.agrees] == []
