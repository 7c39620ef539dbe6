"""How many edges part source from target in a random geometric graph?

What: Points of the plane, joined when near; the answer is the fewest edges to remove so that no
    path leads from the first point to the second: the largest flow with unit capacities.
Definition: Graphs as in `shortest-path`. Arcs lead both ways between relays, only out of the source
    and only into the target; each carries one unit. The answer is the smallest capacity of a cut
    that has the source on one side and the target on the other. Size is T, at least 8.
Example:
    >>> corners = "100 100 3400 3400 1200 1200 2300 2300 4000 0 0 4000 4090 2000 2000 4090"
    >>> MinCut().answer(tuple(corners.split()))
    ('1',)

Known limits: Near the critical degree the answer 1 is frequent, and more so in larger graphs. A
    guess scores that much: what one answer for all scores stands beside every run of capture.
    Degree and treatment of missing paths as in `shortest-path`.
Sources: arXiv 2603.11161 (the generator's words); Orlin, Max flows in O(nm) time, or
    better
"""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Array, Int, UInt32
from scipy.sparse.csgraph import maximum_flow

from foretell.core.task import Fact
from foretell.plain.errors import BadInput
from foretell.tasks.capture._lattice import SOURCE, TARGET, host_arcs, host_edges
from foretell.tasks.capture._searching import cut_size
from foretell.tasks.graphs import GraphTask


@dataclass(frozen=True)
class MinCut(GraphTask):
    """The fewest edges between source and target."""

    title = "min-cut"
    facts = (
        Fact(
            "heuristic-complexity",
            "T",
            "a search for each unit of flow, and of those no more than the source has neighbours, "
            "about as many at every T; arXiv 2603.11161 says T^2, Orlin's worst case",
        ),
    )

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """SciPy's largest flow."""
        points = self.read_points(word)
        arcs = host_arcs(host_edges(points, self.degree, self.torus), len(points))
        flow = int(maximum_flow(arcs, SOURCE, TARGET).flow_value)
        if flow == 0:
            raise BadInput("no path joins source and target", seen=f"{len(points)} nodes")
        return (str(flow),)

    def number(self, arriving: UInt32[Array, "length bit"]) -> Int[Array, ""]:
        """The same on the device."""
        return cut_size(arriving)
