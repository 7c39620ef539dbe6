"""State, position modulo m, and the last few letters: what a program stands in front of.

Windows are words of varying length, such that no history ends in two of them and, once a history
ends in one, all longer ones do. Where windows leave two states together, they are made longer
there and nowhere else. Before the first letter the history is either empty, so that short
histories are windows of their own, or it is taken to be one letter repeated for ever: a letter that
leaves the start where it is, so that nothing changes.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

from foretell.crasp.deciding.graphs import components
from foretell.crasp.deciding.machines import Machine
from foretell.crasp.deciding.pairs import BeyondLimitError, PairSystem
from foretell.crasp.deciding.tower import Arrow, Tower, build_tower

NODES = 5_000  # configurations of one program; beyond that it is not written out
MODULI = 5_000  # least common multiples up to which every divisor is tried


class Node(NamedTuple):
    """A block of the machine, what the position is modulo m, and the window that shows.

    `full` is false when the whole history is `window`, and too short to end in a proper one.
    """

    block: int
    residue: int
    full: bool
    window: tuple[int, ...]


@final
@dataclass
class Windows:
    """The words of the window set, over groups of letters."""

    letters: int
    padding: int | None
    words: set[tuple[int, ...]]

    @property
    def longest(self) -> int:
        """Length of the longest window."""
        return max(map(len, self.words))

    def seen(self, history: tuple[int, ...]) -> tuple[bool, tuple[int, ...]]:
        """The window a history ends in; without one, not full and the history itself."""
        for start in range(len(history), -1, -1):
            if history[start:] in self.words:
                return True, history[start:]
        return False, history

    def first(self) -> tuple[bool, tuple[int, ...]]:
        """The window before the first letter."""
        if self.padding is None:
            return self.seen(())
        return self.seen((self.padding,) * self.longest)

    def lengthen(self, word: tuple[int, ...]) -> None:
        """Replace a window by those that show one letter more."""
        self.words.remove(word)
        self.words.update((letter, *word) for letter in range(self.letters))

    def close(self) -> None:
        """Lengthen until a window and one more letter always show a window."""
        pending = sorted(self.words)
        while pending:
            word = pending.pop()
            if word in self.words and not all(
                self.seen((*word, letter))[0] for letter in range(self.letters)
            ):
                self.lengthen(word)
                pending += sorted(self.words)


@final
@dataclass(frozen=True)
class Configurations:
    """The reachable configurations as a graph, with the towers of its components."""

    machine: Machine
    modulus: int
    windows: Windows
    nodes: tuple[Node, ...]
    moves: tuple[tuple[int, ...], ...]

    @cached_property
    def strong(self) -> tuple[list[int], list[list[int]]]:
        """Strong components, the last first."""
        return components(self.moves)

    @cached_property
    def known(self) -> list[int]:
        """A number for what windows and residues show at each node."""
        names: dict[tuple[int, bool, tuple[int, ...]], int] = {}
        return [names.setdefault(tuple(node[1:]), len(names)) for node in self.nodes]  # type: ignore[arg-type]

    @cached_property
    def towers(self) -> tuple[Tower, ...]:
        """One tower for each component."""
        known = dict(enumerate(self.known))
        return tuple(
            build_tower(part, self.arrows(name), known) for name, part in enumerate(self.strong[1])
        )

    def arrows(self, name: int) -> list[Arrow]:
        """Arrows inside a component."""
        home, parts = self.strong
        return [
            (node, letter, target)
            for node in parts[name]
            for letter, target in enumerate(self.moves[node])
            if home[target] == name
        ]

    @property
    def depth(self) -> int:
        """Most levels in any tower."""
        return max(len(tower.levels) for tower in self.towers)


def explore(machine: Machine, modulus: int, windows: Windows, most: int) -> Configurations | None:
    """All configurations that some word leads to, or None when they are too many."""
    start = Node(machine.start, 0, *windows.first())
    number = {start: 0}
    order = [start]
    moves = []
    for node in order:  # grows while it is walked
        row = []
        for letter, block in enumerate(machine.moves[node.block]):
            shown = windows.seen((*node.window, letter))
            target = Node(block, (node.residue + 1) % modulus, *shown)
            if target not in number:
                if len(order) >= most:
                    return None
                number[target] = len(order)
                order.append(target)
            row.append(number[target])
        moves.append(tuple(row))
    return Configurations(machine, modulus, windows, tuple(order), tuple(moves))


def without_windows(machine: Machine) -> Configurations:
    """The machine itself, as configurations that show nothing: what C-RASP[∅] has."""
    nodes = tuple(Node(block, 0, True, ()) for block in range(len(machine.moves)))
    windows = Windows(len(machine.groups), None, {()})
    return Configurations(machine, 1, windows, nodes, machine.moves)


def resolved(machine: Machine, modulus: int, most: int = NODES) -> Configurations | None:
    """Windows that tell everything apart, for a language known to have them; None: too many."""
    loops = [letter for letter, block in enumerate(machine.moves[0]) if block == machine.start]
    windows = Windows(len(machine.groups), loops[0] if loops else None, {()})
    while True:
        windows.close()
        if len(windows.words) > most:
            return None
        found = explore(machine, modulus, windows, most)
        if found is None:
            return None
        mixed = {
            found.nodes[group[0]].window
            for tower in found.towers
            for group in tower.groups
            if len(group) > 1
        }
        if not mixed:
            return found
        for word in sorted(mixed):
            windows.lengthen(word)


def least_modulus(system: PairSystem, make: Callable[[int | None], PairSystem]) -> int:
    """The least period that is enough for a definable language; `make` gives pair systems.

    Smaller periods leave more pairs to look at; those for which these are too many are passed over.
    """
    periods = [*system.state_periods, *system.periods]
    whole = math.lcm(*(period for period in periods if period))
    for modulus in range(1, whole) if whole <= MODULI else ():
        with contextlib.suppress(BeyondLimitError):
            if whole % modulus == 0 and make(modulus).definable:
                return modulus
    return whole  # always enough
