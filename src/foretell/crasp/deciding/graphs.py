"""Strong components, periods and shortest words of finite graphs."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def components(successors: Sequence[Iterable[int]]) -> tuple[list[int], list[list[int]]]:
    """Which strong component each node belongs to, and the members of each.

    Components come last first: an edge between two of them leads from the later to the earlier.

    >>> components([[1], [0, 2], [2]])
    ([1, 1, 0], [[2], [0, 1]])
    """
    size = len(successors)
    order, low, home = [-1] * size, [0] * size, [-1] * size
    open_nodes: list[int] = []
    found: list[list[int]] = []
    clock = 0
    for root in range(size):
        if order[root] >= 0:
            continue
        path = [root]
        pending = [iter(successors[root])]
        order[root] = low[root] = clock
        clock += 1
        open_nodes.append(root)
        while path:
            node = path[-1]
            for target in pending[-1]:
                if order[target] < 0:
                    order[target] = low[target] = clock
                    clock += 1
                    open_nodes.append(target)
                    path.append(target)
                    pending.append(iter(successors[target]))
                    break
                if home[target] < 0 and order[target] < low[node]:
                    low[node] = order[target]
            else:
                path.pop()
                pending.pop()
                if path and low[node] < low[path[-1]]:
                    low[path[-1]] = low[node]
                if low[node] == order[node]:
                    found.append(_close(node, open_nodes, home, len(found)))
    return home, found


def _close(root: int, open_nodes: list[int], home: list[int], number: int) -> list[int]:
    members = []
    while True:
        node = open_nodes.pop()
        home[node] = number
        members.append(node)
        if node == root:
            members.sort()
            return members


def cyclic(members: Sequence[int], successors: Sequence[Iterable[int]]) -> tuple[int, list[int]]:
    """Period of a strong component, and the distance of each member from the first, modulo it.

    The period is 0 for a node without a loop, which lies on no cycle at all.
    """
    inside = set(members)
    distance = {members[0]: 0}
    order = [members[0]]
    period = 0
    for node in order:  # grows while it is walked
        for target in successors[node]:
            if target not in inside:
                continue
            if target not in distance:
                distance[target] = distance[node] + 1
                order.append(target)
            else:
                period = math.gcd(period, distance[node] + 1 - distance[target])
    return period, [distance[node] % period if period else 0 for node in members]


def shortest_word(
    start: Node,
    step: Callable[[Node, int], Node | None],
    letters: int,
    goal: Callable[[Node], bool],
) -> tuple[int, ...] | None:
    """A shortest word that leads from the start to a goal, first in letter order; may be empty."""
    if goal(start):
        return ()
    came: dict[Node, tuple[Node, int] | None] = {start: None}
    order = [start]
    for node in order:  # grows while it is walked
        for letter in range(letters):
            target = step(node, letter)
            if target is None or target in came:
                continue
            came[target] = (node, letter)
            if goal(target):
                return _trace(target, came)
            order.append(target)
    return None


def _trace(node: Node, came: dict[Node, tuple[Node, int] | None]) -> tuple[int, ...]:
    word = []
    while (last := came[node]) is not None:
        node, letter = last
        word.append(letter)
    return tuple(reversed(word))
