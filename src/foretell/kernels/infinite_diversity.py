"""What kernel regression says about a template once symbols are so many that none repeats.

With n_j training strings of template j, no two of which share a substituted token, the Gram matrix
has only the entries N_ij and, on the diagonal, the kernel of a string with itself. Regression then
has a closed form: [N (N + diag(δ_j / n_j))⁻¹ y]_i, where δ_j = λ + own_j - N_jj is what a string
has that no other string of its template shares. Small eigenvalues of N cost samples: about δ/λ_min.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from foretell.kernels.regression import check_ridge
from foretell.plain.errors import BadInput

Matrix = Float[np.ndarray, "label label"]
Vector = Float[np.ndarray, " label"]
Labels = Float[np.ndarray, "label ..."]
Shares = Sequence[float] | Vector

MOST = 2**30  # samples; beyond this the answer is "never"


def ideal_prediction(
    matrix: Matrix, own: Vector, counts: Vector, labels: Labels, ridge: float
) -> Labels:
    """The fitted value on unseen strings of each template, from `counts` strings of each.

    `labels` are mean labels; templates without training strings count for nothing.

    >>> matrix, own = np.array([[1.0, 0.5], [0.5, 1.0]]), np.array([1.0, 1.0])
    >>> ideal_prediction(matrix, own, np.array([4.0, 0.0]), np.array([1.0, -1.0]), 0.0).tolist()
    [1.0, 0.5]
    """
    return _smoother(matrix, own, counts, ridge) @ labels


def _smoother(matrix: Matrix, own: Vector, counts: Vector, ridge: float) -> Matrix:
    """The matrix that turns mean labels into fitted values: N (N + diag(δ / n))⁻¹."""
    check_ridge(ridge)
    if (counts < 0).any() or not np.isfinite(counts).all():
        raise BadInput("numbers of strings are finite, and not negative", seen=counts.tolist())
    private = ridge + own - np.diagonal(matrix)
    # With B = diag(√n): N B (B N B + diag(δ))⁻¹ B, where an n of 0 does no harm.
    root = np.sqrt(counts)
    inner = root[:, None] * matrix * root[None, :] + np.diag(np.where(counts > 0, private, 1.0))
    if np.linalg.cond(inner) > 1 / (len(inner) * np.finfo(float).eps):
        least = float((own - np.diagonal(matrix)).min())
        raise BadInput(
            "the equations for the templates are singular up to rounding",
            seen=f"λ = {ridge:g}, least of own - N_jj {least:.2g}",
            why="two templates look the same to this kernel, and nothing breaks the tie",
            hint="a larger ridge λ",
        )
    return (matrix * root[None, :]) @ np.linalg.solve(inner, np.diag(root))


def ideal_error(
    matrix: Matrix,
    own: Vector,
    labels: Vector,
    samples: int | float,
    ridge: float,
    *,
    probabilities: Shares | None = None,
    noise: float = 0.0,
) -> float:
    """Mean squared error on unseen symbols after `samples` training strings, in that limit.

    Template j has `probabilities`[j] · `samples` strings (also fractions of one): the spread of
    the counts is left out. `noise` is the standard deviation of what training labels add.
    """
    shares = _shares(probabilities, len(labels))
    if not (math.isfinite(noise) and noise >= 0):
        raise BadInput("the noise is a standard deviation", seen=noise)
    counts = samples * shares
    smoother = _smoother(matrix, own, counts, ridge)
    spread = (smoother**2 / np.where(counts > 0, counts, np.inf)).sum(axis=1) * noise**2
    return float(shares @ ((smoother @ labels - labels) ** 2 + spread))


def samples_needed(
    matrix: Matrix,
    own: Vector,
    labels: Vector,
    target: float,
    ridge: float,
    *,
    probabilities: Shares | None = None,
    noise: float = 0.0,
) -> int | None:
    """The least number of samples whose ideal error is at most `target`; None beyond a billion.

    Found by doubling and then halving the range, which is exact where the error falls with n.
    """
    if not target > 0:
        raise BadInput("the error to reach is a number above 0", seen=target)

    def enough(samples: int) -> bool:
        error = ideal_error(
            matrix, own, labels, samples, ridge, probabilities=probabilities, noise=noise
        )
        return error <= target

    high = 1
    while not enough(high):
        high *= 2
        if high > MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _shares(probabilities: Shares | None, count: int) -> Vector:
    if probabilities is None:
        return np.full(count, 1 / count)
    shares = np.asarray(probabilities, float)
    if len(shares) != count or not (shares >= 0).all() or not np.isclose(shares.sum(), 1):
        raise BadInput(
            "templates have a probability each, and these add up to 1", seen=list(probabilities)
        )
    return shares
