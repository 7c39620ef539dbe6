"""Is a potential certificate right? Then the language is definable, and here is a program.

The configuration graph (state, position modulo the period, window) is built again from the
automaton. In every strong component the listed heights must be potentials, level by level, and in
the end tell all configurations with the same window and residue apart. The program is parsed,
its fragment read off, and compared with the automaton by `verify`, exactly where that is possible.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from foretell.crasp.deciding.checking.programs import check_program
from foretell.crasp.deciding.checking.table import Table, require, strong_parts, whole
from foretell.plain.wording import counted

MOST = 500_000  # configurations
Place = tuple[int, int, bool, tuple[int, ...]]  # block, residue, is the window full, window


def check_potentials(table: Table, document: Mapping[str, Any]) -> str:
    """What was checked, or `Refuted`."""
    graph = _Graph.read(table, document)
    _check_fragment(document, graph)
    components = [part for part in strong_parts(graph.moves) if len(part) > 1]
    listed = {}
    for item in document["components"]:
        places = [graph.place(table, node) for node in item["nodes"]]
        require(len(set(places)) == len(places), "a configuration is listed twice")
        listed[frozenset(places)] = (places, item["levels"])
    for part in components:
        require(part in listed, "a component of the configuration graph is not listed")
        _check_levels(graph, *listed[part])
    used = [f"period {graph.modulus}"] if graph.modulus > 1 else []
    if graph.windows != {()}:
        longest = max(map(len, graph.windows))
        used.append(f"{counted(len(graph.windows), 'window')} of length up to {longest}")
    shown = f" ({', '.join(used)})" if used else ""
    said = f"heights tell {counted(len(graph.moves), 'configuration')} apart{shown}"
    if document["program"] is None:
        return f"{said}; the program was not written out"
    return f"{said}; {check_program(table, document)}"


def _check_fragment(document: Mapping[str, Any], graph: _Graph) -> None:
    fragment, plain = document["fragment"], graph.windows == {()}
    if fragment == "crasp":
        require(plain and graph.modulus == 1, "C-RASP[∅] has no windows and no period")
    elif fragment == "crasp_local":
        require(graph.modulus == 1, "C-RASP[local] has no period")
    elif fragment != "crasp_periodic_local":
        modulus = int(fragment.removeprefix("crasp_periodic_").removesuffix("_local"))
        require(fragment == f"crasp_periodic_{modulus}_local", f"no such fragment: {fragment}")
        require(modulus % graph.modulus == 0, f"the period does not divide {modulus}")


@final
@dataclass(frozen=True)
class _Graph:
    modulus: int
    windows: frozenset[tuple[int, ...]]
    group: dict[str, int]
    block: tuple[int, ...]
    moves: dict[Place, tuple[Place, ...]]

    @classmethod
    def read(cls, table: Table, document: Mapping[str, Any]) -> _Graph:
        modulus = whole(document["modulus"])
        require(modulus > 0, "the period is not positive")
        groups = document["letters"]
        group = _groups(table, groups)
        windows = frozenset(tuple(group[x] for x in word) for word in document["windows"])
        require(len(windows) > 0, "there are no windows")
        block = _blocks(table)
        graph = cls(modulus, windows, group, block, {})
        padding = document["padding"]
        history = () if padding is None else (group[padding],) * max(map(len, windows))
        start: Place = (block[table.dfa.start], 0, *graph.seen(history))
        require(padding is None or start[2], "the padding shows no window")
        graph._explore(table, [table.dfa.letters([letters[0]])[0] for letters in groups], start)
        return graph

    def seen(self, history: tuple[int, ...]) -> tuple[bool, tuple[int, ...]]:
        """The shortest window that the history ends in."""
        for size in range(len(history) + 1):
            if history[len(history) - size :] in self.windows:
                return True, history[len(history) - size :]
        return False, history

    def _explore(self, table: Table, letters: list[int], start: Place) -> None:
        some: dict[int, int] = {name: state for state, name in enumerate(self.block)}
        longest = max(map(len, self.windows), default=0)
        pending = [start]
        while pending:
            place = pending.pop()
            if place in self.moves:
                continue
            name, residue, full, window = place
            row: list[Place] = []
            for number, letter in enumerate(letters):
                target = self.block[table.dfa.delta[some[name]][letter]]
                shown = self.seen((*window, number))
                require(shown[0] or not full, "a window is lost by reading on")
                require(shown[0] or len(shown[1]) < longest, "some history shows no window")
                row.append((target, (residue + 1) % self.modulus, *shown))
            self.moves[place] = tuple(row)
            require(len(self.moves) <= MOST, "the configuration graph is too large to check")
            pending += row

    def place(self, table: Table, node: Mapping[str, Any]) -> Place:
        """A configuration as it is listed."""
        window = tuple(self.group[symbol] for symbol in node["window"])
        full, residue = node["full"], whole(node["residue"])
        return self.block[table.state(node["state"])], residue, full, window


def _groups(table: Table, groups: list[list[str]]) -> dict[str, int]:
    """The group of every letter, once grouped letters are seen to act alike."""
    listed = [symbol for group in groups for symbol in group]
    require(sorted(listed) == sorted(table.dfa.alphabet.symbols), "letters are not grouped once")
    columns = dict(zip(table.dfa.alphabet.symbols, zip(*table.dfa.delta, strict=True), strict=True))
    for group in groups:
        require(len({columns[symbol] for symbol in group}) == 1, f"{group} do not act alike")
    return {symbol: number for number, group in enumerate(groups) for symbol in group}


def _blocks(table: Table) -> tuple[int, ...]:
    """States a program must tell apart: those with different futures, found by refinement.

    When the last letter is visible, futures begin with a letter.
    """
    rows, final_states = table.dfa.delta, table.dfa.final
    if table.accept == "last-letter":
        signs = [tuple(target in final_states for target in row) for row in rows]
    else:
        signs = [(state in final_states,) for state in table.states]
    names: dict[Any, int] = {}
    block = [names.setdefault(sign, len(names)) for sign in signs]
    while True:
        finer: dict[Any, int] = {}
        after = [
            finer.setdefault((block[state], *(block[target] for target in row)), len(finer))
            for state, row in enumerate(rows)
        ]
        if len(finer) == len(set(block)):
            return tuple(after)
        block = after


def _check_levels(graph: _Graph, places: list[Place], levels: list[Any]) -> None:
    inside = set(places)
    known: dict[Place, Any] = {place: place[1:] for place in places}
    for level in levels:
        columns = [list(map(whole, heights)) for heights in level]
        for heights in columns:
            require(len(heights) == len(places), "a potential has too few or too many heights")
            height = dict(zip(places, heights, strict=True))
            rise: dict[Any, int] = {}
            for place in places:
                for letter, target in enumerate(graph.moves[place]):
                    if target in inside:
                        change = height[target] - height[place]
                        before = rise.setdefault((letter, known[place]), change)
                        require(before == change, "a height changes in a way no count can follow")
        known = {
            place: (known[place], *(heights[index] for heights in columns))
            for index, place in enumerate(places)
        }
    require(len(set(known.values())) == len(places), "two configurations are not told apart")
