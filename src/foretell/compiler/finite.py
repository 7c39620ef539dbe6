"""A transformer as the theory has it, with ordinary arrays: a variant of `models.Transformer`.

Where it differs: no norms and no biases but the MLP's; each head has its whole matrix KᵀQ and a
whole value matrix; hidden units are ReLU or Heaviside one by one; logits are rounded to a
few fractional bits and multiplied by log |x|, |x| being the number of tokens of the row; and the
weighted sum is divided by the sum of the weights last. That order is why counts come out right:
sums of zeros and ones are exact in floating point, so a count has the error of one division.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from foretell.core.alphabet import PAD
from foretell.core.architecture import Architecture


@final
class View(eqx.Module):
    """Who sees whom, and how long each row is."""

    visible: Bool[Array, "query key"]
    scale: Float[Array, " batch"]

    @classmethod
    def create(cls, tokens: Int[Array, "batch length"], dtype: jnp.dtype) -> View:
        """Causal, whatever the positions: they carry offsets. Padding has no say in |x|."""
        place = jnp.arange(tokens.shape[1])
        lengths = jnp.maximum(jnp.sum(tokens != PAD, axis=1), 1)
        return cls(place[None] <= place[:, None], jnp.log(lengths.astype(dtype)))


@final
class FiniteLayer(eqx.Module):
    """Attention by full matrices, then an MLP of ReLU and Heaviside units."""

    key_query: Float[Array, "head width width"]  # [head, key, query]
    value: Float[Array, "head width width"]  # [head, to, from]
    expand: Float[Array, "hidden width"]
    bias: Float[Array, " hidden"]
    contract: Float[Array, "width hidden"]
    heaviside: Bool[Array, " hidden"]

    def __call__(
        self, stream: Float[Array, "batch length width"], view: View, logit_bits: int
    ) -> Float[Array, "batch length width"]:
        """The residual stream after this layer."""

        def add_head(
            total: Float[Array, "batch length width"], head: tuple[Array, Array]
        ) -> tuple[Float[Array, "batch length width"], None]:
            powers = attention_powers(stream, head[0], view, logit_bits)
            summed = jnp.einsum("bqk,bkw->bqw", powers, stream) @ head[1].T
            return total + summed / powers.sum(-1, keepdims=True), None

        stream, _ = repeat(add_head, stream, (self.key_query, self.value))
        hidden = stream @ self.expand.T + self.bias
        step = (hidden >= 0).astype(hidden.dtype)
        return stream + jnp.where(self.heaviside, step, jax.nn.relu(hidden)) @ self.contract.T


def repeat(step: Callable[..., Any], start: Any, stacked: Any) -> tuple[Any, Any]:
    """`jax.lax.scan`, or simply the step where there is only one: it compiles faster."""
    if jax.tree.leaves(stacked)[0].shape[0] == 1:
        return step(start, jax.tree.map(lambda leaf: leaf[0], stacked))
    return jax.lax.scan(step, start, stacked)


def attention_powers(
    stream: Float[Array, "batch length width"],
    key_query: Float[Array, "width width"],
    view: View,
    logit_bits: int,
) -> Float[Array, "batch query key"]:
    """|x|^logit of one head, divided by the largest of its row; 0 for what comes later."""
    logits = jnp.einsum("bkv,vw,bqw->bqk", stream, key_query, stream)
    logits = jnp.round(logits * 2**logit_bits) / 2**logit_bits
    logits = jnp.where(view.visible, logits * view.scale[:, None, None], -jnp.inf)
    return jnp.exp(logits - logits.max(-1, keepdims=True))


@final
class FiniteTransformer(eqx.Module):
    """All parameters as arrays; `positions` is None where p = 0."""

    embedding: Float[Array, "token width"]
    positions: Float[Array, "length width"] | None
    layers: tuple[FiniteLayer, ...]
    unembedding: Float[Array, "label width"]
    heads: tuple[tuple[str, ...], ...] = eqx.field(static=True)  # layer by layer, what each is for
    logit_bits: int = eqx.field(static=True)
    architecture: Architecture = eqx.field(static=True)

    def __call__(
        self,
        tokens: Int[Array, "batch length"],
        positions: Int[Array, "#batch length"],
        queries: Int[Array, "batch query"] | None = None,
    ) -> Float[Array, "batch query label"]:
        """Logits everywhere, or at the indices `queries`; called like `models.Transformer`."""
        with jax.default_matmul_precision("highest"):
            stream = self.start(tokens, positions)
            view = View.create(tokens, stream.dtype)
            for _, alike in groupby(self.layers, lambda layer: layer.key_query.shape):
                # layers of one shape are compiled once, however many there are
                stacked = jax.tree.map(lambda *parts: jnp.stack(parts), *alike)
                stream, _ = repeat(
                    lambda stream, layer: (layer(stream, view, self.logit_bits), None),
                    stream,
                    stacked,
                )
            if queries is not None:
                stream = jnp.take_along_axis(stream, queries[:, :, None], axis=1)
            return stream @ self.unembedding.T

    def start(
        self, tokens: Int[Array, "batch length"], positions: Int[Array, "#batch length"]
    ) -> Float[Array, "batch length width"]:
        """Token embedding plus positional encoding; positions past the table stand at its end."""
        stream = jnp.take(self.embedding, tokens, axis=0, mode="clip")
        if self.positions is None:
            return stream
        return stream + jnp.take(self.positions, positions, axis=0, mode="clip")
