"""Attention scores of infinitely wide heads: Gaussian, with a Kronecker-structured covariance.

The score of query a and key s of input x, and of query b and key t of input x', have covariance
Q_ab(x, x') · Q_st(x, x'). Two ways to draw them without ever writing down that covariance:

- for a pair of inputs, from the canonical form of their joint covariance: both are rotated so that
  coordinate i of one goes with coordinate i of the other at correlation c_i and with nothing else.
  Products of correlations then say how much noise the two score matrices share: O(T³) a draw;
- for all inputs at once, where Q(x, x') = F_x F_x'ᵀ has explicit features F: F_x ξ F_xᵀ with one
  matrix ξ of noise for all inputs.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key


class Canonical(NamedTuple):
    """Factors of two covariances under which the cross-covariance is diagonal.

    first = f fᵀ, second = g gᵀ, cross = f · diag(correlation) · gᵀ, where the diagonal matrix is
    as wide as it must be.
    """

    first: Float[Array, "*batch query query"]
    second: Float[Array, "*batch key key"]
    correlation: Float[Array, "*batch size"]


def canonical(
    first: Float[Array, "query query"],
    second: Float[Array, "key key"],
    cross: Float[Array, "query key"],
) -> Canonical:
    """The canonical form of the joint covariance [[first, cross], [crossᵀ, second]].

    Singular covariances need no jitter: directions without variance get no noise. If both inputs
    are the same, all correlations are exactly 1.
    """
    left, left_inverse = _roots(first)
    right, right_inverse = _roots(second)
    whitened = left_inverse.T @ cross @ right_inverse
    turn, correlation, turn_back = jnp.linalg.svd(whitened, full_matrices=True)
    # √(1 - c²c²) turns a rounding error of 1e-16 into noise of 1e-8: what is 1 up to rounding is 1.
    rounding = 8 * max(cross.shape) * jnp.finfo(cross.dtype).eps
    correlation = jnp.where(correlation > 1 - rounding, 1.0, correlation)
    return Canonical(left @ turn, right @ turn_back.T, correlation)


def _roots(
    covariance: Float[Array, "query query"],
) -> tuple[Float[Array, "query query"], Float[Array, "query query"]]:
    """L with L Lᵀ = covariance, and its pseudo-inverse transposed."""
    values, vectors = jnp.linalg.eigh((covariance + covariance.T) / 2)
    least = len(values) * jnp.finfo(values.dtype).eps * jnp.max(jnp.abs(values))
    there = values > least
    root = jnp.sqrt(jnp.where(there, values, 1))
    return vectors * jnp.where(there, root, 0), vectors * jnp.where(there, 1 / root, 0)


def pair_scores(
    queries: Canonical, keys: Canonical, noise: Float[Array, "_ _ _"]
) -> tuple[Float[Array, "_ _"], Float[Array, "_ _"]]:
    """Scores of both inputs of a pair from standard normal `noise` of shape `noise_shape`."""
    rows, columns = len(queries.first), len(keys.first)
    rows_too, columns_too = len(queries.second), len(keys.second)
    shared = noise[0, :rows_too, :columns_too]
    weight = _padded(queries.correlation, rows_too)[:, None]
    weight = weight * _padded(keys.correlation, columns_too)[None, :]
    rest = jnp.sqrt(jnp.maximum(1 - weight**2, 0))
    mixed = weight * shared + rest * noise[1, :rows_too, :columns_too]
    first = queries.first @ noise[0, :rows, :columns] @ keys.first.T
    return first, queries.second @ mixed @ keys.second.T


def noise_shape(queries: Canonical, keys: Canonical) -> tuple[int, int, int]:
    """Shape of the noise that one draw of `pair_scores` uses: the larger of both inputs, twice."""
    rows = max(queries.first.shape[-1], queries.second.shape[-1])
    return 2, rows, max(keys.first.shape[-1], keys.second.shape[-1])


def _padded(correlation: Float[Array, " size"], length: int) -> Float[Array, " length"]:
    """With correlation 0 for coordinates that have no partner."""
    return jnp.pad(correlation, (0, length - len(correlation)))


def draw_pair(
    queries: Canonical, keys: Canonical, key: Key[Array, ""]
) -> tuple[Float[Array, "_ _"], Float[Array, "_ _"]]:
    """One draw of the scores of a pair of inputs."""
    noise = jax.random.normal(key, noise_shape(queries, keys), queries.first.dtype)
    return pair_scores(queries, keys, noise)


def joint_scores(
    queries: Float[Array, "batch query hidden"],
    keys: Float[Array, "batch key width"],
    noise: Float[Array, "hidden width"],
) -> Float[Array, "batch query key"]:
    """Scores of all inputs from one matrix of noise, which inputs of other shapes may share."""
    turned = jnp.einsum("nah,hw->naw", queries, noise)
    return jnp.einsum("naw,nsw->nas", turned, keys)


def factor(
    covariance: Float[Array, "length length"], multiple: int = 32
) -> Float[Array, "length width"]:
    """Features F with F Fᵀ = covariance; directions without variance are left out.

    The width is a multiple of `multiple`, or all there is: the rank may differ by a few from one
    sampled covariance to the next, and every width is compiled once. Not to be traced.
    """
    found, rank = _sorted_features(covariance)
    width = min(-(-max(int(rank), 1) // multiple) * multiple, len(covariance))
    return found[:, -width:]


@jax.jit
def _sorted_features(
    covariance: Float[Array, "length length"],
) -> tuple[Float[Array, "length length"], Int[Array, ""]]:
    """All features, the largest last, and how many are more than rounding."""
    values, vectors = jnp.linalg.eigh((covariance + covariance.T) / 2)
    least = len(values) * jnp.finfo(values.dtype).eps * jnp.max(jnp.abs(values))
    return vectors * jnp.sqrt(jnp.maximum(values, 0)), (values > least).sum()


def shorter(features: Float[Array, "length width"]) -> Float[Array, "length hidden"]:
    """Features with the same inner products, as few as there are rows, or fewer.

    If all read-out tokens are alike, one is left, and so is the noise that queries need. Not to be
    traced.
    """
    found, rank = _turned_features(features)
    return found[:, : max(int(rank), 1)]


@jax.jit
def _turned_features(
    features: Float[Array, "length width"],
) -> tuple[Float[Array, "length hidden"], Int[Array, ""]]:
    """Features along their principal directions, the largest first, and how many there are."""
    turn, scale, _ = jnp.linalg.svd(features, full_matrices=False)
    least = max(features.shape) * jnp.finfo(scale.dtype).eps * jnp.max(scale)
    return turn * scale, (scale > least).sum()
