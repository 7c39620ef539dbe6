"""Green's relations, as strong components of the Cayley graphs.

Two elements are R-related when each is the other followed by something, L-related when each is
the other preceded by something, J-related when both sides may be used; H is R and L together
(Green, On the structure of semigroups, 1951). In a finite monoid J is D.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order, connected_components

from foretell.languages.algebra.maps import Ids, Mask
from foretell.languages.algebra.monoid import NONE, Monoid


@final
@dataclass(frozen=True, eq=False)
class Green:
    """The class number of every element, for each relation.

    >>> from foretell.languages.algebra.monoid import monoid_of
    >>> from foretell.languages.regular import RegularLanguage
    >>> green = Green(monoid_of(RegularLanguage.from_regex("(ab)*").dfa))
    >>> [len(set(classes.tolist())) for classes in (green.r, green.l, green.j, green.h)]
    [4, 4, 3, 6]
    """

    monoid: Monoid

    @cached_property
    def r(self) -> Ids:
        """R-classes."""
        return components(self.monoid.right)

    @cached_property
    def l(self) -> Ids:  # noqa: E743 (the name of the relation)
        """L-classes."""
        return components(self.monoid.left)

    @cached_property
    def j(self) -> Ids:
        """J-classes."""
        return components(np.concatenate([self.monoid.right, self.monoid.left], axis=1))

    @cached_property
    def h(self) -> Ids:
        """H-classes."""
        pairs = self.r.astype(np.int64) * (int(self.l.max()) + 1) + self.l
        return np.unique(pairs, return_inverse=True)[1].reshape(-1)

    @cached_property
    def regular(self) -> Mask:
        """Elements whose J-class holds an idempotent."""
        has_idempotent = np.zeros(int(self.j.max()) + 1, bool)
        has_idempotent[self.j[self.monoid.idempotent]] = True
        return has_idempotent[self.j]

    @cached_property
    def representatives(self) -> Ids:
        """The first idempotent of the semigroup in every regular J-class.

        Idempotents of one J-class have isomorphic local monoids and are isomorphic objects of the
        semigroup's category (Tilson, Categories as algebra, 1987): one of them is enough.
        """
        idempotents = np.flatnonzero(self.monoid.idempotent & self.monoid.in_semigroup)
        return idempotents[np.unique(self.j[idempotents], return_index=True)[1]]

    def path(self, source: int, target: int, left: bool = False) -> tuple[int, ...]:
        """A word that leads from one element to another, put behind it (or before it: `left`)."""
        graph = self.monoid.left if left else self.monoid.right
        before = breadth_first_order(_sparse(graph), source)[1]
        found: list[int] = []
        while target != source:
            previous = int(before[target])
            found.append(int(np.flatnonzero(graph[previous] == target)[0]))
            target = previous
        return tuple(found if left else reversed(found))


def components(targets: np.ndarray) -> Ids:
    """Strong components of a graph given by the targets of every node; -1 is no target.

    >>> components(np.array([[1], [0], [1]])).tolist()
    [0, 0, 1]
    """
    return connected_components(_sparse(targets), connection="strong")[1]


def _sparse(targets: np.ndarray) -> csr_matrix:
    """The graph for scipy, whose strong components never end when an edge is listed twice."""
    size = len(targets)
    ordered = np.sort(targets, axis=1)
    kept = ordered != NONE
    kept[:, 1:] &= ordered[:, 1:] != ordered[:, :-1]
    flat = ordered[kept].astype(np.int32)
    starts = np.zeros(size + 1, np.int32)
    np.cumsum(kept.sum(axis=1), out=starts[1:])
    # The weights are floats because scipy would copy anything else into floats.
    return csr_matrix((np.ones(len(flat)), flat, starts), shape=(size, size))
