"""Attention by blocks of queries: the same numbers, and never all scores at once."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from functools import partial
from unittest.mock import patch

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import ClosedJaxpr, Jaxpr

from foretell.core.architecture import Architecture, AttentionScale
from foretell.models import attention
from foretell.models.attention import Attention, View
from foretell.models.points import PointTransformer
from foretell.models.positional import Positional, load, names
from foretell.models.transformer import Transformer
from foretell.numerics.keys import root_key

LENGTH, LONG_LENGTH = 13, 1_500
QUERIES = jnp.array([[12, 0, 5, 5, 7], [3, 12, 11, 4, 1]])
STARTS = jnp.where(jnp.arange(LENGTH) >= jnp.array([[4], [9]]), jnp.array([[4], [9]]), 0)
POSITIONS = jnp.arange(LENGTH) + jnp.array([[0], [6]])
SHAPE = Architecture(layers=1, heads=2, width=8, positional="nope", context=LENGTH + 6)
SHAPE = dataclasses.replace(SHAPE, attention_scale=AttentionScale.LOG_LENGTH)
BLOCKS = patch.multiple(attention, LONG=0, HELD=3 * LENGTH, STRIPES=2)  # 13 is not 3 n, nor is 7
QUICKLY = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
ACTING = [  # in attention; what others do is done before it
    name
    for name in names()
    if name == "nope"
    or load(name).rotate is not Positional.rotate
    or load(name).bias is not Positional.bias
]


def gather(layer: Attention, encoding, stream, kind) -> list[jax.Array]:
    """What a layer gathers: everywhere in packed rows, then at some queries of whole ones."""
    whole = View.create(SHAPE, encoding, POSITIONS, None, STARTS)
    some = View.create(SHAPE, encoding, POSITIONS, QUERIES, None)
    given = stream.astype(kind)
    asked = jnp.take_along_axis(given, QUERIES[..., None], axis=1)
    return [layer(given, given, whole), layer(asked, given, some)]


def both_ways(name: str, kind, other=BLOCKS) -> list[list[np.ndarray]]:
    """Outputs and gradients with all scores at once, then in the other way, as one program."""
    noise = np.random.default_rng(0)
    stream, *weights = (
        noise.normal(size=(2, length, 8)).astype("f4")
        for length in (LENGTH, LENGTH, QUERIES.shape[1])
    )

    def cost(parts, stream):
        found = gather(*parts, stream, kind)
        pairs = zip(found, weights, strict=True)
        return sum(jnp.sum(own * weight) for own, weight in pairs), found

    def ways(key, stream):
        parts = Attention.create(SHAPE, key), load(name).create(SHAPE, key)
        given = jax.tree.map(lambda leaf: 10 * leaf, parts), stream  # so that attention is not even
        slope = jax.grad(cost, argnums=(0, 1), has_aux=True)
        plain = slope(*given)
        with other:
            return plain, slope(*given)

    return [
        jax.tree.leaves(way) for way in jax.jit(ways, compiler_options=QUICKLY)(root_key(1), stream)
    ]


@pytest.mark.parametrize("name", ACTING)
def test_blocks_give_the_same_numbers_and_gradients(name):
    for plain, blocks in zip(*both_ways(name, jnp.float32), strict=True):
        np.testing.assert_allclose(blocks, plain, atol=1e-5 * max(1, np.abs(plain).max()))


@pytest.mark.parametrize("name", ["nope", "alibi", "rotary"])
def test_an_input_at_a_time_gives_the_same_numbers_and_gradients(name):
    one_at_a_time = patch.object(attention, "CACHED", 1)
    for plain, pieces in zip(*both_ways(name, jnp.float32, one_at_a_time), strict=True):
        np.testing.assert_allclose(pieces, plain, atol=1e-5 * max(1, np.abs(plain).max()))


@pytest.mark.parametrize(
    ("inputs", "length", "backend", "at_once"),
    [
        (64, 52, "cpu", 32),  # a divisor: 48 inputs would fit
        (100, 500, "cpu", 1),
        (53, 200, "cpu", 1),  # a prime number of them
        (100, 500, "gpu", 100),
    ],
)
def test_as_many_inputs_at_once_as_a_cache_holds(monkeypatch, inputs, length, backend, at_once):
    monkeypatch.setattr(jax, "default_backend", lambda: backend)
    vectors = jnp.zeros((inputs, length, 2, 1))
    assert attention._inputs_at_once(vectors, vectors) == at_once


def test_in_bfloat16_as_close_as_it_is_precise():
    for plain, blocks in zip(*both_ways("alibi", jnp.bfloat16), strict=True):
        assert blocks.dtype == plain.dtype
        exact = plain.astype(np.float32)
        np.testing.assert_allclose(
            blocks.astype(np.float32), exact, atol=2**-6 * np.abs(exact).max()
        )


def test_points_see_everybody_by_blocks_too():
    rows = jnp.asarray(np.random.default_rng(0).normal(size=(2, LENGTH, 3)), jnp.float32)

    def ways(key):
        model = PointTransformer.create(dataclasses.replace(SHAPE, layers=2), 3, key)
        slope = jax.value_and_grad(lambda model: jnp.square(model(rows)).sum())
        plain = slope(model)
        with BLOCKS:
            return plain, slope(model)

    found = jax.jit(ways, compiler_options=QUICKLY)(root_key(0))
    for plain, blocks in zip(*map(jax.tree.leaves, found), strict=True):
        np.testing.assert_allclose(blocks, plain, atol=1e-5)


def arrays(program: Jaxpr) -> Iterator[jax.core.ShapedArray]:
    """Every value a program computes, loops and branches included."""
    for equation in program.eqns:
        yield from (out.aval for out in equation.outvars)
        for value in jax.tree.leaves(
            list(equation.params.values()), is_leaf=lambda own: isinstance(own, Jaxpr | ClosedJaxpr)
        ):
            if isinstance(value, ClosedJaxpr):
                yield from arrays(value.jaxpr)
            elif isinstance(value, Jaxpr):
                yield from arrays(value)


def gradient(shape: Architecture, length: int, queries: int | None = None):
    """A fresh model's gradient as a function of its key."""

    def slope(key: jax.Array) -> Transformer:
        row = jnp.arange(length)[None]
        asked = None if queries is None else row[:, -queries:]
        inputs = row % 5, row, asked, jnp.zeros_like(row)
        return jax.grad(lambda model: model(*inputs).sum())(Transformer.create(shape, 5, 5, key))

    return slope


