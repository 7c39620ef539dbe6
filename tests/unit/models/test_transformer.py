"""The transformer against its own promises."""

from __future__ import annotations

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.core.architecture import Activation, Architecture, AttentionScale, Precision
from foretell.models.transformer import LayerNorm, Transformer
from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput

TOKENS, BATCH, LENGTH = 7, 3, 9
BASE = Architecture(layers=2, heads=2, width=16, positional="ape", context=20)
VARIANTS = {
    "base": BASE,
    "bare": dataclasses.replace(
        BASE, layers=1, heads=1, norm=False, activation=Activation.RELU, tied=False
    ),
    "deep, many heads, no positions": dataclasses.replace(
        BASE, layers=3, heads=16, positional="nope"
    ),
    "odd width, t5, log length": dataclasses.replace(
        BASE, heads=3, width=15, positional="t5", attention_scale=AttentionScale.LOG_LENGTH
    ),
}


def create(architecture: Architecture, seed: int = 0, labels: int = TOKENS) -> Transformer:
    """A model with weights larger than at the start, so that every part shows."""
    model = Transformer.create(architecture, TOKENS, labels, root_key(seed))
    noise = np.random.default_rng(seed)
    return jax.tree.map(lambda leaf: leaf + 0.2 * noise.normal(size=leaf.shape).astype("f4"), model)


def batch(seed: int = 0) -> tuple[jax.Array, jax.Array]:
    tokens = jax.random.randint(root_key(seed), (BATCH, LENGTH), 0, TOKENS)
    return tokens, jnp.arange(LENGTH) + jnp.array([[0], [4], [11]])


@eqx.filter_jit
def run(model: Transformer, *inputs: jax.Array) -> jax.Array:
    return model(*inputs)


@pytest.fixture(params=VARIANTS, scope="module")
def model(request) -> Transformer:
    return create(VARIANTS[request.param])


def test_queries_are_a_slice_of_the_whole(model):
    """Also in the gradients, none of which is idle."""
    tokens, positions = batch()
    queries = jnp.array([[0, 8, 3], [5, 5, 1], [2, 7, 8]])
    weights = jax.random.normal(root_key(5), (BATCH, 3, TOKENS))

    def whole(model):
        return jnp.take_along_axis(model(tokens, positions), queries[:, :, None], axis=1)

    def part(model):
        return model(tokens, positions, queries)

    def slope(logits):
        def weighed(model):
            values = logits(model)
            return (values * weights).sum(), values

        return jax.jit(jax.grad(weighed, has_aux=True))(model)

    (slow, expected), (fast, logits) = slope(whole), slope(part)
    np.testing.assert_allclose(logits, expected, atol=2e-5)
    for (path, one), other in zip(
        jax.tree_util.tree_leaves_with_path(slow), jax.tree.leaves(fast), strict=True
    ):
        assert jnp.isfinite(one).all() and one.any(), jax.tree_util.keystr(path)
        np.testing.assert_allclose(one, other, atol=1e-4 * (1 + jnp.abs(one).max()))


def test_neither_later_tokens_nor_padding_change_earlier_logits(model):
    tokens, positions = batch()
    before = run(model, tokens, positions)
    after = run(model, tokens.at[:, 5:].set((tokens[:, 5:] + 1) % TOKENS), positions)
    # Padding may have any position, even one the model has no room for.
    padded = run(model, tokens.at[:, 5:].set(0), positions.at[:, 5:].set(10 * BASE.context))
    np.testing.assert_allclose(before[:, :5], after[:, :5], atol=1e-5)
    np.testing.assert_allclose(before[:, :5], padded[:, :5], atol=1e-5)
    assert jnp.abs(before[:, 5:] - after[:, 5:]).max() > 1e-3
    alone = run(model, tokens[:, :5], positions[:, :5])
    np.testing.assert_allclose(before[:, :5], alone, atol=1e-5)


@pytest.mark.parametrize("variant", ["base", "odd width, t5, log length"])
def test_one_row_of_positions_serves_the_batch(variant):
    model, (tokens, _) = create(VARIANTS[variant]), batch()
    row = jnp.arange(LENGTH)[None]
    queries = jnp.array([[0, 8], [5, 5], [2, 7]])
    shared = run(model, tokens, row, queries)
    apart = run(model, tokens, jnp.tile(row, (BATCH, 1)), queries)
    np.testing.assert_allclose(shared, apart, atol=1e-5)


@pytest.mark.parametrize("variant", ["base", "odd width, t5, log length"])
def test_bfloat16_is_close_to_float32(variant):
    architecture = VARIANTS[variant]
    exact = Transformer.create(architecture, TOKENS, TOKENS, root_key(0))
    rough = Transformer.create(
        dataclasses.replace(architecture, precision=Precision.BFLOAT16), TOKENS, TOKENS, root_key(0)
    )
    tokens, positions = batch()
    one, other = run(exact, tokens, positions), run(rough, tokens, positions)
    assert other.dtype == jnp.float32 and not jnp.array_equal(one, other)
    assert jnp.abs(one - other).max() < 0.03 * jnp.abs(one).max()
    slope = jax.jit(jax.grad(lambda model: model(tokens, positions).sum()))(rough)
    assert all(leaf.dtype == jnp.float32 for leaf in jax.tree.leaves(slope))


