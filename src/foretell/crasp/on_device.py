"""The interpreter's JAX path: padded batches, for use inside compiled samplers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp

from foretell.crasp.interpreter import INT32, Backend, largest_count
from foretell.crasp.operations import Core
from foretell.plain.errors import BadInput


@dataclass(frozen=True)
class OnBatch(Backend):
    """JAX: letters [batch, length], padded at the end; what comes after a word cannot change it."""

    letters: Any

    @classmethod
    def create(cls, core: Core, letters: Any) -> OnBatch:
        """Refuse programs whose counts could leave 32 bits at this length."""
        bound = largest_count(core, letters.shape[-1])
        if bound > INT32:
            raise BadInput(
                "the program's counts do not fit into 32 bits at this length",
                seen=f"{bound:,} at length {letters.shape[-1]}",
                why="compiled samplers compute with 32-bit integers",
                hint="smaller factors, or shorter words",
            )
        return cls(letters)

    def letter(self, number: int) -> Any:
        """Compare with the letters."""
        return self.letters == number

    def constant(self, value: bool) -> Any:
        """Full of it."""
        return jnp.full(self.letters.shape, value)

    def residue(self, modulus: int, residues: tuple[int, ...]) -> Any:
        """Positions are the same in every row."""
        place = jnp.arange(1, self.letters.shape[-1] + 1) % modulus
        return jnp.broadcast_to(jnp.isin(place, jnp.array(residues)), self.letters.shape)

    def total(self, body: Any) -> Any:
        """Prefix sums along the length."""
        return jnp.cumsum(body, axis=-1, dtype=jnp.int32)

    def near(self, body: Any, offsets: tuple[int, ...]) -> Any:
        """Add shifted copies."""
        length = self.letters.shape[-1]
        padding = [(0, 0)] * (body.ndim - 1) + [(max(offsets), 0)]
        padded = jnp.pad(body, padding).astype(jnp.int32)
        starts = [max(offsets) - offset for offset in offsets]
        return sum(padded[..., start : start + length] for start in starts)

    def choose(self, condition: Any, then: Any, otherwise: Any) -> Any:
        """Element by element."""
        return jnp.where(condition, then, otherwise)
