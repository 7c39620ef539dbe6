"""How many hops from source to target in a random geometric graph?

What: Points of the plane, joined when near; the answer is the fewest hops from the first point to
    the second. Breadth-first search answers it in linear time.
Definition: T points uniform on the unit square (or `torus`), joined up to the radius
    √(c / (π T)), where c is the expected degree (`degree`, 4.52 unless told: near the critical
    one). Node 0 is the source, node 1 the target; graphs without a path between them are drawn
    again. Size is T, at least 8.
Example:
    >>> corners = "100 100 3400 3400 1200 1200 2300 2300 4000 0 0 4000 4090 2000 2000 4090"
    >>> ShortestPath().answer(tuple(corners.split()))
    ('3',)

Known limits: The source lost its degree and what it does without a path; both are our choice.
    Conditioning on a path keeps about half of all graphs of 64 nodes, fewer of larger ones.
Sources: arXiv 2603.11161 (the generator's words); Dall and Christensen, Random
    geometric graphs, for the radius
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from jaxtyping import Array, Int, UInt32

from foretell.core.task import Fact
from foretell.plain.errors import BadInput
from foretell.tasks.capture._lattice import SOURCE, TARGET
from foretell.tasks.capture._searching import hop_distance
from foretell.tasks.graphs import GraphTask


@dataclass(frozen=True)
class ShortestPath(GraphTask):
    """The fewest hops from source to target."""

    title = "shortest-path"
    facts = (
        Fact(
            "heuristic-complexity",
            "T",
            "breadth-first search of a graph with about T edges; arXiv 2603.11161",
        ),
    )

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """Breadth first, one node at a time."""
        neighbours, waiting = self.neighbours(word), deque([SOURCE])
        hops = {SOURCE: 0}
        while waiting and TARGET not in hops:
            node = waiting.popleft()
            for other in neighbours[node]:
                if other not in hops:
                    hops[other] = hops[node] + 1
                    waiting.append(other)
        if TARGET not in hops:
            raise BadInput("no path joins source and target", seen=f"{len(neighbours)} nodes")
        return (str(hops[TARGET]),)

    def number(self, arriving: UInt32[Array, "length bit"]) -> Int[Array, ""]:
        """The same on the device."""
        return hop_distance(arriving)
