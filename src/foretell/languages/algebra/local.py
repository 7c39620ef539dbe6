"""Laws between idempotents: locally testable, locally threshold testable, dot-depth one.

They speak about the sets eSf of the syntactic semigroup S, for idempotents e and f. Idempotents of
one J-class are isomorphic objects of the category of all eSf (Tilson 1987), and such laws do not
tell isomorphic objects apart, so one idempotent for each J-class stands for all of them.

Each function answers with None where the law holds, or with the words that break it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from foretell.languages.algebra.green import Green
from foretell.languages.algebra.maps import Ids, Maps, Mask
from foretell.languages.algebra.monoid import monoid_too_large
from foretell.languages.algebra.witness import (
    KNAST,
    LOCALLY_COMMUTATIVE,
    LOCALLY_IDEMPOTENT,
    STAR_FREE,
    THRESHOLD,
)

Broken = tuple[str, dict[str, tuple[int, ...]]]
WORK_LIMIT = 1_000_000_000
_CHUNK = 4_000_000


class Local:
    """The sets eSf of a semigroup, e and f out of one idempotent for each J-class."""

    def __init__(self, green: Green) -> None:
        self.green, self.monoid = green, green.monoid
        self.idempotents = [int(e) for e in green.representatives]
        self._behind: dict[int, Mask] = {}
        self._ahead: dict[int, Mask] = {}
        self.work = 0

    def between(self, e: int, f: int) -> Ids:
        """The elements of eSf: those that e before and f behind leave alone."""
        maps = self.monoid.maps
        if e not in self._behind:
            self._behind[e] = (maps[:, maps[e]] == maps).all(axis=1) & self.monoid.in_semigroup
        if f not in self._ahead:
            self._ahead[f] = (maps[f][maps] == maps).all(axis=1)
        return np.flatnonzero(self._behind[e] & self._ahead[f])

    def word(self, element: int | np.integer) -> tuple[int, ...]:
        """A non-empty word of an element of the semigroup."""
        return self.monoid.nonempty_word(int(element))

    def spend(self, work: int) -> None:
        """Count steps, and stop before they take minutes."""
        self.work += work
        if self.work > WORK_LIMIT:
            raise monoid_too_large(len(self.monoid) - 1)

    def not_locally_testable(self) -> Broken | None:
        """Every eSe is idempotent and commutative (Brzozowski & Simon 1973, McNaughton 1974)."""
        for e in self.idempotents:
            inside = self.between(e, e)
            bad = inside[~self.monoid.idempotent[inside]]
            if len(bad):
                return LOCALLY_IDEMPOTENT, {"x": self.word(e), "s": self.word(bad[0])}
        return self._not_commutative()

    def _not_commutative(self) -> Broken | None:
        for e in self.idempotents:
            inside = self.between(e, e)
            maps = self.monoid.maps[inside]
            for first, rows in self._all_products(maps, maps):
                # rows[t, s] is s and then t; swapped[t, s] is t and then s.
                swapped = maps[:, maps[first : first + len(rows)]].swapaxes(0, 1)
                different = (rows != swapped).any(axis=2)
                if different.any():
                    t, s = (int(place) for place in np.argwhere(different)[0])
                    words = {"s": self.word(inside[s]), "t": self.word(inside[first + t])}
                    return LOCALLY_COMMUTATIVE, {"x": self.word(e), **words}
        return None

    def _all_products(self, left: Maps, right: Maps) -> Iterator[tuple[int, np.ndarray]]:
        """Pieces `(first, rows)`: `rows[r, l]` is left[l] and then right[first + r]."""
        self.spend(left.size * len(right))
        step = max(1, _CHUNK // max(1, left.size))
        for first in range(0, len(right), step):
            yield first, right[first : first + step][:, left]

    def not_threshold_testable(self) -> Broken | None:
        """S is aperiodic and p r q = q r p for p, q in eSf and r in fSe (Thérien & Weiss 1985)."""
        turning = np.flatnonzero(~self.monoid.aperiodic)
        if len(turning):
            return STAR_FREE, {"x": self.word(turning[0])}
        broken = self._not_commutative()
        if broken is not None:
            words = broken[1]
            anchor = words["x"]
            both = {"x": anchor, "y": anchor}
            return THRESHOLD, {**both, "s": words["s"], "t": anchor, "u": words["t"]}
        for e in self.idempotents:
            for f in self.idempotents:
                if e != f:
                    broken = self._not_exchangeable(e, f)
                    if broken is not None:
                        return broken
        return None

    def _not_exchangeable(self, e: int, f: int) -> Broken | None:
        across, back = self.between(e, f), self.between(f, e)
        maps = self.monoid.maps[across]
        if len(across) < 2:
            return None
        for r in back:
            after = self.monoid.maps[r][maps]
            self.spend(maps.size * len(maps))
            whole = maps[:, after]  # whole[q, p] is p, then r, then q
            different = (whole != whole.swapaxes(0, 1)).any(axis=2)
            if different.any():
                q, p = (int(place) for place in np.argwhere(different)[0])
                words = {"s": across[p], "t": r, "u": across[q]}
                spelled = {name: self.word(element) for name, element in words.items()}
                return THRESHOLD, {"x": self.word(e), "y": self.word(f), **spelled}
        return None

    def deeper_than_one(self) -> Broken | None:
        """Knast's condition (A semigroup characterization of dot-depth one languages, 1983).

        In the form: for idempotents a, b of eSe, r in eSf with r R a and l in fSe with l L b,
        the product r l is a b. (Take r = a p and l = q b; conversely a = (r t)^ω for some t.)
        """
        for e in self.idempotents:
            for f in self.idempotents:
                broken = self._not_knast(e, f)
                if broken is not None:
                    return broken
        return None

    def _not_knast(self, e: int, f: int) -> Broken | None:
        inside = self.between(e, e)
        anchors = inside[self.monoid.idempotent[inside]]
        a, r = self._related(self.green.r, anchors, self.between(e, f))
        b, left = self._related(self.green.l, anchors, self.between(f, e))
        maps = self.monoid.maps
        self.spend(maps.shape[1] * len(a) * len(b))
        step = max(1, _CHUNK // max(1, maps.shape[1] * len(a)))
        for first in range(0, len(b), step):
            piece = slice(first, first + step)
            different = (maps[left[piece]][:, maps[r]] != maps[b[piece]][:, maps[a]]).any(axis=2)
            if different.any():
                j, i = (int(place) for place in np.argwhere(different)[0])
                j += first
                words = {
                    "x": self.word(e),
                    "y": self.word(f),
                    "s": self.word(r[i]),
                    "t": self.green.path(int(r[i]), int(a[i])),
                    "u": self.green.path(int(left[j]), int(b[j]), left=True),
                    "v": self.word(left[j]),
                }
                return KNAST, words
        return None

    def _related(self, relation: Ids, anchors: Ids, others: Ids) -> tuple[Ids, Ids]:
        """Every pair of an anchor and another element of the same class."""
        same = relation[anchors][:, None] == relation[others][None, :]
        one, other = np.nonzero(same)
        return anchors[one], others[other]
