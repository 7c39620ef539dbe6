"""An explicit transformer for a sparse sum of parities, as weights.

There is a token for each bit and one more, the output position, whose bit is 0. The residual
stream holds the position as a one-hot vector and the bit in its last coordinate. Component i lives
at position i: the first attention averages the bits of its subset there, the MLP turns that share
of ones into an even-parity indicator (a row of trapezoids), and the second attention, at the output
position, averages the indicators with the coefficients as weights.

Beyond the published construction:

- subsets of several sizes: a subset of k bits below the degree K also attends to the output
  position, K - k times as much as to a bit. It reads j/K if j of its bits are 1, so that one table
  serves all of them;
- negative coefficients: a second read-out head, with its sign in the read-out vector;
- a constant: the first head adds it from every position, and attention sums to 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Array, Float

from foretell.boolean.expansion import Expansion
from foretell.plain.errors import BadInput

Scale = tuple[int | float, int | float]
PUBLISHED: Scale = (2.0, 2.0)

# Where a trapezoid reaches 0, in quarters of the distance between two shares of ones. All are flat
# within one quarter. Narrow ones are as published; wide ones leave no gap, and their smaller slope
# is the only one within the published bound on the norm.
REACH = {"narrow": 2, "wide": 3}


class FlatWeights(NamedTuple):
    """All that is trainable; a leading member axis makes it a fleet."""

    attention1: Float[Array | np.ndarray, "*member width width"]  # W1: query by key
    value1: Float[Array | np.ndarray, "*member width width"]  # V1
    mlp_in: Float[Array | np.ndarray, "*member hidden width"]  # W
    mlp_bias: Float[Array | np.ndarray, "*member hidden"]  # b
    mlp_out: Float[Array | np.ndarray, "*member width hidden"]  # F
    attention2: Float[Array | np.ndarray, "*member head width width"]  # W2: query by key
    value2: Float[Array | np.ndarray, "*member head width"]  # V2, the read-out


class Head(NamedTuple):
    """What one read-out head adds up: components by number, their sizes, and its sign."""

    sign: float
    components: tuple[int, ...]
    sizes: tuple[float, ...]

    @property
    def total(self) -> float:
        """Sum of the absolute coefficients."""
        return math.fsum(self.sizes)


def build_flat(
    expansion: Expansion, attention_scale: Scale = PUBLISHED, ramp: str = "narrow"
) -> FlatWeights:
    """Weights that compute `expansion`, up to the error that `exact_error` states.

    The scales multiply ln T in the logits of the first and the second attention.

    >>> weights = build_flat(Expansion(8, ((0, 1), (1, 2)), (0.6, 0.8)))
    >>> parameter_count(weights), round(squared_norm(weights), 3)
    (562, 630.412)
    """
    check_buildable(expansion, attention_scale, ramp)
    width = expansion.bits + 2
    rows = Lookup(expansion.degree, ramp).rows()
    value1 = np.zeros((width, width))
    value1[-1, -1] = 1.0
    mlp_in = np.zeros((len(rows.bias), width))
    mlp_in[:, -1] = 1.0
    mlp_out = np.zeros((width, len(rows.bias)))
    mlp_out[-1] = rows.height
    attention2, value2 = _read_out(expansion, attention_scale[1])
    attention1 = _gather(expansion, attention_scale[0])
    return FlatWeights(attention1, value1, mlp_in, rows.bias, mlp_out, attention2, value2)


def check_buildable(expansion: Expansion, attention_scale: Scale, ramp: str) -> None:
    """Refuse what has no such weights."""
    if expansion.degree == 0:
        raise BadInput(
            "a constant function has no flat construction",
            seen=expansion.as_json(),
            why="there is no subset to attend to",
        )
    if expansion.sparsity > expansion.bits:
        raise BadInput(
            "more components than positions",
            seen=f"{expansion.sparsity} subsets of {expansion.bits} bits",
            why="each component lives at a position of its own",
            hint="a sparser function, or more bits (they need not matter to the function)",
        )
    if not all(map(math.isfinite, attention_scale)) or min(attention_scale) <= 0:
        raise BadInput("attention scales must be positive numbers", seen=attention_scale)
    if ramp not in REACH:
        raise BadInput("no such ramp", seen=ramp, hint=" or ".join(REACH))


class Rows(NamedTuple):
    """One MLP unit for each hinge: its bias, and what it adds to the looked-up value."""

    bias: Float[np.ndarray, " hidden"]
    height: Float[np.ndarray, " hidden"]


class Lookup(NamedTuple):
    """The table from the share j/degree to 1 where j is even and 0 where it is odd."""

    degree: int
    ramp: str

    @property
    def slope(self) -> float:
        """Of the flanks of a trapezoid."""
        return 4.0 * self.degree / (REACH[self.ramp] - 1)

    @property
    def flat(self) -> float:
        """How far a share may be off before the value changes."""
        return 1 / (4 * self.degree)

    def rows(self) -> Rows:
        """The table as four hinges for each share; those of odd shares are there, with height 0."""
        reach = REACH[self.ramp]
        shares = np.arange(self.degree + 1) / self.degree
        corners = np.array([reach, 1, -1, -reach]) * self.flat
        even = np.arange(self.degree + 1) % 2 == 0
        height = np.where(even, self.slope, 0.0)[:, None] * np.array([1.0, -1.0, -1.0, 1.0])
        return Rows(-(shares[:, None] + corners).ravel(), height.ravel())

    def __call__(self, share: Float[np.ndarray, "*batch"]) -> Float[np.ndarray, "*batch"]:
        """The value at any share, written without hinges.

        >>> Lookup(2, "wide")(np.array([0.0, 0.25, 0.5, 1.1])).tolist()
        [1.0, 0.5, 0.0, 1.0]
        """
        count = np.asarray(share) * self.degree
        last = self.degree - self.degree % 2
        distance = np.abs(count - np.clip(2 * np.round(count / 2), 0, last)) / self.degree
        return np.clip(self.slope * (REACH[self.ramp] * self.flat - distance), 0.0, 1.0)


def heads(expansion: Expansion) -> tuple[Head, ...]:
    """The read-out heads: positive coefficients first; a sign without components has none."""
    found = []
    for sign in (1.0, -1.0):
        chosen = tuple(i for i, c in enumerate(expansion.coefficients) if c * sign > 0)
        if chosen:
            sizes = tuple(abs(expansion.coefficients[i]) for i in chosen)
            found.append(Head(sign, chosen, sizes))
    return tuple(found)


def parameter_count(weights: FlatWeights) -> int:
    """How many numbers are trainable."""
    return sum(int(np.size(each)) for each in weights)


def squared_norms(weights: FlatWeights) -> dict[str, float]:
    """Squared Frobenius norm of each block."""
    sizes = (float(np.square(np.asarray(each, float)).sum()) for each in weights)
    return dict(zip(weights._fields, sizes, strict=True))


def squared_norm(weights: FlatWeights) -> float:
    """Squared Frobenius norm of all weights."""
    return math.fsum(squared_norms(weights).values())


def _gather(expansion: Expansion, scale: int | float) -> Float[np.ndarray, "width width"]:
    """The first attention: each component looks at its bits, and fills up at the output."""
    bits, degree = expansion.bits, expansion.degree
    attention = np.zeros((bits + 2, bits + 2))
    attention[: expansion.sparsity, :bits] = expansion.indicator * scale * math.log(bits)
    missing = degree - expansion.indicator.sum(axis=1)
    filled = np.flatnonzero(missing)
    attention[filled, bits] = np.log(missing[filled]) + scale * math.log(bits)
    return attention


def _read_out(
    expansion: Expansion, scale: int | float
) -> tuple[Float[np.ndarray, "head width width"], Float[np.ndarray, "head width"]]:
    """The second attention and what its heads read."""
    width, parts = expansion.bits + 2, heads(expansion)
    attention, value = np.zeros((len(parts), width, width)), np.zeros((len(parts), width))
    for number, head in enumerate(parts):
        logits = np.log(head.sizes) + scale * math.log(expansion.bits)
        attention[number, expansion.bits, list(head.components)] = logits
        value[number, -1] = head.sign * head.total
    value[0, :-1] = expansion.constant
    return attention, value
