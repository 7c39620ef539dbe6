"""Learned absolute positions: one trained vector per position, as in GPT-2.

What:
    A table with one row per position is added to the token embeddings. A row learns only from
    inputs that reach it, so training shifts positions by random offsets (`random_offsets`).

Definition:
    embed(p) = table[p], with `context` rows drawn from a normal of standard deviation 0.02.

Example:
    >>> import jax
    >>> from foretell.core.architecture import Architecture
    >>> from foretell.models.positional import load
    >>> small = Architecture(layers=1, heads=1, width=8, positional="ape", context=5)
    >>> load("ape").create(small, jax.random.key(0)).table.shape
    (5, 8)

Known limits:
    Positions from `context` on have no row. Compiled code cannot raise, so callers guarantee the
    range for content. Padding may run over it: what stands in there is undefined, but finite.

Sources:
    Radford et al. 2019, Language Models are Unsupervised Multitask Learners (GPT-2).
    Huang et al. 2024, A Formal Framework for Understanding Length Generalization in Transformers,
    arXiv:2410.02140 (random offsets).
"""

from __future__ import annotations

from typing import ClassVar, final

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float32, Int, Key

from foretell.core.architecture import Architecture
from foretell.models.lookup import lookup
from foretell.models.positional import Positional


@final
class Ape(Positional):
    """Learned absolute positions."""

    table: Float32[Array, "length width"]
    random_offsets: ClassVar[bool] = True

    @classmethod
    def create(cls, architecture: Architecture, key: Key[Array, ""]) -> Ape:
        """A table of `context` rows."""
        shape = (architecture.context, architecture.width)
        return cls(0.02 * jax.random.normal(key, shape, jnp.float32))

    def embed(
        self, positions: Int[Array, "#batch length"]
    ) -> Float32[Array, "#batch length width"]:
        """The rows at these positions."""
        return lookup(self.table, positions)
