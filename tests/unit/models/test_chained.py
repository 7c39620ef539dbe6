"""The chain of thought: its own arithmetic, and that running it is applying it to its own bits."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.models import chained, readout
from foretell.numerics.keys import root_key

BITS = 4
MODEL = chained.create(BITS, root_key(0))
ROWS = np.random.default_rng(0).integers(0, 2, (6, BITS))


def by_hand(model, tokens):
    """What is said at the last token, in NumPy, a position after the other."""
    width, length = BITS + readout.LEARNED, len(tokens)
    scale = 2 * np.log(BITS) / np.sqrt(width)

    def attend(weights, stream, place):
        logits = [
            (stream[place] @ weights.query) @ (stream[other] @ weights.key) * scale
            for other in range(place + 1)
        ]
        shares = np.exp(np.array(logits) - max(logits))
        moved = [stream[other] @ weights.value for other in range(place + 1)]
        return (shares / shares.sum()) @ np.array(moved)

    stream = np.zeros((length, width))
    for place, bit in enumerate(tokens):
        stream[place, place % BITS] = 1
        stream[place, BITS:] = model.bit[int(bit)]
    after = np.array([stream[i] + attend(model.first, stream, i) for i in range(length)])
    hidden = np.maximum(after @ model.mlp_in + model.mlp_bias, 0)
    after = after + hidden @ model.mlp_out + model.mlp_out_bias
    return (after[-1] + attend(model.second, after, length - 1)) @ model.head + model.head_bias


def lively(seed):
    """Weights whose answers fall on both sides of one half."""
    model = jax.tree.map(lambda leaf: 2 * leaf, chained.create(BITS, root_key(seed)))
    return model._replace(head_bias=jnp.asarray(0.5))


def test_applied_it_says_what_the_definition_says():
    written = np.random.default_rng(1).integers(0, 2, (6, BITS))
    found = chained.apply(MODEL, jnp.asarray(ROWS), jnp.asarray(written))
    plain = jax.tree.map(lambda leaf: np.asarray(leaf, float), MODEL)
    expected = [
        [by_hand(plain, [*row, 0, *bits[:step]]) for step in range(BITS)]
        for row, bits in zip(ROWS, written, strict=True)
    ]
    assert np.allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_run_it_writes_what_it_says_of_its_own_bits(seed):
    model, rows = lively(seed), jnp.asarray(ROWS)
    written = jax.jit(chained.run)(model, rows)
    plain = jax.tree.map(lambda leaf: np.asarray(leaf, float), model)
    for row, bits in zip(ROWS, np.asarray(written), strict=True):
        own = []
        for _ in range(BITS):
            own.append(int(by_hand(plain, [*row, 0, *own]) >= 0.5))
        assert own == bits.tolist()
    again = chained.apply(model, rows, written) >= 0.5
    assert np.array_equal(again, written == 1)
    assert 0 < written.mean() < 1


def test_a_step_sees_nothing_that_comes_later():
    rows, bits = jnp.asarray(ROWS[:1]), np.zeros((1, BITS), int)
    other = bits.copy()
    other[0, 1] = 1
    one, two = (np.asarray(chained.apply(MODEL, rows, jnp.asarray(b))) for b in (bits, other))
    assert np.allclose(one[0, :2], two[0, :2], atol=1e-6)
    assert abs(one - two)[0, 2:].min() > 1e-4
    other = bits.copy()
    other[0, -1] = 1  # the answer: nothing reads it
    assert np.array_equal(one, chained.apply(MODEL, rows, jnp.asarray(other)))


def test_the_shape_is_that_of_the_readout():
    assert chained.width_of(BITS) == readout.width_of(BITS) - 1
    like = readout.fresh(chained.width_of(BITS), root_key(0))
    for one, other in zip(*map(jax.tree.leaves, (MODEL, like)), strict=True):
        assert np.array_equal(one, other)


def test_dropout_needs_a_key():
    rows = jnp.asarray(ROWS)
    still = chained.apply(MODEL, rows, rows, None, 0.5)
    assert np.array_equal(still, chained.apply(MODEL, rows, rows))
    assert not np.allclose(still, chained.apply(MODEL, rows, rows, root_key(1), 0.5))
