"""Recurrent cells, Elman, GRU and LSTM: a memory of fixed size that reads one input after another.

A cell reads a batch of sequences and gives its state after each input. All sums over the inputs
are one product for the whole sequence; only what depends on the state runs step by step, in a
`scan`. Several inputs may share a row: where one begins, the memory is empty again. The state is
kept in float32 whatever comes in, for rounding it at every step would add up.
"""

from __future__ import annotations

import abc
from typing import ClassVar, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Float32, Int, Key

from foretell.models.layers import Linear
from foretell.numerics.keys import key_for
from foretell.plain.errors import BadInput

Memory = tuple[Float32[Array, "batch hidden"], ...]  # first what is read, then what is only kept


class Cell(eqx.Module):
    """Base of all cells. Every leaf is a float32 parameter."""

    inputs: Linear  # from what is read to all sums, side by side
    states: Float32[Array, "hidden part"]  # from the state to the same sums

    sums: ClassVar[int]  # for each unit
    memories: ClassVar[int] = 1  # numbers that each unit keeps

    @classmethod
    def create(cls, width: int, hidden: int, key: Key[Array, ""]) -> Cell:
        """Normal weights for what is read; for the state orthogonal ones, a matrix for each sum.

        An orthogonal map keeps the length of a gradient, whatever the number of steps back.
        """
        if width < 1 or hidden < 1:
            raise BadInput("a cell reads and has at least one unit", seen=f"{width}, {hidden}")
        turns = jax.random.orthogonal(key_for(key, "states"), hidden, (cls.sums,), jnp.float32)
        states = jnp.concatenate(list(turns), axis=1)
        made = Linear.create(width, cls.sums * hidden, width**-0.5, key_for(key, "inputs"))
        return cls(cls._biased(made), states)

    @classmethod
    def _biased(cls, inputs: Linear) -> Linear:
        """Where a bias should not start at zero."""
        return inputs

    @abc.abstractmethod
    def step(
        self,
        memory: Memory,
        read: Float32[Array, "batch part"],
        stated: Float32[Array, "batch part"],
    ) -> Memory:
        """The memory after one input, from the sums over the input and over the state."""

    def empty(self, batch: int) -> Memory:
        """What is remembered before the first input: zeros."""
        shape = (batch, self.states.shape[0])
        return (jnp.zeros(shape, jnp.float32),) * self.memories

    def __call__(
        self,
        stream: Float[Array, "batch length width"],
        starts: Int[Array, "batch length"] | None = None,
    ) -> Float[Array, "batch length hidden"]:
        """The state after every input; `starts` gives for every index where its input begins."""
        batch, length, _ = stream.shape
        read = jnp.swapaxes(self.inputs(stream).astype(jnp.float32), 0, 1)
        first = None if starts is None else (starts == jnp.arange(length)).T

        def step(
            memory: Memory, now: tuple[Float32[Array, "batch part"], Bool[Array, " batch"] | None]
        ) -> tuple[Memory, Float32[Array, "batch hidden"]]:
            sums, begins = now
            if begins is not None:
                memory = tuple(jnp.where(begins[:, None], 0.0, kept) for kept in memory)
            memory = self.step(memory, sums, memory[0] @ self.states)
            return memory, memory[0]

        _, states = jax.lax.scan(step, self.empty(batch), (read, first))
        return jnp.swapaxes(states, 0, 1).astype(stream.dtype)


@final
class Elman(Cell):
    """h' = tanh(W x + U h + b)."""

    sums: ClassVar[int] = 1

    def step(
        self,
        memory: Memory,
        read: Float32[Array, "batch part"],
        stated: Float32[Array, "batch part"],
    ) -> Memory:
        """The new state replaces the old one."""
        return (jnp.tanh(read + stated),)


@final
class Gru(Cell):
    """h' = k h + (1 - k) n with a gate k; what is new, n, sees the old state through a gate."""

    sums: ClassVar[int] = 3

    def step(
        self,
        memory: Memory,
        read: Float32[Array, "batch part"],
        stated: Float32[Array, "batch part"],
    ) -> Memory:
        """Each unit keeps a share of its state and takes the rest from what is new."""
        (state,) = memory
        seeing, keeping, new = jnp.split(read, self.sums, axis=-1)
        own_seeing, own_keeping, own_new = jnp.split(stated, self.sums, axis=-1)
        kept = jax.nn.sigmoid(keeping + own_keeping)
        found = jnp.tanh(new + jax.nn.sigmoid(seeing + own_seeing) * own_new)
        return (kept * state + (1 - kept) * found,)


@final
class Lstm(Cell):
    """c' = k c + e n with gates k and e; the state that is read is tanh(c') through a third."""

    sums: ClassVar[int] = 4
    memories: ClassVar[int] = 2

    @classmethod
    def _biased(cls, inputs: Linear) -> Linear:
        """At the start cells rather keep what they have, so that gradients reach far back."""
        hidden = inputs.bias.shape[0] // cls.sums
        bias = inputs.bias.at[hidden : 2 * hidden].set(1.0)
        return Linear(inputs.weight, bias)

    def step(
        self,
        memory: Memory,
        read: Float32[Array, "batch part"],
        stated: Float32[Array, "batch part"],
    ) -> Memory:
        """What is kept and what enters have gates of their own: the memory can count."""
        entering, keeping, new, leaving = jnp.split(read + stated, self.sums, axis=-1)
        kept = jax.nn.sigmoid(keeping) * memory[1] + jax.nn.sigmoid(entering) * jnp.tanh(new)
        return jax.nn.sigmoid(leaving) * jnp.tanh(kept), kept


CELLS: dict[str, type[Cell]] = {"elman": Elman, "gru": Gru, "lstm": Lstm}
