"""Each encoding against its own definition."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.core.architecture import Architecture
from foretell.models.positional import load
from foretell.models.positional.alibi import slopes
from foretell.models.positional.local import NEAR
from foretell.models.positional.t5 import bucket_of
from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput


def architecture(name: str, heads: int = 2, width: int = 16) -> Architecture:
    return Architecture(layers=1, heads=heads, width=width, positional=name, context=50)


def test_rotary_products_depend_on_distance_only():
    rotary = load("rotary").create(architecture("rotary"), root_key(0))
    query, key = jax.random.normal(root_key(1), (2, 1, 1, 2, 8))

    def product(at: int, behind: int) -> jax.Array:
        turned = rotary.rotate(query, jnp.array([[at]]))
        return (turned * rotary.rotate(key, jnp.array([[at - behind]]))).sum(-1)

    np.testing.assert_allclose(product(9, 4), product(300, 4), atol=1e-4)
    assert jnp.abs(product(9, 4) - product(9, 3)).max() > 1e-2
    np.testing.assert_array_equal(rotary.rotate(query, jnp.array([[0]])), query)


def test_rotary_refuses_an_odd_head():
    with pytest.raises(BadInput, match="even width") as problem:
        load("rotary").create(architecture("rotary", 2, 6), root_key(0))
    assert "width 8" in str(problem.value)


def test_sinusoids_are_the_size_of_gpt2_embeddings():
    for width in (16, 15):
        sinusoidal = load("sinusoidal").create(architecture("sinusoidal", 1, width), root_key(0))
        waves = sinusoidal.embed(jnp.arange(400)[None])
        assert waves.shape == (1, 400, width)
    waves = load("sinusoidal")(width=16).embed(jnp.arange(400)[None])
    np.testing.assert_allclose(jnp.sqrt(jnp.square(waves).mean(-1)), 0.02, rtol=1e-4)


def test_alibi_slopes_are_the_papers():
    assert slopes(1) == (2.0**-8,)
    assert slopes(8) == tuple(2.0**-n for n in range(1, 9))
    assert slopes(12)[:8] == slopes(8)
    assert slopes(12)[8:] == tuple(2.0 ** -(n + 0.5) for n in range(4))
    assert all(len(set(slopes(n))) == n for n in range(1, 40))


def test_alibi_bias_falls_linearly():
    alibi = load("alibi").create(architecture("alibi", 4), root_key(0))
    bias = alibi.bias(jnp.array([[10]]), jnp.array([[10, 9, 6]]))
    np.testing.assert_allclose(bias[0, :, 0], [[0, -s, -4 * s] for s in slopes(4)])


def test_t5_buckets_are_those_of_the_definition():
    buckets = bucket_of()
    assert buckets.tolist()[:17] == [*range(16), 16]
    assert (np.diff(buckets) >= 0).all() and set(buckets) == set(range(32))
    assert buckets[112] == 30 and buckets[113] == 31


def test_t5_bias_reads_its_table():
    t5 = load("t5").create(architecture("t5", 3, 15), root_key(0))
    bias = t5.bias(jnp.array([[500, 20]]), jnp.array([[0, 15, 20]]))
    assert bias.shape == (1, 3, 2, 3)
    np.testing.assert_array_equal(bias[0, :, 0], jnp.tile(t5.table[31][:, None], 3))
    np.testing.assert_array_equal(bias[0, :, 1, 1], t5.table[5])


def test_nope_does_nothing():
    nope = load("nope").create(architecture("nope"), root_key(0))
    vectors, positions = jnp.ones((1, 3, 2, 4)), jnp.arange(3)[None]
    assert nope.embed(positions) is None and nope.bias(positions, positions) is None
    assert nope.rotate(vectors, positions) is vectors
    assert jax.tree.leaves(nope) == []


def test_local_says_nothing_of_what_is_far():
    local = load("local").create(architecture("local"), root_key(0))
    bias = local.bias(jnp.array([[40]]), jnp.arange(41)[None])[0, :, 0]
    np.testing.assert_array_equal(bias[:, ::-1][:, :NEAR], local.table.T)
    np.testing.assert_array_equal(bias[:, : 41 - NEAR], 0)
