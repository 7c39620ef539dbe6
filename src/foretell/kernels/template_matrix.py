"""How a kernel sees templates when no two strings share a substituted token: the matrix N.

N_ij is the kernel between a string of template i and a string of template j that have only regular
tokens in common. Kernel regression learns to tell templates apart on unseen symbols if N is
nonsingular. Given the places' numbers and those of the regular tokens, the strings are
independent, so N is the Gram matrix of attention averaged over the wildcards
(`foretell.kernels.token_averages`, exact) and over what is given (scrambled Sobol nets): it is
positive semidefinite at any number of points, and only smooth functions are left to sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, final

import numpy as np
from jaxtyping import Float
from scipy import stats

from foretell.kernels.duals import Activation
from foretell.kernels.estimate import Show
from foretell.kernels.random_features import RandomFeatures
from foretell.kernels.template_draws import Form, Shares, checked, replicate_matrices
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

Rank = Literal["nonsingular", "singular", "not resolved"]

REPLICATES = 16
POINTS = 2**14
LEVEL = 0.99  # of the interval that decides on the rank
AVERAGING, ROUNDING = 1e-9, 1e-14  # relative errors of averaged attention, and of double precision


@final
@dataclass(frozen=True)
class TemplateMatrix:
    """N, its smallest eigenvalue, and what follows from it.

    `matrix` is N after the MLP, if there is one, and `attention` before it. `own` is the kernel of
    a string with itself, after the MLP. `interval` is that of the smallest eigenvalue, jackknifed
    over nets of points, and `bias` what the jackknife says about its mean error (an estimated
    smallest eigenvalue lies too low on average); `smallest` is corrected for it. `gap` is the
    least sum that a permutation of templates loses on N of attention.
    """

    matrix: Float[np.ndarray, "label label"]
    error: Float[np.ndarray, "label label"]
    attention: Float[np.ndarray, "label label"]
    own: Float[np.ndarray, " label"]
    smallest: float
    interval: tuple[float, float]
    bias: float
    gap: float
    rank: Rank
    reason: str


def template_matrix(
    kernel: RandomFeatures,
    templates: Sequence[Form],
    *,
    points: int = POINTS,
    seed: int = 0,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    show: Show | None = None,
) -> TemplateMatrix:
    """N of some templates, each a tuple of regular tokens (0, 1, …) and wildcards (-1, -2, …).

    A last token that attends, the same for all templates, is added. `show` hears which share of
    the work is done.

    >>> same, different = (-1, -1), (-1, -2)
    >>> found = template_matrix(RandomFeatures(3.0, 1.0), [same, different], points=2**10)
    >>> found.rank, round(found.smallest, 3)
    ('nonsingular', 0.012)
    """
    forms = checked(templates)
    if replicates < 3 or points < replicates:
        raise BadInput(
            "the jackknife needs three nets of points, and every net a point",
            seen=f"{points} points, {replicates} nets",
        )
    shares = replicate_matrices(
        kernel, forms, points=points, seed=seed, replicates=replicates, show=show
    )
    return _judged(kernel, forms, shares, level)


def _judged(
    kernel: RandomFeatures, forms: tuple[Form, ...], shares: Shares, level: float
) -> TemplateMatrix:
    """What all nets together say, with intervals from leaving out each in turn."""
    attention = shares.attention.mean(axis=0)
    matrix, own = _after(kernel, attention, shares.own.mean(axis=0))
    without = np.stack([each for each, _ in _without_each(kernel, shares)])
    smallest, interval, bias = _smallest(matrix, without, level)
    rank, reason = _rank(
        _indistinguishable(kernel, forms), interval, f"with a confidence of {level:g}"
    )
    return TemplateMatrix(
        matrix=matrix,
        error=_jackknife_error(without),
        attention=attention,
        own=own,
        smallest=smallest,
        interval=interval,
        bias=bias,
        gap=least_gap(attention),
        rank=rank,
        reason=reason,
    )


def _after(
    kernel: RandomFeatures, attention: np.ndarray, own: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """N and the variances after the MLP: in N, also a template meets itself as a stranger."""
    matrix = kernel.after(own[:, None], own[None, :], attention)
    return (matrix + matrix.T) / 2, kernel.after(own, own, own)


def _without_each(kernel: RandomFeatures, shares: Shares) -> list[tuple[np.ndarray, np.ndarray]]:
    """What all nets but one say, for each one."""
    count = len(shares.own)
    attention = (shares.attention.sum(axis=0) - shares.attention) / (count - 1)
    own = (shares.own.sum(axis=0) - shares.own) / (count - 1)
    return [_after(kernel, *each) for each in zip(attention, own, strict=True)]


def _jackknife_error(without: Float[np.ndarray, "draw ..."]) -> np.ndarray:
    return np.asarray(np.sqrt((len(without) - 1) * without.var(axis=0)))


def _smallest(
    matrix: np.ndarray, without: np.ndarray, level: float
) -> tuple[float, tuple[float, float], float]:
    """The smallest eigenvalue, corrected for its bias; its interval; the bias."""
    count = len(without)
    plain = float(np.linalg.eigvalsh(matrix)[0])
    left_out = np.linalg.eigvalsh(without)[:, 0]
    bias = (count - 1) * float(left_out.mean() - plain)
    spread = float(_jackknife_error(left_out))
    # Attention over wildcards is averaged to about 1e-9: nothing below that is known.
    spread += AVERAGING * float(np.abs(matrix).max()) * len(matrix)
    half = float(stats.t.ppf(0.5 + level / 2, count - 1)) * spread
    # Both the corrected and the plain value are within: the bias itself is uncertain.
    centre = plain - bias
    low, high = min(centre, plain) - half, max(centre, plain) + half
    return centre, (low, high), bias


def inner_product_matrix(activation: Activation, templates: Sequence[Form]) -> TemplateMatrix:
    """N of a fully connected network with that activation, whose first layer reads one-hot tokens.

    Such a kernel knows of two strings only in how many places they have the same token, so across
    substitutions it knows of templates only their regular tokens. Exact; all-wildcard templates
    have equal rows.

    >>> from foretell.kernels.duals import RELU
    >>> inner_product_matrix(RELU, [(-1, -1), (-1, -2)]).rank
    'singular'
    """
    forms = checked(templates)
    rows = np.array(forms)
    same = (rows[:, None, :] == rows[None, :, :]) & (rows >= 0)
    overlap = same.mean(axis=2)
    with double_precision():
        matrix = np.asarray(activation.dual(1.0, 1.0, overlap), float)
        own = np.full(len(forms), float(activation.dual(np.ones(()), 1.0, 1.0)))
    smallest = float(np.linalg.eigvalsh(matrix)[0])
    doubt = ROUNDING * float(np.abs(matrix).max()) * len(matrix)
    interval = (smallest - doubt, smallest + doubt)
    shapes = [tuple(symbol if symbol >= 0 else -1 for symbol in form) for form in forms]
    twins = _twins(shapes), "only regular tokens and their places count"
    rank, reason = _rank(twins, interval, "by exact arithmetic up to rounding")
    none = np.zeros_like(matrix)
    gap = least_gap(overlap)
    return TemplateMatrix(matrix, none, overlap, own, smallest, interval, 0.0, gap, rank, reason)


Twins = tuple[tuple[int, int] | None, str]  # which two templates look the same, and why


def _rank(twins: Twins, interval: tuple[float, float], confidence: str) -> tuple[Rank, str]:
    """What is known about the rank; "singular" only by an argument, never by a small number."""
    pair, why = twins
    if pair is not None:
        return "singular", f"templates {pair[0] + 1} and {pair[1] + 1} look the same: {why}"
    said = f"its smallest eigenvalue is within [{interval[0]:.3g}, {interval[1]:.3g}]"
    if interval[0] > 0:
        return "nonsingular", f"{said}, {confidence}"
    return "not resolved", f"{said}, which is not clear of 0; more points may decide"


def _indistinguishable(kernel: RandomFeatures, forms: tuple[Form, ...]) -> Twins:
    """Two templates with the same row of N, by symmetry, and why."""
    linear = kernel.activation is None or kernel.activation.name == "identity"
    if kernel.sharpness == 0 and linear:
        why = "beta is 0, so all places count the same, and they hold the same regular tokens"
        return _twins([tuple(sorted(s for s in form if s >= 0)) for form in forms]), why
    if kernel.gamma == 0:
        why = "gamma is 0, so places do not count, and they hold the same tokens as often"
        return _twins([_without_order(form) for form in forms]), why
    return _twins([_without_names(form) for form in forms]), "only the names of wildcards differ"


def _without_order(form: Form) -> object:
    """Regular tokens, and how often the wildcards occur."""
    wildcards = {symbol for symbol in form if symbol < 0}
    often = sorted(form.count(symbol) for symbol in wildcards)
    return tuple(sorted(symbol for symbol in form if symbol >= 0)), tuple(often)


def _without_names(form: Form) -> object:
    """Wildcards numbered as they first occur."""
    order = {symbol: place for place, symbol in enumerate(dict.fromkeys(form))}
    return tuple(symbol if symbol >= 0 else ~order[symbol] for symbol in form)


def _twins(shapes: Sequence[object]) -> tuple[int, int] | None:
    """The first two that are equal."""
    seen: dict[object, int] = {}
    for number, shape in enumerate(shapes):
        if shape in seen:
            return seen[shape], number
        seen[shape] = number
    return None


def least_gap(matrix: Float[np.ndarray, "label label"]) -> float:
    """min over permutations σ ≠ id of Σ N_ii - Σ N_iσ(i), for N positive semidefinite; exact.

    With N a Gram matrix, what a permutation loses is half the sum of squared distances between
    every vector and the one in whose place it comes. A permutation other than the identity moves
    two vectors at least, and the swap of the nearest two loses just their squared distance: no
    permutation loses less.

    >>> least_gap(np.array([[1.0, 0.0], [0.0, 2.0]]))
    3.0
    """
    if len(matrix) < 2:
        return math.inf
    own = np.diagonal(matrix)
    distance = own[:, None] + own[None, :] - matrix - matrix.T
    return float(distance[~np.eye(len(matrix), dtype=bool)].min())
