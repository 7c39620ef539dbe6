"""Why windows and periods do not help either: pairs of states whose difference must be zero.

The obstruction is a finite list of pairs of states. Each pair has an anchor, a word that leads both
of its states back to themselves and can be repeated until every window shows nothing else. Words of
matching lengths carry the difference of one pair over to another; these and the merge, swap and
triple equations force every listed difference to be zero, with an explicit derivation for each.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from typing import Any, final

from foretell.crasp.deciding.elimination import Number, RowSpace
from foretell.crasp.deciding.machines import Machine
from foretell.crasp.deciding.pairs import Pair, PairSystem, Relation
from foretell.crasp.deciding.sides import SideBySide

Word = tuple[int, ...]
Anchor = tuple[Word, int]  # a word, and how often it is repeated
TRIED = 40  # unknowns and pairs that are tried in search of a short obstruction


@final
@dataclass(frozen=True)
class Equation:
    """An equation between listed pairs; `word` for transport and merge, `anchor` for triples."""

    kind: str
    pairs: tuple[int, ...]
    word: Word | None = None
    anchor: Anchor | None = None

    @property
    def row(self) -> dict[Any, Number]:
        """Its coefficients."""
        signs = {"transport": (1, -1), "merge": (1,), "swap": (1, 1), "triple": (1, 1, -1)}
        found: dict[Any, Number] = {}
        for pair, sign in zip(self.pairs, signs[self.kind], strict=True):
            found[pair] = found.get(pair, 0) + sign
        return {pair: value for pair, value in found.items() if value}


@final
@dataclass(frozen=True)
class DifferenceObstruction:
    """Words and equations that keep pairs together; all lengths are multiples of `step`.

    Without a fixed modulus, every anchor has exactly the length `step`.
    """

    modulus: int | None
    step: int
    pairs: tuple[Pair, ...]
    anchors: tuple[Anchor, ...]
    equations: tuple[Equation, ...]
    derivations: tuple[tuple[tuple[int, Number], ...], ...]
    connections: tuple[tuple[int, int, Word], ...]
    access: Word
    suffix: Word


def explain(system: PairSystem) -> DifferenceObstruction:
    """An obstruction for a system that is not definable; the first pair is the target."""
    return _merging(system) if system.merged else _Derivation(system).obstruction()


def _merging(system: PairSystem) -> DifferenceObstruction:
    """One recurrent pair that some word merges: the local flip-flop."""
    sides = SideBySide(system.machine)
    modulus = system.modulus or 1
    merging = set(system.merging)
    best: tuple[int, Pair, Word] | None = None
    tried = 0
    for index, pair in enumerate(system.pairs):
        if system.home[index] not in merging:
            continue
        loop = sides.loop(pair, modulus)
        assert loop is not None, "a recurrent pair has a loop"
        if best is None or len(loop) < best[0]:
            best = (len(loop), pair, loop)
        tried += 1
        if best[0] <= 2 * modulus or tried >= TRIED:
            break
    assert best is not None
    length, pair, loop = best
    step = system.modulus or length
    word = sides.word(pair, (pair[0], pair[0]), step)
    equation = Equation("merge", (0,), word=word)
    return _finished(system, step, [pair], [(loop, 1)], [equation])


def _finished(
    system: PairSystem,
    step: int,
    pairs: list[Pair],
    anchors: list[Anchor],
    equations: list[Equation],
) -> DifferenceObstruction:
    machine, sides = system.machine, SideBySide(system.machine)
    one, two = pairs[0]
    suffix = machine.separating(one, two)
    assert suffix is not None, "two states of a minimal automaton differ"
    states = sorted({state for pair in pairs for state in pair})
    hub, *others = states
    connections = [
        (source, target, sides.word((source,), (target,), step))
        for state in others
        for source, target in ((hub, state), (state, hub))
    ]
    return DifferenceObstruction(
        modulus=system.modulus,
        step=step,
        pairs=tuple(pairs),
        anchors=tuple(anchors),
        equations=tuple(equations),
        derivations=_derivations(len(pairs), equations),
        connections=tuple(connections),
        access=machine.access(one),
        suffix=suffix,
    )


def _derivations(
    pairs: int, equations: list[Equation]
) -> tuple[tuple[tuple[int, Number], ...], ...]:
    """For each pair the combination of equations that says: its difference is zero."""
    space = _tagged([equation.row for equation in equations], pairs)
    found = []
    for pair in range(pairs):
        rest = space.reduce({pair: 1})
        assert all(isinstance(column, tuple) for column in rest), "every pair is derived"
        found.append(tuple(sorted((tag[0], -factor) for tag, factor in rest.items())))
    return tuple(found)


def _tagged(rows: list[dict[Any, Number]], unknowns: int) -> RowSpace:
    """A row space in which column (k,) tells how much of row k is in a vector."""
    space = RowSpace(may_pivot=lambda column: isinstance(column, int))
    for number, row in enumerate(rows):
        if row:
            space.add({**row, (number,): 1})
            if space.rank == unknowns:  # further rows can be derived from these
                break
    return space


@final
@dataclass
class _Derivation:
    """From unknowns that are forced to zero to concrete pairs of states."""

    system: PairSystem
    machine: Machine = field(init=False)
    relations: list[Relation] = field(init=False)
    concrete: list[int] = field(default_factory=list)  # numbers of pairs, in the order listed
    moves: list[tuple[int, int]] = field(default_factory=list)  # transports between pairs

    def __post_init__(self) -> None:
        system = self.system
        self.machine = system.machine
        self.sides = SideBySide(self.machine)
        self.relations = [item for item in system.relations if item.needs <= system.together]
        self.space = _tagged([item.row for item in self.relations], len(system.together))
        self.forest: dict[int, list[tuple[int, bool]]] = {}
        for one, two in system.links:
            self.forest.setdefault(one, []).append((two, True))
            self.forest.setdefault(two, []).append((one, False))
        self.in_slot: dict[int, int] = {}
        for pair in range(len(system.pairs)):
            if system.recurs(pair):
                self.in_slot.setdefault(system.slot(pair), pair)

    def obstruction(self) -> DifferenceObstruction:
        target, used = self._smallest()
        number = self.system.number
        shapes: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = []
        for relation in used:
            states = relation.states
            if relation.kind == "swap":
                around = [states, states[::-1]]
            else:
                around = [states[:2], states[1:], states[::2]]
            own = tuple(number[pair[0], pair[1]] for pair in around)
            shapes.append((relation.kind, own, states))
            for pair in own:
                self._list(pair)
        self.concrete.sort(key=lambda pair: self.system.unknown[pair] != target)
        self._connect_equal()
        return self._assemble(shapes)

    def _list(self, pair: int) -> None:
        if pair not in self.concrete:
            self.concrete.append(pair)

    def _smallest(self) -> tuple[int, list[Relation]]:
        """The unknown whose derivation, with all it rests on, uses the fewest relations."""
        best: tuple[int, int, set[int]] | None = None
        rests = functools.cache(lambda name: [tag[0] for tag in self.space.reduce({name: 1})])
        for target in sorted(self.system.together)[:TRIED]:
            used: set[int] = set()
            pending, seen = [target], {target}
            for name in pending:  # grows while it is walked
                for number in rests(name):
                    if number not in used:
                        used.add(number)
                        new = self.relations[number].needs - seen
                        seen |= new
                        pending += sorted(new)
            if best is None or len(used) < best[0]:
                best = (len(used), target, used)
        assert best is not None
        return best[1], [self.relations[number] for number in sorted(best[2])]

    def _connect_equal(self) -> None:
        """Transports that join all listed pairs of one unknown."""
        first: dict[int | None, int] = {}
        for pair in list(self.concrete):
            root = first.setdefault(self.system.unknown[pair], pair)
            if root == pair:
                continue
            slots = self._path(self.system.slot(root), self.system.slot(pair))
            at = root
            for slot, forward in slots:
                there = pair if slot == self.system.slot(pair) else self.in_slot[slot]
                self._list(there)
                self._move(at, there, forward)
                at = there
            if at != pair:
                self._move(at, pair, True)

    def _move(self, one: int, two: int, forward: bool) -> None:
        move = (one, two) if forward else (two, one)
        if move not in self.moves:
            self.moves.append(move)

    def _path(self, start: int, end: int) -> list[tuple[int, bool]]:
        """Slots on the way through the forest, each with: does the word lead this way?"""
        came: dict[int, tuple[int, bool] | None] = {start: None}
        order = [start]
        for slot in order:  # grows while it is walked
            for target, forward in self.forest.get(slot, ()):
                if target not in came:
                    came[target] = (slot, forward)
                    order.append(target)
        path = []
        while (last := came[end]) is not None:
            path.append((end, last[1]))
            end = last[0]
        return path[::-1]

    def _assemble(
        self, shapes: list[tuple[str, tuple[int, ...], tuple[int, ...]]]
    ) -> DifferenceObstruction:
        system, sides = self.system, self.sides
        pairs = [system.pairs[pair] for pair in self.concrete]
        place = {pair: index for index, pair in enumerate(self.concrete)}
        triples = [states for kind, _, states in shapes if kind == "triple"]
        if system.modulus is None:
            home, _ = self.machine.strong
            periods = [system.periods[system.home[pair]] for pair in self.concrete]
            whole = math.lcm(*periods, system.state_periods[home[pairs[0][0]]])
            step = sides.common_length([*pairs, *triples], whole)
        else:
            step = system.modulus
        equations = [
            Equation(
                "transport",
                (place[one], place[two]),
                word=sides.word(system.pairs[one], system.pairs[two], step),
            )
            for one, two in self.moves
        ]
        for kind, own, states in shapes:
            anchor = self._anchor(states, step) if kind == "triple" else None
            equations.append(Equation(kind, tuple(place[pair] for pair in own), anchor=anchor))
        anchors = [self._anchor(pair, step) for pair in pairs]
        return _finished(system, step, pairs, anchors, equations)

    def _anchor(self, states: tuple[int, ...], step: int) -> Anchor:
        if self.system.modulus is None:
            return self.sides.anchor(states, step)
        loop = self.sides.loop(states, step)
        assert loop is not None
        return loop, 1
