"""Attention averaged over substitutions: what nets of points say about a set of templates.

Given the numbers of places and of regular tokens, wildcards are averaged over exactly
(`foretell.kernels.token_averages`). The rest is smooth, and sampled by scrambled Sobol nets.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from foretell.kernels.estimate import Show
from foretell.kernels.random_features import LIMIT, RandomFeatures, normal_points
from foretell.kernels.token_averages import Factors, factors, mean_attention, mean_square
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

Form = tuple[int, ...]  # regular tokens from 0 on, wildcards below 0

BATCH = 16  # points at once: each holds an integral for every template
CHUNK = 256  # points in one dispatch: nets of any size share its compilation


def checked(templates: Sequence[Form]) -> tuple[Form, ...]:
    """The templates, if a kernel can compare them."""
    forms = tuple(tuple(int(symbol) for symbol in form) for form in templates)
    lengths = sorted({len(form) for form in forms})
    if not forms or lengths == [0]:
        raise BadInput("there is no template, or an empty one", seen=forms)
    if len(lengths) > 1:
        raise BadInput(
            "templates have different lengths",
            seen=", ".join(map(str, lengths)),
            why="the kernel compares strings place by place",
            hint="fill the shorter ones with a regular token of their own",
        )
    return forms


class Shares(NamedTuple):
    """What each net of points says by itself, before the MLP."""

    attention: Float[np.ndarray, "draw label label"]  # N
    own: Float[np.ndarray, "draw label"]  # a string with itself


def replicate_matrices(
    kernel: RandomFeatures,
    forms: tuple[Form, ...],
    *,
    points: int,
    seed: int,
    replicates: int,
    show: Show | None = None,
) -> Shares:
    """N of attention, and the variances, from each net of points."""
    coded = _coded(forms)
    length = coded.token.shape[1]
    wildcards = max(1, int(coded.wildcard.max()) + 1)
    tables = factors(kernel.sharpness)
    kinds, kind = _kinds(forms)
    _check_memory(len(forms), length, wildcards, len(tables.line))
    dimension = length + int(coded.token.max()) + 1
    found = []
    with double_precision():
        for replicate in range(replicates):
            net = normal_points(dimension, points // replicates, seed, replicate)
            matrix, own = np.zeros((len(forms), len(forms))), np.zeros(len(forms))
            for part in np.split(net, range(CHUNK, len(net), CHUNK)):
                numbers = (kernel.sharpness, kernel.gamma, part)
                matrix += np.asarray(_matrix(wildcards, tables, coded, *numbers)) / len(net)
                own += np.asarray(_own(tables, kinds, *numbers))[kind] / len(net)
            found.append((matrix, own))
            if show is not None:
                show((replicate + 1) / replicates)
    return Shares(*(np.stack(each) for each in zip(*found, strict=True)))


class _Coded(NamedTuple):
    """Templates as arrays, with the token that attends at the end."""

    wildcard: Int[np.ndarray | Array, "*label length"]  # its number, or -1 at a regular token
    token: Int[np.ndarray | Array, "*label length"]  # the regular token's number, or -1


def _coded(forms: tuple[Form, ...]) -> _Coded:
    regular = sorted({symbol for form in forms for symbol in form if symbol >= 0})
    number = {token: place for place, token in enumerate(regular)}
    rows = []
    for form in forms:
        wild = dict.fromkeys(symbol for symbol in form if symbol < 0)
        order = {symbol: place for place, symbol in enumerate(wild)}
        wildcards = [*(order.get(symbol, -1) for symbol in form), -1]
        rows.append((wildcards, [*(number.get(symbol, -1) for symbol in form), len(regular)]))
    return _Coded(*(np.array(each) for each in zip(*rows, strict=True)))


def _kinds(
    forms: tuple[Form, ...],
) -> tuple[Int[np.ndarray, "_ length"], Int[np.ndarray, " label"]]:
    """Strings, one for each way to repeat tokens, and which of them each template is like.

    Places are alike, and so are tokens where a string meets itself: it only matters how often each
    token occurs. Many templates share few such strings.
    """
    often = [(*sorted(collections.Counter(form).values()), 1) for form in forms]
    kinds = list(dict.fromkeys(often))
    strings = [np.repeat(np.arange(len(kind)), kind) for kind in kinds]
    return np.stack(strings), np.array([kinds.index(each) for each in often])


@functools.partial(jax.jit, static_argnums=0)
def _matrix(
    wildcards: int,
    tables: Factors,
    coded: _Coded,
    sharpness: Float[Array, ""],
    gamma: Float[Array, ""],
    normals: Float[Array, "draw _"],
) -> Float[Array, "label label"]:
    """The sum of N over some points."""
    length = coded.token.shape[1]
    tokens = normals.shape[1] - length

    def one(normal: Float[Array, " _"]) -> Float[Array, "label _"]:
        by_place, by_token = gamma * normal[:length], normal[length:]

        def template(coded: _Coded) -> Float[Array, " _"]:
            given = jnp.where(coded.token >= 0, by_token[coded.token], 0.0)
            scores = sharpness * (by_place + given)
            mean = mean_attention(tables, coded.wildcard, scores, wildcards)
            onto = jax.nn.one_hot(coded.token, tokens, dtype=mean.dtype).T @ mean
            return jnp.concatenate([gamma * mean, onto])

        return jax.vmap(template)(coded)

    features = jax.lax.map(one, normals, batch_size=BATCH)
    return jnp.einsum("dif,djf->ij", features, features)


@jax.jit
def _own(
    tables: Factors,
    strings: Int[Array, "batch length"],
    sharpness: Float[Array, ""],
    gamma: Float[Array, ""],
    normals: Float[Array, "draw _"],
) -> Float[Array, " batch"]:
    """The sum over some points of the attention kernel of each string with itself."""

    def one(normal: Float[Array, " _"]) -> Float[Array, " batch"]:
        scores = sharpness * gamma * normal[: strings.shape[1]]
        return jax.vmap(lambda string: mean_square(tables, string, scores, gamma))(strings)

    return jax.lax.map(one, normals, batch_size=BATCH).sum(axis=0)


def _check_memory(templates: int, length: int, wildcards: int, line: int) -> None:
    """Refuse what would not fit, and say how much it would take."""
    needed = 8.0 * BATCH * templates * line * (length**2 + wildcards**2 + 9 * length)
    if needed > LIMIT:
        raise BadInput(
            "the templates do not fit into memory",
            seen=f"{templates:,} templates of {length - 1:,} symbols, {line:,} points of a line",
            why=f"it would take {needed / 1e9:,.1f} GB, and {LIMIT / 1e9:,.0f} GB is the limit",
            hint="fewer or shorter templates, or a smaller beta",
        )
