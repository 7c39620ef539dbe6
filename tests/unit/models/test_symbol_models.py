"""Models that read strings of symbols: shapes, symmetries, and the two numbers a head."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.core.architecture import FIXED_STATE, KINDS, Architecture
from foretell.models import symbols
from foretell.models.symbols import StringShape, mlp
from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput

STRINGS = jnp.array([[0, 1, 0], [2, 3, 3], [4, 5, -1]])


def shape(kind="transformer", outputs=1, tied=False, tokens=6, **sizes):
    fixed = kind in FIXED_STATE
    sizes = {"layers": 2, "heads": 1 if fixed else 2, "width": 8} | sizes
    encoding = "nope" if fixed else "ape"
    architecture = Architecture(**sizes, positional=encoding, context=4, tied=tied, kind=kind)
    return StringShape(architecture, tokens, 3, outputs)


def made(kind="transformer", seed=0, **settings):
    return symbols.create(shape(kind, **settings), key_for(root_key(seed), "model"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("outputs", [1, 6])
def test_every_kind_answers_once_a_string(kind, outputs):
    tied = outputs > 1 and kind.startswith("transformer")
    model = made(kind, outputs=outputs, tied=tied)
    said = symbols.apply(model, STRINGS)
    assert said.shape == (3, outputs)
    assert jnp.isfinite(said).all()
    assert float(jnp.std(said)) > 0
    one = symbols.apply(model, STRINGS[1:2])
    np.testing.assert_allclose(said[1:2], one, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_what_lies_beyond_the_end_of_a_string_does_not_matter(kind):
    model = made(kind)
    table = getattr(model, "embedding", None)
    if table is None:
        changed = model._replace(tables=model.tables.at[2, 0].add(9.0))
    else:  # row 0 is what padding would read
        changed = model._replace(embedding=table.at[0].add(9.0))
    last = STRINGS[2:]
    np.testing.assert_allclose(
        symbols.apply(model, last), symbols.apply(changed, last), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize("extra", ["+kq", "+vo", "+kq+vo"])
def test_at_zero_the_identities_change_nothing(extra):
    plain, with_extra = made(), made(f"transformer{extra}")
    same = [(a == b).all() for a, b in zip(*map(_shared, (plain, with_extra)), strict=True)]
    assert all(same)
    np.testing.assert_array_equal(symbols.apply(plain, STRINGS), symbols.apply(with_extra, STRINGS))


def _shared(model):
    blocks = (
        block._replace(key_query_identity=None, value_output_identity=None)
        for block in model.blocks
    )
    return jax.tree.leaves(model._replace(blocks=tuple(blocks)))


@pytest.mark.slow
def test_gradients_reach_the_identities_and_change_what_is_said():
    model = made("transformer+kq+vo")
    targets = jnp.array([1.0, -1.0, 0.5])

    def cost(weights):
        return jnp.mean(jnp.square(symbols.apply(weights, STRINGS)[:, 0] - targets))

    found = jax.grad(cost)(model)
    for block in found.blocks:
        assert jnp.abs(block.key_query_identity).min() > 0
        assert jnp.abs(block.value_output_identity).min() > 0
    for name in ("key_query_identity", "value_output_identity"):
        moved = model._replace(
            blocks=tuple(block._replace(**{name: jnp.ones(2)}) for block in model.blocks)
        )
        difference = symbols.apply(moved, STRINGS) - symbols.apply(model, STRINGS)
        assert jnp.abs(difference).max() > 1e-3


def test_identities_do_what_the_formula_says():
    """One head by hand: logits x W_Q W_K' x' / 8 + 10 a x x', output plus 10 b A x."""
    model = made("transformer+kq+vo", layers=1, heads=1)
    (block,) = model.blocks
    block = block._replace(
        key_query_identity=jnp.array([0.02]), value_output_identity=jnp.array([-0.3])
    )
    x = np.asarray(jax.random.normal(root_key(3), (4, 8)), float)
    query, key, value, output = (
        np.asarray(part[0], float) for part in (block.query, block.key, block.value, block.output)
    )
    logits = (x @ query) @ (x @ key).T / 8 + 10 * 0.02 * x @ x.T
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    expected = shares @ x @ value @ output - 10 * 0.3 * shares @ x
    found = symbols.transformer.attend(block, jnp.asarray(x, jnp.float32), jnp.ones(4, bool))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_the_mlp_is_one_on_one_hot_tokens_side_by_side():
    model = made("mlp+gram", layers=3)
    string = np.array([4, 1, 4])
    one_hot = np.eye(6)[string]
    first = np.asarray(model.tables).reshape(18, 8), np.asarray(model.equalities).reshape(9, 8)
    stream = one_hot.ravel() @ first[0] + (one_hot @ one_hot.T).ravel() @ first[1] + model.bias
    for layer in model.layers:
        stream = np.maximum(stream, 0) @ layer.weight + layer.bias
    np.testing.assert_allclose(mlp.read(model, jnp.asarray(string)), stream, rtol=1e-4, atol=1e-5)
    assert len(model.layers) == 2  # with the first, three linear maps
    assert made("mlp", layers=3).equalities is None


def test_a_tied_model_names_tokens_by_their_embedding():
    """Renaming tokens renames the answer: nothing else knows one token from another."""
    model = made(outputs=6, tied=True)
    order = jnp.array([3, 0, 5, 1, 2, 4])
    renamed = model._replace(
        embedding=jnp.zeros_like(model.embedding).at[order].set(model.embedding)
    )
    said = symbols.apply(model, STRINGS[:2])
    np.testing.assert_allclose(
        symbols.apply(renamed, order[STRINGS[:2]])[:, order], said, rtol=1e-4, atol=1e-5
    )
    assert model.head is None and model.reader is None and len(model.positions) == 3


def test_shapes_that_make_no_sense_are_refused():
    with pytest.raises(BadInput, match="embedding"):
        shape(outputs=1, tied=True)
    with pytest.raises(BadInput, match="tokens, places and outputs"):
        shape(outputs=0)


def test_a_hybrid_of_one_layer_would_be_a_transformer():
    with pytest.raises(BadInput, match="2 layers"):
        made("hybrid", layers=1)
