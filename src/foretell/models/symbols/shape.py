"""What decides the arrays of a model that reads strings of symbols, and the layers all have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from foretell.core.architecture import Architecture
from foretell.numerics.keys import key_for
from foretell.plain.errors import BadInput

HEAD_WIDTH = 64  # of every attention head, as published: heads do not share out the width
HIDDEN_TIMES = 2  # hidden units of a transformer's MLP for each dimension of the stream


@dataclass(frozen=True)
class StringShape:
    """An architecture with the strings it reads and the outputs it has.

    `tokens` counts every id: regular tokens and the symbols of all three alphabets. `outputs` is 1
    for a number, or `tokens` where a token is named.
    """

    architecture: Architecture
    tokens: int
    length: int  # of the longest string
    outputs: int

    def __post_init__(self) -> None:
        if min(self.tokens, self.length, self.outputs) < 1:
            raise BadInput("a string model has tokens, places and outputs", seen=self)
        if self.architecture.tied and self.outputs != self.tokens:
            raise BadInput(
                "only a model that names tokens reads its answer by their embedding",
                seen=f"{self.outputs} outputs for {self.tokens} tokens",
            )

    def has(self, part: str) -> bool:
        """Does the kind name this extra: `kq`, `vo` or `gram`?"""
        return part in self.architecture.kind.split("+")[1:]


class Linear(NamedTuple):
    """A matrix and what is added."""

    weight: Float[Array, "part hidden"]
    bias: Float[Array, " hidden"]

    def __call__(self, inputs: Float[Array, "*size part"]) -> Float[Array, "*size hidden"]:
        """At every place."""
        return inputs @ self.weight + self.bias


def linear(key: Key[Array, ""], rows: int, columns: int, incoming: int | None = None) -> Linear:
    """Uniform within one over the root of what comes in: `rows`, or more where they are sparse."""
    reach = 1 / math.sqrt(incoming or rows)
    return Linear(
        uniform(key_for(key, "weight"), reach, rows, columns),
        uniform(key_for(key, "bias"), reach, columns),
    )


def uniform(key: Key[Array, ""], reach: float, *shape: int) -> Float[Array, "..."]:
    """Between minus `reach` and `reach`."""
    return jax.random.uniform(key, shape, minval=-reach, maxval=reach)


def normalized(stream: Float[Array, "*size width"]) -> Float[Array, "*size width"]:
    """Mean 0 and variance 1 at each place."""
    centred = stream - stream.mean(axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(jnp.square(centred), axis=-1, keepdims=True) + 1e-5)
