"""One attention layer of infinite width: covariance in, covariance (and NTK) out, by sampling.

K = E[A Q A'ᵀ], with A and A' the attention of two inputs under jointly Gaussian scores. The NTK
needs, besides, how attention answers a change of the scores; see `response`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from foretell.kernels.estimate import Estimate, Show, average
from foretell.kernels.scores import Canonical, canonical, joint_scores, noise_shape, pair_scores
from foretell.plain.errors import BadInput

Matrix = Float[Array, "_ _"]
Covariance = Float[np.ndarray | Array, "_ _"]


@final
@dataclass(frozen=True)
class Attention:
    """What an attention layer does, all heads alike.

    `weights` says what becomes of the scores: "softmax", or "identity", which takes them as they
    are and has closed forms. With `output_matrix`, heads are joined by a trained W_O: the
    covariance stays, the NTK gains. `token` is the one position whose output is wanted, counted
    from the end if negative; None wants all.
    """

    weights: str = "softmax"
    causal: bool = False
    output_matrix: bool = False
    token: int | None = None

    def __post_init__(self) -> None:
        if self.weights not in ("softmax", "identity"):
            raise BadInput(
                "unknown attention weights", seen=self.weights, hint="softmax or identity"
            )

    def positions(self, length: int) -> tuple[int, ...]:
        """The positions whose output is wanted, of an input of `length` tokens."""
        if self.token is None:
            return tuple(range(length))
        if not -length <= self.token < length:
            raise BadInput(
                "the read-out token is not there", seen=self.token, why=f"there are {length} tokens"
            )
        return (self.token % length,)


def attend(layer: Attention, scores: Matrix) -> Matrix:
    """Attention weights from the scores of the wanted queries against all keys."""
    if layer.causal:
        place = jnp.array(layer.positions(scores.shape[1]))
        seen = jnp.arange(scores.shape[1])[None, :] <= place[:, None]
        scores = jnp.where(seen, scores, 0.0 if layer.weights == "identity" else -jnp.inf)
    return scores if layer.weights == "identity" else jax.nn.softmax(scores, axis=1)


def response(layer: Attention, first: Matrix, second: Matrix, one: Matrix, other: Matrix) -> Matrix:
    """Σ J_su J'_tv one_st other_uv, with J the Jacobian of each row of attention in its scores.

    Softmax's Jacobian is diag(p) - p pᵀ, so the sum splits into four products of T × T matrices.
    """
    if layer.weights == "identity":
        return _identity_response(layer, one * other)
    left, left_too = first @ one, first @ other
    right, right_too = one @ second.T, other @ second.T
    return (
        first @ (one * other) @ second.T
        - (left * left_too) @ second.T
        - first @ (right * right_too)
        + (left @ second.T) * (left_too @ second.T)
    )


def _identity_response(layer: Attention, product: Matrix) -> Matrix:
    """The sum of the product over the keys that the two queries may see."""
    if layer.causal:
        product = jnp.cumsum(jnp.cumsum(product, axis=0), axis=1)
        return product[_rows(layer, product)]
    rows = (len(layer.positions(product.shape[0])), len(layer.positions(product.shape[1])))
    return jnp.broadcast_to(product.sum(), rows)


def _rows(layer: Attention, block: Float[Array, "_ _"]) -> tuple[Array, Array]:
    """Where the wanted queries of both inputs are in a block of their covariance."""
    first, second = (layer.positions(size) for size in block.shape)
    return jnp.array(first)[:, None], jnp.array(second)[None, :]


def tangent(
    layer: Attention, first: Matrix, second: Matrix, cross: Matrix, before: Matrix
) -> Matrix:
    """What one draw of attention adds to the NTK `before` of the layer's input."""
    rows = _rows(layer, cross)
    values = 2 if layer.output_matrix else 1
    through = first @ (values * cross + before) @ second.T
    plain = response(layer, first, second, cross, cross)
    mixed = response(layer, first, second, cross, before)
    return through + (2 * cross[rows] + before[rows]) * plain + cross[rows] * mixed


def identity_attention(
    layer: Attention, cross: Covariance, before: Covariance | None = None
) -> Matrix:
    """Closed form with identity weights: the covariance, or the NTK if `before` is given.

    >>> identity_attention(Attention("identity"), jnp.array([[2.0]])).tolist()
    [[8.0]]
    """
    block = jnp.asarray(cross)
    rows = _rows(layer, block)
    squares = _identity_response(layer, block * block)
    if before is None:
        return block[rows] * squares
    old = jnp.asarray(before)
    values = 2 if layer.output_matrix else 1
    mixed = _identity_response(layer, block * old)
    return squares * (old[rows] + (2 + values) * block[rows]) + 2 * mixed * block[rows]


class Pairs(NamedTuple):
    """Pairs of inputs, ready for draws: everything that is not random."""

    queries: Canonical
    keys: Canonical
    cross: Float[Array, "batch _ _"]
    before: Float[Array, "batch _ _"] | None  # the NTK of the layer's input, if it is wanted


def prepare_pair(
    layer: Attention, first: Matrix, second: Matrix, cross: Matrix
) -> tuple[Canonical, Canonical]:
    """Canonical forms of the wanted queries and of the keys of one pair."""
    keys = canonical(first, second, cross)
    if layer.token is None:
        return keys, keys
    rows = (first[_rows(layer, first)], second[_rows(layer, second)], cross[_rows(layer, cross)])
    return canonical(*rows), keys


