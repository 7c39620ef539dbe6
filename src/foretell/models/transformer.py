"""A decoder-only, pre-norm transformer: GPT-2, with its options.

`Transformer` at the bottom embeds tokens and runs blocks; a `Block` is attention and an MLP
around a residual stream; the positional encoding acts through three hooks (`models/positional`).
There is no dropout.

The model takes a whole batch, unlike most functions here, because XLA on a CPU wants matrix
products over [batch * length, width]: the gradient of the three-dimensional form is much
slower. To run many models at once, stack their leaves and `jax.vmap` over the model.
"""

from __future__ import annotations

from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Float32, Int, Key

from foretell.core.architecture import Activation, Architecture, Precision
from foretell.models.attention import Attention, View
from foretell.models.layers import STANDARD_DEVIATION, LayerNorm, Linear, residual_deviation
from foretell.models.lookup import lookup
from foretell.models.positional import Positional, load
from foretell.numerics.keys import key_for
from foretell.plain.errors import BadInput

MLP_FACTOR = 4  # the MLP's inner layer is this many times as wide as the residual stream


@final
class Block(eqx.Module):
    """One layer: attention, then an MLP, each normed before and added after."""

    attention_norm: LayerNorm | eqx.nn.Identity
    attention: Attention
    mlp_norm: LayerNorm | eqx.nn.Identity
    expand: Linear
    contract: Linear
    activation: Activation = eqx.field(static=True)

    @classmethod
    def create(cls, architecture: Architecture, key: Key[Array, ""]) -> Block:
        """GPT-2's initialisation."""
        width, hidden = architecture.width, MLP_FACTOR * architecture.width
        residual = residual_deviation(architecture)
        return cls(
            LayerNorm.create(architecture),
            Attention.create(architecture, key_for(key, "attention")),
            LayerNorm.create(architecture),
            Linear.create(width, hidden, STANDARD_DEVIATION, key_for(key, "expand")),
            Linear.create(hidden, width, residual, key_for(key, "contract")),
            architecture.activation,
        )

    def __call__(
        self,
        stream: Float[Array, "batch length width"],
        view: View,
        queries: Int[Array, "batch query"] | None = None,
    ) -> Float[Array, "batch query width"]:
        """The residual stream after this layer, everywhere or only at the indices `queries`."""
        everywhere = self.attention_norm(stream)
        here = everywhere
        if queries is not None:
            stream = jnp.take_along_axis(stream, queries[:, :, None], axis=1)
            here = self.attention_norm(stream)
        stream = stream + self.attention(here, everywhere, view)
        hidden = activate(self.activation, self.expand(self.mlp_norm(stream)))
        return stream + self.contract(hidden)


def activate(
    activation: Activation, hidden: Float[Array, "batch length hidden"]
) -> Float[Array, "batch length hidden"]:
    """The nonlinearity of an MLP."""
    if activation is Activation.RELU:
        return jax.nn.relu(hidden)
    return jax.nn.gelu(hidden, approximate=True)


@final
class Transformer(eqx.Module):
    """A decoder-only transformer. Every leaf is a float32 parameter; the rest is static."""

    embedding: Float32[Array, "token width"]
    positional: Positional
    blocks: tuple[Block, ...]
    norm: LayerNorm | eqx.nn.Identity
    unembedding: Float32[Array, "label width"] | None  # none: the embedding serves (tied)
    architecture: Architecture = eqx.field(static=True)

    @classmethod
    def create(
        cls, architecture: Architecture, tokens: int, labels: int, key: Key[Array, ""]
    ) -> Transformer:
        """Fresh weights as GPT-2 draws them, each from its own key.

        A tied architecture needs one label per token; anything else is bad input, because a
        description that says tied must not silently name an untied model.
        """
        require_trainable(architecture, tokens, labels)
        return cls(
            draw(tokens, architecture.width, key_for(key, "embedding")),
            load(architecture.positional).create(architecture, key_for(key, "positional")),
            tuple(
                Block.create(architecture, key_for(key, "block", layer))
                for layer in range(architecture.layers)
            ),
            LayerNorm.create(architecture),
            None
            if architecture.tied
            else draw(labels, architecture.width, key_for(key, "unembedding")),
            architecture,
        )

    def __call__(
        self,
        tokens: Int[Array, "batch length"],
        positions: Int[Array, "#batch length"],
        queries: Int[Array, "batch query"] | None = None,
        starts: Int[Array, "batch length"] | None = None,
    ) -> Float32[Array, "batch query label"]:
        """Logits everywhere, or only at the indices `queries`: exact, and faster.

        With `queries` the last layer still makes keys and values everywhere, and all the rest
        only where it is asked. Padding stands after the content, where causality hides it.
        Positions may be one row for the whole batch. Several inputs may share a row: `starts`
        gives for every index where its input begins, and nothing before that is seen.
        """
        with jax.default_matmul_precision(product_precision(self.architecture)):
            return self._forward(tokens, positions, queries, starts)

    def _forward(
        self,
        tokens: Int[Array, "batch length"],
        positions: Int[Array, "#batch length"],
        queries: Int[Array, "batch query"] | None,
        starts: Int[Array, "batch length"] | None,
    ) -> Float32[Array, "batch query label"]:
        stream = lookup(self.embedding, tokens)
        shift = self.positional.embed(positions)
        stream = stream if shift is None else stream + shift
        if self.architecture.precision is Precision.BFLOAT16:
            stream = stream.astype(jnp.bfloat16)
        *early, last = self.blocks
        view = View.create(self.architecture, self.positional, positions, None, starts)
        for block in early:
            stream = block(stream, view)
        if queries is not None:
            view = View.create(self.architecture, self.positional, positions, queries, starts)
        table = self.embedding if self.unembedding is None else self.unembedding
        return unembed(table, self.norm(last(stream, view, queries)))


def product_precision(architecture: Architecture) -> str:
    """On an H200 float32 products are TF32 by default; float32 means float32 here."""
    return "highest" if architecture.precision is Precision.FLOAT32 else "default"


def require_trainable(architecture: Architecture, tokens: int, labels: int) -> None:
    """Refuse steps, which have no gradient, and a tied table that does not fit."""
    if architecture.activation is Activation.HEAVISIDE:
        raise BadInput(
            "a model with Heaviside units cannot be trained",
            why="steps have no gradient; such networks are compiled from programs",
            hint="gelu or relu",
        )
    if architecture.tied and labels != tokens:
        raise BadInput(
            "a tied unembedding needs as many labels as tokens",
            seen=f"{labels} labels, {tokens} tokens",
            why="tied means that the embedding table is also the output matrix",
            hint="an architecture with tied=False",
        )


def unembed(
    table: Float32[Array, "label width"], stream: Float[Array, "batch query width"]
) -> Float32[Array, "batch query label"]:
    """Logits: products of the stream with every row of the table."""
    rows = stream.reshape(-1, stream.shape[-1])
    logits = jnp.matmul(rows, table.T.astype(rows.dtype), preferred_element_type=jnp.float32)
    return logits.reshape(*stream.shape[:2], -1)


def draw(rows: int, width: int, key: Key[Array, ""]) -> Float32[Array, "token width"]:
    """A table at the start, one row per token or label."""
    return STANDARD_DEVIATION * jax.random.normal(key, (rows, width), jnp.float32)
