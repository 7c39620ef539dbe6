"""The kernel of a one-layer transformer of which only the last weights are trained.

A string attends from its last token. With independent standard normal numbers g for every token
and p for every place, place i of a string x scores β (g[x_i] + γ p[i]); softmax makes weights of
the scores. The attention kernel of two strings is the mean, over g and p, of the inner product of
what they attend to: Σ a_i b_j [x_i = y_j] + γ² Σ a_i b_i. The MLP turns it into its dual
(`foretell.kernels.duals`). Every estimate here is a mean of Gram matrices over one sample of g and
p for all strings, so it is positive semidefinite whatever the number of draws.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int
from scipy import special
from scipy.stats import qmc

from foretell.kernels.duals import Activation
from foretell.kernels.estimate import Estimate, Show
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

Strings = Int[np.ndarray, "batch length"]
Normals = Float[np.ndarray, "draw width"]

REPLICATES = 16  # independent nets of points; their spread is the error
DRAWS = 2**14
LIMIT = 8e9  # bytes that a Gram matrix may hold while it is computed
CHUNK = 2**25  # attention weights held at once


@final
@dataclass(frozen=True)
class RandomFeatures:
    """A random-features transformer: how sharply it attends, and how much to places.

    `beta` multiplies the scores, `gamma` the position embeddings. `activation` is the MLP's; None
    stops after attention. In a network whose embeddings are all standard normal, the query's own
    norm multiplies the covariance of the scores by 1 + γ²: `query_norm` puts that factor in, which
    is the same as `beta` times √(1 + γ²).

    >>> round(RandomFeatures(beta=2.0, gamma=0.75, query_norm=True).sharpness, 3)
    2.5
    """

    beta: float
    gamma: float
    activation: Activation | None = None
    query_norm: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.beta) and math.isfinite(self.gamma)):
            raise BadInput(
                "beta and gamma are finite numbers",
                seen=f"beta = {self.beta}, gamma = {self.gamma}",
            )

    @property
    def sharpness(self) -> float:
        """What the scores are multiplied with, all told; its sign says nothing."""
        factor = math.sqrt(1 + self.gamma**2) if self.query_norm else 1.0
        return abs(self.beta) * factor

    def after_attention(self, attention: Float[np.ndarray, "batch batch"]) -> np.ndarray:
        """The kernel after the MLP, from the attention kernel of the same strings."""
        own = np.diagonal(attention)
        return self.after(own[:, None], own[None, :], attention)

    def after(self, a: np.ndarray, b: np.ndarray, r: np.ndarray) -> np.ndarray:
        """The kernel after the MLP, from variances and covariance of attention."""
        if self.activation is None:
            return np.array(np.broadcast_arrays(a, b, r)[2])
        with double_precision():
            return np.asarray(self.activation.dual(np.asarray(a), np.asarray(b), np.asarray(r)))


def closed(strings: Strings) -> Int[np.ndarray, "batch _"]:
    """The strings with one more token at the end, the same for all and in none of them.

    >>> closed(np.array([[0, 0], [0, 1]])).tolist()
    [[0, 0, 2], [0, 1, 2]]
    """
    strings = _checked(strings)
    last = np.full((len(strings), 1), strings.max() + 1)
    return np.concatenate([strings, last], axis=1)


def gram(
    kernel: RandomFeatures,
    strings: Strings,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    replicates: int = REPLICATES,
    show: Show | None = None,
) -> Estimate:
    """The kernel between all strings, with the standard error of every entry.

    A string is a row of token numbers, its last token the one that attends: `closed` adds it.
    `draws` are spread over `replicates` independent scrambled Sobol nets. After an MLP the errors
    are the jackknife's over nets, for the dual bends what it is given. `show` hears which share of
    the work is done.
    """
    strings = _checked(strings)
    shares = replicate_grams(
        kernel, strings, draws=draws, seed=seed, replicates=replicates, show=show
    )
    mean = shares.mean(axis=0)
    count = len(shares)
    if kernel.activation is None:
        error = shares.std(axis=0, ddof=1) / math.sqrt(count)
        return Estimate(mean, error, draws)
    total = np.zeros_like(mean)
    squares = np.zeros_like(mean)
    for share in shares:
        without = kernel.after_attention(mean + (mean - share) / (count - 1))
        total += without
        squares += without**2
    spread = np.maximum(squares - total**2 / count, 0.0) * (count - 1) / count
    return Estimate(kernel.after_attention(mean), np.sqrt(spread), draws)


def replicate_grams(
    kernel: RandomFeatures,
    strings: Strings,
    *,
    draws: int,
    seed: int,
    replicates: int,
    show: Show | None = None,
) -> Float[np.ndarray, "draw batch batch"]:
    """The attention kernel from each net of points by itself."""
    tokens, places = np.unique(strings, return_inverse=True)
    index = places.reshape(strings.shape)
    count, length = strings.shape
    if replicates < 2 or draws < replicates:
        raise BadInput(
            "an error needs two nets of points, and every net a point",
            seen=f"{draws} draws, {replicates} nets",
        )
    points = draws // replicates
    _check_memory(count, len(tokens), length, points, replicates)
    chunk = max(1, min(points, CHUNK // (count * length)))
    found = np.zeros((replicates, count, count))
    by_pairs = length * (length + 1) // 2 < len(tokens)
    with double_precision():
        for replicate in range(replicates):
            normals = normal_points(len(tokens) + length, points, seed, replicate)
            for start in range(0, points, chunk):
                part = normals[start : start + chunk]
                found[replicate] += np.asarray(
                    _sum_of_grams(
                        by_pairs, len(tokens), index, kernel.sharpness, kernel.gamma, part
                    )
                )
            if show is not None:
                show((replicate + 1) / replicates)
    return found / points


def normal_points(dimension: int, points: int, seed: int, replicate: int = 0) -> Normals:
    """Points of a scrambled Sobol net, as standard normal numbers; every replicate another net.

    >>> normal_points(2, 4, seed=0).shape
    (4, 2)
    """
    if dimension > qmc.Sobol.MAXDIM:
        raise BadInput(
            "too many random numbers for one draw",
            seen=dimension,
            why=f"Sobol nets have at most {qmc.Sobol.MAXDIM:,} dimensions",
            hint="fewer different tokens, or shorter strings",
        )
    if points < 1:
        raise BadInput("a net of points has at least one", seen=points)
    generator = np.random.default_rng([seed, replicate])
    net = qmc.Sobol(dimension, scramble=True, seed=generator)
    drawn = net.random_base2(math.ceil(math.log2(points)))[:points]
    return special.ndtri(np.clip(drawn, 2.0**-32, 1 - 2.0**-32))


@functools.partial(jax.jit, static_argnums=(0, 1))
def _sum_of_grams(
    by_pairs: bool,
    tokens: int,
    index: Int[Array, "batch length"],
    sharpness: Float[Array, ""],
    gamma: Float[Array, ""],
    normals: Float[Array, "draw _"],
) -> Float[Array, "batch batch"]:
    """Sum over draws of the Gram matrix of attended features."""
    of_token, of_place = normals[:, :tokens], normals[:, tokens:]
    weights = jax.vmap(_attention, in_axes=(None, 0, 0, None, None))(
        index, of_token, of_place, sharpness, gamma
    )
    by_place = gamma**2 * jnp.einsum("dna,dma->nm", weights, weights)
    if by_pairs:
        return by_place + _shared_by_pairs(index, weights)
    # Attention that each token gets: few tokens make these features short.
    onto = jax.nn.one_hot(index, tokens, dtype=weights.dtype)
    by_token = jnp.einsum("dna,nat->dnt", weights, onto)
    return by_place + jnp.einsum("dnt,dmt->nm", by_token, by_token)


def _attention(
    index: Int[Array, "batch length"],
    of_token: Float[Array, " token"],
    of_place: Float[Array, " length"],
    sharpness: Float[Array, ""],
    gamma: Float[Array, ""],
) -> Float[Array, "batch length"]:
    """Weights of every string under one draw."""
    return jax.nn.softmax(sharpness * (of_token[index] + gamma * of_place), axis=1)


def _shared_by_pairs(
    index: Int[Array, "batch length"], weights: Float[Array, "draw batch length"]
) -> Float[Array, "batch batch"]:
    """Σ over draws and pairs of places of a_i b_j [x_i = y_j]: for short strings of many tokens."""
    length = index.shape[1]
    first, second = np.triu_indices(length)
    by_place = jnp.moveaxis(weights, 2, 0)

    def step(
        total: Float[Array, "batch batch"], pair: tuple[Int[Array, ""], Int[Array, ""]]
    ) -> tuple[Float[Array, "batch batch"], None]:
        i, j = pair
        same = index[:, i][:, None] == index[:, j][None, :]
        found = jnp.where(same, by_place[i].T @ by_place[j], 0.0)
        return total + jnp.where(i == j, found, found + found.T), None

    start = jnp.zeros((len(index), len(index)), weights.dtype)
    return jax.lax.scan(step, start, (jnp.asarray(first), jnp.asarray(second)))[0]


def by_quadrature(
    kernel: RandomFeatures,
    first: Int[np.ndarray, " length"],
    second: Int[np.ndarray, " length"],
    *,
    nodes: int = 12,
) -> float:
    """The attention kernel of two short strings by Gauss-Hermite quadrature in every direction.

    Slow and plain, to check the rest against: nodes ** (tokens + places) points.
    """
    strings = _checked(np.stack([first, second]))
    tokens, places = np.unique(strings, return_inverse=True)
    dimension, length = len(tokens) + strings.shape[1], strings.shape[1]
    if dimension * math.log2(nodes) > 24:
        raise BadInput(
            "too many points for quadrature",
            seen=f"{nodes} ** {dimension}",
            hint="fewer nodes, shorter strings, or `gram`",
        )
    points, weights = np.polynomial.hermite_e.hermegauss(nodes)
    weights = weights / weights.sum()
    grid = np.stack(np.meshgrid(*[points] * dimension, indexing="ij"), axis=-1)
    normals = grid.reshape(-1, dimension)
    weight = functools.reduce(np.multiply.outer, [weights] * dimension).ravel()
    scores = normals[:, places.reshape(2, length)]
    scores = kernel.sharpness * (scores + kernel.gamma * normals[:, None, len(tokens) :])
    attention = special.softmax(scores, axis=2)
    shared = (strings[0][:, None] == strings[1][None, :]) + kernel.gamma**2 * np.eye(length)
    return float(np.einsum("d,da,ab,db->", weight, attention[:, 0], shared, attention[:, 1]))


def _checked(strings: Int[np.ndarray, "..."]) -> Strings:
    if strings.ndim != 2 or 0 in strings.shape:
        raise BadInput(
            "strings come as rows of token numbers, all of one length", seen=strings.shape
        )
    return strings


def _check_memory(count: int, tokens: int, length: int, points: int, replicates: int) -> None:
    """Refuse what would not fit, and say how much it would take."""
    grams = 8.0 * (replicates + 6) * count**2
    held = min(float(CHUNK), float(points) * count * length)
    needed = grams + 24.0 * held + 16.0 * points * (tokens + length)
    if needed > LIMIT:
        raise BadInput(
            "the Gram matrix does not fit into memory",
            seen=f"{count:,} strings of {length:,} tokens, {tokens:,} of them different",
            why=f"it would take {needed / 1e9:,.1f} GB, and {LIMIT / 1e9:,.0f} GB is the limit",
            hint="fewer strings, fewer draws, or fewer replicates",
        )
