"""The automaton of a certificate, and the few things every checker asks of it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, final

from foretell.languages.dfa import DFA
from foretell.languages.dfa_json import dfa_from_json

Node = TypeVar("Node", bound=Hashable)


class Refuted(Exception):
    """A statement of the certificate is wrong."""


def require(condition: bool, what: str) -> None:
    """Stop unless the condition holds."""
    if not condition:
        raise Refuted(what)


@final
@dataclass(frozen=True)
class Table:
    """A transition table with the convention under which its words are accepted."""

    dfa: DFA
    accept: str

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Table:
        """The automaton and the convention in a certificate."""
        accept = document["accept"]
        require(accept in ("last-letter", "every-prefix"), f"no such convention: {accept!r}")
        return cls(dfa_from_json(document["dfa"]), accept)

    @property
    def states(self) -> range:
        """All states."""
        return range(len(self.dfa.delta))

    def state(self, number: Any) -> int:
        """A state of the table, or refuted."""
        require(type(number) is int and number in self.states, f"{number!r} is no state")
        return number

    def run(self, state: int, word: Sequence[str]) -> int:
        """Where a word leads."""
        for letter in self.dfa.letters(word):
            state = self.dfa.delta[state][letter]
        return state

    def differ(self, one: int, two: int, suffix: Sequence[str]) -> bool:
        """Is the suffix accepted from exactly one of two states?"""
        final_states = self.dfa.final
        return (self.run(one, suffix) in final_states) != (self.run(two, suffix) in final_states)


def whole(value: Any) -> int:
    """A whole number, or refuted."""
    require(type(value) is int, f"{value!r} is no whole number")
    return value


def connected(nodes: Iterable[Hashable], edges: Iterable[tuple[Hashable, Hashable]]) -> bool:
    """Can every node be reached from every other?"""
    every = set(nodes)
    onward: dict[Hashable, list[Hashable]] = {node: [] for node in every}
    back: dict[Hashable, list[Hashable]] = {node: [] for node in every}
    for source, target in edges:
        onward[source].append(target)
        back[target].append(source)
    for neighbours in (onward, back):
        found = {next(iter(every))}
        pending = list(found)
        while pending:
            for target in neighbours[pending.pop()]:
                if target not in found:
                    found.add(target)
                    pending.append(target)
        if found != every:
            return False
    return True


def strong_parts(moves: Mapping[Node, Sequence[Node]]) -> list[frozenset[Node]]:
    """Strong components of a graph, by two sweeps (Kosaraju)."""
    order: list[Node] = []
    seen: set[Node] = set()
    for root in moves:
        stack = [(root, 0)]
        while stack:
            node, done = stack.pop()
            if done == 0:
                if node in seen:
                    continue
                seen.add(node)
            if done < len(moves[node]):
                stack += [(node, done + 1), (moves[node][done], 0)]
            else:
                order.append(node)
    sources: dict[Node, list[Node]] = {node: [] for node in moves}
    for node, row in moves.items():
        for target in row:
            sources[target].append(node)
    found: list[frozenset[Node]] = []
    taken: set[Node] = set()
    for root in reversed(order):
        if root not in taken:
            taken.add(root)
            part = [root]
            for node in part:  # grows while it is walked
                new = [source for source in dict.fromkeys(sources[node]) if source not in taken]
                taken.update(new)
                part += new
            found.append(frozenset(part))
    return found
