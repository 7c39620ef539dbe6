"""The same function with smaller norm and curvature: move scale from one MLP matrix to the other.

A ReLU passes positive factors on, so input weights and biases times α with output weights over α
compute the same. Squared norm and squared gradients are then both of the form a + b α² + c / α².
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int
from scipy.optimize import minimize_scalar

from foretell.constructions.flat import FlatWeights, squared_norms
from foretell.constructions.flat_forward import flat_output
from foretell.numerics.curvature import gradient_norms
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput


class Rescaling(NamedTuple):
    """The best factors: for the norm, for the curvature, and for the product of both.

    The truncated PAC-Bayes bound grows with that product, so `balanced` is the one to take.
    """

    smallest_norm: float
    smallest_curvature: float
    balanced: float


class Shares(NamedTuple):
    """A quantity as a function of α: what stays, what grows with α², what falls with α²."""

    stays: float
    grows: float
    falls: float

    def at(self, alpha: int | float) -> float:
        """The quantity after rescaling."""
        return self.stays + self.grows * alpha**2 + self.falls / alpha**2

    @property
    def best(self) -> float:
        """The factor that makes it smallest."""
        return (self.falls / self.grows) ** 0.25


def rescaled(weights: FlatWeights, alpha: int | float) -> FlatWeights:
    """MLP input weights and biases times `alpha`, output weights over it."""
    if not 0 < alpha < np.inf:
        raise BadInput(
            "cannot rescale by this factor", seen=alpha, why="a ReLU passes on positive factors"
        )
    return weights._replace(
        mlp_in=alpha * weights.mlp_in,
        mlp_bias=alpha * weights.mlp_bias,
        mlp_out=weights.mlp_out / alpha,
    )


def norm_shares(weights: FlatWeights) -> Shares:
    """The squared norm as a function of the factor."""
    found = squared_norms(weights)
    grows, falls = found["mlp_in"] + found["mlp_bias"], found["mlp_out"]
    return Shares(sum(found.values()) - grows - falls, grows, falls)


def curvature_shares(weights: FlatWeights, inputs: Int[np.ndarray, "batch bit"]) -> Shares:
    """Twice the mean squared gradient norm of the output as a function of the factor.

    That is the Hessian's trace where the construction is exact.
    """
    with double_precision():
        exact: FlatWeights = jax.tree.map(jnp.asarray, weights)
        norms = gradient_norms(flat_output, exact, jnp.asarray(inputs))
        found = {name: 2 * float(each) for name, each in norms.mean.items()}
    grows, falls = found["mlp_out"], found["mlp_in"] + found["mlp_bias"]
    return Shares(sum(found.values()) - grows - falls, grows, falls)


def best_rescaling(weights: FlatWeights, inputs: Int[Array | np.ndarray, "batch bit"]) -> Rescaling:
    """The factors worth knowing, with curvature averaged over `inputs`.

    Between the best for the norm and the best for the curvature, one falls while the other grows:
    the product is smallest there.
    """
    norm, curvature = norm_shares(weights), curvature_shares(weights, np.asarray(inputs))
    ends = sorted(np.log([norm.best, curvature.best]))
    found = minimize_scalar(
        lambda log: np.log(norm.at(np.exp(log))) + np.log(curvature.at(np.exp(log))),
        bounds=ends,
        method="bounded",
        options={"xatol": 1e-6},
    )
    return Rescaling(norm.best, curvature.best, float(np.exp(found.x)))
