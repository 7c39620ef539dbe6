"""Parity by a chain of thought: one XOR a step, with the flat construction for two bits.

Positions repeat with period T. The context is the T bits, then a 0, then what was written so far.
The newest token shares its position with one bit: attention to equal positions averages the two,
the lookup of degree 2 takes their parity, and the result is written as the next token. After T
steps the newest token is the parity of all bits.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from foretell.constructions.flat import FlatWeights, Lookup
from foretell.constructions.flat_error import all_inputs
from foretell.constructions.flat_forward import BLOCK, looked_up, read
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput


class Chain(NamedTuple):
    """One run: the bits written, and what was read before rounding."""

    written: Int[Array, "*batch bit"]
    raw: Float[Array, "*batch bit"]


class ChainResult(NamedTuple):
    """Over all inputs: the share of right answers, and the largest error of a step before rounding.

    A step is held against the bits it has before it, also where these are wrong.
    """

    accuracy: float
    step_error: float


def build_chain(bits: int, scale: int | float = 2.0, ramp: str = "wide") -> FlatWeights:
    """Weights for parity of `bits` bits; both attentions look for equal positions."""
    if bits < 2 or scale <= 0:
        raise BadInput(
            "a chain needs two bits or more and a positive scale", seen=f"{bits} bits, {scale}"
        )
    width, rows = bits + 1, Lookup(2, ramp).rows()
    equal = scale * math.log(bits) * np.eye(width)
    equal[-1, -1] = 0.0
    data = np.eye(width)[-1]
    return FlatWeights(
        attention1=equal,
        value1=np.outer(data, data),
        mlp_in=np.tile(data, (len(rows.bias), 1)),
        mlp_bias=rows.bias,
        mlp_out=np.outer(data, rows.height),
        attention2=equal[None],
        value2=data[None],
    )


def run_chain(weights: FlatWeights, bits: Int[Array, " bit"]) -> Chain:
    """All steps on one input. The context is as long as it will be at the end, and masked."""
    weights = FlatWeights(*map(jnp.asarray, weights))
    count, kind = len(bits), weights.attention1.dtype
    start = jnp.zeros(2 * count, kind).at[:count].set(bits.astype(kind))

    def step(
        context: Float[Array, " length"], number: Int[Array, ""]
    ) -> tuple[Float[Array, " length"], tuple[Int[Array, ""], Float[Array, ""]]]:
        value, reader = said(weights, context, number), count + number
        bit = (value < 0.5).astype(jnp.int32)
        # the last step writes beyond the context, where nothing is kept
        after = context.at[reader + 1].set(bit.astype(kind), mode="drop")
        return after, (bit, value)

    _, (written, raw) = jax.lax.scan(step, start, jnp.arange(count))
    return Chain(written, raw)


def said(
    weights: FlatWeights, context: Float[Array, " length"], number: Int[Array, ""]
) -> Float[Array, ""]:
    """What is read at the newest token of the step, before rounding: 1 where its bit is to be 0."""
    weights = FlatWeights(*map(jnp.asarray, weights))
    places = jnp.arange(len(context))
    count = len(context) // 2
    reader = count + number
    codes = jnp.eye(count, dtype=context.dtype)[places % count]
    rows = jnp.concatenate([codes, context[:, None]], axis=1)
    with jax.default_matmul_precision("highest"):
        return read(weights, looked_up(weights, rows, places <= reader), reader, places <= reader)


def chain_result(bits: int, scale: int | float = 2.0, ramp: str = "wide") -> ChainResult:
    """Run the chain on all inputs, in double precision."""
    inputs = all_inputs(bits)
    with double_precision():
        found = _run_all(build_chain(bits, scale, ramp), inputs)
    written, raw = np.asarray(found.written), np.asarray(found.raw)
    before = np.concatenate([np.zeros((len(inputs), 1), int), written[:, :-1]], axis=1)
    even = 1 - (before ^ inputs)
    right = written[:, -1] == inputs.sum(axis=1) % 2
    return ChainResult(float(right.mean()), float(np.abs(raw - even).max()))


@functools.partial(jax.jit, static_argnames="block")
def _run_all(
    weights: FlatWeights, inputs: Int[Array | np.ndarray, "batch bit"], block: int = BLOCK
) -> Chain:
    return jax.lax.map(lambda bits: run_chain(weights, bits), jnp.asarray(inputs), batch_size=block)
