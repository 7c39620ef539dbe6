"""A recurrent network with gates and a memory (LSTM), its answer read from the last state."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from foretell.models.symbols.shape import Linear, StringShape, answers, embedding, linear
from foretell.numerics.keys import key_for

GATES = 4  # what comes in, what is kept, what is new, what goes out
Memory = tuple[Float[Array, " hidden"], Float[Array, " hidden"]]  # state and cell


class SymbolLstm(NamedTuple):
    """All weights; the four gates of a layer lie side by side."""

    embedding: Float[Array, "token hidden"]
    inputs: tuple[Linear, ...]  # one a layer
    states: tuple[Linear, ...]
    head: Linear


def create(shape: StringShape, key: Key[Array, ""]) -> SymbolLstm:
    """Fresh weights: embeddings normal, the rest uniform as linear layers are."""
    width, layers = shape.architecture.width, range(shape.architecture.layers)
    gates = GATES * width
    return SymbolLstm(
        embedding=embedding(key_for(key, "embedding"), shape.tokens, width),
        inputs=tuple(linear(key_for(key, "inputs", number), width, gates) for number in layers),
        states=tuple(linear(key_for(key, "states", number), width, gates) for number in layers),
        head=answers(key_for(key, "head"), width, shape.outputs),
    )


def read(model: SymbolLstm, string: Int[Array, " length"]) -> Float[Array, " label"]:
    """The answer to one string: one number, or a score for every token."""
    stream = model.embedding[jnp.maximum(string, 0)]
    nothing = jnp.zeros_like(stream[0])
    last = nothing
    for inputs, states in zip(model.inputs, model.states, strict=True):

        def step(
            memory: Memory,
            now: tuple[Float[Array, " part"], Bool[Array, ""]],
            states: Linear = states,
        ) -> tuple[Memory, Float[Array, " hidden"]]:
            new = _gated(memory, now[0] + states(memory[0]))
            kept = jax.tree.map(lambda after, before: jnp.where(now[1], after, before), new, memory)
            return kept, kept[0]

        (last, _), stream = jax.lax.scan(step, (nothing, nothing), (inputs(stream), string >= 0))
    return model.head(last)


def _gated(memory: Memory, sums: Float[Array, " part"]) -> Memory:
    entering, keeping, new, leaving = jnp.split(sums, GATES)
    cell = jax.nn.sigmoid(keeping) * memory[1] + jax.nn.sigmoid(entering) * jnp.tanh(new)
    return jax.nn.sigmoid(leaving) * jnp.tanh(cell), cell
