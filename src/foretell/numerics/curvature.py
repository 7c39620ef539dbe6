"""The trace of a loss's Hessian, exact or estimated, for one model or a whole fleet.

A loss is any pure function of a pytree of parameters and some data. The Hessian is never written
down: forward over reverse differentiation gives its product with a vector, and everything here is
made of such products. A block is a top-level field of the parameters; each has a trace of its own,
and they add up.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Int, Key
from scipy import stats

from foretell.numerics.intervals import LEVEL
from foretell.numerics.keys import key_for
from foretell.plain.errors import BadInput

Parameters = TypeVar("Parameters")
Loss = Callable[[Parameters, Any], Float[Array, ""]]
Output = Callable[[Parameters, Any], Float[Array, ""]]
Vector = Float[Array, " parameter"]

AT_ONCE = 16  # products with the Hessian side by side; more need more memory


class Trace(NamedTuple):
    """A trace with its standard error, 95 % interval, and one trace a block.

    An exact trace has error 0 and an interval of one point.
    """

    value: Float[Array, "*member"]
    error: Float[Array, "*member"]
    low: Float[Array, "*member"]
    high: Float[Array, "*member"]
    blocks: dict[str, Float[Array, "*member"]]


class GradientNorms(NamedTuple):
    """Squared norms of an output's gradient at each example, one row a block."""

    blocks: dict[str, Float[Array, "*member batch"]]

    @property
    def total(self) -> Float[Array, "*member batch"]:
        """Over all parameters, at each example."""
        return jnp.sum(jnp.stack(list(self.blocks.values())), axis=0)

    @property
    def mean(self) -> dict[str, Float[Array, "*member"]]:
        """Of each block, over examples."""
        return {name: each.mean(axis=-1) for name, each in self.blocks.items()}

    @property
    def largest(self) -> dict[str, Float[Array, "*member"]]:
        """Of each block, over examples."""
        return {name: each.max(axis=-1) for name, each in self.blocks.items()}


def hessian_product(
    loss: Loss[Parameters], parameters: Parameters, data: Any
) -> tuple[Callable[[Vector], Vector], Vector]:
    """The map from a vector to the Hessian times it, and the parameters as a vector."""
    start, rebuild = ravel_pytree(parameters)
    gradient = jax.grad(lambda vector: loss(rebuild(vector), data))

    def product(direction: Vector) -> Vector:
        return jax.jvp(gradient, (start,), (direction,))[1]

    return product, start


def hessian_diagonal(
    loss: Loss[Parameters], parameters: Parameters, data: Any, at_once: int = AT_ONCE
) -> Vector:
    """The diagonal of the Hessian, column by column: as many products as parameters."""
    product, start = hessian_product(loss, parameters, data)

    def entry(place: Int[Array, ""]) -> Float[Array, ""]:
        return product(jnp.zeros_like(start).at[place].set(1.0))[place]

    return in_blocks(entry, jnp.arange(start.size), at_once)


def exact_trace(
    loss: Loss[Parameters], parameters: Parameters, data: Any, at_once: int = AT_ONCE
) -> Trace:
    """The trace, for models of some thousand parameters.

    >>> loss = lambda weights, data: jnp.sum(data * weights["a"] ** 2) + weights["b"] ** 3
    >>> found = exact_trace(loss, {"a": jnp.ones(2), "b": jnp.ones(())}, jnp.array([1.0, 4.0]))
    >>> {name: float(each) for name, each in found.blocks.items()}, float(found.value)
    ({'a': 10.0, 'b': 6.0}, 16.0)
    """
    diagonal = hessian_diagonal(loss, parameters, data, at_once)
    value = jnp.sum(diagonal)
    return Trace(value, jnp.zeros_like(value), value, value, by_block(parameters, diagonal))


def hutchinson(
    loss: Loss[Parameters],
    parameters: Parameters,
    data: Any,
    key: Key[Array, ""],
    draws: int,
    at_once: int = AT_ONCE,
) -> Trace:
    """The mean of z·Hz over random signs z: unbiased, error as one over the root of `draws`."""
    _enough(draws, 2, "Hutchinson's estimate")
    product, start = hessian_product(loss, parameters, data)

    def one(number: Int[Array, ""]) -> dict[str, Float[Array, ""]]:
        signs = _signs(key, number, start)
        return by_block(parameters, signs * product(signs))

    found = in_blocks(one, jnp.arange(draws), at_once)
    fixed = dict.fromkeys(found, jnp.zeros((), start.dtype))
    return _with_interval(fixed, found, draws)


