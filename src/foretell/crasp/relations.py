"""Which positional relations a program may use, and why the others leave the language.

A count may look at j <= i, or at positions whose distance i - j lies in a fixed finite set (a
*local* relation); a test of the position may depend on i mod m only (a *periodic* relation).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from foretell.crasp.tree import Window

FARTHEST = 10_000  # distance a local relation may reach
Refuse = Callable[[str, str, str | None], Exception]  # what, why, hint


@dataclass(frozen=True)
class Linear:
    """a·i + b·j + c, what stands on one side of a relation."""

    outer: int = 0
    inner: int = 0
    constant: int = 0

    def __add__(self, other: Linear) -> Linear:
        return Linear(
            self.outer + other.outer, self.inner + other.inner, self.constant + other.constant
        )

    def __sub__(self, other: Linear) -> Linear:
        return self + other.times(-1)

    def times(self, factor: int) -> Linear:
        """Every coefficient multiplied."""
        return Linear(self.outer * factor, self.inner * factor, self.constant * factor)


@dataclass(frozen=True)
class Distances:
    """Distances i - j that are allowed: from `low` to `high` (None: without end), minus some."""

    low: int | None = None
    high: int | None = None
    chosen: frozenset[int] | None = None

    def __and__(self, other: Distances) -> Distances:
        lows = [bound for bound in (self.low, other.low) if bound is not None]
        highs = [bound for bound in (self.high, other.high) if bound is not None]
        sets = [chosen for chosen in (self.chosen, other.chosen) if chosen is not None]
        chosen = frozenset.intersection(*sets) if sets else None
        return Distances(max(lows, default=None), min(highs, default=None), chosen)


def compare(left: Linear, sign: str, right: Linear, refuse: Refuse) -> Distances:
    """The distances at which `left sign right` holds, if it depends on the distance alone."""
    gap = left - right  # gap sign 0
    if gap.outer + gap.inner != 0:
        if gap.outer and gap.inner:
            raise refuse(
                "the relation is not translation-invariant",
                "it depends on where i and j are, not only on the distance i - j",
                "a local relation, such as j == i - 1 or i - 3 <= j",
            )
        alone = "j" if gap.inner else "i"
        raise refuse(
            f"the relation is about {alone} alone",
            "a count's relation is between i and j",
            f"test {alone} {'in the body of the count' if alone == 'j' else 'outside the count'}",
        )
    if gap.outer == 0:
        raise refuse("the relation compares two constants", "it does not mention i or j", None)
    scale, constant = gap.outer, gap.constant  # scale * distance + constant sign 0
    if scale < 0:
        scale, constant = -scale, -constant
        sign = {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}.get(sign, sign)
    if sign == "==":
        exact = [-constant // scale] if constant % scale == 0 else []
        return Distances(chosen=frozenset(exact))
    if sign == "!=":
        raise refuse(
            "the relation is not local",
            "`!=` holds at every distance but one, so it has no finite window",
            "count everything and subtract the window: #[j <= i] P(j) - #[j <= i, j == i - 1] P(j)",
        )
    if sign in ("<=", "<"):
        return Distances(high=(-constant - (sign == "<")) // scale)
    return Distances(low=-((constant - (sign == ">")) // scale))


def window(allowed: Distances, refuse: Refuse) -> Window:
    """The window of all relations together."""
    low = max(allowed.low or 0, 0)
    if allowed.chosen is None and (allowed.low is None or allowed.low < 0):
        raise refuse(
            "the count does not say that j comes no later than i",
            "programs are causal: a position sees itself and what came before",
            "#[j <= i] …",
        )
    if allowed.chosen is not None:
        future = [distance for distance in allowed.chosen if distance < 0]
        if future:
            raise refuse(
                "the relation looks into the future",
                f"j = i + {-future[0]} comes after i; programs are causal",
                "a distance back: j == i - 1",
            )
        high = allowed.high
        kept = (d for d in allowed.chosen if d >= low and (high is None or d <= high))
        return _local(sorted(kept), refuse)
    if allowed.high is None:
        return Window(None, low)
    if allowed.high - low > FARTHEST:
        return _local([allowed.high], refuse)
    return _local(list(range(low, allowed.high + 1)), refuse)


def _local(offsets: list[int], refuse: Refuse) -> Window:
    if not offsets:
        raise refuse("no position satisfies the relations", "the count would always be 0", None)
    if offsets[-1] > FARTHEST:
        raise refuse(
            f"a local relation reaches back at most {FARTHEST:,} positions",
            f"this one reaches {offsets[-1]:,}",
            None,
        )
    return Window(tuple(offsets))
