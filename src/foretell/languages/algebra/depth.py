"""How deep a transformer must be to simulate an automaton: read off its transformation semigroup.

To simulate is to say the state after every letter of a word of length T. The maps that words make
of the states form a semigroup; the groups inside it decide (Krohn & Rhodes 1965; Barrington 1989;
Liu, Ash, Goel, Krishnamurthy & Zhang, Transformers learn shortcuts to automata, 2023). Letters that
commute need only be counted. With solvable groups, or none, a number of layers that does not grow
with T is enough. With a group that is not solvable ⌈log₂ T⌉ layers are enough, and no constant
number is, unless TC⁰ = NC¹. These are bounds: none of them is the least depth.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, final

import numpy as np

from foretell.languages.algebra.green import Green
from foretell.languages.algebra.groups import derived, few_generators, group_at, permutations
from foretell.languages.algebra.maps import Maps, letter_maps, smallest_type
from foretell.languages.algebra.monoid import Monoid, generate
from foretell.languages.dfa import DFA
from foretell.plain.errors import BadInput

Rung = Literal["commutative", "aperiodic", "solvable", "non-solvable"]
RUNGS: tuple[Rung, ...] = ("commutative", "aperiodic", "solvable", "non-solvable")
SEMIGROUP_LIMIT = 20_000
UPPER = {
    "commutative": "O(1) layers: uniform attention counts the letters",
    "aperiodic": "O(|Q|² log |Q|) layers, whatever the length T",
    "solvable": "O(|Q|² log |Q|) layers, whatever the length T",
    "non-solvable": "O(log T) layers",
}
LOWER = {
    "non-solvable": "no constant number of layers, with O(log T) bits of precision and polynomial "
    "width, unless TC⁰ = NC¹ (asymptotic: short words may still be within reach)"
}
NO_LOWER = "none known that grows with T"


@final
@dataclass(frozen=True)
class DepthClass:
    """Where an automaton stands, and the exact integers that put it there.

    `size` counts the maps of non-empty words. `series` has, for each kind of maximal group (one for
    every regular J-class, the largest first), the orders of its derived series: a solvable group's
    ends in 1.
    """

    rung: Rung
    states: int
    size: int
    idempotents: int
    series: tuple[tuple[int, ...], ...]

    @property
    def upper(self) -> str:
        """How many layers are enough."""
        return UPPER[self.rung]

    @property
    def lower(self) -> str:
        """How many are known to be needed, and on what condition."""
        return LOWER.get(self.rung, NO_LOWER)

    @property
    def largest_group(self) -> int:
        """The order of the largest group inside."""
        return self.series[0][0]

    @property
    def derived_length(self) -> int | None:
        """Steps of the longest derived series down to one element; none if one never gets there."""
        if self.rung == "non-solvable":
            return None
        return max(len(orders) for orders in self.series) - 1

    def as_json(self) -> dict[str, object]:
        """A value that `json.dumps` can write, both bounds with it."""
        more = {"derived_length": self.derived_length, "upper": self.upper, "lower": self.lower}
        return {**asdict(self), "series": [list(orders) for orders in self.series], **more}

    def __str__(self) -> str:
        return f"{self.rung}; upper bound: {self.upper}; conditional lower bound: {self.lower}"


def depth_class(dfa: DFA, limit: int = SEMIGROUP_LIMIT) -> DepthClass:
    """The class of an automaton; states that its start does not reach play no part.

    To recognise its language, rather than to follow its states, ask for `dfa.minimal()`.

    >>> from foretell.languages.regular import RegularLanguage
    >>> found = depth_class(RegularLanguage.from_regex("(ab)*").dfa)
    >>> found.rung, found.size, found.upper
    ('aperiodic', 5, 'O(|Q|² log |Q|) layers, whatever the length T')
    """
    reached = np.array(_reached(dfa))
    place: np.ndarray = np.zeros(len(dfa.delta), smallest_type(len(dfa.delta)))
    place[reached] = np.arange(len(reached))
    return depth_class_of(place[letter_maps(dfa)[:, reached]], limit)


def depth_class_of(letters: Maps, limit: int = SEMIGROUP_LIMIT) -> DepthClass:
    """The class of a transition table given as a row of next states for every letter.

    >>> depth_class_of(np.array([[1, 2, 3, 4, 0], [1, 0, 2, 3, 4]])).series
    ((120, 60, 60),)
    """
    semigroup = generate(require_maps(letters), limit + 1)
    size = len(semigroup) - (not semigroup.in_semigroup[0])
    if not semigroup.complete or size > limit:
        raise BadInput(
            "the automaton's semigroup is too large",
            seen=f"{size:,} elements reached",
            why=f"its closure is stopped beyond {limit:,}, and sooner if the states are many; "
            "n states can have n to the power n",
            hint="an automaton with fewer states or letters, or a higher limit",
        )
    found = [_series(semigroup, int(e)) for e in Green(semigroup).representatives]
    series = tuple(sorted(found, reverse=True))
    idempotents = int((semigroup.idempotent & semigroup.in_semigroup).sum())
    return DepthClass(_rung(letters, series), letters.shape[1], size, idempotents, series)


def require_maps(letters: Maps) -> Maps:
    """Every letter leads every state to a state."""
    if letters.ndim != 2 or not letters.size:
        raise BadInput(
            "the transition table is empty",
            seen=f"shape {letters.shape}",
            why="there is at least one letter, and one state for it to act on",
        )
    states = letters.shape[1]
    bad = np.argwhere((letters < 0) | (letters >= states))
    if len(bad):
        letter, state = map(int, bad[0])
        raise BadInput(
            "the transition table is incomplete",
            seen=f"letter {letter} leads state {state} to {int(letters[letter, state])}",
            why=f"the states are 0 to {states - 1}",
            hint="add a sink and lead the missing transitions there",
        )
    return letters.astype(smallest_type(states))


def derived_series(group: Maps) -> tuple[int, ...]:
    """Orders of a group of permutations (all its elements), its commutator subgroup, and so on.

    It ends in 1, or twice in the order of a group that is its own commutator subgroup.

    >>> from itertools import permutations
    >>> derived_series(np.array(list(permutations(range(4))), np.uint8))
    (24, 12, 4, 1)
    """
    orders, generators = [len(group)], group[few_generators(group)]
    while orders[-1] > 1 and orders[-1:] != orders[-2:-1]:
        generators = derived(generators)
        orders.append(len(generate(generators)) if len(generators) else 1)
    return tuple(orders)


def _series(semigroup: Monoid, idempotent: int) -> tuple[int, ...]:
    group = group_at(semigroup, idempotent)
    return derived_series(permutations(semigroup, group, idempotent))


def _rung(letters: Maps, series: tuple[tuple[int, ...], ...]) -> Rung:
    if (letters[:, letters] == letters[:, letters].swapaxes(0, 1)).all():
        return "commutative"
    if all(orders == (1,) for orders in series):
        return "aperiodic"
    return "solvable" if all(orders[-1] == 1 for orders in series) else "non-solvable"


def _reached(dfa: DFA) -> list[int]:
    found = {dfa.start: None}
    order = [dfa.start]
    for state in order:  # grows while it is walked
        new = [target for target in dict.fromkeys(dfa.delta[state]) if target not in found]
        found.update(dict.fromkeys(new))
        order.extend(new)
    return sorted(found)
