"""A diagonal state space with gates that depend on the input: h' = a(x) h + s(x) B x, by unit.

Units do not see each other's state, so all steps are one associative scan of depth log T instead
of T steps one after the other. The gates lie in [0, 1] (a logistic function), or in [-1, 1]
(a hyperbolic tangent) where the state space is signed: only then can an input turn a state over,
which is what parity takes. What is read of a state goes through a gate that sees the input.

What enters is scaled by the gate, as in Mamba and the RG-LRU, because states that add up all they
read grow with the length and drown the residual stream. The share is s = 1 - a, so that a state is
a mean of what was read and never larger. Signed gates are gates stretched to a = 2k - 1 (Grazzi and
others, 2025), and what enters is still the share 1 - k: s = (1 - a) / 2.
"""

from __future__ import annotations

from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Float32, Int, Key

from foretell.models.layers import Linear
from foretell.numerics.keys import key_for
from foretell.plain.errors import BadInput

SHORTEST, LONGEST = 0.5, 0.999  # what unsigned gates keep at the start, from unit to unit
STEEP = 3.0  # signed gates start near -1 and 1, or else no sign would outlive a few inputs


@final
class StateSpace(eqx.Module):
    """Gates, what enters, and what is read. Every leaf is a float32 parameter."""

    gate: Linear
    drive: Linear
    reading: Linear
    signed: bool = eqx.field(static=True)

    @classmethod
    def create(cls, width: int, hidden: int, signed: bool, key: Key[Array, ""]) -> StateSpace:
        """Normal weights with a deviation of one over the root of what comes in.

        Unsigned gates start at memories of all lengths, signed ones near both ends.
        """
        if width < 1 or hidden < 1:
            raise BadInput("a state space reads and has units", seen=f"{width}, {hidden}")
        gate, drive, reading = (
            Linear.create(width, hidden, width**-0.5, key_for(key, name))
            for name in ("gate", "drive", "reading")
        )
        if not signed:
            kept = jnp.linspace(SHORTEST, LONGEST, hidden, dtype=jnp.float32)
            gate = Linear(gate.weight, jnp.log(kept / (1 - kept)))
        else:
            gate = Linear(STEEP * gate.weight, gate.bias)
        return cls(gate, drive, reading, signed)

    def gates(
        self, stream: Float[Array, "batch length width"]
    ) -> Float32[Array, "batch length hidden"]:
        """What each unit keeps of its state at each input: in [0, 1], or [-1, 1] if signed."""
        sums = self.gate(stream).astype(jnp.float32)
        return jnp.tanh(sums) if self.signed else jax.nn.sigmoid(sums)

    def states(
        self,
        stream: Float[Array, "batch length width"],
        starts: Int[Array, "batch length"] | None = None,
    ) -> Float32[Array, "batch length hidden"]:
        """The state after every input; `starts` gives for every index where its input begins."""
        gates = self.gates(stream)
        entering = (1 - gates) / 2 if self.signed else 1 - gates
        drives = entering * self.drive(stream).astype(jnp.float32)
        if starts is not None:
            begins = starts == jnp.arange(stream.shape[1])
            gates = jnp.where(begins[..., None], 0.0, gates)
        return linear_recurrence(gates, drives)

    def __call__(
        self,
        stream: Float[Array, "batch length width"],
        starts: Int[Array, "batch length"] | None = None,
    ) -> Float[Array, "batch length hidden"]:
        """What is read of the states."""
        read = jax.nn.silu(self.reading(stream)) * self.states(stream, starts)
        return read.astype(stream.dtype)


def linear_recurrence(
    gates: Float[Array, "batch length hidden"], drives: Float[Array, "batch length hidden"]
) -> Float[Array, "batch length hidden"]:
    """The states h_t = gates_t h_{t-1} + drives_t, from zero, by an associative scan.

    >>> turns = jnp.array([0.0, -1.0, 1.0, -1.0]).reshape(1, 4, 1)  # nothing is kept of before
    >>> linear_recurrence(turns, jnp.array([1.0, 0, 0, 0]).reshape(1, 4, 1)).ravel().tolist()
    [1.0, -1.0, -1.0, 1.0]
    """

    def joined(early: tuple[Array, Array], late: tuple[Array, Array]) -> tuple[Array, Array]:
        """Two stretches after each other are one: gates multiply, what entered is kept so far."""
        return early[0] * late[0], late[0] * early[1] + late[1]

    _, states = jax.lax.associative_scan(joined, (gates, drives), axis=1)
    return states
