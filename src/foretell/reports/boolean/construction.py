"""What a report says about the explicit transformer: its error, norms, gradients and curvature."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Int

from foretell.boolean.expansion import Expansion
from foretell.constructions.flat import (
    REACH,
    FlatWeights,
    Scale,
    build_flat,
    parameter_count,
    squared_norm,
    squared_norms,
)
from foretell.constructions.flat_error import (
    MOST_BITS,
    StatedError,
    all_inputs,
    error_at,
    exact_error,
    measured_error,
)
from foretell.constructions.flat_forward import flat_output, flat_outputs, squared_error
from foretell.constructions.rescaling import best_rescaling, curvature_shares, norm_shares
from foretell.numerics.curvature import estimate, gradient_norms
from foretell.numerics.keys import key_for, root_key
from foretell.numerics.perturbation import perturbed_traces
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

SCALES = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
LARGEST_SCALE = 32.0  # weights then differ by more than double precision can tell
MEASURED_BITS = 64  # beyond that, gradients and curvature take minutes
BUILT_BITS = 1024  # beyond that, the weights do not fit
INPUTS = 512  # of the gradients and the trace; all of them up to 9 bits
FEWER_INPUTS = 128  # beyond 24 bits
EXACT_PARAMETERS = 400  # up to here the trace is computed column by column
PRODUCTS = 60  # of an estimated trace
NOISES = np.linspace(0.01, 0.00001, 20)[::3]  # every third of the published mesh
NOISE_BITS = 24  # up to here the change of the trace under noise is measured
NOISE_INPUTS, NOISE_DRAWS, NOISE_PRODUCTS = 128, 3, 16
SHARE = 0.9  # the quantile of the change over draws, as published


class ErrorAtScale(NamedTuple):
    """The largest error at one attention scale: by formula, and as measured if it was."""

    scale: float
    stated: float
    measured: float | None


class Block(NamedTuple):
    """One block of weights: squared norm, and squared gradient over inputs, mean and largest."""

    name: str
    squared_norm: float
    gradient: float | None
    largest_gradient: float | None


@final
@dataclass(frozen=True)
class Curvature:
    """Hessian trace of the squared error at the construction, and what it is made of."""

    inputs: str  # over which it was averaged
    trace: float
    low: float
    high: float
    method: str
    twice_gradient: float  # 2·mean ‖g‖², the trace if the loss were 0
    largest: float  # 2·largest ‖g‖²
    loss: float


@final
@dataclass(frozen=True)
class Rescaled:
    """The same function after moving scale between the MLP's matrices."""

    factor: float
    squared_norm: float
    trace: float  # 2·mean ‖g‖²


class Change(NamedTuple):
    """How much noise of one standard deviation changes the trace, 90th percentile over draws."""

    noise: float
    change: float


@final
@dataclass(frozen=True)
class Construction:
    """An explicit transformer for the function, examined."""

    attention_scale: float
    ramp: str
    parameters: int
    stated: StatedError
    measured: float | None
    measured_over: str
    formula_off: float | None  # exact error by formula against the transformer's, input by input
    errors: tuple[ErrorAtScale, ...]
    squared_norm: float
    blocks: tuple[Block, ...]
    curvature: Curvature | None
    rescaled: Rescaled | None
    changes: tuple[Change, ...]
    missing: str | None  # why something was not measured

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {
            "stated": self.stated._asdict(),
            "errors": [each._asdict() for each in self.errors],
            "blocks": [each._asdict() for each in self.blocks],
            "changes": [each._asdict() for each in self.changes],
        }


def check_scale(scale: int | float, ramp: str) -> None:
    """Refuse what no construction has."""
    if not 0 < scale <= LARGEST_SCALE:
        raise BadInput(
            f"an attention scale lies between 0 and {LARGEST_SCALE:g}",
            seen=scale,
            why="it multiplies ln T in the logits",
            hint="2, as published, or 4 for a smaller error",
        )
    if ramp not in REACH:
        raise BadInput("no such ramp", seen=ramp, hint=" or ".join(REACH))


def construct(expansion: Expansion, scale: float, ramp: str, seed: int = 0) -> Construction:
    """Build the transformer and measure what can be measured in seconds."""
    both = (scale, scale)
    stated = exact_error(expansion, both, ramp)
    if expansion.bits > BUILT_BITS:
        raise BadInput(
            "the weights would be too many to write down",
            seen=f"{expansion.bits} bits",
            why=f"they are built up to {BUILT_BITS:,} bits; the error by formula is at most "
            f"{stated.largest:.3g}",
        )
    weights = build_flat(expansion, both, ramp)
    measurable = expansion.bits <= MEASURED_BITS
    inputs, words = _chosen(expansion.bits, seed)
    errors = _errors(expansion, ramp, inputs, measurable)
    curvature, gradients = (
        _curvature(weights, expansion, inputs, words, seed) if measurable else (None, {})
    )
    return Construction(
        attention_scale=scale,
        ramp=ramp,
        parameters=parameter_count(weights),
        stated=stated,
        measured=_largest_error(weights, expansion, inputs) if measurable else None,
        measured_over=f"all {2**expansion.bits:,} inputs" if expansion.bits <= MOST_BITS else words,
        formula_off=_formula_off(weights, expansion, inputs, both, ramp) if measurable else None,
        errors=errors,
        squared_norm=squared_norm(weights),
        blocks=_blocks(weights, gradients),
        curvature=curvature,
        rescaled=_rescaled(weights, inputs) if measurable else None,
        changes=_changes(weights, expansion, inputs, seed),
        missing=_missing(expansion.bits),
    )


