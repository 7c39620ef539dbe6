"""What random noise on the weights does to a loss and to the trace of its Hessian."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Int, Key

from foretell.numerics.curvature import AT_ONCE, Loss, Parameters, estimate, in_blocks
from foretell.numerics.keys import key_for

Case = tuple[Float[Array, ""], Int[Array, ""]]  # standard deviation, number of the draw
Cases = tuple[Float[Array, " batch"], Int[Array, " batch"]]


class Perturbed(NamedTuple):
    """Traces and losses of each member with noise; a row for each standard deviation.

    `change` is the absolute difference of the trace to the one without noise. The random signs of
    an estimated trace are the same on both sides, so that only the noise makes a difference.
    """

    trace: Float[Array, "*member"]
    loss: Float[Array, "*member"]
    change: Float[Array, "*member size draw"]
    losses: Float[Array, "*member size draw"]


@functools.partial(
    jax.jit,
    static_argnums=(0, 5),
    static_argnames=("method", "products", "own_data", "at_once"),
)
def perturbed_traces(
    loss: Loss[Parameters],
    members: Parameters,
    data: Any,
    key: Key[Array, ""],
    deviations: Float[Array, " size"],
    draws: int,
    *,
    method: str = "exact",
    products: int = 100,
    own_data: bool = False,
    at_once: int = AT_ONCE,
) -> Perturbed:
    """|Tr H(θ + ε) - Tr H(θ)| and the loss at θ + ε, for normal ε of each standard deviation.

    Members are stacked along a leading axis. A draw is one direction of noise, scaled to each
    deviation in turn. `products` is the budget of one estimated trace.
    """
    share = max(1, at_once // jax.tree.leaves(members)[0].shape[0])

    def one(parameters: Parameters, own: Any, number: Int[Array, ""]) -> Perturbed:
        own_key = key_for(key, "member", number)

        def moved(case: Case) -> tuple[Float[Array, ""], Float[Array, ""]]:
            there = noisy(parameters, own_key, case)
            signs = key_for(own_key, "trace")
            found = estimate(loss, there, own, signs, products, method, share)
            return found.value, loss(there, own)

        # one case more, without noise, so that the trace is compiled once
        scales, numbers = _grid(deviations, draws)
        cases = jnp.append(scales, 0.0), jnp.append(numbers, 0)
        values, losses = jax.lax.map(moved, cases)
        shape = (len(deviations), draws)
        change = jnp.abs(values[:-1] - values[-1])
        return Perturbed(values[-1], losses[-1], change.reshape(shape), losses[:-1].reshape(shape))

    return _over_members(one, members, data, own_data)


@functools.partial(jax.jit, static_argnums=(0, 5), static_argnames=("own_data", "at_once"))
def perturbed_losses(
    loss: Loss[Parameters],
    members: Parameters,
    data: Any,
    key: Key[Array, ""],
    deviations: Float[Array, " size"],
    draws: int,
    *,
    own_data: bool = False,
    at_once: int = AT_ONCE,
) -> Float[Array, "*member size draw"]:
    """The loss at θ + ε alone, for many more draws; the first are those of `perturbed_traces`."""

    def one(parameters: Parameters, own: Any, number: Int[Array, ""]) -> Float[Array, "size draw"]:
        own_key = key_for(key, "member", number)
        found = in_blocks(
            lambda case: loss(noisy(parameters, own_key, case), own),
            _grid(deviations, draws),
            at_once,
        )
        return found.reshape(len(deviations), draws)

    return _over_members(one, members, data, own_data)


def noisy(parameters: Parameters, key: Key[Array, ""], case: Case) -> Parameters:
    """The parameters with normal noise of a standard deviation, in the direction of a draw."""
    deviation, draw = case
    start, rebuild = ravel_pytree(parameters)
    noise = jax.random.normal(key_for(key, "noise", draw), start.shape, start.dtype)
    return rebuild(start + deviation.astype(start.dtype) * noise)


def _grid(deviations: Float[Array, " size"], draws: int) -> Cases:
    """Every deviation with every draw, as two flat arrays."""
    scales, numbers = jnp.meshgrid(deviations, jnp.arange(draws), indexing="ij")
    return scales.ravel(), numbers.ravel()


def _over_members(one: Callable[..., Any], members: Any, data: Any, own_data: bool) -> Any:
    count = jax.tree.leaves(members)[0].shape[0]
    return jax.vmap(one, (0, 0 if own_data else None, 0))(members, data, jnp.arange(count))
