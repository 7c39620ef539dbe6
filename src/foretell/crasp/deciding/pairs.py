"""With local relations: differences of heights between states that run side by side.

A window shows a program the last letters, a periodic relation the position modulo something. What
these cannot tell apart are two states between which one can go on for ever: pairs of states on a
cycle of the pair graph, the *recurrent* pairs. Counting helps only through the difference of their
heights, which stays the same while both read the same letters. So there is one unknown for every
recurrent pair (up to transport), and three kinds of equations: a pair that merges has difference 0,
a pair and its mirror image sum to 0, and differences add up along recurrent triples. An equation
may be used at a level only when all its pairs are still together there, even if some cancel.

The language is definable exactly when the pairs that stay together for ever are none.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, final

import numpy as np

from foretell.crasp.deciding.elimination import RowSpace, Vector
from foretell.crasp.deciding.graphs import components, cyclic
from foretell.crasp.deciding.machines import Machine
from foretell.crasp.deciding.peeling import lasting_pairs
from foretell.crasp.deciding.triples import MOST_TRIPLES, permuted_triples, recurrent_triples

Pair = tuple[int, int]
Kind = Literal["merge", "swap", "triple"]
MANY_PAIRS = 1_000  # then a no is first looked for with some of the triples
MOST_PAIRS = 300_000  # ordered; a connected automaton of 500 states has so many


class BeyondLimitError(Exception):
    """A question that would take too much time and memory; the text names the limit."""


@final
@dataclass(frozen=True)
class Relation:
    """An equation between unknowns, and the states it is about.

    `needs` are its unknowns before anything cancels: it holds only while all of them are together.
    """

    kind: Kind
    states: tuple[int, ...]
    row: Vector
    needs: frozenset[int]


@final
@dataclass
class PairSystem:
    """The unknowns and equations of an automaton; `modulus` None allows every period.

    Pairs are numbered; `unknown[pair]` is None for pairs that do not recur.
    """

    machine: Machine
    modulus: int | None = None
    pairs: list[Pair] = field(init=False)
    number: dict[Pair, int] = field(init=False)
    follows: list[list[tuple[int, int]]] = field(init=False)  # letter, next pair
    merges: list[bool] = field(init=False)
    home: list[int] = field(init=False)  # component of the pair graph
    members: list[list[int]] = field(init=False)
    periods: list[int] = field(init=False)  # 0: no cycle
    clock: list[int] = field(init=False)  # place of a pair in its component's cycle
    first: list[int] = field(init=False)  # number of each component's first slot
    links: list[tuple[int, int]] = field(init=False)  # slots joined: a word leads from one to two
    unknown_of_slot: list[int] = field(init=False)
    unknown: list[int | None] = field(init=False)
    merging: list[int] = field(init=False)  # components from which a pair can merge
    merged: frozenset[int] = field(init=False)  # unknowns of pairs that can merge
    state_periods: list[int] = field(init=False)
    together: frozenset[int] = field(init=False)  # unknowns that stay zero for ever
    relations: list[Relation] = field(init=False)
    levels: list[frozenset[int]] = field(init=False)

    def __post_init__(self) -> None:
        self._pair_graph()
        self._transport()
        self._solve()

    @property
    def definable(self) -> bool:
        """Does every recurrent pair come apart at some level?"""
        return not self.together

    def period(self, cycle: int) -> int:
        """What a program can see of a cycle's length."""
        return cycle if self.modulus is None else math.gcd(cycle, self.modulus)

    def recurs(self, pair: int) -> bool:
        """Does it lie on a cycle of the pair graph?"""
        return self.periods[self.home[pair]] > 0

    def slot(self, pair: int) -> int:
        """A number for a component of the pair graph and a place in its cycle.

        Between pairs of one slot lead words of every long enough length that the modulus divides
        (all periods, if there is none).
        """
        return self.first[self.home[pair]] + self.clock[pair]

    def _pair_graph(self) -> None:
        home, parts = self.machine.strong
        delta = self.machine.delta
        self.pairs = []
        self.state_periods = [0] * len(parts)
        for name, part in enumerate(parts):
            if len(part) == 1:
                continue
            cycle, places = cyclic(part, delta)
            cycle = self.period(cycle)
            self.state_periods[name] = cycle
            self.pairs += self._aligned(part, [place % cycle for place in places])
            if len(self.pairs) > MOST_PAIRS:
                raise BeyondLimitError(f"more than {MOST_PAIRS:,} pairs of states to look at")
        self.number = {pair: index for index, pair in enumerate(self.pairs)}
        self.follows, self.merges = [], []
        for one, two in self.pairs:
            place = home[one]
            row = []
            merging = False
            for letter, (left, right) in enumerate(zip(delta[one], delta[two], strict=True)):
                if home[left] == place == home[right]:
                    if left == right:
                        merging = True
                    else:
                        row.append((letter, self.number[left, right]))
            self.follows.append(row)
            self.merges.append(merging)
        self._pair_cycles()

    def _aligned(self, part: list[int], beat: list[int]) -> list[Pair]:
        """Pairs of a component that can occur at the same position; of many, those with a past."""
        if len(part) ** 2 > MANY_PAIRS:
            return lasting_pairs(np.array(self.machine.delta), part, beat, MOST_PAIRS + 1)
        both = itertools.permutations(zip(part, beat, strict=True), 2)
        return [(one, two) for (one, at), (two, other) in both if at == other]

    def _pair_cycles(self) -> None:
        nexts = [[target for _, target in row] for row in self.follows]
        self.home, self.members = components(nexts)
        self.periods = []
        self.clock = [0] * len(self.pairs)
        for part in self.members:
            if len(part) == 1 and part[0] not in nexts[part[0]]:
                self.periods.append(0)
                continue
            cycle, places = cyclic(part, nexts)
            cycle = self.period(cycle)
            self.periods.append(cycle)
            for pair, place in zip(part, places, strict=True):
                self.clock[pair] = place % cycle

    def _transport(self) -> None:
        """Join unknowns that one word of suitable length leads from one to the other."""
        first = [0]
        for cycle in self.periods:
            first.append(first[-1] + cycle)
        self.first = first
        self.links, self.merging = [], []
        parent = list(range(first[-1]))

        def find(item: int) -> int:
            while parent[item] != item:
                parent[item] = parent[parent[item]]
                item = parent[item]
            return item

        merged: set[int] = set()
        for name, cycle in enumerate(self.periods):
            if not cycle:
                continue
            arrivals, merging = self._onward(name)
            for pair, time in arrivals:
                other = self.home[pair]
                step = math.gcd(cycle, self.periods[other])
                shift = (self.clock[pair] - time) % step
                for here in range(cycle):
                    for there in range((here + shift) % step, self.periods[other], step):
                        one, two = first[name] + here, first[other] + there
                        if find(one) != find(two):
                            parent[find(one)] = find(two)
                            self.links.append((one, two))
            if merging:
                self.merging.append(name)
                merged.update(range(first[name], first[name] + cycle))
        self.unknown_of_slot = [find(slot) for slot in range(first[-1])]
        self.unknown = [
            find(self.slot(pair)) if self.recurs(pair) else None for pair in range(len(self.pairs))
        ]
        self.merged = frozenset(map(find, merged))

    def _onward(self, name: int) -> tuple[set[tuple[int, int]], bool]:
        """Recurrent pairs reached from a component through pairs that do not recur, with times.

        Times are those of the component's clock; and does a merging pair come on the way?
        """
        cycle = self.periods[name]
        order = [(pair, self.clock[pair]) for pair in self.members[name]]
        seen = set(order)
        arrivals: set[tuple[int, int]] = set()
        merging = False
        for pair, time in order:  # grows while it is walked
            merging |= self.merges[pair]
            for _, target in self.follows[pair]:
                if self.home[target] == name:
                    continue
                there = (target, (time + 1) % cycle)
                if self.recurs(target):
                    arrivals.add(there)
                elif there not in seen:
                    seen.add(there)
                    order.append(there)
        return arrivals, merging

    def _solve(self) -> None:
        if self.merged:
            # Each such equation needs only its own unknown, so it holds at every level, and the
            # answer is no already; triples, the expensive part, are not looked at.
            self.relations = [
                Relation("merge", (), {name: 1}, frozenset([name])) for name in sorted(self.merged)
            ]
            self.levels, self.together = [], self.merged
            return
        every = frozenset(name for name in self.unknown if name is not None)
        swaps = list(self._swaps())
        for triples in self._triples() if every else [()]:
            self.relations = [*swaps, *triples]
            self.levels = self._refine(every)
            self.together = self.levels[-1]
            if self.together:
                return

    def _refine(self, left: frozenset[int]) -> list[frozenset[int]]:
        """Level by level, the unknowns that are forced to zero."""
        levels = [left]
        while left:
            space = RowSpace()
            for relation in self.relations:
                if relation.needs <= left:
                    space.add(relation.row)
                    if space.rank == len(left):  # everything is zero already
                        return levels
            zero = frozenset(name for name in left if not space.reduce({name: 1}))
            if zero == left:
                break
            left = zero
            levels.append(left)
        return levels

    def _swaps(self) -> Iterator[Relation]:
        seen = set()
        for index, (one, two) in enumerate(self.pairs):
            left, right = self.unknown[index], self.unknown[self.number[two, one]]
            if left is None or right is None or (left, right) in seen:
                continue
            seen |= {(left, right), (right, left)}
            row: Vector = {left: 2} if left == right else {left: 1, right: 1}
            yield Relation("swap", (one, two), row, frozenset(row))

    def _triples(self) -> Iterator[Iterable[Relation]]:
        """Equations of recurrent triples: if there are many, first some, which may do for a no."""
        if sum(name is not None for name in self.unknown) < 6:  # three states are six pairs
            yield ()
            return
        delta = np.array(self.machine.delta)
        recurs = np.zeros((len(delta), len(delta)), bool)
        for (one, two), name in zip(self.pairs, self.unknown, strict=True):
            recurs[one, two] = name is not None
        if recurs.sum() > MANY_PAIRS:
            yield self._sums(permuted_triples(delta, recurs, self.machine.strong[1]))
        triples = recurrent_triples(delta, recurs)
        if triples is None:
            raise BeyondLimitError(f"more than {MOST_TRIPLES:,} triples of states to look at")
        yield self._sums(triples)

    def _sums(self, triples: Iterable[tuple[int, int, int]]) -> Iterator[Relation]:
        seen = set()
        for one, two, three in triples:
            names = [
                self.unknown[self.number[pair]] for pair in ((one, two), (two, three), (one, three))
            ]
            if tuple(names) in seen:
                continue
            seen.add(tuple(names))
            row: Vector = {}
            for name, sign in zip(names, (1, 1, -1), strict=True):
                row[name] = row.get(name, 0) + sign
            needs = frozenset(name for name in names if name is not None)
            row = {name: entry for name, entry in row.items() if entry}
            if row:
                yield Relation("triple", (one, two, three), row, needs)
