"""A recurrent network of rectified units, its answer read from the last state."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from foretell.models.symbols.shape import Linear, StringShape, answers, embedding, linear
from foretell.numerics.keys import key_for


class SymbolRecurrent(NamedTuple):
    """All weights."""

    embedding: Float[Array, "token hidden"]
    inputs: tuple[Linear, ...]  # one a layer
    states: tuple[Linear, ...]
    head: Linear


def create(shape: StringShape, key: Key[Array, ""]) -> SymbolRecurrent:
    """Fresh weights: embeddings normal, the rest uniform as linear layers are."""
    width, layers = shape.architecture.width, range(shape.architecture.layers)
    return SymbolRecurrent(
        embedding=embedding(key_for(key, "embedding"), shape.tokens, width),
        inputs=tuple(linear(key_for(key, "inputs", number), width, width) for number in layers),
        states=tuple(linear(key_for(key, "states", number), width, width) for number in layers),
        head=answers(key_for(key, "head"), width, shape.outputs),
    )


def read(model: SymbolRecurrent, string: Int[Array, " length"]) -> Float[Array, " label"]:
    """The answer to one string: one number, or a score for every token."""
    stream = model.embedding[jnp.maximum(string, 0)]
    last = jnp.zeros_like(stream[0])
    for inputs, states in zip(model.inputs, model.states, strict=True):

        def step(
            state: Float[Array, " hidden"],
            now: tuple[Float[Array, " hidden"], Bool[Array, ""]],
            states: Linear = states,
        ) -> tuple[Float[Array, " hidden"], Float[Array, " hidden"]]:
            new = jnp.where(now[1], jax.nn.relu(now[0] + states(state)), state)
            return new, new

        last, stream = jax.lax.scan(step, jnp.zeros_like(last), (inputs(stream), string >= 0))
    return model.head(last)
