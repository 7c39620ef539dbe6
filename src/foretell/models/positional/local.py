"""Relations to the last few positions: a learned number per head and near distance, none beyond.

What:
    Every head adds a learned number to its attention logits for each of the last 16 positions, the
    query's own first, and nothing for those further back. It is the form that C-RASP[local] gives
    to relations between positions: they depend on the distance, and end at some distance. A head
    can look back by one, or leave the numbers at zero and count. All layers share the numbers.

Definition:
    bias = table[query position - key position] for distances 0 to 15, 0 for all others. The table
    starts normal with standard deviation 0.02.

Example:
    >>> import jax, jax.numpy as jnp
    >>> encoding = Local(jnp.ones((NEAR, 1)))
    >>> places = jnp.arange(18)[None]
    >>> encoding.bias(places[:, -1:], places).ravel().tolist()[:4]
    [0.0, 0.0, 1.0, 1.0]

Known limits:
    Nothing tells distances beyond 15 apart, so periods and long-range order are out of reach. Ours:
    nobody has published results with just this. A number that suffices among 50 keys is too small
    among very many, unless it grows: logits scaled by the logarithm of the length scale it too.

Sources:
    Huang et al., A formal framework for understanding length generalization, Section 3: the
    functions of Limit Transformers that are translation-invariant and local, here learned.
    Raffel et al. 2020, arXiv:1910.10683, section 2.1, for numbers by distance (`t5`).
"""

from __future__ import annotations

from typing import final

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float32, Int, Key

from foretell.core.architecture import Architecture
from foretell.models.positional import Positional

NEAR = 16


@final
class Local(Positional):
    """Relations to the last few positions."""

    table: Float32[Array, "size head"]

    @classmethod
    def create(cls, architecture: Architecture, key: Key[Array, ""]) -> Local:
        """One number for each near distance and head."""
        return cls(0.02 * jax.random.normal(key, (NEAR, architecture.heads), jnp.float32))

    def bias(
        self, query_positions: Int[Array, "#batch query"], key_positions: Int[Array, "#batch key"]
    ) -> Float32[Array, "#batch head query key"]:
        """The number of each near distance."""
        distance = query_positions[:, :, None] - key_positions[:, None, :]
        beyond = jnp.concatenate([self.table, jnp.zeros_like(self.table[:1])])
        return beyond[jnp.clip(distance, 0, NEAR)].transpose(0, 3, 1, 2)
