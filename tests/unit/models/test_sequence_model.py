"""Every kind answers the same call: causal, packed as apart, asked anywhere."""

from __future__ import annotations

import functools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.core.architecture import Architecture
from foretell.models.sequence_model import (
    KINDS,
    SequenceModel,
    attention_layers,
    create_model,
    require_described,
)
from foretell.models.transformer import Block, Transformer
from foretell.plain.errors import BadInput

TOKENS, LABELS, LENGTH = 5, 4, 9
OTHERS = [kind for kind in KINDS if kind != "transformer"]


def shape(kind: str, **changes: Any) -> Architecture:
    usual: dict[str, Any] = {
        "layers": 2 if kind == "hybrid" else 1,
        "heads": 1,
        "width": 8,
        "positional": "nope",
    }
    usual |= {"context": 16, "tied": False, "kind": kind}
    return Architecture(**{**usual, **changes})


def built(kind: str, **changes: Any) -> Any:
    return create_model(shape(kind, **changes), TOKENS, LABELS, jax.random.key(0))


def filled(architecture: Architecture) -> Any:
    """A model with weights by NumPy: drawing them by JAX takes longer than all that is tested."""
    rng = np.random.default_rng(0)
    shapes = jax.eval_shape(lambda: create_model(architecture, TOKENS, LABELS, jax.random.key(0)))
    return jax.tree.map(lambda own: 0.3 * rng.normal(size=own.shape).astype(np.float32), shapes)


def words() -> Any:
    return np.random.default_rng(1).integers(TOKENS, size=(3, LENGTH), dtype=np.int32)


PLACES, QUERIES = jnp.arange(LENGTH)[None], jnp.array([[0, 8], [3, 4], [7, 2]])


@functools.cache
def answers(kind: str) -> dict[str, np.ndarray]:
    """All that is compared, in one compiled program."""
    starts = jnp.broadcast_to(jnp.where(PLACES >= 4, 4, 0), (3, LENGTH))

    def everything(model: Any, low: Any, tokens: Any) -> dict[str, Any]:
        tokens = jnp.asarray(tokens)
        changed = tokens.at[:, 6:].set((tokens[:, 6:] + 1) % TOKENS)
        return {
            "whole": model(tokens, PLACES),
            "changed": model(changed, PLACES),
            "asked": model(tokens, PLACES, QUERIES),
            "packed": model(tokens, jnp.where(PLACES >= 4, PLACES - 4, PLACES), None, starts),
            "apart": model(tokens[:, 4:], PLACES[:, :5]),
            "rounded": low(tokens, PLACES),
        }

    models = filled(shape(kind)), filled(shape(kind, precision="bfloat16"))
    return jax.device_get(eqx.filter_jit(everything)(*models, words()))


@pytest.mark.parametrize("kind", OTHERS)
def test_it_is_causal_packs_and_answers_where_it_is_asked(kind: str) -> None:
    found = answers(kind)
    whole, changed = found["whole"], found["changed"]
    assert whole.shape == (3, LENGTH, LABELS)
    assert np.allclose(changed[:, :6], whole[:, :6], atol=1e-6)
    assert not np.allclose(changed[:, 6:], whole[:, 6:], atol=1e-6)
    there = np.take_along_axis(whole, np.asarray(QUERIES)[:, :, None], 1)
    assert np.allclose(found["asked"], there, atol=1e-5)
    assert np.allclose(found["packed"][:, :4], whole[:, :4], atol=1e-5)
    assert np.allclose(found["packed"][:, 4:], found["apart"], atol=1e-5)


@pytest.mark.parametrize("kind", OTHERS)
def test_leaves_are_float32_and_bfloat16_is_nearly_the_same(kind: str) -> None:
    leaves = jax.tree.leaves(jax.eval_shape(lambda: built(kind, precision="bfloat16")))
    assert {leaf.dtype for leaf in leaves} == {np.dtype(np.float32)}
    found = answers(kind)
    assert found["rounded"].dtype == np.float32
    assert np.allclose(found["rounded"], found["whole"], atol=0.02)


def test_a_transformer_is_what_it_always_was() -> None:
    asked = (shape("transformer"), TOKENS, LABELS, jax.random.key(0))
    made, same = (
        jax.make_jaxpr(create_model, (0, 1, 2)),
        jax.make_jaxpr(Transformer.create, (0, 1, 2)),
    )
    assert str(made(*asked)) == str(same(*asked))


def test_which_layers_attend() -> None:
    hybrid = jax.eval_shape(lambda: built("hybrid", layers=4))
    assert [isinstance(block, Block) for block in hybrid.blocks] == [False, False, True, False]
    assert attention_layers(shape("transformer", layers=2)) == (0, 1)
    assert attention_layers(shape("gru")) == ()
    rotary = jax.eval_shape(lambda: built("hybrid", positional="rotary", heads=2))
    assert isinstance(rotary, SequenceModel)


def test_labels_name_what_there_is() -> None:
    assert shape("gru", layers=2, width=64).label == "gru 2L 64d"
    assert shape("ssm-signed", norm=False).label == "ssm-signed 1L 8d no norm"
    assert shape("hybrid", heads=2).label == "nope 2L 2H 8d hybrid"


@pytest.mark.parametrize(
    ("kind", "changes", "word"),
    [
        ("gru", {"heads": 2}, "heads"),
        ("ssm", {"positional": "ape"}, "positional"),
        ("lstm", {"attention_scale": "log-length"}, "attention scale"),
        ("hybrid", {"layers": 1}, "2 layers"),
    ],
)
def test_one_model_has_one_description(kind: str, changes: dict[str, Any], word: str) -> None:
    with pytest.raises(BadInput, match=word):
        require_described(shape(kind, **changes))
    with pytest.raises(BadInput, match=word):
        built(kind, **changes)


def test_what_reads_no_sequences_and_what_cannot_train_is_refused() -> None:
    with pytest.raises(BadInput, match="reads sequences") as caught:
        built("mlp")
    assert "ssm-signed" in str(caught.value.hint)
    with pytest.raises(BadInput, match="tied"):
        built("gru", tied=True)
    with pytest.raises(BadInput, match="Heaviside"):
        built("gru", activation="heaviside")
