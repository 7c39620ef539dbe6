"""Do two lists of numbers order the same things alike? Rank correlations with their chance."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

import numpy as np
from jaxtyping import Float, Int
from scipy import stats

from foretell.plain.errors import BadInput

LISTED = 8  # up to so many things all orders are tried
DRAWN = 9_999  # orders, for more things
AT_ONCE = 1 << 18  # numbers held at a time
ROUNDING = 1e-9  # orders that agree as well up to rounding count


Listed: TypeAlias = Sequence[float | int] | Float[np.ndarray, " batch"] | Int[np.ndarray, " batch"]


@final
@dataclass(frozen=True)
class RankAgreement:
    """A rank correlation between -1 and 1, and how often chance gives at least as much.

    `chance` is the share of all orders of the second list that agree with the first at least as
    well (a one-sided permutation test); `exact` says whether all orders were tried.
    """

    value: float
    chance: float
    exact: bool
    count: int


def kendall(first: Listed, second: Listed, seed: int = 0) -> RankAgreement:
    """Kendall's tau-b: pairs ordered alike minus pairs ordered otherwise, corrected for ties.

    >>> kendall([1, 2, 3, 4], [10, 20, 40, 30])
    RankAgreement(value=0.6666666666666666, chance=0.16666666666666666, exact=True, count=4)
    """
    one, other = (stats.rankdata(each) for each in _checked(first, second))
    signs, others = (_signs(each.astype(np.float32)[None])[0] for each in (one, other))

    def agree(orders: Int[np.ndarray, "draw batch"]) -> Float[np.ndarray, " draw"]:
        moved = _signs(other.astype(np.float32)[orders])
        return (moved.reshape(len(orders), -1) @ signs.ravel()).astype(float)

    scale = math.sqrt(np.count_nonzero(signs) * np.count_nonzero(others))
    return _tested(agree, scale, len(one), signs.size, seed)


def spearman(first: Listed, second: Listed, seed: int = 0) -> RankAgreement:
    """Spearman's rho: the correlation of the ranks, ties sharing their mean rank.

    >>> round(spearman([1, 2, 3, 4], [10, 20, 40, 30]).value, 12)
    0.8
    """
    one, other = (stats.rankdata(each) for each in _checked(first, second))
    one, other = one - one.mean(), other - other.mean()

    def agree(orders: Int[np.ndarray, "draw batch"]) -> Float[np.ndarray, " draw"]:
        return other[orders] @ one

    scale = float(np.linalg.norm(one) * np.linalg.norm(other))
    return _tested(agree, scale, len(one), len(one), seed)


def _signs(ranks: Float[np.ndarray, "draw batch"]) -> Float[np.ndarray, "draw batch batch"]:
    """Which of each two is larger; small numbers of half a rank are exact in any precision."""
    return np.sign(ranks[:, :, None] - ranks[:, None, :])


def _tested(
    agree: Callable[[Int[np.ndarray, "draw batch"]], Float[np.ndarray, " draw"]],
    scale: float,
    count: int,
    work: int,
    seed: int,
) -> RankAgreement:
    """The agreement of the lists as they are, among that of all orders or of many drawn ones."""
    identity = np.arange(count)
    seen = float(agree(identity[None])[0])
    enough = seen - ROUNDING * scale
    if count <= LISTED:
        listed = np.array(list(itertools.permutations(identity)))
        chance = float(np.mean(agree(listed) >= enough))
    else:
        generator, hits = np.random.default_rng(seed), 0
        block = max(1, AT_ONCE // work)
        for start in range(0, DRAWN, block):
            rows = np.tile(identity, (min(block, DRAWN - start), 1))
            hits += int(np.sum(agree(generator.permuted(rows, axis=1)) >= enough))
        chance = (1 + hits) / (1 + DRAWN)  # the order as it is counts as one of them
    return RankAgreement(seen / scale, chance, count <= LISTED, count)


def _checked(
    first: Listed, second: Listed
) -> tuple[Float[np.ndarray, " batch"], Float[np.ndarray, " batch"]]:
    one, other = np.asarray(first, float), np.asarray(second, float)
    if one.ndim != 1 or one.shape != other.shape or len(one) < 2:
        raise BadInput(
            "rank agreement needs two lists of numbers of one length, at least two each",
            seen=f"shapes {one.shape} and {other.shape}",
        )
    for each in (one, other):
        if not np.isfinite(each).all():
            raise BadInput("rank agreement needs finite numbers", seen=each.tolist())
        if (each == each[0]).all():
            raise BadInput(
                "a list has no order",
                seen=each.tolist(),
                why="all its numbers are equal",
            )
    return one, other
