"""What finite width adds to Gaussian-process regression, to first order in one over the width.

Outputs of a wide network are Gaussian up to a fourth cumulant U of order 1/N. To first order the
posterior mean at a new point moves by

    1/6 Σ Ũ_abc (t_a t_b t_c - 3 (K + σ²)⁻¹_ab t_c),   t = (K + σ²)⁻¹ y,

where Ũ_abc is the cumulant with the new point, less its own regression from the training points.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from foretell.kernels.duals import Activation
from foretell.kernels.random_features import LIMIT
from foretell.kernels.regression import fit
from foretell.numerics.keys import key_for, root_key
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

Labels = Float[np.ndarray, " batch"]

SEGMENT = 2**14  # hidden units drawn at once


class Cumulants(NamedTuple):
    """Fourth cumulants of outputs: among training points, and of three of them with a new one."""

    among: Float[np.ndarray, "batch batch batch batch"]
    across: Float[np.ndarray, "batch batch batch query"]


def correction(
    gram: Float[np.ndarray, "batch batch"],
    cross: Float[np.ndarray, "query batch"],
    cumulants: Cumulants,
    labels: Labels,
    noise: float,
) -> Float[np.ndarray, " query"]:
    """What is added to the Gaussian-process mean at each new point; `noise` is the variance σ².

    The factor 1/N is in the cumulants. First order: what is left is of order 1/N².
    """
    if not noise > 0:
        raise BadInput(
            "the correction needs noise in the labels",
            seen=noise,
            why="without it the posterior is not an expansion around the Gaussian one",
            hint="a small positive variance",
        )
    fitted = fit(gram, labels, noise)
    pulled = fitted.coefficients
    inverse = fit(gram, np.eye(len(gram)), noise).coefficients
    explained = np.einsum("abcd,de,qe->abcq", cumulants.among, inverse, cross, optimize=True)
    rest = cumulants.across - explained
    cubic = np.einsum("abcq,a,b,c->q", rest, pulled, pulled, pulled, optimize=True)
    linear = np.einsum("abcq,ab,c->q", rest, inverse, pulled, optimize=True)
    return (cubic - 3 * linear) / 6


def kernel_of_features(
    features: Float[np.ndarray, "draw batch"],
) -> Float[np.ndarray, "batch batch"]:
    """The covariance of outputs, from hidden units drawn at random."""
    return features.T @ features / len(features)


def one_hidden_layer(
    features: Float[np.ndarray, "draw batch"], training: int, width: int
) -> Cumulants:
    """Cumulants of v · φ(units) / √N with normal v, from draws of what one unit makes of points.

    The first `training` points are the training points, the others new. Per unit the fourth moment
    is 3 E[φφφφ], for a normal number has fourth moment 3; pairs of covariances are taken off.
    """
    if width < 1:
        raise BadInput("a layer has at least one unit", seen=width)
    count = features.shape[1]
    needed = 8.0 * (training**3 * count * 3 + len(features) * count * training)
    if needed > LIMIT:
        raise BadInput(
            "the fourth cumulants do not fit into memory",
            seen=f"{training} training points, {count - training} new ones, {len(features)} draws",
            why=f"they would take {needed / 1e9:,.1f} GB, and {LIMIT / 1e9:,.0f} GB is the limit",
            hint="fewer points",
        )
    known = features[:, :training]
    pairs = (known[:, :, None] * known[:, None, :]).reshape(len(features), -1)
    mixed = (known[:, :, None] * features[:, None, :]).reshape(len(features), -1)
    fourth = (pairs.T @ mixed / len(features)).reshape((training,) * 3 + (count,))
    kernel = kernel_of_features(features)
    short, wide = kernel[:training, :training], kernel[:training]
    gaussian = (
        short[:, :, None, None] * wide[None, None]
        + short[:, None, :, None] * wide[None, :, None, :]
        + short[None, :, :, None] * wide[:, None, None, :]
    )
    found = (3 * fourth - gaussian) / width
    return Cumulants(found[..., :training], found[..., training:])


def hidden_features(
    activation: Activation, inputs: Float[np.ndarray, "batch width"], *, draws: int, seed: int = 0
) -> Float[np.ndarray, "draw batch"]:
    """What hidden units with standard normal weights, over √width, make of inputs."""
    if not np.isfinite(inputs).all():
        raise BadInput("inputs hold numbers that are not finite")
    key = key_for(root_key(seed), "hidden units")
    with double_precision():
        points = jnp.asarray(inputs, jnp.float64) / math.sqrt(inputs.shape[1])
        parts = [
            np.asarray(_units(activation, min(SEGMENT, draws - start), points, key_for(key, start)))
            for start in range(0, draws, SEGMENT)
        ]
    return np.concatenate(parts)


@functools.partial(jax.jit, static_argnums=(0, 1))
def _units(
    activation: Activation, count: int, points: Float[Array, "batch width"], key: Key[Array, ""]
) -> Float[Array, "draw batch"]:
    weights = jax.random.normal(key, (count, points.shape[1]), points.dtype)
    return activation(weights @ points.T)


@final
@dataclass(frozen=True)
class WidthNeeded:
    """A width at which the correction is at most `target`, and what that takes for granted."""

    width: float
    target: float
    assumptions: tuple[str, ...]


ASSUMPTIONS = (
    "the correction of first order in 1/N is all there is",
    "fourth cumulants are at most `cumulant` / N in every entry",
    "kernel entries are at most `kernel`, labels at most `label`",
    "labels have noise of variance `noise`, which does not shrink with the number of points",
    "weights are Gaussian (lazy) and trained to the posterior mean; no feature learning",
)


def largest_correction(
    points: int, *, noise: float, label: float = 1.0, kernel: float = 1.0, cumulant: float = 1.0
) -> float:
    """N times a bound on the correction at any new point, given `points` training points.

    With |(K + σ²)⁻¹| ≤ 1/σ² and |(K + σ²)⁻¹ K (K + σ²)⁻¹| ≤ 1/4σ², the sum of |t| is at most
    P y/σ², that of |(K + σ²)⁻¹_ab| at most P^1.5/σ², and |Ũ| at most (u/N)(1 + √(P κ)/2σ). The
    product grows as P^3.5.
    """
    given = {"noise": noise, "label": label, "kernel": kernel, "cumulant": cumulant}
    for name, value in given.items():
        if not (math.isfinite(value) and value > 0):
            raise BadInput(f"{name} is a finite number above 0", seen=value)
    if points < 1:
        raise BadInput("there is at least one training point", seen=points)
    remaining = cumulant * (1 + math.sqrt(points * kernel / noise) / 2)
    pulled = points * label / noise
    return remaining * (pulled**3 + 3 * points**1.5 / noise * pulled) / 6


def width_needed(
    points: int,
    target: float,
    *,
    noise: float,
    label: float = 1.0,
    kernel: float = 1.0,
    cumulant: float = 1.0,
) -> WidthNeeded:
    """A width that keeps the correction below `target`: of the order of points^3.5 / target.

    An upper bound, and a loose one: with it P = P0 + c log T training points need a width that
    is a power of log T.

    >>> width_needed(100, 0.1, noise=1.0).width / width_needed(25, 0.1, noise=1.0).width > 4**3
    True
    """
    if not (math.isfinite(target) and target > 0):
        raise BadInput("the correction to allow is a finite number above 0", seen=target)
    largest = largest_correction(points, noise=noise, label=label, kernel=kernel, cumulant=cumulant)
    return WidthNeeded(largest / target, target, ASSUMPTIONS)
