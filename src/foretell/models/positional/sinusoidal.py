"""Sinusoidal positions: fixed waves of geometrically growing length, added to the embeddings.

What:
    Every position has a fixed vector of sines and cosines. Nothing is learned and every position
    has a vector, but the layers above only learn what they have met, so training shifts positions
    by random offsets (`random_offsets`).

Definition:
    With n = ceil(width / 2) and frequency(i) = 10000^(-i / n), embed(p) holds
    a sin(p frequency(i)) for i < n, then a cos(p frequency(i)); a = 0.02 sqrt(2), so that the
    waves start as large as GPT-2's token embeddings and neither drowns the other.

Example:
    >>> import jax.numpy as jnp
    >>> from foretell.models.positional import load
    >>> first = load("sinusoidal")(width=4).embed(jnp.array([[0]]))
    >>> [round(float(x), 4) for x in first.ravel()]
    [0.0, 0.0, 0.0283, 0.0283]

Known limits:
    The original adds waves of amplitude 1 to embeddings scaled by the root of the width; the
    ratio of waves to embeddings is about the same here, the absolute size is not.

Sources:
    Vaswani et al. 2017, Attention Is All You Need, arXiv:1706.03762, section 3.5.
"""

from __future__ import annotations

import math
from typing import ClassVar, final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float32, Int, Key

from foretell.core.architecture import Architecture
from foretell.models.positional import Positional

AMPLITUDE = 0.02 * math.sqrt(2)
LONGEST = 10_000.0


@final
class Sinusoidal(Positional):
    """Sinusoidal positions."""

    width: int = eqx.field(static=True)
    random_offsets: ClassVar[bool] = True

    @classmethod
    def create(cls, architecture: Architecture, key: Key[Array, ""]) -> Sinusoidal:
        """Waves for this width."""
        del key
        return cls(architecture.width)

    def embed(
        self, positions: Int[Array, "#batch length"]
    ) -> Float32[Array, "#batch length width"]:
        """Sines, then cosines."""
        waves = (self.width + 1) // 2
        frequency = LONGEST ** -(jnp.arange(waves, dtype=jnp.float32) / waves)
        angle = positions[..., None] * frequency
        both = jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], axis=-1)
        return AMPLITUDE * both[..., : self.width]