def test_stacked_members_equal_single_models():
    keys = jax.random.split(root_key(3), 2)
    fleet = jax.jit(jax.vmap(lambda key: Transformer.create(BASE, TOKENS, TOKENS, key)))(keys)
    tokens = jax.random.randint(root_key(4), (2, BATCH, LENGTH), 0, TOKENS)
    positions = jnp.broadcast_to(jnp.arange(LENGTH), tokens.shape)
    queries = jnp.full((2, BATCH, 2), 5)
    together = jax.jit(jax.vmap(lambda model, *inputs: model(*inputs)))(
        fleet, tokens, positions, queries
    )
    for member in range(2):
        alone = Transformer.create(BASE, TOKENS, TOKENS, keys[member])
        logits = run(alone, tokens[member], positions[member], queries[member])
        np.testing.assert_allclose(together[member], logits, atol=1e-6)


def test_the_start_is_gpt2s():
    architecture = Architecture(layers=3, heads=4, width=128, positional="ape", context=200)
    architecture = dataclasses.replace(architecture, tied=False)
    model = Transformer.create(architecture, 300, 250, root_key(0))
    block = model.blocks[1]
    wide = [
        model.embedding,
        model.unembedding,
        model.positional.table,
        block.attention.query.weight,
        block.attention.key_value.weight,
        block.expand.weight,
    ]
    narrow = [block.attention.output.weight, block.contract.weight]
    for weights, deviation in [*((w, 0.02) for w in wide), *((w, 0.02 / 6**0.5) for w in narrow)]:
        assert abs(weights.mean()) < 4 * deviation / weights.size**0.5
        assert abs(weights.std() / deviation - 1) < 4 / (2 * weights.size) ** 0.5
    for linear in (block.attention.query, block.attention.key_value, block.attention.output):
        assert not linear.bias.any()
    assert not block.expand.bias.any() and not block.contract.bias.any()
    for norm in (block.attention_norm, block.mlp_norm, model.norm):
        assert (norm.scale == 1).all() and not norm.bias.any()
    assert all(leaf.dtype == jnp.float32 for leaf in jax.tree.leaves(model))


def test_another_layer_moves_no_other_draw():
    small = Transformer.create(BASE, TOKENS, TOKENS, root_key(0))
    large = Transformer.create(dataclasses.replace(BASE, layers=3), TOKENS, TOKENS, root_key(0))
    np.testing.assert_array_equal(small.embedding, large.embedding)
    for one, other in zip(small.blocks, large.blocks[:2], strict=True):
        np.testing.assert_array_equal(one.expand.weight, other.expand.weight)
    assert not jnp.array_equal(large.blocks[0].expand.weight, large.blocks[1].expand.weight)


def test_without_norms_there_are_none():
    model = create(VARIANTS["bare"])
    nodes = jax.tree.leaves(model, is_leaf=lambda node: isinstance(node, LayerNorm))
    assert not any(isinstance(node, LayerNorm) for node in nodes)
    assert isinstance(model.norm, eqx.nn.Identity)


def test_log_length_scales_with_what_is_visible():
    """One head whose logits we know: the weight on the marked key is n^2 / (n^2 + n - 1)."""
    architecture = Architecture(
        layers=1, heads=1, width=4, positional="nope", context=8, norm=False, tied=False,
        attention_scale=AttentionScale.LOG_LENGTH, activation=Activation.RELU,
    )  # fmt: skip
    model = jax.tree.map(jnp.zeros_like, Transformer.create(architecture, 2, 1, root_key(0)))
    attention = model.blocks[0].attention
    model = eqx.tree_at(
        lambda m: (
            m.embedding,
            m.blocks[0].attention.query.bias,
            m.blocks[0].attention.key_value.weight,
            m.blocks[0].attention.output.weight,
            m.unembedding,
        ),
        model,
        (
            jnp.array([[0.0, 0, 0, 0], [1.0, 0, 0, 0]]),
            jnp.array([4.0, 0, 0, 0]),  # divided by the root of 4: logit 2 on the marked key
            attention.key_value.weight.at[0, 0].set(1.0).at[0, 4].set(1.0),
            attention.output.weight.at[0, 1].set(1.0),
            jnp.array([[0.0, 1, 0, 0]]),
        ),
    )
    tokens = jnp.array([[1, 0, 0, 0, 0, 0]])
    n = np.arange(1, 7)
    expected = n**2 / (n**2 + n - 1)
    np.testing.assert_allclose(
        run(model, tokens, jnp.arange(6)[None])[0, :, 0], expected, rtol=1e-5
    )


def test_labels_other_than_tokens_need_an_untied_model():
    with pytest.raises(BadInput, match="tied"):
        Transformer.create(BASE, TOKENS, 2, root_key(0))
    model = create(VARIANTS["bare"], labels=2)
    assert run(model, *batch()).shape == (BATCH, LENGTH, 2)