def _missing(bits: int) -> str | None:
    if bits > MEASURED_BITS:
        return f"Errors, gradients and the trace are measured up to {MEASURED_BITS} bits only."
    if bits > NOISE_BITS:
        return f"What noise does to the trace is measured up to {NOISE_BITS} bits only."
    return None


def _chosen(bits: int, seed: int) -> tuple[Int[np.ndarray, "batch bit"], str]:
    """The inputs that are looked at, and how to call them."""
    if 2**bits <= INPUTS:
        return all_inputs(bits), f"all {2**bits:,} inputs"
    count = INPUTS if bits <= NOISE_BITS else FEWER_INPUTS
    drawn = np.random.default_rng(seed).integers(0, 2, (count, bits))
    return drawn, f"{count} random inputs"


def _largest_error(
    weights: FlatWeights, expansion: Expansion, inputs: Int[np.ndarray, "batch bit"]
) -> float:
    """Over all inputs where these are few, else over those chosen."""
    if expansion.bits <= MOST_BITS:
        return measured_error(weights, expansion).largest
    with double_precision():
        values = np.asarray(flat_outputs(weights, inputs))
    return float(np.abs(values - expansion(inputs)).max())


def _formula_off(
    weights: FlatWeights,
    expansion: Expansion,
    inputs: Int[np.ndarray, "batch bit"],
    both: Scale,
    ramp: str,
) -> float | None:
    """How far the exact error by formula is from the error made, at the worst input looked at."""
    if exact_error(expansion, both, ramp).parity > 0:
        return None
    with double_precision():
        values = np.asarray(flat_outputs(weights, inputs))
    stated = error_at(expansion, inputs, both, ramp)
    return float(np.abs(values - expansion(inputs) - stated).max())


def _errors(
    expansion: Expansion, ramp: str, inputs: Int[np.ndarray, "batch bit"], measurable: bool
) -> tuple[ErrorAtScale, ...]:
    found = []
    for both in zip(SCALES, SCALES, strict=True):
        weights = build_flat(expansion, both, ramp) if measurable else None
        measured = _largest_error(weights, expansion, inputs) if weights else None
        found.append(ErrorAtScale(both[0], exact_error(expansion, both, ramp).largest, measured))
    return tuple(found)


def _curvature(
    weights: FlatWeights,
    expansion: Expansion,
    inputs: Int[np.ndarray, "batch bit"],
    words: str,
    seed: int,
) -> tuple[Curvature, dict[str, tuple[float, float]]]:
    """The trace on those inputs, and by block the squared gradient, mean and largest."""
    method = "exact" if parameter_count(weights) <= EXACT_PARAMETERS else "hutch++"
    with double_precision():
        exact: FlatWeights = jax.tree.map(jnp.asarray, weights)
        data = jnp.asarray(inputs), jnp.asarray(expansion(inputs))
        norms = gradient_norms(flat_output, exact, data[0])
        key = key_for(root_key(seed), "trace")
        trace = estimate(squared_error, exact, data, key, PRODUCTS, method)
        mean, largest = norms.mean, norms.largest
        found = {name: (float(mean[name]), float(largest[name])) for name in mean}
        total, loss = np.asarray(norms.total), float(squared_error(exact, data))
    return Curvature(
        inputs=words,
        trace=float(trace.value),
        low=float(trace.low),
        high=float(trace.high),
        method=method,
        twice_gradient=2 * float(total.mean()),
        largest=2 * float(total.max()),
        loss=loss,
    ), found


def _blocks(weights: FlatWeights, gradients: dict[str, tuple[float, float]]) -> tuple[Block, ...]:
    return tuple(
        Block(name, size, *gradients.get(name, (None, None)))
        for name, size in squared_norms(weights).items()
    )


def _rescaled(weights: FlatWeights, inputs: Int[np.ndarray, "batch bit"]) -> Rescaled:
    factor = best_rescaling(weights, inputs).balanced
    shares = norm_shares(weights), curvature_shares(weights, inputs)
    return Rescaled(factor, *(each.at(factor) for each in shares))


def _changes(
    weights: FlatWeights, expansion: Expansion, inputs: Int[np.ndarray, "batch bit"], seed: int
) -> tuple[Change, ...]:
    """Hutchinson's estimate with the same signs before and after, on fewer inputs."""
    if expansion.bits > NOISE_BITS:
        return ()
    chosen = np.random.default_rng(seed).permutation(inputs)[:NOISE_INPUTS]
    with double_precision():
        member = jax.tree.map(lambda each: jnp.asarray(each)[None], weights)
        found = perturbed_traces(
            squared_error,
            member,
            (jnp.asarray(chosen), jnp.asarray(expansion(chosen))),
            key_for(root_key(seed), "noise"),
            jnp.asarray(NOISES),
            NOISE_DRAWS,
            method="hutchinson",
            products=NOISE_PRODUCTS,
        )
        quantiles = np.quantile(np.asarray(found.change)[0], SHARE, axis=-1)
    return tuple(map(Change, NOISES.tolist(), quantiles.tolist()))
