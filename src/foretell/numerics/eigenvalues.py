"""The largest eigenvalues of a loss's Hessian, by Lanczos with full reorthogonalisation."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from foretell.numerics.curvature import Loss, Parameters, Vector, hessian_product
from foretell.numerics.keys import key_for
from foretell.plain.errors import BadInput


class Eigenvalues(NamedTuple):
    """Some eigenvalues, largest first; within `residual` of each value there is one."""

    values: Float[Array, "*member size"]
    residual: Float[Array, "*member size"]


class _Basis(NamedTuple):
    """Orthonormal rows found so far, and the tridiagonal matrix they give."""

    rows: Float[Array, "size parameter"]
    diagonal: Float[Array, " size"]
    beside: Float[Array, " size"]  # of row n and row n + 1


@functools.partial(jax.jit, static_argnums=(0, 4, 5))
def largest_eigenvalues(
    loss: Loss[Parameters],
    parameters: Parameters,
    data: Any,
    key: Key[Array, ""],
    count: int,
    steps: int,
) -> Eigenvalues:
    """The `count` largest eigenvalues, from `steps` products with the Hessian.

    Where the search runs into an invariant subspace it goes on from a fresh direction, so that
    eigenvalues that repeat are found as often as they repeat, if there are steps left. Works under
    `vmap` over parameters and keys.

    >>> loss = lambda weights, data: jnp.sum(data * weights**2) / 2
    >>> scales = jnp.array([5.0, 1.0, 5.0, -2.0])
    >>> found = largest_eigenvalues(loss, jnp.ones(4), scales, jax.random.key(0), 3, 4)
    >>> [round(float(each), 4) for each in found.values]
    [5.0, 5.0, 1.0]
    """
    product, start = hessian_product(loss, parameters, data)
    steps = min(steps, start.size)
    if not 1 <= count <= steps:
        raise BadInput(
            "cannot give so many eigenvalues",
            seen=count,
            why=f"there are {start.size} parameters and {steps} steps",
            hint="more steps: several for each eigenvalue",
        )
    empty = _Basis(
        jnp.zeros((steps, start.size), start.dtype),
        jnp.zeros(steps, start.dtype),
        jnp.zeros(steps, start.dtype),
    )
    first = _fresh(key, jnp.int32(0), empty.rows)
    basis = empty._replace(rows=empty.rows.at[0].set(first))
    basis = jax.lax.fori_loop(0, steps, lambda n, now: _step(product, key, n, now), basis)
    off = basis.beside[:-1]
    values, vectors = jnp.linalg.eigh(
        jnp.diag(basis.diagonal) + jnp.diag(off, 1) + jnp.diag(off, -1)
    )
    residual = jnp.abs(basis.beside[-1] * vectors[-1])
    return Eigenvalues(values[::-1][:count], residual[::-1][:count])


def _step(product: Any, key: Key[Array, ""], number: Int[Array, ""], basis: _Basis) -> _Basis:
    rows, steps = basis.rows, len(basis.rows)
    image = product(rows[number])
    diagonal = image @ rows[number]
    left = _without(_without(image, rows), rows)  # twice is enough
    size = jnp.linalg.norm(left)
    scale = jnp.maximum(jnp.linalg.norm(image), jnp.max(jnp.abs(basis.diagonal)))
    ended = size <= 100 * jnp.finfo(left.dtype).eps * scale
    after = jnp.where(ended, _fresh(key, number + 1, rows), left / jnp.where(ended, 1.0, size))
    last = number + 1 == steps
    return _Basis(
        rows.at[jnp.minimum(number + 1, steps - 1)].set(jnp.where(last, rows[-1], after)),
        basis.diagonal.at[number].set(diagonal),
        basis.beside.at[number].set(jnp.where(ended, 0.0, size)),
    )


def _fresh(
    key: Key[Array, ""], number: Int[Array, ""], rows: Float[Array, "size parameter"]
) -> Vector:
    """A random unit vector orthogonal to all rows; rows not yet found are 0."""
    drawn = jax.random.normal(key_for(key, number), rows.shape[1:], rows.dtype)
    left = _without(_without(drawn, rows), rows)
    return left / jnp.linalg.norm(left)


def _without(vector: Vector, rows: Float[Array, "size parameter"]) -> Vector:
    return vector - (rows @ vector) @ rows