def sample_pairs(
    layer: Attention, pairs: Pairs, keys: Key[Array, " draw"]
) -> tuple[Array, Array | None]:
    """Mean over draws of A Q A'ᵀ, and of the NTK, for every pair; pairs share the noise."""

    def one(
        queries: Canonical, values: Canonical, cross: Matrix, before: Matrix | None, noise: Array
    ) -> tuple[Matrix, Matrix | None]:
        first, second = (attend(layer, drawn) for drawn in pair_scores(queries, values, noise))
        kernel = first @ cross @ second.T
        if before is None:
            return kernel, None
        return kernel, tangent(layer, first, second, cross, before)

    def draw(key: Key[Array, ""]) -> tuple[Array, Array | None]:
        noise = jax.random.normal(key, noise_shape(pairs.queries, pairs.keys), pairs.cross.dtype)
        axes = (0, 0, 0, None if pairs.before is None else 0, None)
        return jax.vmap(one, in_axes=axes)(*pairs, noise)

    return jax.tree.map(lambda leaf: leaf.mean(axis=0), jax.vmap(draw)(keys))


def attention_kernel(
    layer: Attention,
    first: Covariance,
    second: Covariance,
    cross: Covariance,
    *,
    draws: int,
    key: Key[Array, ""],
    before: Covariance | None = None,
    show: Show | None = None,
) -> Estimate:
    """The covariance of the layer's output between two inputs, or its NTK if `before` is given.

    `first`, `second` and `cross` are the covariances of the tokens of x, of x', and between them;
    `before` is the NTK of the layer's input between them. Errors are standard errors.
    """
    blocks = tuple(jnp.asarray(each) for each in (first, second, cross))
    old = None if before is None else jnp.asarray(before)[None]
    _check_blocks(*blocks)
    queries, keys = prepare_pair(layer, *blocks)
    queries, keys = jax.tree.map(lambda leaf: leaf[None], (queries, keys))
    pairs = Pairs(queries, keys, blocks[2][None], old)
    mean, error = average(sample_pairs, layer, pairs, key, draws, show=show)
    place = 0 if before is None else 1
    return Estimate(np.asarray(mean[place][0]), np.asarray(error[place][0]), draws)


def _check_blocks(first: Matrix, second: Matrix, cross: Matrix) -> None:
    shapes = first.shape, second.shape, cross.shape
    if shapes[2] != (shapes[0][0], shapes[1][0]) or any(a != b for a, b in shapes[:2]):
        raise BadInput("the covariance of a pair has blocks T × T, T' × T' and T × T'", seen=shapes)
    if not all(math.isfinite(float(jnp.sum(block))) for block in (first, second, cross)):
        raise BadInput("a covariance holds numbers that are not finite", seen=shapes)


class Joint(NamedTuple):
    """Sets of inputs with features of all tokens, ready for draws that all inputs share."""

    queries: tuple[Float[Array, "_ _ hidden"], ...]
    keys: tuple[Float[Array, "_ _ width"], ...]
    cross: tuple[Float[Array, "_ _ _ _"], ...]  # with `before`, for the NTK only; else empty
    before: tuple[Float[Array, "_ _ _ _"], ...]


class JointSample(NamedTuple):
    """Mean over draws: variances of each set, covariances and NTKs of each wanted pair of sets."""

    variance: tuple[Float[Array, "_ _"], ...]
    kernel: tuple[Float[Array, "_ _ _ _"], ...]
    tangent: tuple[Float[Array, "_ _ _ _"], ...]


def sample_joint(
    settings: tuple[Attention, tuple[tuple[int, int], ...]],
    joint: Joint,
    keys: Key[Array, " draw"],
) -> JointSample:
    """Mean over draws; every covariance is a Gram matrix, so it is positive semidefinite.

    `settings` is the layer and the pairs of sets between which covariances are wanted.
    """
    layer, wanted = settings
    shape = joint.queries[0].shape[-1], joint.keys[0].shape[-1]
    noise = jax.vmap(lambda key: jax.random.normal(key, shape, joint.keys[0].dtype))(keys)
    by_input = jax.vmap(lambda scores: attend(layer, scores))
    weights = [
        jax.vmap(lambda xi, q=q, k=k: by_input(joint_scores(q, k, xi)))(noise)
        for q, k in zip(joint.queries, joint.keys, strict=True)
    ]
    outputs = [
        jnp.einsum("gnas,nsw->nagw", weight, k)
        for weight, k in zip(weights, joint.keys, strict=True)
    ]
    share = 1 / len(keys)
    variance = tuple(share * (z * z).sum(axis=(2, 3)) for z in outputs)
    kernel = tuple(share * jnp.einsum("nagw,mbgw->namb", outputs[i], outputs[j]) for i, j in wanted)
    tangents = tuple(
        share * _tangents(layer, weights[i], weights[j], cross, before)
        for (i, j), cross, before in zip(wanted, joint.cross, joint.before, strict=False)
    )
    return JointSample(variance, kernel, tangents)


def _tangents(
    layer: Attention,
    first: Float[Array, "draw _ _ _"],
    second: Float[Array, "draw _ _ _"],
    cross: Float[Array, "_ _ _ _"],
    before: Float[Array, "_ _ _ _"],
) -> Float[Array, "_ _ _ _"]:
    """Sum over draws of the NTK of every pair of inputs."""
    blocks = cross.transpose(0, 2, 1, 3), before.transpose(0, 2, 1, 3)
    inner = jax.vmap(lambda *each: tangent(layer, *each), in_axes=(None, 0, 0, 0))
    outer = jax.vmap(inner, in_axes=(0, None, 0, 0))

    # One draw after another: all at once would hold an intermediate for each.
    def add(total: Array, drawn: tuple[Array, Array]) -> tuple[Array, None]:
        return total + outer(*drawn, *blocks), None

    start = jnp.zeros_like(jax.eval_shape(outer, first[0], second[0], *blocks))
    return jax.lax.scan(add, start, (first, second))[0].transpose(0, 2, 1, 3)