def program(*asked) -> Jaxpr:
    return jax.make_jaxpr(gradient(*asked))(root_key(0)).jaxpr


def largest(*asked) -> int:
    return max(math.prod(own.shape) for own in arrays(program(*asked)))


@pytest.mark.parametrize("name", names())
def test_no_array_holds_all_scores(name):
    """Nor a mask, nor a bias: whatever has a number for every pair is larger than this."""
    shape = dataclasses.replace(SHAPE, layers=2, positional=name, context=LONG_LENGTH)
    assert largest(shape, LONG_LENGTH, 1_200) <= attention.HELD * shape.heads < 1_200**2


@pytest.mark.parametrize("name", ACTING)
def test_positions_that_all_share_give_the_same_bias(name):
    encoding, row = load(name).create(SHAPE, root_key(2)), POSITIONS[:1]
    shared, apart = (
        View.create(SHAPE, encoding, positions, QUERIES, None).mask
        for positions in (row, jnp.broadcast_to(row, POSITIONS.shape))
    )
    for own, other in zip(jax.tree.leaves(shared), jax.tree.leaves(apart), strict=True):
        np.testing.assert_array_equal(own, other)


@pytest.mark.parametrize("name", ["t5", "local"])
def test_no_array_holds_a_bias_that_two_long_inputs_share(name):
    shape = dataclasses.replace(SHAPE, positional=name, context=LONG_LENGTH)
    row, last = jnp.arange(LONG_LENGTH)[None], jnp.arange(300, LONG_LENGTH)

    def outputs(key: jax.Array) -> jax.Array:
        model = Transformer.create(shape, 5, 5, key)
        return model(jnp.tile(row % 5, (2, 1)), row, jnp.tile(last, (2, 1)))

    found = jax.make_jaxpr(outputs)(root_key(0)).jaxpr
    held = 2 * attention.HELD * shape.heads  # a block of both inputs
    assert max(math.prod(own.shape) for own in arrays(found)) <= held < 2 * LONG_LENGTH**2


def test_what_was_found_by_looking_at_programs_is_there():
    """The same look finds all scores where blocks are switched off."""
    with patch.object(attention, "LONG", 2**62):
        assert largest(SHAPE, LONG_LENGTH) >= LONG_LENGTH**2


def test_short_inputs_are_one_program_without_loops():
    printed = str(program(dataclasses.replace(SHAPE, layers=2), 200))
    assert "scan" not in printed and "checkpoint" not in printed
    assert "scan" in str(program(SHAPE, LONG_LENGTH))


