"""T5's relative bias: a learned number per head and distance, distances sorted into buckets.

What:
    Every head adds to its attention logits a learned number that depends on the distance between
    query and key. Near distances have a bucket each, far ones share buckets that grow
    geometrically, so every distance is covered. All layers share the same numbers.

Definition:
    bias = table[bucket(query position - key position)]. Of 32 buckets, 16 are the distances
    0 to 15; distance d from 16 to 127 has bucket 16 + floor(16 log(d / 16) / log(8)); all
    further ones have bucket 31. The table starts normal with standard deviation 0.02.

Example:
    >>> from foretell.models.positional.t5 import bucket_of
    >>> [int(bucket_of()[distance]) for distance in (0, 15, 16, 32, 127, 128)]
    [0, 15, 16, 21, 31, 31]

Known limits:
    Distances from 113 on look alike. Unlike T5 the logits are also divided by the root of the
    head's width, as everywhere in this transformer. A step is slower when every row of the
    batch has its own positions; share one row, offsets change nothing here.

Sources:
    Raffel et al. 2020, Exploring the Limits of Transfer Learning with a Unified Text-to-Text
    Transformer, arXiv:1910.10683, section 2.1.
"""

from __future__ import annotations

from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float32, Int, Key

from foretell.core.architecture import Architecture
from foretell.models.positional import Positional

BUCKETS = 32
FARTHEST = 128


@final
class T5(Positional):
    """T5's relative bias."""

    table: Float32[Array, "size head"]

    @classmethod
    def create(cls, architecture: Architecture, key: Key[Array, ""]) -> T5:
        """One number per bucket and head."""
        return cls(0.02 * jax.random.normal(key, (BUCKETS, architecture.heads), jnp.float32))

    def bias(
        self, query_positions: Int[Array, "#batch query"], key_positions: Int[Array, "#batch key"]
    ) -> Float32[Array, "#batch head query key"]:
        """The number of each distance's bucket."""
        distance = query_positions[:, :, None] - key_positions[:, None, :]
        bucket = jnp.asarray(bucket_of())[jnp.clip(distance, 0, FARTHEST)]
        return self.table[bucket].transpose(0, 3, 1, 2)


def bucket_of() -> Int[np.ndarray, " length"]:
    """The bucket of each distance from 0 to `FARTHEST`; further ones share the last."""
    near = BUCKETS // 2
    distance = np.arange(FARTHEST + 1)
    growth = np.log(np.maximum(distance, near) / near) / np.log(FARTHEST / near)
    far = near + (growth * (BUCKETS - near)).astype(np.int64)
    return np.where(distance < near, distance, np.minimum(far, BUCKETS - 1))
