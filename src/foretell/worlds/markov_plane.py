"""In the plane of `markov_energy`: the flow, integrated, and the slope out of the plane, read."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from foretell.worlds.binary_chain import entropy, entropy_rate
from foretell.worlds.markov_energy import chances_of_one, factor, gradient, loss

SHARE, STEPS = 0.06, 900  # of the time that the curvature allows; so many times


@jax.jit
def _flow(
    starts: Float[Array, "draw parameter"], switches: Float[Array, "draw state"]
) -> Float[Array, "draw ..."]:
    """Runge-Kutta steps of a length that every start chooses for itself, from the curvature."""

    def follow_one(start: Array, switch: Array) -> Array:
        p, q = switch

        def kept(point: Array) -> Array:
            return point[0] ** 2 - point[1] ** 2 - jnp.sign(point[1]) * jnp.log(jnp.abs(point[1]))

        def step(state: tuple[Array, Array], _: None) -> tuple[tuple[Array, Array], None]:
            point, drift = state
            bend = jnp.linalg.norm(jax.jacfwd(gradient)(point, p, q))
            time = SHARE / (bend + 1e-12)

            def stage(last: Array, reach: Array) -> tuple[Array, Array]:
                velocity = -gradient(point + reach * time * last, p, q)
                return velocity, velocity

            # four stages by a loop, not written out: they compile in a quarter of the time
            stages = jax.lax.scan(stage, jnp.zeros(2), jnp.array([0.0, 0.5, 0.5, 1.0]))[1]
            point = point + time * jnp.array([1.0, 2.0, 2.0, 1.0]) / 6 @ stages
            return (point, jnp.maximum(drift, jnp.abs(kept(point) - kept(start)))), None

        (end, drift), _ = jax.lax.scan(step, (start, jnp.zeros(())), length=STEPS)
        return jnp.concatenate([end, loss(end, p, q)[None], drift[None]])

    return jax.vmap(follow_one)(starts, switches)


def follow(
    starts: Float[np.ndarray, "draw parameter"], switches: Float[np.ndarray, "draw state"]
) -> Float[np.ndarray, "draw ..."]:
    """Where the flow leads from (e, w) on the chain (p, q): e, w, loss, and the energy's drift."""
    return np.asarray(_flow(jnp.asarray(starts), jnp.asarray(switches)))


def stuck_at(ends: Float[np.ndarray, "draw ..."], p: float, q: float) -> Bool[np.ndarray, " draw"]:
    """Nearer to the loss of the marginal than to the least one."""
    return ends[:, 2] > (entropy(p / (p + q)) + entropy_rate(p, q)) / 2


def read_attention_slope(
    point: Float[Array, " parameter"], p: Array, q: Array, length: int
) -> Float[Array, " length"]:
    """The same derivative, from the law of (last symbol, ones so far) carried along exactly."""
    e, w = point
    low = chances_of_one(factor(point), p, q)[0]
    bias = jnp.log(low) - jnp.log1p(-low) + e**2 / 2
    symbols, ones = jnp.arange(2.0)[:, None], jnp.arange(length + 1.0)
    truth = jnp.stack([p, 1 - q])[:, None]

    def step(law: Array, n: Array) -> tuple[Array, Array]:
        def surprise(a: Array) -> Array:
            stream = symbols - 0.5 + a * (ones / n - 0.5)
            logit = e**2 * (stream + 4 * w * jnp.abs(w) * jax.nn.relu(stream)) + bias
            return jnp.sum(law * (jax.nn.softplus(logit) - truth * logit))

        moved = jnp.stack(
            [law[0] * (1 - p) + law[1] * q, jnp.roll(law[0] * p + law[1] * (1 - q), 1)]
        )
        return moved, jax.jvp(surprise, (jnp.zeros_like(e),), (jnp.ones_like(e),))[1]

    first = jnp.zeros((2, length + 1)).at[0, 0].set(q / (p + q)).at[1, 1].set(p / (p + q))
    n = jnp.arange(1.0, length + 1)
    return jnp.cumsum(jax.lax.scan(step, first, n)[1]) / n


@jax.jit
def loss_and_gradients(
    points: Float[Array, "draw parameter"], p: Array, q: Array
) -> tuple[Float[Array, " draw"], Float[Array, "draw parameter"], Float[Array, "draw parameter"]]:
    """The loss, its gradient by differentiation, and the formula's."""
    losses, slopes = jax.vmap(lambda point: jax.value_and_grad(loss)(point, p, q))(points)
    return losses, slopes, jax.vmap(lambda point: gradient(point, p, q))(points)
