"""An infinitely wide transformer as a kernel: what it is, and its Gram matrix with error bars.

Block by block: attention without residual connections, then one pointwise nonlinearity and a
linear map. All weights are independent and standard normal, in the NTK parametrisation; heads and
width are infinite. The output is one coordinate of the last linear map.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from foretell.kernels.attention import Attention
from foretell.kernels.duals import RELU, Activation
from foretell.kernels.estimate import Estimate, Show, within
from foretell.kernels.joint_recursion import joint_memory, joint_recursion
from foretell.kernels.mixing import Mixing
from foretell.kernels.pair_recursion import pair_memory, pair_recursion
from foretell.numerics.keys import key_for, root_key
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

Inputs = Float[np.ndarray | Array, "_ _ _"]  # inputs, tokens, features
LIMIT = 8e9  # bytes that a Gram matrix may hold while it is computed


@final
@dataclass(frozen=True)
class KernelTransformer:
    """A transformer of infinite width, as a description.

    `weight_variance` and `bias_variance` are those of the map after the nonlinearity. `weights`,
    `causal` and `output_matrix` are as in `Attention`. `readout` is the token whose output is the
    answer, counted from the end if negative, or "mean" of all tokens. The input is an embedding of
    the given features, trained with the rest unless `trained_embedding` is False (only the NTK
    cares).
    """

    layers: int = 1
    activation: Activation = RELU
    weights: str = "softmax"
    causal: bool = False
    output_matrix: bool = False
    weight_variance: float = 1.0
    bias_variance: float = 0.0
    readout: int | str = -1
    trained_embedding: bool = True

    def __post_init__(self) -> None:
        if self.layers < 1:
            raise BadInput("a transformer has at least one layer", seen=self.layers)
        variances = self.weight_variance, self.bias_variance
        if not all(math.isfinite(each) and each >= 0 for each in variances):
            raise BadInput("variances are finite and not negative", seen=variances)
        if not (isinstance(self.readout, int) or self.readout == "mean"):
            raise BadInput("unknown read-out", seen=self.readout, hint='a token number, or "mean"')
        self.attention(last=True)

    def attention(self, last: bool) -> Attention:
        """The attention of a layer; the last one is asked only for what is read out."""
        token = self.readout if last and isinstance(self.readout, int) else None
        return Attention(self.weights, self.causal, self.output_matrix, token)

    @property
    def plan(self) -> tuple[Attention, ...]:
        """The attention of every layer."""
        return tuple(self.attention(number == self.layers - 1) for number in range(self.layers))

    @property
    def mixing(self) -> Mixing:
        """What follows every attention."""
        return Mixing(self.activation, self.weight_variance, self.bias_variance)


def gram(
    description: KernelTransformer,
    inputs: Inputs,
    others: Inputs | None = None,
    *,
    draws: int = 4096,
    key: Key[Array, ""] | None = None,
    kind: str = "nngp",
    replicates: int = 8,
    sampler: str = "auto",
    limit: float = LIMIT,
    show: Show | None = None,
) -> Estimate:
    """Kernel between all `inputs` and all `others` (themselves if None), N × M.

    The whole recursion is repeated `replicates` times with draws of its own, `draws` a layer in
    all: the value is the mean, and the error is the standard error of that mean from the spread
    between repetitions. So it holds what passes from layer to layer; it does not hold the bias of
    a nonlinear recursion, which falls with 1/draws, faster than the error. Inputs are features
    (embedding and positions as coordinates of one vector), computed in the precision given.

    The joint sampler shares its draws between all inputs, so that the Gram matrix is positive
    semidefinite; "auto" leaves it for the pair sampler, which is not, only if `limit` bytes are
    too few.
    """
    sets = _checked(description, inputs, others)
    exact = description.weights == "identity"
    if not exact:
        _check_draws(draws, replicates)
    replicates = 1 if exact else replicates
    chosen = choose_sampler(
        description,
        tuple(each.shape for each in sets),
        kind=kind,
        sampler=sampler,
        limit=limit,
        bytes_each=sets[0].dtype.itemsize,
    )
    recursion = joint_recursion if chosen == "joint" else pair_recursion
    root = root_key(0) if key is None else key
    with double_precision():
        arrays = tuple(jnp.asarray(each) / math.sqrt(each.shape[2]) for each in sets)
        found = [
            recursion(
                description.plan,
                description.mixing,
                arrays,
                draws=draws // replicates,
                key=key_for(root, "replicate", number),
                tangent=_tangent(description, kind),
                show=within(show, number, replicates),
            )
            for number in range(replicates)
        ]
    values = np.stack(found)
    if exact:
        return Estimate(values[0], np.zeros_like(values[0]), 0)
    error = values.std(axis=0, ddof=1) / math.sqrt(replicates)
    return Estimate(values.mean(axis=0), error, draws // replicates * replicates)


def _check_draws(draws: int, replicates: int) -> None:
    if replicates < 2 or draws < 2 * replicates:
        raise BadInput(
            "error bars need two repetitions or more, of two draws or more",
            seen=f"{draws} draws in {replicates} repetitions",
        )


def _tangent(description: KernelTransformer, kind: str) -> float | None:
    """The NTK of the input as a multiple of its covariance, or None where it is not wanted."""
    return float(description.trained_embedding) if kind == "ntk" else None


def _checked(
    description: KernelTransformer, inputs: Inputs, others: Inputs | None
) -> tuple[np.ndarray, ...]:
    sets = tuple(np.asarray(each) for each in (inputs, others) if each is not None)
    for each in sets:
        if each.ndim != 3 or 0 in each.shape:
            raise BadInput("inputs have the shape inputs × tokens × features", seen=each.shape)
        if not np.isfinite(each).all():
            raise BadInput("inputs hold numbers that are not finite", seen=each.shape)
        description.plan[-1].positions(each.shape[1])
    if len({each.shape[2] for each in sets}) > 1:
        raise BadInput(
            "both sets of inputs need the same features", seen=[each.shape for each in sets]
        )
    kind = np.result_type(*sets)
    return tuple(each.astype(kind if kind == np.float32 else np.float64) for each in sets)


def choose_sampler(
    description: KernelTransformer,
    shapes: tuple[tuple[int, ...], ...],
    *,
    kind: str = "nngp",
    sampler: str = "auto",
    limit: float = LIMIT,
    bytes_each: int = 8,
) -> str:
    """Name of the sampler for sets of inputs of these shapes; refuses what does not fit."""
    if kind not in ("nngp", "ntk"):
        raise BadInput("unknown kind of kernel", seen=kind, hint="nngp or ntk")
    if sampler not in ("auto", "joint", "pair"):
        raise BadInput("unknown sampler", seen=sampler, hint="auto, joint or pair")
    asked = description.plan, shapes, kind == "ntk", bytes_each
    needs = {"joint": joint_memory(*asked), "pair": pair_memory(*asked)}
    if description.weights == "identity":  # closed forms, pair by pair
        sampler = "pair"
    if sampler == "auto":
        sampler = "joint" if needs["joint"] <= limit else "pair"
    if needs[sampler] > limit:
        raise BadInput(
            "the Gram matrix does not fit into memory",
            seen=f"{shapes} needs {needs[sampler] / 1e9:.1f} GB",
            why=f"the limit is {limit / 1e9:.1f} GB",
            hint="fewer or shorter inputs, one read-out token, or a higher limit",
        )
    return sampler
