"""Flip-flop training: two constructed layers, readers, counts; the training itself is slow."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.constructions.flip_flop import read_flip_flop
from foretell.models import small_decoder
from foretell.models.small_decoder import Shape
from foretell.numerics.keys import root_key
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.representation.flip_flop_training import FlipFlopTraining
from foretell.worlds.flip_flop_counts import counted, glitch, interval, last_writes, rates
from foretell.worlds.flip_flop_readers import (
    Recipe,
    decoder_reader,
    draw_batch,
    glitches,
    recurrent_reader,
    train,
)
from foretell.worlds.flip_flops import READ, Word, all_words, gaps
from foretell.worlds.recurrent_reader import fresh_recurrent

SANDBOX = FlipFlopTraining()


@pytest.fixture(scope="module")
def words() -> Word:
    """All words of five pairs, as one law."""
    return Word(*(each[None] for each in all_words(5)))


@pytest.fixture(scope="module")
def wrong() -> np.ndarray:
    """Two members that err now and then, at reads only."""
    reads = all_words(5).instructions == READ
    chance = np.random.default_rng(0).random((2, 1, *reads.shape))
    return reads & (chance < np.array([0.1, 0.02])[:, None, None, None])


def test_two_constructed_layers_read_every_word(words: Word) -> None:
    with double_precision():
        shape, weights = read_flip_flop(5)
        alone = jax.tree.map(lambda each: each[None], weights)
        plain = Word(*(jnp.asarray(each[0]) for each in words))
        found = glitches(decoder_reader(shape), alone, plain, 50)
    assert found.shape == (1, 250, 5)
    assert not found.any()


def test_a_reader_that_says_nothing_right_is_wrong_at_every_read_of_a_one() -> None:
    every = Word(*map(jnp.asarray, all_words(4)))

    def silent(weights: jax.Array, tokens: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jnp.zeros((tokens.shape[0], 4)) - weights, jnp.zeros(())

    found = glitches(silent, jnp.ones((1,)), every, 25)[0]
    expected = (np.asarray(every.instructions) == READ) & (np.asarray(every.bits) == 1)
    np.testing.assert_array_equal(found, expected)


def test_counts_are_those_of_a_plain_loop(words: Word, wrong: np.ndarray) -> None:
    found = counted(wrong, words)
    reads = words.instructions == READ
    assert found["laws"][0]["wrong"] == int(wrong.sum())
    assert found["laws"][0]["reads"] == 2 * int(reads.sum())
    assert found["laws"][0]["interval"][0] < wrong.sum() / (2 * reads.sum())
    far = np.asarray(jax.vmap(gaps)(jnp.asarray(words.instructions[0])))
    np.testing.assert_array_equal(np.arange(5) - last_writes(words.instructions[0]), far)
    for gap in range(1, 5):
        assert found["by_gap"]["wrong"][gap] == int(wrong[:, 0][:, far == gap].sum())
        assert found["by_gap"]["reads"][gap] == 2 * int((reads[0] & (far == gap)).sum())
    np.testing.assert_allclose(rates(wrong, reads)[:, 0], [0.1, 0.02], atol=0.05)
    low, high = interval(wrong, reads, 0)
    assert low < rates(wrong, reads).mean() < high


def test_batches_mix_their_laws() -> None:
    laws = jnp.array([0.0, 1.0])
    drawn = jax.jit(lambda key: draw_batch(key, laws, 12, 400))(root_key(0))
    ignored = (np.asarray(drawn.instructions)[:, 1:-1] == 2).mean(axis=1)
    assert set(ignored) == {0.0, 1.0}
    assert 0.4 < ignored.mean() < 0.6


def test_a_glitch_is_looked_into_where_it_happened(words: Word, wrong: np.ndarray) -> None:
    with double_precision():
        shape, weights = read_flip_flop(5)
        both = jax.tree.map(lambda each: jnp.stack([each, each]), weights)
        found = glitch(shape, both, wrong, Word(*map(jnp.asarray, words)))
    assert found is not None
    column = found["places"].index(found["last_write"])
    assert np.array(found["attention"])[1, 0, column] > 0.6  # what is constructed looks right
    assert found["tokens"][-1] == "r"
    assert glitch(Shape(tokens=5, length=10), None, np.zeros_like(wrong), words) is None


def test_both_readers_say_the_same_and_sharpness_is_there_where_it_is_looked_at() -> None:
    shape = Shape(tokens=5, length=6, width=8, heads=2, layers=2, hidden=8)
    weights, words = small_decoder.create(shape, root_key(0)), jnp.array([[0, 3, 2, 4, 1, 3]])
    looking, plain = (
        jax.jit(decoder_reader(shape, looking=each))(weights, words) for each in (True, False)
    )
    np.testing.assert_allclose(looking[0], plain[0], atol=1e-5)
    assert 1 / 6 < looking[1][0] <= 1
    assert np.isnan(plain[1]).all()


def test_recurrent_readers_train_and_bad_recipes_are_refused() -> None:
    plan = {"seed": 0, "pairs": 3, "batch": 8, "steps": 40, "rate": 0.03, "phase": "test"}
    members = [(Recipe((0.5,)), 0), (Recipe((0.2, 0.5), decay=10.0), 1)]

    def fresh(key: jax.Array) -> object:
        return fresh_recurrent("gru", 5, 4, key)

    trained = train(recurrent_reader, fresh, members, plan, lambda progress: None)
    sizes = jnp.abs(trained.embedding).mean(axis=(1, 2))
    assert sizes[1] < 0.1 * sizes[0]  # a strong decay leaves nothing
    with pytest.raises(BadInput, match="no such recurrent cell"):
        fresh_recurrent("quick", 5, 4, root_key(0))
    with pytest.raises(BadInput, match="chance of an ignore"):
        train(recurrent_reader, fresh, [(Recipe((1.5,)), 0)], plan, lambda progress: None)
    with pytest.raises(BadInput, match="too short"):
        read_flip_flop(1)


@pytest.mark.slow
def test_every_claim_holds_on_a_processor() -> None:
    settings = SANDBOX.settings(Budget.CPU)
    rows = compare(SANDBOX.claims(settings), SANDBOX.measure(settings, lambda progress: None))
    assert [row for row in rows if not row.agrees] == []
