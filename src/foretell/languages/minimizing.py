"""The smallest automaton of a language, numbered canonically."""

from __future__ import annotations

from collections.abc import Iterable

Delta = tuple[tuple[int, ...], ...]


def canonical(delta: Delta, start: int, final: Iterable[int]) -> tuple[Delta, frozenset[int]]:
    """Transitions and final states of the smallest automaton; its start is state 0.

    States are numbered in the order a breadth-first walk in letter order meets them, so two
    automata of one language give the same answer.
    """
    delta, accepting = _numbered(delta, start, set(final))
    block = coarsest_partition(delta, accepting)
    representative = {block[state]: state for state in range(len(delta))}
    if len(representative) == len(delta):  # nothing was merged, and the numbers are right
        return delta, frozenset(accepting)
    merged = tuple(
        tuple(block[target] for target in delta[representative[index]])
        for index in range(len(representative))
    )
    merged_final = {block[state] for state in accepting}
    numbered, accepting = _numbered(merged, block[0], merged_final)
    return numbered, frozenset(accepting)


def _numbered(delta: Delta, start: int, final: set[int]) -> tuple[Delta, set[int]]:
    """The reachable part, numbered breadth first from the start."""
    order = [start]
    number = {start: 0}
    for state in order:  # grows while it is walked
        for target in delta[state]:
            if target not in number:
                number[target] = len(order)
                order.append(target)
    rows = tuple(tuple(number[target] for target in delta[state]) for state in order)
    return rows, {number[state] for state in order if state in final}


def coarsest_partition(delta: Delta, final: set[int]) -> list[int]:
    """Block of every state, so that states of one block accept the same words (Hopcroft).

    A split always gives the new name to the smaller half and queues it: that half is what must
    be looked at again whether or not the old block is still waiting, hence n log n in all.
    """
    states = range(len(delta))
    sources = _sources(delta)
    block = [int(state in final) for state in states]
    members = [{s for s in states if s not in final}, set(final)]
    if not all(members):
        return [0] * len(delta)
    waiting = [0, 1]
    while waiting:
        splitter = tuple(members[waiting.pop()])
        for into in sources:
            touched: dict[int, list[int]] = {}
            for target in splitter:
                for source in into[target]:
                    touched.setdefault(block[source], []).append(source)
            for old, hit in touched.items():
                if len(hit) == len(members[old]):
                    continue
                smaller = set(hit)
                if 2 * len(hit) > len(members[old]):
                    smaller = members[old] - smaller
                members[old] -= smaller
                for state in smaller:
                    block[state] = len(members)
                waiting.append(len(members))
                members.append(smaller)
    return block


def _sources(delta: Delta) -> list[list[list[int]]]:
    """For each letter and state, the states that lead there by that letter."""
    sources: list[list[list[int]]] = [[[] for _ in delta] for _ in delta[0]]
    for state, row in enumerate(delta):
        for letter, target in enumerate(row):
            sources[letter][target].append(state)
    return sources
