"""The forward pass of the flat construction: two attentions, an MLP between them, no norms.

The first attention has no skip connection, and the one around the MLP carries positions only: a
plain skip would add the raw bit to the looked-up parity.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from foretell.constructions.flat import FlatWeights

BLOCK = 1024  # inputs at a time


def embedded(
    bits: Int[Array, " bit"] | Float[Array, " bit"],
    positions: Float[Array | np.ndarray, "length part"],
) -> Float[Array, "length width"]:
    """Rows of a residual stream: the position, then the bit. Tokens beyond the bits carry a 0."""
    places = jnp.asarray(positions)
    data = jnp.zeros(len(places), places.dtype).at[: len(bits)].set(bits.astype(places.dtype))
    return jnp.concatenate([places, data[:, None]], axis=1)


def looked_up(
    weights: FlatWeights,
    rows: Float[Array, "length width"],
    visible: Bool[Array, " length"] | None = None,
) -> Float[Array, "length width"]:
    """The stream after the first attention and the MLP; its last coordinate is the parity."""
    attention = _attention(rows @ weights.attention1 @ rows.T, visible)
    gathered = attention @ rows @ jnp.asarray(weights.value1).T
    hidden = jax.nn.relu(gathered @ jnp.asarray(weights.mlp_in).T + weights.mlp_bias)
    return rows.at[:, -1].set(0.0) + hidden @ jnp.asarray(weights.mlp_out).T


def read(
    weights: FlatWeights,
    stream: Float[Array, "length width"],
    reader: int | Int[Array, ""],
    visible: Bool[Array, " length"] | None = None,
) -> Float[Array, ""]:
    """What the second attention reads at position `reader`, added up over heads."""
    logits = jnp.einsum("d,hde,je->hj", stream[reader], weights.attention2, stream)
    return jnp.einsum("hj,jd,hd->", _attention(logits, visible), stream, weights.value2)


def flat_output(
    weights: FlatWeights,
    bits: Int[Array, " bit"] | Float[Array, " bit"],
    positions: Float[Array | np.ndarray, "length part"] | None = None,
) -> Float[Array, ""]:
    """The value at one input. Positions are one-hot unless given; the last token is read."""
    weights = FlatWeights(*map(jnp.asarray, weights))
    if positions is None:
        positions = jnp.eye(weights.attention1.shape[-1] - 1, dtype=weights.attention1.dtype)
    with jax.default_matmul_precision("highest"):
        stream = looked_up(weights, embedded(bits, positions))
        return read(weights, stream, -1)


def squared_error(
    weights: FlatWeights,
    data: tuple[Int[Array, "batch bit"], Float[Array, " batch"]],
) -> Float[Array, ""]:
    """Mean of (output - target)² over the rows of bits: the loss whose curvature is asked for."""
    bits, targets = data
    values = jax.vmap(flat_output, (None, 0))(weights, bits)
    return jnp.mean(jnp.square(values - targets))


@functools.partial(jax.jit, static_argnames=("block",))
def flat_outputs(
    weights: FlatWeights,
    inputs: Int[Array | np.ndarray, "batch bit"],
    positions: Float[Array | np.ndarray, "length part"] | None = None,
    block: int = BLOCK,
) -> Float[Array, " batch"]:
    """The values at many inputs, a block at a time."""
    return jax.lax.map(
        lambda bits: flat_output(weights, bits, positions), jnp.asarray(inputs), batch_size=block
    )


def _attention(
    logits: Float[Array, "*head key"], visible: Bool[Array, " key"] | None
) -> Float[Array, "*head key"]:
    if visible is None:
        return jax.nn.softmax(logits, axis=-1)
    return jax.nn.softmax(logits, axis=-1, where=visible)