def hutch_plus_plus(
    loss: Loss[Parameters],
    parameters: Parameters,
    data: Any,
    key: Key[Array, ""],
    draws: int,
    at_once: int = AT_ONCE,
) -> Trace:
    """Exact on a subspace that the Hessian prefers, Hutchinson's estimate on the rest.

    A third of `draws` products finds the subspace, a third is spent in it, the rest outside. Much
    better where few eigenvalues carry the trace, no worse elsewhere but for the products spent.
    With Q for the basis and R for the projection that removes it, H is R H R and terms with Q
    that HQ gives exactly; so blocks are unbiased as well.
    """
    _enough(draws, 6, "the estimate by Hutch++")
    product, start = hessian_product(loss, parameters, data)
    side = min(draws // 3, start.size)
    sketch = jax.vmap(lambda n: _signs(key_for(key, "sketch"), n, start))(jnp.arange(side))
    basis = jnp.linalg.qr(in_blocks(product, sketch, at_once).T)[0].T
    image = in_blocks(product, basis, at_once)
    inner = basis @ image.T
    exact = jnp.sum(2 * basis * image - (inner.T @ basis) * basis, axis=0)

    def outside(vector: Vector) -> Vector:
        return vector - (basis @ vector) @ basis

    def one(number: Int[Array, ""]) -> dict[str, Float[Array, ""]]:
        signs = _signs(key_for(key, "outside"), number, start)
        return by_block(parameters, signs * outside(product(outside(signs))))

    left = draws - 2 * side
    found = in_blocks(one, jnp.arange(left), at_once)
    return _with_interval(by_block(parameters, exact), found, left)


@functools.partial(
    jax.jit, static_argnums=(0, 4), static_argnames=("method", "own_data", "at_once")
)
def traces(
    loss: Loss[Parameters],
    members: Parameters,
    data: Any,
    key: Key[Array, ""],
    draws: int,
    *,
    method: str = "hutchinson",
    own_data: bool = False,
    at_once: int = AT_ONCE,
) -> Trace:
    """The trace of each member of a fleet, as one program compiled once for all.

    Members are stacked along a leading axis, and `own_data` says that the data are, too. A
    member's draws depend on its place and the key alone. `at_once` counts over the whole fleet.
    """
    count = jax.tree.leaves(members)[0].shape[0]
    share = max(1, at_once // count)

    def one(parameters: Parameters, own: Any, number: Int[Array, ""]) -> Trace:
        its_key = key_for(key, "member", number)
        return estimate(loss, parameters, own, its_key, draws, method, share)

    return jax.vmap(one, (0, 0 if own_data else None, 0))(members, data, jnp.arange(count))


@functools.partial(jax.jit, static_argnums=(0, 4, 5, 6))
def estimate(
    loss: Loss[Parameters],
    parameters: Parameters,
    data: Any,
    key: Key[Array, ""],
    draws: int,
    method: str = "hutchinson",
    at_once: int = AT_ONCE,
) -> Trace:
    """The trace of one model by the method of that name; an exact one needs no draws."""
    if method == "exact":
        return exact_trace(loss, parameters, data, at_once)
    if method not in ESTIMATORS:
        names = ("exact", *ESTIMATORS)
        raise BadInput("no such estimate of a trace", seen=method, hint=" or ".join(names))
    return ESTIMATORS[method](loss, parameters, data, key, draws, at_once)


@functools.partial(jax.jit, static_argnums=0, static_argnames="at_once")
def gradient_norms(
    output: Output[Parameters], parameters: Parameters, inputs: Any, at_once: int = 256
) -> GradientNorms:
    """Squared gradient norms of a scalar output, by block and example.

    Where a squared loss is 0, its Hessian's trace is twice the mean of their total.
    """
    gradient = jax.grad(output)

    def one(example: Any) -> dict[str, Float[Array, ""]]:
        found = gradient(parameters, example)
        return by_block(found, jnp.square(ravel_pytree(found)[0]))

    return GradientNorms(in_blocks(one, inputs, at_once))


def by_block(parameters: Any, vector: Vector) -> dict[str, Float[Array, ""]]:
    """Sums of a flat vector's entries over each top-level field of the parameters.

    >>> {name: float(each) for name, each in by_block((jnp.ones(2), 1.0), jnp.arange(3.0)).items()}
    {'0': 1.0, '1': 2.0}
    """
    sums: dict[str, Float[Array, ""]] = {}
    begin = 0
    for path, leaf in jax.tree_util.tree_leaves_with_path(parameters):
        name = jax.tree_util.keystr(path[:1], simple=True) or "all"
        end = begin + jnp.size(leaf)
        part = jnp.sum(vector[begin:end])
        sums[name] = sums[name] + part if name in sums else part
        begin = end
    return sums


def in_blocks(function: Callable[[Any], Any], cases: Any, at_once: int) -> Any:
    """`vmap` over the leading axis in blocks of equal size, at most `at_once` cases each.

    The last block is filled up with its last case rather than compiled for a size of its own.
    """
    count = jax.tree.leaves(cases)[0].shape[0]
    blocks = -(-count // at_once)
    if blocks == 1:
        return jax.vmap(function)(cases)
    size = -(-count // blocks)
    places = jnp.minimum(jnp.arange(blocks * size), count - 1).reshape(blocks, size)
    found = jax.lax.map(
        lambda chosen: jax.vmap(function)(jax.tree.map(lambda each: each[chosen], cases)), places
    )
    return jax.tree.map(lambda each: each.reshape(blocks * size, *each.shape[2:])[:count], found)


ESTIMATORS = {"hutchinson": hutchinson, "hutch++": hutch_plus_plus}


def _signs(key: Key[Array, ""], number: Int[Array, ""], like: Vector) -> Vector:
    return jax.random.rademacher(key_for(key, number), like.shape, like.dtype)


def _with_interval(
    fixed: dict[str, Float[Array, ""]], found: dict[str, Float[Array, " draw"]], draws: int
) -> Trace:
    """Means over draws on top of what is known, with Student's interval for the sum."""
    blocks = {name: fixed[name] + each.mean() for name, each in found.items()}
    total = jnp.sum(jnp.stack(list(found.values())), axis=0)
    value = jnp.sum(jnp.stack(list(blocks.values())))
    error = jnp.std(total, ddof=1) / jnp.sqrt(draws).astype(total.dtype)
    half = error * float(stats.t.ppf(0.5 + LEVEL / 2, draws - 1))
    return Trace(value, error, value - half, value + half, blocks)


def _enough(draws: int, least: int, what: str) -> None:
    if draws < least:
        raise BadInput(f"{what} needs more draws", seen=draws, why=f"at least {least}")
