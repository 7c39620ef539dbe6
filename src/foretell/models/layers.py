"""What every layer of a transformer is made of: affine maps, norms, and how they start."""

from __future__ import annotations

import math
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Float32, Key

from foretell.core.architecture import Architecture

STANDARD_DEVIATION = 0.02  # of every weight at the start, as in GPT-2
NORM_EPSILON = 1e-5


@final
class Linear(eqx.Module):
    """An affine map from one width to another, in the precision of what comes in."""

    weight: Float32[Array, "width hidden"]
    bias: Float32[Array, " hidden"]

    @classmethod
    def create(cls, inputs: int, outputs: int, deviation: float, key: Key[Array, ""]) -> Linear:
        """Normal weights, zero bias."""
        weight = deviation * jax.random.normal(key, (inputs, outputs), jnp.float32)
        return cls(weight, jnp.zeros(outputs, jnp.float32))

    def __call__(
        self, vectors: Float[Array, "batch length width"]
    ) -> Float[Array, "batch length hidden"]:
        """Apply to the last axis."""
        batch, length, inputs = vectors.shape
        weight, bias = self.weight.astype(vectors.dtype), self.bias.astype(vectors.dtype)
        # Two-dimensional on purpose, see the top of `transformer.py`.
        return (vectors.reshape(-1, inputs) @ weight + bias).reshape(batch, length, -1)


@final
class LayerNorm(eqx.Module):
    """Zero mean and unit variance along the width, then a learned scale and bias; in float32."""

    scale: Float32[Array, " width"]
    bias: Float32[Array, " width"]

    @classmethod
    def create(cls, architecture: Architecture) -> LayerNorm | eqx.nn.Identity:
        """Scale one, bias zero; or the identity, where the architecture has no norms."""
        if not architecture.norm:
            return eqx.nn.Identity()
        shape = (architecture.width,)
        return cls(jnp.ones(shape, jnp.float32), jnp.zeros(shape, jnp.float32))

    def __call__(
        self, vectors: Float[Array, "batch length width"]
    ) -> Float[Array, "batch length width"]:
        """Apply to the last axis."""
        exact = vectors.astype(jnp.float32)
        centred = exact - exact.mean(-1, keepdims=True)
        variance = jnp.square(centred).mean(-1, keepdims=True)
        normed = centred * jax.lax.rsqrt(variance + NORM_EPSILON) * self.scale + self.bias
        return normed.astype(vectors.dtype)


def residual_deviation(architecture: Architecture) -> float:
    """Deviation of what writes to the residual stream: two writers a layer, variances add."""
    return STANDARD_DEVIATION / math.sqrt(2 * architecture.layers)
