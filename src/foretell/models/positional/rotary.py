"""Rotary positions: queries and keys are turned by angles that grow with the position.

What:
    Each head's share of the width is cut into planes. A query and a key are rotated in every
    plane in proportion to their positions, so that their product depends on the distance only.

Definition:
    With n = part / 2 and angle(p, i) = p 10000^(-i / n), coordinates i and i + n turn together:
    (x, y) becomes (x cos - y sin, x sin + y cos).

Example:
    >>> import jax.numpy as jnp
    >>> from foretell.models.positional import load
    >>> turned = load("rotary")().rotate(jnp.array([[[[1.0, 0.0]]]]), jnp.array([[1]]))
    >>> [round(float(x), 4) for x in turned.ravel()]
    [0.5403, 0.8415]

Known limits:
    Needs an even width per head. Distances beyond those met in training turn the planes to angles
    never met, and accuracy there usually falls without a change of base.

Sources:
    Su et al. 2021, RoFormer: Enhanced Transformer with Rotary Position Embedding,
    arXiv:2104.09864. The pairing of coordinates i and i + n is GPT-NeoX's.
"""

from __future__ import annotations

from typing import final

import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from foretell.core.architecture import Architecture
from foretell.models.positional import Positional
from foretell.plain.errors import BadInput

LONGEST = 10_000.0


@final
class Rotary(Positional):
    """Rotary positions."""

    @classmethod
    def create(cls, architecture: Architecture, key: Key[Array, ""]) -> Rotary:
        """Nothing to learn, but the heads must have planes."""
        del key
        if architecture.head_width % 2:
            raise BadInput(
                "rotary positions need an even width per head",
                seen=f"width {architecture.width}, heads {architecture.heads}",
                why="coordinates are rotated in pairs",
                hint=f"width {2 * architecture.heads * (architecture.head_width // 2 + 1)}",
            )
        return cls()

    def rotate(
        self,
        vectors: Float[Array, "batch length head part"],
        positions: Int[Array, "#batch length"],
    ) -> Float[Array, "batch length head part"]:
        """Turn every plane, in float32."""
        planes = vectors.shape[-1] // 2
        frequency = LONGEST ** -(jnp.arange(planes, dtype=jnp.float32) / planes)
        angle = positions[..., None, None] * frequency
        cosine, sine = jnp.cos(angle), jnp.sin(angle)
        x, y = jnp.split(vectors.astype(jnp.float32), 2, axis=-1)
        turned = jnp.concatenate([x * cosine - y * sine, x * sine + y * cosine], axis=-1)
        return turned.astype(vectors.dtype)
