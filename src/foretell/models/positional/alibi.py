"""Attention with linear biases: the further back a key, the lower its logit.

What:
    Every head subtracts from its attention logits the distance times a fixed slope. Heads with
    steep slopes look near, heads with flat ones far. Nothing is learned.

Definition:
    bias = -slope(h) (query position - key position). For a power of two of heads n,
    slope(h) = 2^(-8 (h + 1) / n); otherwise the slopes of the next lower power of two m come
    first, then every other slope of 2m.

Example:
    >>> from foretell.models.positional.alibi import slopes
    >>> slopes(4)
    (0.25, 0.0625, 0.015625, 0.00390625)
    >>> slopes(3)
    (0.0625, 0.00390625, 0.25)

Known limits:
    Far keys fade exponentially, so exact counting over long inputs is out of reach: the bias
    trades global sums for stability in length.

Sources:
    Press et al. 2021, Train Short, Test Long: Attention with Linear Biases Enables Input Length
    Extrapolation, arXiv:2108.12409.
"""

from __future__ import annotations

from typing import final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float32, Int, Key

from foretell.core.architecture import Architecture
from foretell.models.positional import Positional


@final
class Alibi(Positional):
    """Attention with linear biases."""

    heads: int = eqx.field(static=True)

    @classmethod
    def create(cls, architecture: Architecture, key: Key[Array, ""]) -> Alibi:
        """Slopes for this many heads."""
        del key
        return cls(architecture.heads)

    def bias(
        self, query_positions: Int[Array, "#batch query"], key_positions: Int[Array, "#batch key"]
    ) -> Float32[Array, "#batch head query key"]:
        """Minus slope times distance."""
        distance = query_positions[:, None, :, None] - key_positions[:, None, None, :]
        slope = jnp.array(slopes(self.heads), dtype=jnp.float32)
        return -slope[:, None, None] * distance


def slopes(heads: int) -> tuple[float, ...]:
    """One slope per head, as the paper lists them."""
    lower = 2 ** (heads.bit_length() - 1)
    regular = [2.0 ** (-8 * (head + 1) / lower) for head in range(lower)]
    between = [2.0 ** (-8 * (head + 1) / (2 * lower)) for head in range(0, 2 * lower, 2)]
    return tuple((regular + between)[:heads])
