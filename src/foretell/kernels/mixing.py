"""The pointwise nonlinearity and the linear map after attention, on covariances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from jaxtyping import Array, Float

from foretell.kernels.duals import Activation


@final
@dataclass(frozen=True)
class Mixing:
    """h = √weight_variance · W φ(z) / √width + √bias_variance · bias, token by token."""

    activation: Activation
    weight_variance: float = 1.0
    bias_variance: float = 0.0

    def covariance(
        self,
        first: Float[Array, "..."],
        second: Float[Array, "..."],
        cross: Float[Array, "..."],
    ) -> Float[Array, "..."]:
        """Covariances of h from the variances of z and its covariances `cross`."""
        dual = self.activation.dual(first, second, cross)
        return self.weight_variance * dual + self.bias_variance

    def tangent(
        self,
        first: Float[Array, "..."],
        second: Float[Array, "..."],
        cross: Float[Array, "..."],
        before: Float[Array, "..."],
    ) -> Float[Array, "..."]:
        """NTK of h from that of z, `before`."""
        slope = self.activation.derivative_dual(first, second, cross)
        return self.weight_variance * slope * before + self.covariance(first, second, cross)
