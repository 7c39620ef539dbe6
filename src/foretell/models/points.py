"""A transformer that reads points instead of tokens, and answers with one number.

Rows of numbers enter the stream by a linear map; there are no positions and nothing is hidden from
anybody, so the order of the rows does not matter. The number is read at the first row.
"""

from __future__ import annotations

from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Float32, Int, Key

from foretell.core.architecture import Architecture, AttentionScale, Precision
from foretell.models.attention import View, Viewers
from foretell.models.layers import STANDARD_DEVIATION, LayerNorm, Linear
from foretell.models.positional import Positional, load
from foretell.models.transformer import Block
from foretell.numerics.keys import key_for

ENTERING = 0.5  # deviation of the map into the stream: three numbers, so none must get lost
READ_AT = 0  # the row at which the number is read


@final
class PointTransformer(eqx.Module):
    """Points in, one number out. Every leaf is a float32 parameter; the rest is static."""

    enter: Linear
    positional: Positional
    blocks: tuple[Block, ...]
    norm: LayerNorm | eqx.nn.Identity
    leave: Linear
    architecture: Architecture = eqx.field(static=True)

    @classmethod
    def create(
        cls, architecture: Architecture, parts: int, key: Key[Array, ""]
    ) -> PointTransformer:
        """Fresh weights for rows of so many numbers, each from its own key."""
        return cls(
            Linear.create(parts, architecture.width, ENTERING, key_for(key, "enter")),
            load("nope").create(architecture, key_for(key, "positional")),
            tuple(
                Block.create(architecture, key_for(key, "block", layer))
                for layer in range(architecture.layers)
            ),
            LayerNorm.create(architecture),
            Linear.create(architecture.width, 1, STANDARD_DEVIATION, key_for(key, "leave")),
            architecture,
        )

    def __call__(
        self,
        rows: Float[Array, "batch length part"],
        sizes: Int[Array, " batch"] | None = None,
    ) -> Float32[Array, " batch"]:
        """The number for each set of points; of `sizes` points, where the rest is padding."""
        exact = self.architecture.precision is Precision.FLOAT32
        with jax.default_matmul_precision("highest" if exact else "default"):
            stream = self.enter(rows)
            if not exact:
                stream = stream.astype(jnp.bfloat16)
            *early, last = self.blocks
            count = rows.shape[1]
            for block in early:
                stream = block(stream, self._view(count, count, sizes))
            asked = jnp.full((rows.shape[0], 1), READ_AT)
            stream = last(stream, self._view(1, count, sizes), asked)
            return self.leave(self.norm(stream)).astype(jnp.float32)[:, 0, 0]

    def _view(self, queries: int, keys: int, sizes: Int[Array, " batch"] | None) -> View:
        """Everybody who asks sees every point, from nowhere in particular."""
        seen = jnp.full(1, keys) if sizes is None else sizes
        shape = len(seen), queries
        here, scale = jnp.zeros(shape, jnp.int32), None
        if self.architecture.attention_scale is AttentionScale.LOG_LENGTH:
            scale = jnp.broadcast_to(jnp.log(seen.astype(jnp.float32))[:, None], shape)
        last = None if sizes is None else jnp.broadcast_to(sizes[:, None] - 1, shape)
        viewers = Viewers(here, None, last, scale)
        return View(self.positional, viewers, jnp.zeros((1, keys), jnp.int32)).prepared()