def test_the_compiler_needs_less_memory_than_all_scores_take():
    with patch.multiple(attention, HELD=2**14, STRIPES=2):
        lowered = jax.jit(gradient(SHAPE, LONG_LENGTH)).lower(root_key(0))
    needed = lowered.compile(compiler_options=QUICKLY).memory_analysis().temp_size_in_bytes
    assert 0 < needed < LONG_LENGTH**2 * SHAPE.heads  # a quarter of the bytes of all scores


@pytest.mark.parametrize(("queries", "keys"), [(4_096, 4_096), (4_097, 8_193), (3, 2**19)])
def test_blocks_are_equal_and_within_what_is_held(queries, keys):
    positions = jnp.zeros((1, keys), jnp.int32)
    viewers = attention.Viewers(positions[:, :queries], None, None, None)
    view = View(load("nope")(), viewers, positions)
    count = -(-queries // view.block)
    assert view.long and view.block * count - queries < count
    assert view.block == 1 or view.block * keys <= attention.HELD


@pytest.mark.parametrize("name", ["nope", "rotary"])
def test_the_kernel_is_asked_for_the_same_numbers(name):
    """Scaled queries, causal, no other scale: outputs and gradients as those of all scores."""
    shape = dataclasses.replace(SHAPE, heads=1)
    noise = np.random.default_rng(0)
    given = [jnp.asarray(noise.normal(size=(2, LENGTH, 1, 8)), jnp.bfloat16) for _ in range(3)]
    view = View.create(shape, load(name).create(shape, root_key(0)), POSITIONS, None, None)

    def cost(way, *given):
        return jnp.sum(jnp.sin(way(*given, view).astype(jnp.float32)))

    reference = jax.nn.dot_product_attention

    def instead(*given, implementation, **settings):
        assert implementation == "cudnn"  # which no CPU has: what it computes, by JAX's own hand
        return reference(*given, **settings)

    with patch.object(jax.nn, "dot_product_attention", instead):
        slopes = [
            jax.value_and_grad(partial(cost, way), (0, 1, 2))(*given)
            for way in (attention.attend, attention.attend_fused)
        ]
    for plain, fused in zip(*map(jax.tree.leaves, slopes), strict=True):
        exact = np.asarray(plain, np.float32)
        close = 2**-6 * max(1, np.abs(exact).max())
        np.testing.assert_allclose(np.asarray(fused, np.float32), exact, atol=close)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, True),
        ({"positional": "alibi"}, False),  # a bias for every pair
        ({"queries": QUERIES}, False),  # whoever asks is not at its own index
        ({"starts": STARTS}, False),  # two inputs to a row
        ({"kind": jnp.float32}, False),
        ({"part": 4}, False),
        ({"backend": "cpu"}, False),
        ({"long": 2**20}, False),
    ],
)
def test_the_kernel_is_used_only_where_it_computes_the_same(changed, expected):
    asked = {"positional": "rotary", "queries": None, "starts": None, "kind": jnp.bfloat16}
    asked |= {"part": 8, "backend": "gpu", "long": 0} | changed
    encoding = load(asked["positional"]).create(SHAPE, root_key(0))
    with (
        patch.object(attention, "LONG", asked["long"]),
        patch.object(jax, "default_backend", lambda: asked["backend"]),
    ):
        view = View.create(SHAPE, encoding, POSITIONS, asked["queries"], asked["starts"])
        values = jnp.zeros((2, LENGTH, 2, asked["part"]), asked["kind"])
        assert view.fused(values) is expected


@pytest.mark.parametrize(
    ("changed", "length", "backend", "expected"),
    [
        ({}, 1_024, "gpu", True),
        ({}, 1_023, "gpu", False),  # short inputs stay as they were
        ({}, 1_024, "cpu", False),
        ({"precision": "float32"}, 1_024, "gpu", False),
        ({"positional": "alibi"}, 1_024, "gpu", False),  # which adds a bias
        ({"heads": 8}, 1_024, "gpu", False),  # four numbers a head
    ],
)
def test_where_a_kernel_of_the_device_attends(monkeypatch, changed, length, backend, expected):
    usual = {"layers": 2, "heads": 4, "width": 32, "positional": "rotary", "context": 2_048}
    shape = Architecture(**{**usual, "precision": "bfloat16", **changed})
    monkeypatch.setattr(jax, "default_backend", lambda: backend)
    assert attention.has_kernel(shape, length) is expected
