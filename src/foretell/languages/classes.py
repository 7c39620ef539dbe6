"""Which well-known classes a regular language belongs to, each decided exactly.

A class is decided by its published characterisation: laws of the syntactic monoid or semigroup, or
the shape of the minimal automaton. Where the answer is no there are words that show it, and they
can be checked again without any of this (`Witness.check`). Only a monoid beyond the limit leaves a
class open, and then the answer says "too-large".

Sources: Schützenberger 1965 (star-free), Simon 1975 (piecewise testable), Brzozowski & Fich 1980
(R-trivial), Schützenberger 1976 and Thérien & Wilke 1998 (DA), Brzozowski & Simon 1973 (locally
testable), Thérien & Weiss 1985 (threshold testable), Knast 1983 (dot-depth one), Barrington et al.
1992 (quasi-aperiodic: in AC0; solvable groups: in ACC0), Rogers et al. 2010, Caron 2000 (strict).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal, final

import numpy as np

from foretell.languages.algebra import shapes
from foretell.languages.algebra import witness as laws
from foretell.languages.algebra.counters import Counters, counters
from foretell.languages.algebra.green import Green
from foretell.languages.algebra.groups import LEAST_UNSOLVABLE_RANK, unsolvable_group
from foretell.languages.algebra.local import Broken, Local
from foretell.languages.algebra.maps import letter_maps
from foretell.languages.algebra.monoid import ELEMENT_LIMIT, Monoid, generate, monoid_too_large
from foretell.languages.algebra.stability import stability, word_of_length
from foretell.languages.algebra.witness import Contexts, Witness
from foretell.languages.dfa import DFA, STATE_LIMIT
from foretell.languages.operations import reversal
from foretell.plain.errors import BadInput

Answer = Literal["yes", "no", "too-large"]


@final
@dataclass(frozen=True)
class Membership:
    """One class: the answer, words that refute it, and the least parameter where it has one."""

    answer: Answer
    witness: Witness | None = None
    parameter: int | None = None


@final
@dataclass(frozen=True)
class ClassReport:
    """Every class of one language, in the order of `CLASSES`.

    `monoid_size` is None when the report did not need the whole syntactic monoid.
    """

    dfa: DFA
    classes: Mapping[str, Membership]
    monoid_size: int | None = None

    def __getitem__(self, name: str) -> Membership:
        return self.classes[name]

    def as_json(self) -> dict[str, object]:
        """`{"star_free": true, …}`; null where the monoid is too large, parameters beside."""
        found: dict[str, object] = {}
        for name, one in self.classes.items():
            found[name] = {"yes": True, "no": False}.get(one.answer)
            if name in PARAMETERS:
                found[PARAMETERS[name]] = one.parameter
        return found

    def witnesses_as_json(self) -> dict[str, object]:
        """The words that refute each class the language is not in."""
        refuted = {name: one.witness for name, one in self.classes.items() if one.witness}
        return {name: witness.as_json() for name, witness in refuted.items()}


PARAMETERS = {"strictly_local": "strictly_local_k", "strictly_piecewise": "strictly_piecewise_k"}


def class_report(dfa: DFA, limit: int = ELEMENT_LIMIT) -> ClassReport:
    """Decide every class; `limit` bounds the number of elements of the syntactic monoid.

    >>> from foretell.languages.regular import RegularLanguage
    >>> report = class_report(RegularLanguage.from_regex("(ab)*").dfa)
    >>> [name for name, one in report.classes.items() if one.answer == "yes"]
    ['star_free', 'locally_testable', 'locally_threshold_testable', 'strictly_local', \
'dot_depth_one', 'quasi_aperiodic', 'solvable']
    >>> report["da"].witness.words["x"], report["strictly_local"].parameter
    (('a',), 2)
    """
    deciding = _Deciding(dfa.minimal(), limit)
    found = {name: _asked(question, deciding) for name, question in CLASSES.items()}
    size = len(deciding.monoid) if deciding.has_monoid else None
    return ClassReport(deciding.dfa, MappingProxyType(found), size)


def _asked(question: Callable[[_Deciding], Membership], deciding: _Deciding) -> Membership:
    try:
        return question(deciding)
    except BadInput:  # only limits are refused here: the automaton itself is sound
        return Membership("too-large")


def _answer(refuted: Witness | None) -> Membership:
    return Membership("yes") if refuted is None else Membership("no", refuted)


class _Deciding:
    """What several classes share, each found when first asked for."""

    def __init__(self, dfa: DFA, limit: int) -> None:
        self.dfa, self.limit = dfa, limit
        self.contexts = Contexts(dfa)

    @cached_property
    def counters(self) -> Counters:
        return counters(self.dfa)

    @cached_property
    def _generated(self) -> Monoid:
        return generate(letter_maps(self.dfa), self.limit)

    @property
    def has_monoid(self) -> bool:
        return "_generated" in self.__dict__ and self._generated.complete

    @property
    def monoid(self) -> Monoid:
        self.need_all()
        return self._generated

    @cached_property
    def green(self) -> Green:
        return Green(self.monoid)

    @cached_property
    def local(self) -> Local:
        return Local(self.green)

    @cached_property
    def turn(self) -> tuple[int, ...] | None:
        """A word whose powers never settle; none when the language is star-free."""
        if self.counters.turn is not None or self.counters.complete:
            return self.counters.turn
        # A piece of the monoid can refute as well as the whole; only the whole can confirm.
        turning = np.flatnonzero(~self._generated.aperiodic)
        if len(turning):
            return self._generated.word(int(turning[0]))
        self.need_all()
        return None

    def need_all(self) -> None:
        if not self._generated.complete:
            raise monoid_too_large(self.limit)

    def refuted(self, broken: Broken | None) -> Membership:
        return _answer(None if broken is None else self.contexts.witness(*broken))

    def unless_turning(
        self, law: str, words: Callable[[tuple[int, ...]], dict[str, tuple[int, ...]]]
    ) -> Membership | None:
        """A counter breaks each law below the star-free languages, in its own way."""
        return None if self.turn is None else self.refuted((law, words(self.turn)))


def _star_free(given: _Deciding) -> Membership:
    return given.unless_turning(laws.STAR_FREE, lambda u: {"x": u}) or Membership("yes")


def _r_trivial(given: _Deciding) -> Membership:
    return _answer(shapes.unordered(given.dfa))


def _l_trivial(given: _Deciding) -> Membership:
    refuted = given.unless_turning(laws.L_TRIVIAL, lambda u: {"x": (), "y": u})
    if refuted is not None:
        return refuted
    green = given.green
    first = np.unique(green.l, return_index=True)[1][green.l]
    more = np.flatnonzero(first != np.arange(len(first)))
    if not len(more):
        return Membership("yes")
    one, other = int(more[0]), int(first[more[0]])
    words = {"y": green.path(one, other, left=True), "x": green.path(other, one, left=True)}
    return given.refuted((laws.L_TRIVIAL, words))


def _l_trivial_in_any_way(given: _Deciding) -> Membership:
    """By the monoid; where that is too large, by the automaton of the reversed language."""
    try:
        return _l_trivial(given)
    except BadInput:
        backwards = shapes.unordered(reversal(given.dfa, STATE_LIMIT))
    if backwards is None:
        return Membership("yes")
    swapped = {"x": "y", "y": "x"}
    words = {name: given.dfa.letters(backwards.words[swapped[name]][::-1]) for name in swapped}
    return given.refuted((laws.L_TRIVIAL, words))


def _piecewise_testable(given: _Deciding) -> Membership:
    right = _r_trivial(given)
    return right if right.answer == "no" else _l_trivial_in_any_way(given)


def _da(given: _Deciding) -> Membership:
    """Every regular element is idempotent."""
    refuted = given.unless_turning(laws.DA, lambda u: {"x": u, "y": ()})
    if refuted is not None:
        return refuted
    green, monoid = given.green, given.monoid
    bad = np.flatnonzero(green.regular & ~monoid.idempotent)
    if not len(bad):
        return Membership("yes")
    element = int(bad[0])
    idempotent = np.flatnonzero(monoid.idempotent & (green.r == green.r[element]))[0]
    words = {"x": monoid.word(element), "y": green.path(element, int(idempotent))}
    return given.refuted((laws.DA, words))


def _locally_testable(given: _Deciding) -> Membership:
    refuted = given.unless_turning(laws.LOCALLY_IDEMPOTENT, lambda u: {"x": u, "s": u})
    return refuted or given.refuted(given.local.not_locally_testable())


def _threshold_testable(given: _Deciding) -> Membership:
    refuted = given.unless_turning(laws.STAR_FREE, lambda u: {"x": u})
    return refuted or given.refuted(given.local.not_threshold_testable())


def _measured(found: int | Witness) -> Membership:
    return _answer(found) if isinstance(found, Witness) else Membership("yes", parameter=found)


def _dot_depth_one(given: _Deciding) -> Membership:
    refuted = given.unless_turning(
        laws.KNAST, lambda u: {"x": u, "y": u, "s": u, "t": (), "u": (), "v": ()}
    )
    return refuted or given.refuted(given.local.deeper_than_one())


def _quasi_aperiodic(given: _Deciding) -> Membership:
    """No group among the words of any one length: the stable semigroup is aperiodic."""
    found = given.counters
    if found.even_turn is not None and found.even_rest is not None:
        return given.refuted((laws.EVEN, {"x": found.even_rest, "y": found.even_turn}))
    if found.complete or given.turn is None:
        return Membership("yes")
    monoid, stable = given.monoid, stability(given.monoid)
    turning = np.flatnonzero(stable.stable & ~monoid.aperiodic)
    if not len(turning):
        return Membership("yes")
    element = int(turning[0])
    words = {
        "x": word_of_length(monoid, int(monoid.omega[element]), stable.index),
        "y": word_of_length(monoid, element, stable.index),
    }
    return given.refuted((laws.EVEN, words))


def _solvable(given: _Deciding) -> Membership:
    if given.turn is None:
        return Membership("yes")
    piece = generate(letter_maps(given.dfa), given.limit, LEAST_UNSOLVABLE_RANK)
    found = unsolvable_group(piece)
    if found is None:
        return Membership("yes" if piece.complete else "too-large")
    idempotent, generators = found
    words = {f"g{place}": piece.word(each) for place, each in enumerate(generators, 1)}
    return given.refuted((laws.SOLVABLE, {"x": piece.word(idempotent), **words}))


CLASSES: Mapping[str, Callable[[_Deciding], Membership]] = MappingProxyType(
    {
        "finite": lambda given: _answer(shapes.infinite(given.dfa)),
        "cofinite": lambda given: _answer(shapes.coinfinite(given.dfa)),
        "star_free": _star_free,
        "piecewise_testable": _piecewise_testable,
        "j_trivial": _piecewise_testable,
        "r_trivial": _r_trivial,
        "l_trivial": _l_trivial_in_any_way,
        "da": _da,
        "locally_testable": _locally_testable,
        "locally_threshold_testable": _threshold_testable,
        "strictly_local": lambda given: _measured(shapes.local_width(given.dfa)),
        "strictly_piecewise": lambda given: _measured(
            shapes.piecewise_width(given.dfa, STATE_LIMIT)
        ),
        "dot_depth_one": _dot_depth_one,
        "quasi_aperiodic": _quasi_aperiodic,
        "solvable": _solvable,
    }
)
