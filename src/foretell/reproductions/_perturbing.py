"""The Hessian's trace of explicit transformers under noise, many functions as one program.

The Hessian of a squared error is 2 E[∇f ∇fᵀ] + 2 E[(f - y) ∇²f]. The first trace is the mean
squared gradient, exact for the price of one gradient an input. Only the second is estimated, with
random signs of its own at each input and the same ones for all noise: the residual that weighs it
is small, so that little is left to chance. (Estimating the whole trace at once would be far noisier
than the changes looked for; an exact one needs as many products as there are weights.)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Int, Key

from foretell.boolean.drawing import draw_expansion
from foretell.constructions.flat import FlatWeights, build_flat, parameter_count
from foretell.constructions.flat_forward import flat_output, squared_error
from foretell.numerics.keys import key_for, root_key
from foretell.numerics.perturbation import noisy

Data = tuple[Int[Array, "batch bit"], Float[Array, " batch"]]


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Everything that the classes of one program have in common."""

    bits: int
    degree: int
    deviations: tuple[float, ...]  # standard deviations of the noise on every weight
    draws: int  # directions of noise
    inputs: int  # random ones, over which loss and trace are means
    signs: int  # products with the Hessian at each input


class Found(NamedTuple):
    """Trace and loss of each function without noise, and of each draw with it.

    The loss of a draw is the mean of those at θ + ε and θ - ε: on average the same, and without
    what is linear in ε, which would drown what is quadratic where θ does not fit exactly.
    """

    trace: Float[np.ndarray, " member"]
    loss: Float[np.ndarray, " member"]
    traces: Float[np.ndarray, "member size draw"]
    losses: Float[np.ndarray, "member size draw"]


class Point(NamedTuple):
    """Trace and loss at one point in the space of weights."""

    trace: Float[Array, "*member"]
    loss: Float[Array, "*member"]


def perturb(
    noise: Noise,
    members: Sequence[tuple[int, int]],
    show: Callable[[int, float], None] = lambda done, loss: None,
) -> Found:
    """Put noise on the transformers of some functions, each given as its sparsity and seed."""
    expansions = [draw_expansion(noise.bits, noise.degree, *each) for each in members]
    root = key_for(root_key(0), "perturbed trace")
    keys = jnp.stack([key_for(root, "noise", *each) for each in members])
    built = [build_flat(each) for each in expansions]
    weights = FlatWeights(
        *(jnp.asarray(np.stack(block), jnp.float32) for block in zip(*built, strict=True))
    )
    inputs = np.random.default_rng(0).integers(0, 2, (noise.inputs, noise.bits))
    targets = np.stack([each(inputs) for each in expansions])
    data = jnp.asarray(inputs), jnp.asarray(targets, jnp.float32)
    shape = (noise.inputs, noise.signs, parameter_count(built[0]))
    signs = jax.random.rademacher(key_for(root, "signs"), shape, jnp.float32)
    rows = []
    # The first is without noise; its draws are all the same, and nothing more is compiled.
    for done, deviation in enumerate((0.0, *noise.deviations)):
        found = _at_noise(noise.draws, keys, weights, data, signs, jnp.asarray(deviation))
        rows.append(jax.tree.map(np.asarray, found))
        show(done, float(rows[-1].loss.mean()))
    base, *rows = rows
    return Found(
        base.trace[:, 0],
        base.loss[:, 0],
        np.stack([row.trace for row in rows], axis=1),
        np.stack([row.loss for row in rows], axis=1),
    )


@functools.partial(jax.jit, static_argnums=0)
def _at_noise(
    draws: int,
    keys: Key[Array, " member"],
    members: FlatWeights,
    data: Data,
    signs: Float[Array, "batch draw parameter"],
    deviation: Float[Array, ""],
) -> Point:
    """Each member at each draw; a draw is one direction, whatever the deviation."""
    inputs, targets = data

    def one(draw: Int[Array, ""]) -> Point:
        def at(key: Key[Array, ""], weights: FlatWeights, own: Float[Array, " batch"]) -> Point:
            found = trace_and_loss(noisy(weights, key, (deviation, draw)), (inputs, own), signs)
            mirrored = squared_error(noisy(weights, key, (-deviation, draw)), (inputs, own))
            return Point(found.trace, (found.loss + mirrored) / 2)

        return jax.vmap(at)(keys, members, targets)

    # One draw at a time: all functions together fill the machine.
    found = jax.lax.map(one, jnp.arange(draws))
    return jax.tree.map(lambda each: each.T, found)


def trace_and_loss(
    weights: FlatWeights, data: Data, signs: Float[Array, "batch draw parameter"]
) -> Point:
    """The trace of the squared error's Hessian over the inputs, and the error itself."""
    start, rebuild = ravel_pytree(weights)

    def at(
        bits: Int[Array, " bit"], target: Float[Array, ""], own: Float[Array, "draw parameter"]
    ) -> tuple[Float[Array, ""], Float[Array, ""]]:
        def output(vector: Float[Array, " parameter"]) -> Float[Array, ""]:
            return flat_output(rebuild(vector), bits)

        def bent(along: Float[Array, " parameter"]) -> Float[Array, ""]:
            def slope(vector: Float[Array, " parameter"]) -> Float[Array, ""]:
                return jax.jvp(output, (vector,), (along,))[1]

            return jax.jvp(slope, (start,), (along,))[1]

        value, gradient = jax.value_and_grad(output)(start)
        residual = value - target
        curved = jnp.mean(jax.vmap(bent)(own))
        return 2 * (gradient @ gradient + residual * curved), jnp.square(residual)

    inputs, targets = data
    found, losses = jax.vmap(at)(inputs, targets, signs)
    return Point(found.mean(), losses.mean())
