"""How sharply a transformer attends at one position, and to what, by layer.

With more to look at, the same logits spread attention thinner: its entropy grows with the length
of the input unless the logits grow apart, which is what adapting to a size, or scaling by the
logarithm of the length, can do.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from foretell.models.attention import Attention, View
from foretell.models.lookup import lookup
from foretell.models.transformer import Transformer

NEAR = 16  # distances told apart, the position's own first


class AttentionLook(NamedTuple):
    """One layer, seen from one position of each input."""

    entropy: Float[Array, "batch head"]  # in nats: at most the logarithm of what is visible
    spread: Float[Array, "batch head"]  # standard deviation of the logits of what is visible
    largest: Float[Array, "batch head"]  # share that the most attended position gets
    first: Float[Array, "batch head"]  # share that the first token gets
    near: Float[Array, "batch head back"]  # shares of the last few, 0 where the input begins later


def look(
    model: Transformer,
    tokens: Int[Array, "batch length"],
    positions: Int[Array, "#batch length"],
    at: Int[Array, " batch"],
) -> tuple[AttentionLook, ...]:
    """What each layer's attention does at the index `at` of every input, in float32."""
    asked, stream = at[:, None], lookup(model.embedding, tokens)
    shift = model.positional.embed(positions)
    stream = stream if shift is None else stream + shift
    everyone = jnp.broadcast_to(positions, tokens.shape)
    whole = View.create(model.architecture, model.positional, everyone, None, None)
    here = View.create(model.architecture, model.positional, everyone, asked, None)
    found = []
    for block in model.blocks:
        normed = block.attention_norm(stream)
        seen = jnp.take_along_axis(normed, asked[:, :, None], axis=1)
        found.append(_look(block.attention, seen, normed, here, at))
        stream = block(stream, whole)
    return tuple(found)


def _look(
    attention: Attention,
    here: Float[Array, "batch query width"],
    everywhere: Float[Array, "batch key width"],
    view: View,
    at: Int[Array, " batch"],
) -> AttentionLook:
    batch, heads = here.shape[0], attention.heads
    queries = attention.query(here).reshape(batch, 1, heads, -1)
    keys = jnp.split(attention.key_value(everywhere), 2, axis=-1)[0]
    queries = view.positional.rotate(queries, view.viewers.positions)
    keys = view.positional.rotate(
        keys.reshape(batch, -1, heads, queries.shape[-1]), view.key_positions
    )
    logits = jnp.einsum("bqhp,bkhp->bhqk", queries / math.sqrt(queries.shape[-1]), keys)
    adjusted = view.adjust(logits.astype(jnp.float32))[:, :, 0]
    visible = jnp.isfinite(adjusted)
    weights = jax.nn.softmax(adjusted, axis=-1)
    logs = jnp.log(jnp.where(weights > 0, weights, 1.0))
    count = jnp.sum(visible, axis=-1)
    mean = jnp.sum(jnp.where(visible, adjusted, 0.0), axis=-1) / count
    apart = jnp.where(visible, adjusted - mean[..., None], 0.0)
    spread = jnp.sqrt(jnp.sum(jnp.square(apart), axis=-1) / count)
    places = at[:, None] - jnp.arange(NEAR)
    near = jnp.take_along_axis(weights, jnp.maximum(places, 0)[:, None, :], axis=-1)
    return AttentionLook(
        -jnp.sum(weights * logs, axis=-1),
        spread,
        weights.max(axis=-1),
        weights[:, :, 0],
        jnp.where((places >= 0)[:, None], near, 0.0),
    )
