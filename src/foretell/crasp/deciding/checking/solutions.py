"""Is a solution of the pair system right? Then the language is definable with windows.

The graph of pairs is built again from the automaton. A solution gives every recurrent pair, at
every place of its cycle, a difference of heights; it must not change from pair to pair along any
word, and satisfy the swap and triple equations between pairs that are not yet told apart. A pair is
told apart where some solution of the level is not zero, and in the end all must be.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from foretell.crasp.deciding.checking.table import Table, require, strong_parts, whole
from foretell.plain.wording import counted

MOST = 1_000_000  # slots

Pair = tuple[int, int]
Slot = tuple[int, int]  # which cycle, and the place in it


def check_solutions(table: Table, document: Mapping[str, Any]) -> str:
    """What was checked, or `Refuted`."""
    graph = _Pairs.read(table, document)
    equations = _Equations(
        graph.links(),
        {(graph.slot(pair), graph.slot(pair[::-1])) for pair in graph.place},
        {
            (graph.slot((one, two)), graph.slot((two, three)), graph.slot((one, three)))
            for one, two, three in graph.triples()
        },
    )
    require(sum(graph.periods) <= MOST, "the periods are too large to check")
    slots = {(name, c) for name, period in enumerate(graph.periods) for c in range(period)}
    together = set(slots)
    for level in document["levels"]:
        apart: set[Slot] = set()
        for solution in level:
            value = {(name, c): whole(solution[name][c]) for name, c in slots}
            equations.check(value, together)
            apart |= {slot for slot, difference in value.items() if difference}
        together -= apart
    require(not together, "some pairs are not told apart")
    return (
        f"differences of {counted(len(graph.place), 'recurrent pair')} in "
        f"{counted(len(document['levels']), 'level')} "
        f"tell all of them apart (period {graph.modulus}): definable; no program was written out"
    )


@final
@dataclass(frozen=True)
class _Equations:
    """Slots with equal differences, mirror images, and slots whose differences add up."""

    links: set[tuple[Slot, Slot]]
    mirrors: set[tuple[Slot, Slot]]
    triples: set[tuple[Slot, Slot, Slot]]

    def check(self, value: Mapping[Slot, int], together: set[Slot]) -> None:
        """Swaps and triples count only while all their pairs are together."""
        for one, two in self.links:
            require(value[one] == value[two], "a difference changes")
        for one, two in self.mirrors:
            if one in together and two in together:
                require(value[one] + value[two] == 0, "a swap does not cancel")
        for one, two, across in self.triples:
            if together.issuperset((one, two, across)):
                require(value[one] + value[two] == value[across], "differences do not add up")


@final
@dataclass(frozen=True)
class _Pairs:
    modulus: int
    moves: dict[Pair, list[Pair]]
    merging: set[Pair]
    periods: list[int]
    place: dict[Pair, Slot]
    rows: tuple[tuple[int, ...], ...]

    @classmethod
    def read(cls, table: Table, document: Mapping[str, Any]) -> _Pairs:
        modulus = whole(document["modulus"])
        require(modulus > 0, "the period is not positive")
        _check_fragment(document["fragment"], modulus)
        moves, merging = _pair_graph(table, modulus)
        periods: list[int] = []
        place: dict[Pair, Slot] = {}
        for name, cycle in enumerate(document["cycles"]):
            period = whole(cycle["period"])
            require(period > 0 and modulus % period == 0, "a period does not fit the modulus")
            periods.append(period)
            for one, two, at in cycle["pairs"]:
                require(0 <= whole(at) < period, "a place is outside its cycle")
                require((one, two) not in place, "a pair is listed twice")
                place[one, two] = (name, at)
        for part in strong_parts(moves):
            some = next(iter(part))
            if len(part) == 1 and some not in moves[some]:
                require(some not in place, "a pair is listed that does not recur")
                continue
            require(all(pair in place for pair in part), "a recurrent pair is not listed")
            require(len({place[pair][0] for pair in part}) == 1, "a cycle is torn apart")
            for pair in part:
                for target in moves[pair]:
                    if target in part:
                        step = place[target][1] - place[pair][1] - 1
                        require(step % periods[place[pair][0]] == 0, "places do not count steps")
        require(place.keys() <= moves.keys(), "a pair is listed that does not exist")
        return cls(modulus, moves, merging, periods, place, table.dfa.delta)

    def slot(self, pair: tuple[int, ...]) -> Slot:
        """Cycle and place of a recurrent pair."""
        one, two = pair
        return self.place[one, two]

    def links(self) -> set[tuple[Slot, Slot]]:
        """Slots between which some word carries the difference over; no recurrent pair merges."""
        found: set[tuple[Slot, Slot]] = set()
        for root, (name, at) in self.place.items():
            period = self.periods[name]
            pending = [(root, at)]
            seen = set(pending)
            for pair, time in pending:  # grows while it is walked
                require(pair not in self.merging, "a recurrent pair merges")
                for target in self.moves[pair]:
                    there = (target, (time + 1) % period)
                    if target not in self.place:
                        if there not in seen:
                            seen.add(there)
                            pending.append(there)
                        continue
                    other, clock = self.place[target]
                    if other != name:
                        step = math.gcd(period, self.periods[other])
                        found |= {
                            ((name, one), (other, two))
                            for one in range(period)
                            for two in range(self.periods[other])
                            if (two - one - clock + there[1]) % step == 0
                        }
        return found

    def triples(self) -> list[tuple[int, int, int]]:
        """Sorted triples of states on a cycle of the graph of triples."""
        states = sorted({state for pair in self.place for state in pair})
        every = {
            triple
            for triple in itertools.combinations(states, 3)
            if all(pair in self.place for pair in itertools.combinations(triple, 2))
        }
        moves = {}
        for triple in every:
            columns = zip(*(self.rows[state] for state in triple), strict=True)
            moves[triple] = [after for c in columns if (after := tuple(sorted(c))) in every]
        return [
            triple
            for part in strong_parts(moves)
            for triple in part
            if len(part) > 1 or triple in moves[triple]
        ]


def _check_fragment(fragment: str, modulus: int) -> None:
    allowed = {"crasp_periodic_local", f"crasp_periodic_{modulus}_local"}
    allowed |= {"crasp_local"} if modulus == 1 else set()
    require(fragment in allowed, f"a solution with period {modulus} is not about {fragment}")


def _pair_graph(table: Table, modulus: int) -> tuple[dict[Pair, list[Pair]], set[Pair]]:
    """Pairs of states of a component that can occur at the same position, and how they go on."""
    rows = table.dfa.delta
    moves: dict[Pair, list[Pair]] = {}
    merging: set[Pair] = set()
    for part in strong_parts({state: rows[state] for state in table.states}):
        beat = _beat(rows, part, modulus)
        aligned = [(p, q) for p in part for q in part if p != q and beat[p] == beat[q]]
        for one, two in aligned:
            moves[one, two] = []
            for left, right in zip(rows[one], rows[two], strict=True):
                if left in part and right in part:
                    if left == right:
                        merging.add((one, two))
                    else:
                        moves[one, two].append((left, right))
    return moves, merging


def _beat(rows: tuple[tuple[int, ...], ...], part: frozenset[int], modulus: int) -> dict[int, int]:
    """For each state of a component the number of steps to it, as far as the modulus shows it."""
    root = min(part)
    steps = {root: 0}
    order = [root]
    period = modulus
    for state in order:  # grows while it is walked
        for target in rows[state]:
            if target in part:
                if target not in steps:
                    steps[target] = steps[state] + 1
                    order.append(target)
                period = math.gcd(period, steps[state] + 1 - steps[target])
    return {state: count % period for state, count in steps.items()}
