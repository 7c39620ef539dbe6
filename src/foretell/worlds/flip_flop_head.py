"""One attention head on flip-flop words: its margins and its chance of an error, in formulas.

The head scores pair j with κ·[write] + c·j and says the sign of the bits so weighted; here c is
called steepness. `flip-flop-margins` explains the formulas and checks them against attention.
"""

from __future__ import annotations

import functools

import numpy as np
from jaxtyping import Float
from scipy import sparse
from scipy.special import logsumexp

from foretell.plain.errors import BadInput
from foretell.worlds.flip_flops import require_law

GRID = 8001


def share_bound(kappa: float, steepness: float, gap: int) -> float:
    """The last write's share is at least this, however many writes came before.

    >>> round(share_bound(300.0, 1.0, gap=1), 3)
    0.632
    """
    _require_head(steepness)
    before = 1 / np.expm1(steepness)
    since = np.exp(steepness * np.arange(1, gap) - kappa).sum()
    return float(1 / (1 + before + since))


def worst_share(kappa: float, steepness: float, pairs: int) -> tuple[float, int]:
    """The least share of the last write over all words, and the gap at which it is met."""
    _require_head(steepness)
    require_law(0.0, pairs)
    since, before = _tails(steepness, pairs)
    rivals = np.exp(np.minimum(since - kappa, 700)) + before
    gap = int(rivals.argmax()) + 1
    return float(1 / (1 + rivals.max())), gap


def needed_kappa(steepness: float, pairs: int) -> float:
    """The least κ with which no word of so many pairs is misread; below c = ln 2 there is none."""
    since, before = _tails(steepness, pairs)
    if before.max() >= 1:
        raise BadInput(
            "no κ is enough: earlier writes outweigh the last one",
            seen=f"c = {steepness:g} and {pairs} pairs",
            why="the preference for late pairs must exceed ln 2",
        )
    return float((since - np.log1p(-before)).max())


def _tails(
    steepness: float, pairs: int
) -> tuple[Float[np.ndarray, " size"], Float[np.ndarray, " size"]]:
    """By gap: log weight of all pairs since, without e^-κ, and weight of all writes before."""
    gap = np.arange(1, pairs)
    ahead = np.arange(1, pairs - 1)
    scores = np.where(ahead < gap[:, None], steepness * ahead, -np.inf)
    since = logsumexp(np.concatenate([scores, np.full((len(gap), 1), -1e30)], axis=1), axis=1)
    weights = np.where(ahead < pairs - gap[:, None], np.exp(-steepness * ahead), 0.0)
    return since, weights.sum(axis=1)


def _require_head(steepness: float) -> None:
    if not steepness > 0:
        raise BadInput(
            "the head does not prefer late pairs", seen=steepness, why="c must be above 0"
        )


def _branches(kappa: float, steepness: float, ignoring: float) -> Float[np.ndarray, "state bit"]:
    """Chance, factor and addend of each thing that a pair can do to Y."""
    _require_head(steepness)
    share, factor, write = (1 - ignoring) / 2, np.exp(-steepness), np.exp(kappa)
    return np.array(
        [
            [share / 2, factor, write],
            [share / 2, -factor, write],
            [share, factor, 1.0],
            [ignoring / 2, factor, 1.0],
            [ignoring / 2, factor, -1.0],
        ]
    )


def branched_error(kappa: float, steepness: float, ignoring: float, pairs: int) -> float:
    """The chance of Y < 0, by following all branches; a tie is half an error."""
    require_law(ignoring, pairs)
    chance, factor, addend = _branches(kappa, steepness, ignoring).T
    law, sums = np.ones(1), np.exp([kappa])
    for _ in range(pairs - 2):
        law, sums = np.outer(law, chance).ravel(), (np.outer(sums, factor) + addend).ravel()
    return float(law @ (sums < 0) + law @ (sums == 0) / 2)


@functools.cache
def error_of(kappa: float, steepness: float, ignoring: float, pairs: int) -> float:
    """The chance of Y < 0, its law kept on a grid that is finest around 0."""
    require_law(ignoring, pairs)
    most = np.exp(kappa) / -np.expm1(-steepness) + 1
    half = np.sinh(np.linspace(0, np.arcsinh(most), GRID // 2 + 1))
    grid = np.concatenate([-half[:0:-1], half])
    places, moves = np.arange(len(grid)), sparse.csr_array((len(grid), len(grid)))
    for chance, factor, addend in _branches(kappa, steepness, ignoring):
        goal = factor * grid + addend
        below = np.clip(np.searchsorted(grid, goal, side="right") - 1, 0, len(grid) - 2)
        part = np.clip((goal - grid[below]) / (grid[below + 1] - grid[below]), 0, 1)
        for there, weight in ((below, 1 - part), (below + 1, part)):
            moves = moves + sparse.csr_array((chance * weight, (there, places)), moves.shape)
    law = np.zeros(len(grid))
    law[np.searchsorted(grid, np.exp(kappa))] = 1
    for _ in range(pairs - 2):
        law = moves @ law
    return float(law[grid < 0].sum() + law[grid == 0].sum() / 2)
