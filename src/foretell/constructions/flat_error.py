"""How far the flat construction is from its function: stated, exact at an input, and measured."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from foretell.boolean.expansion import Expansion
from foretell.constructions.flat import (
    PUBLISHED,
    FlatWeights,
    Lookup,
    Scale,
    check_buildable,
    heads,
)
from foretell.constructions.flat_forward import BLOCK, embedded, looked_up, read
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

MOST_BITS = 12


class StatedError(NamedTuple):
    """What the formulas promise for every input.

    `leakage` is the attention that a component gives to what is neither its bits nor the filling,
    and the most that its share of ones is off; `parity` is the most that a looked-up indicator is
    off, 0 if the leakage fits into the flat part of the table; `rest` is, for each read-out head,
    the weight of all positions that are not its own, its components weighing their coefficients.
    """

    leakage: float
    parity: float
    rest: tuple[float, ...]
    largest: float


class MeasuredError(NamedTuple):
    """The largest errors over all inputs: of the output, and of a component's indicator."""

    largest: float
    parity: float


def exact_error(
    expansion: Expansion, attention_scale: Scale = PUBLISHED, ramp: str = "narrow"
) -> StatedError:
    """The largest error of `build_flat` with the same arguments, by formula.

    It is reached with one read-out head; with two, which share no worst input, it is a bound.
    A head of total C whose other positions weigh ρ is off by at most C ρ / (C + ρ), and, where
    indicators are off by η, by C² η / (C + ρ) more.

    >>> stated = exact_error(Expansion(8, ((0, 1),), (1.0,)))
    >>> stated.parity, round(stated.largest, 6)
    (0.0, 0.111111)
    """
    check_buildable(expansion, attention_scale, ramp)
    bits, degree, table = expansion.bits, expansion.degree, Lookup(expansion.degree, ramp)
    sizes = expansion.indicator.sum(axis=1)
    strangers = bits + 1 - sizes - (sizes < degree)
    shares = strangers / (degree * float(bits) ** attention_scale[0] + strangers)
    leakage = float(shares.max())
    # a leakage that is just as large as the flat part is not beyond it for being rounded
    beyond = leakage - table.flat
    parity = min(1.0, table.slope * beyond) if beyond > 1e-15 else 0.0
    parts = heads(expansion)
    rest = tuple(
        (bits + 1 - len(head.components)) * float(bits) ** -attention_scale[1] for head in parts
    )
    errors = (
        head.total * (weight + head.total * parity) / (head.total + weight)
        for head, weight in zip(parts, rest, strict=True)
    )
    return StatedError(leakage, parity, rest, math.fsum(errors))


def error_at(
    expansion: Expansion,
    inputs: Int[np.ndarray, "batch bit"],
    attention_scale: Scale = PUBLISHED,
    ramp: str = "narrow",
) -> Float[np.ndarray, " batch"]:
    """Output minus function at each input, by formula and without running the transformer.

    Positions without a component look up the share of ones among all tokens. Holds where the
    indicators are exact (`exact_error(...).parity` is 0) and is refused elsewhere.
    """
    stated = exact_error(expansion, attention_scale, ramp)
    if stated.parity > 0:
        raise BadInput(
            "the parities of this construction are not exact",
            seen=f"leakage {stated.leakage:.4g}, attention scale {attention_scale[0]:g}",
            why=f"the table is flat up to {1 / (4 * expansion.degree):.4g} only",
            hint="a larger scale of the first attention",
        )
    bits = expansion.bits
    even = 1.0 - (inputs @ expansion.indicator.T) % 2
    idle = Lookup(expansion.degree, ramp)(inputs.sum(axis=1) / (bits + 1))
    everywhere = even.sum(axis=1) + (bits + 1 - expansion.sparsity) * idle
    error = np.zeros(len(inputs))
    for head, rest in zip(heads(expansion), stated.rest, strict=True):
        own = even[:, list(head.components)]
        leaked = (everywhere - own.sum(axis=1)) * float(bits) ** -attention_scale[1]
        part = head.total * leaked - rest * (own @ np.array(head.sizes))
        error += head.sign * part / (head.total + rest)
    return error


def measured_error(weights: FlatWeights, expansion: Expansion, block: int = BLOCK) -> MeasuredError:
    """The largest error of the transformer over all inputs, in double precision."""
    inputs = all_inputs(expansion.bits)
    with double_precision():
        values, indicators = _outputs(weights, inputs, block)
    even = 1.0 - (inputs @ expansion.indicator.T) % 2
    found = np.asarray(indicators)[:, : expansion.sparsity]
    return MeasuredError(
        float(np.abs(np.asarray(values) - expansion(inputs)).max()),
        float(np.abs(found - even).max()),
    )


def all_inputs(bits: int) -> Int[np.ndarray, "batch bit"]:
    """Every input, as rows; bit i of the row's number is bit i of the input."""
    if bits > MOST_BITS:
        raise BadInput(
            "too many bits to run all inputs",
            seen=bits,
            why=f"there are 2^{bits} of them; the limit is {MOST_BITS} bits",
            hint="`exact_error` gives the largest error by formula",
        )
    return (np.arange(2**bits)[:, None] >> np.arange(bits)) & 1


@functools.partial(jax.jit, static_argnames="block")
def _outputs(
    weights: FlatWeights, inputs: Int[Array | np.ndarray, "batch bit"], block: int
) -> tuple[Float[Array, " batch"], Float[Array, "batch length"]]:
    """Output, and what each position looked up, at each input."""
    weights = FlatWeights(*map(jnp.asarray, weights))
    positions = jnp.eye(weights.attention1.shape[-1] - 1, dtype=weights.attention1.dtype)

    def one(bits: Int[Array, " bit"]) -> tuple[Float[Array, ""], Float[Array, " length"]]:
        with jax.default_matmul_precision("highest"):
            stream = looked_up(weights, embedded(bits, positions))
            return read(weights, stream, -1), stream[:, -1]

    return jax.lax.map(one, jnp.asarray(inputs), batch_size=block)
