"""What a program sees of the step it is just taking, and formulas that pick out steps by it."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import final

from foretell.crasp import tree
from foretell.crasp.deciding.formulas import Definitions, Formula, conjoin, disjoin, negate, within

Step = tuple[int, int]  # a node of the configuration graph, and the letter read there
MISSING = -1  # no letter there: the word began later


class Feature(abc.ABC):
    """A number that a program can compute at a step; None where it is not known."""

    @abc.abstractmethod
    def values(self, steps: Iterable[Step]) -> list[int | None]:
        """The numbers at some steps."""

    @abc.abstractmethod
    def test(self, wanted: set[int], possible: set[int]) -> Formula:
        """A formula: the number is one of these, if it can only be one of those."""


@final
@dataclass(frozen=True)
class LetterFeature(Feature):
    """The letter that is read."""

    alphabet: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]

    def values(self, steps: Iterable[Step]) -> list[int | None]:
        """Its group."""
        return [letter for _, letter in steps]

    def test(self, wanted: set[int], possible: set[int]) -> Formula:
        """The shorter of: one of these letters; none of the others."""
        inside, outside = self.listed(wanted), self.listed(possible - wanted)
        if len(inside) <= len(outside) + 1 or len(possible) < len(self.groups):
            return disjoin(*inside)
        return negate(disjoin(*outside))

    def listed(self, groups: set[int]) -> list[tree.Letter]:
        """Tests for every letter of some groups."""
        return [
            tree.Letter(self.alphabet[letter])
            for group in sorted(groups)
            for letter in self.groups[group]
        ]


@final
@dataclass(frozen=True)
class PhaseFeature(Feature):
    """The position modulo the period."""

    modulus: int
    residues: Sequence[int]  # of each node, before the letter is read

    def values(self, steps: Iterable[Step]) -> list[int | None]:
        """Positions count from 1, so the first letter is read at residue 1."""
        return [(self.residues[node] + 1) % self.modulus for node, _ in steps]

    def test(self, wanted: set[int], possible: set[int]) -> Formula:
        """A periodic test."""
        return tree.Residue(self.modulus, tuple(sorted(wanted)))


@final
@dataclass(frozen=True)
class BackFeature(Feature):
    """The letter some distance back; `stands_for` is what a missing letter counts as."""

    distance: int
    windows: Sequence[tuple[bool, tuple[int, ...]]]
    stands_for: int
    letters: LetterFeature
    define: Callable[[str, Formula], Formula]
    names: tuple[str, ...]

    def values(self, steps: Iterable[Step]) -> list[int | None]:
        """Known if the window is long enough, or shows the whole history."""
        return [self._at(*self.windows[node]) for node, _ in steps]

    def _at(self, full: bool, window: tuple[int, ...]) -> int | None:
        if len(window) >= self.distance:
            return window[-self.distance]
        return None if full else MISSING

    def test(self, wanted: set[int], possible: set[int]) -> Formula:
        """One of these letters is there; or else none of the others, if it may be missing."""
        if self.stands_for in wanted:
            return negate(self._there(possible - wanted))
        others = possible - wanted
        if self.stands_for not in others and len(others) < len(wanted):
            return negate(self._there(others))
        return self._there(wanted)

    def _there(self, groups: set[int]) -> Formula:
        letters = self.letters.listed(groups)
        body = disjoin(*letters)
        if isinstance(body, bool):
            return body
        count = tree.Count(tree.Window((self.distance,)), body)
        shown = "_or_".join(self.names[group] for group in sorted(groups))
        if len(groups) > 4:
            shown = f"one_of_{len(letters)}"
        return self.define(
            f"back_{self.distance}_is_{shown}", tree.Comparison(">=", count, tree.Number(1))
        )


@final
@dataclass(frozen=True)
class HeightFeature(Feature):
    """A height after the step: its value at the node, and the step's weight on top."""

    after: dict[Step, int]
    height: Callable[[], tree.Expression]

    def values(self, steps: Iterable[Step]) -> list[int | None]:
        """The height after the step."""
        return [self.after[step] for step in steps]

    def test(self, wanted: set[int], possible: set[int]) -> Formula:
        """Comparisons."""
        return within(self.height(), wanted, possible)


def missing_at(distance: int, definitions: Definitions) -> Formula:
    """The word began less than that many letters ago."""
    there = tree.Count(tree.Window((distance,)), tree.Truth(True))
    there_is = tree.Comparison(">=", there, tree.Number(1))
    return negate(definitions.define(f"back_{distance}_exists", there_is))


def express(wanted: set[Step], possible: set[Step], features: Sequence[Feature]) -> Formula:
    """A formula for the wanted steps among the possible ones, as short as one feature allows.

    What happens at other steps does not matter. If no single feature is enough, the one that
    leaves the fewest questions open is asked first.
    """
    if not wanted:
        return False
    if len(wanted) == len(possible):
        return True
    feature, parts = _most_telling(wanted, possible, features)
    inside = {value for value, part in parts.items() if part <= wanted}
    later: dict[Formula, set[int]] = {}
    for value, part in parts.items():
        if value not in inside and part & wanted:
            rest = express(part & wanted, part, features)
            later.setdefault(rest, set()).add(value)
    values = set(parts)
    sure = feature.test(inside, values) if inside else False
    return disjoin(
        sure, *(conjoin(feature.test(found, values), rest) for rest, found in later.items())
    )


def _most_telling(
    wanted: set[Step], possible: set[Step], features: Sequence[Feature]
) -> tuple[Feature, dict[int, set[Step]]]:
    """The feature that leaves the fewest values open, and the steps by its values."""
    others = possible - wanted
    best: tuple[int, Feature] | None = None
    for feature in features:
        inside, outside = set(feature.values(wanted)), set(feature.values(others))
        every = inside | outside
        if None in every or len(every) < 2:
            continue
        mixed = len(inside & outside)
        if best is None or mixed < best[0]:
            best = (mixed, feature)
        if not mixed:
            break
    assert best is not None, "features tell all steps apart"
    parts: dict[int, set[Step]] = {}
    for step, value in zip(possible, best[1].values(possible), strict=True):
        assert value is not None
        parts.setdefault(value, set()).add(step)
    return best[1], dict(sorted(parts.items()))


def express_simply(
    wanted: set[Step], possible: set[Step], features: Sequence[Feature]
) -> Formula | None:
    """A formula by one feature alone, if there is one."""
    if not wanted or wanted == possible:
        return bool(wanted)
    for feature in features:
        inside = set(feature.values(wanted))
        outside = set(feature.values(possible - wanted))
        if not inside & outside and None not in inside | outside:
            return express(wanted, possible, [feature])
    return None
