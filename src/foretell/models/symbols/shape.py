"""What decides the arrays of a model that reads strings of symbols, and the layers all have."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from foretell.core.architecture import Architecture
from foretell.numerics.keys import key_for
from foretell.plain.errors import BadInput

HEAD_WIDTH = 64  # of every attention head, as published: heads do not share out the width
MIXING = 16  # matrices of width × width in a block of `sequence_model`, at most
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

    @property
    def family(self) -> str:
        """The kind without its extras."""
        return self.architecture.kind.split("+")[0]

    @property
    def table(self) -> int:
        """How many numbers the rows of all tokens have."""
        each = self.length if self.family == "mlp" else 1
        return each * self.tokens * self.architecture.width

    @property
    def weights(self) -> int:
        """How many weights a string is multiplied by at each place, about."""
        width, inner = self.architecture.width, self.architecture.heads * HEAD_WIDTH
        each = {
            "transformer": 4 * width * inner + 2 * HIDDEN_TIMES * width**2,
            "lstm": 8 * width**2,
            **dict.fromkeys(("mlp", "rnn"), 2 * width**2),
        }
        return self.architecture.layers * each.get(self.family, MIXING * width**2)

    @property
    def activations(self) -> int:
        """How many numbers a place of a string has between forward and backward, about."""
        width, heads = self.architecture.width, self.architecture.heads
        each = {
            "transformer": 16 * width + 6 * heads * HEAD_WIDTH + 3 * heads * (self.length + 1),
            "lstm": 16 * width,
            **dict.fromkeys(("mlp", "rnn"), 4 * width),
        }
        return self.architecture.layers * each.get(self.family, 2 * MIXING * width)

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

    def first(self, columns: int) -> Linear:
        """Only its first outputs."""
        return Linear(self.weight[:, :columns], self.bias[:columns])


def linear(key: Key[Array, ""], rows: int, columns: int) -> Linear:
    """Uniform within one over the root of what comes in."""
    reach = 1 / math.sqrt(rows)
    return Linear(
        uniform(key_for(key, "weight"), reach, rows, columns),
        uniform(key_for(key, "bias"), reach, columns),
    )


def answers(key: Key[Array, ""], rows: int, columns: int) -> Linear:
    """The same, each column by a key of its own: more tokens to name do not change the others."""
    reach = 1 / math.sqrt(rows)
    made = each_token(columns, key, lambda own: uniform(own, reach, rows + 1))
    return Linear(made[:, :rows].T, made[:, rows])


def embedding(key: Key[Array, ""], tokens: int, width: int) -> Float[Array, "token width"]:
    """Normal, each row by a key of its own: more tokens do not change the others."""
    return each_token(tokens, key, lambda own: jax.random.normal(own, (width,)))


def each_token(
    tokens: int, key: Key[Array, ""], draw: Callable[[Key[Array, ""]], Array]
) -> Float[Array, "token ..."]:
    """What is drawn for every token, by its number alone."""
    return jax.vmap(lambda number: draw(key_for(key, number)))(jnp.arange(tokens))


def uniform(
    key: Key[Array, ""], reach: float | Float[Array, ""], *shape: int
) -> Float[Array, "..."]:
    """Between minus `reach` and `reach`."""
    return reach * jax.random.uniform(key, shape, minval=-1.0)


def normalized(stream: Float[Array, "*size width"]) -> Float[Array, "*size width"]:
    """Mean 0 and variance 1 at each place."""
    centred = stream - stream.mean(axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(jnp.square(centred), axis=-1, keepdims=True) + 1e-5)
