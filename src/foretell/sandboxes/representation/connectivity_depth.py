"""Which nodes of a graph are connected: log n layers against as many steps as the graph is wide.

What: A transformer can be given more power in two ways: more layers, or more steps of thought that
    it writes down and reads again. Connectivity of a graph tells the two apart. With layers every
    node asks the nodes it knows to reach for all that they know to reach, so that paths double in
    length from layer to layer. A chain of thought that writes down one frontier after the other
    goes one edge further with every step. On a path of 33 nodes that is 5 layers or 32 steps.
    Both are built from attention here, run on paths, cycles, trees and random graphs, and compared
    with distances computed in another way.
Definition: Node i holds a row of bits R_i, at first its neighbours and itself. A layer attends with
    scores κ·R_i, reads the mean of the rows R_j with j in R_i, and sets every bit whose mean is at
    least 1/n: R ← [R·R > 0]. After r layers R holds all pairs at distance at most 2^r, so that
    ⌈log₂ D⌉ layers are needed for diameter D (the largest distance between connected nodes) and
    ⌈log₂(n-1)⌉ are enough for all graphs. A step of breadth-first search from one node reads the
    edges instead, F ← [F·A > 0], and needs D steps; after t steps exactly the pairs further apart
    than t are missed, (n-t-1)(n-t) of them on a path. Diameters: n-1 for a path, ⌊n/2⌋ for a cycle,
    2h for a binary tree of height h. That O(log n) steps of thought cannot be enough for any
    constant depth is a theorem on condition that L is not inside TC⁰; here it is seen only that
    this search is not done by then.
Example:
    >>> reach = distances(path(33))
    >>> int(reach.max()), layers_for_diameter(32), missed_on_path(33, 6)
    (32, 5, 702)

Known limits: A step of thought here writes down a whole frontier, n bits; a chain of thought made
    of single symbols needs a step for each node or edge, which is more. Other chains of thought may
    be shorter than breadth-first search, and only the conditional theorem speaks about all of them.
    The layers hold n bits a node, so that width grows with the graph. Nothing is trained.
Sources: The Expressive Power of Transformers with Chain of Thought, and A Little Depth Goes a Long
    Way (Merrill and Sabharwal, 2024 and 2025); the tutorial Sandbox for the Blackbox, part I
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, final

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse.csgraph import connected_components, shortest_path

from foretell.constructions.reachability import Rows, frontier_steps, squarings
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.chains import require_memory

PATHS = 32  # sizes of a family, about
SHARPNESS = 40.0
Graph = Float[np.ndarray, "query key"]


Triple = tuple[np.ndarray, np.ndarray, np.ndarray]  # diameters, layers, steps


class Counts(NamedTuple):
    """Of some graphs: diameters found another way, layers and steps until all is known."""

    diameters: Int[np.ndarray, " batch"]
    layers: Int[np.ndarray, " batch"]
    steps: Int[np.ndarray, " batch"]
    wrong: Int[np.ndarray, " batch"]  # pairs, after the last layer
    missed: Int[np.ndarray, " _round"]  # pairs of the first graph, after every step
    known: Bool[np.ndarray, "_round query key"]  # of the first graph, after every layer


@final
class ConnectivityDepth(Sandbox):
    """Squaring and searching by attention, against distances from a library."""

    name = "connectivity-depth"
    title = "Depth or steps: graph connectivity"
    lesson = (
        "Layers double the length of the paths they know, steps of a search add one edge: points "
        "are graphs, dashed lines ⌈log₂ D⌉ and D. Above: what a path's nodes know after each layer."
    )
    caveat = (
        "It compares two algorithms; that no shorter chain of thought exists is a conditional "
        "theorem, not shown here."
    )
    essential = False

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Exact integers; on an accelerator larger graphs."""
        nodes, longest, graphs = 48, 65, 100
        if budget is Budget.SMOKE:
            nodes, longest, graphs = 8, 9, 4
        elif budget is Budget.GPU:
            nodes, longest, graphs = 200, 257, 100
        shown = 9 if budget is Budget.SMOKE else 33
        return {"nodes": nodes, "longest": longest, "graphs": graphs, "shown": shown, "seed": 0}

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse what does not go together."""
        longest, most = settings["longest"], max(settings["nodes"], settings["shown"])
        if most > longest:
            raise BadInput(
                "graphs are padded to the longest path",
                seen=f"{most} nodes, longest {longest}",
                hint=f"longest={most}",
            )
        counted = settings["graphs"] + len(FAMILIES) * PATHS
        require_memory(8 * counted * longest**2, f"{counted} graphs of {longest} nodes")

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """From the diameters, which have closed forms for paths, cycles and trees."""
        shown, longest = settings["shown"], settings["longest"]
        early = math.ceil(math.log2(shown))
        found = [
            Claim(f"path of {shown}: layers", float(layers_for_diameter(shown - 1))),
            Claim(f"path of {shown}: steps", float(shown - 1)),
            Claim(
                f"path of {shown}: pairs missed by {early} steps",
                float(missed_on_path(shown, early)),
                evidence="derived",
            ),
        ]
        for family in FAMILIES:
            found += [
                Claim(f"{family}, up to {longest} nodes: layers unlike ⌈log₂ D⌉", 0.0),
                Claim(f"{family}, up to {longest} nodes: steps unlike D", 0.0),
            ]
        random = f"{settings['graphs']} random graphs"
        return (
            *found,
            Claim(f"{random}: layers unlike ⌈log₂ D⌉", 0.0),
            Claim(f"{random}: steps unlike D", 0.0),
            Claim(f"{random}: pairs with the wrong answer", 0.0),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """All graphs at once, padded to one size with nodes that have no edges."""
        shown, longest = settings["shown"], settings["longest"]
        groups = {"shown": [path(shown)]}
        sizes = {family: _sizes(family, longest) for family in FAMILIES}
        groups |= {name: list(map(make, sizes[name])) for name, (make, _) in FAMILIES.items()}
        random = f"{settings['graphs']} random graphs"
        groups[random] = random_graphs(settings)
        all_counts = counted([graph for group in groups.values() for graph in group], longest)
        ends = np.cumsum([len(group) for group in groups.values()])[:-1]
        split = [np.split(each, ends) for each in all_counts[:3]]
        of = dict(zip(groups, zip(*split, strict=True), strict=True))
        early = math.ceil(math.log2(shown))
        layers = int(of["shown"][1][0])
        values = {
            f"path of {shown}: layers": float(layers),
            f"path of {shown}: steps": float(of["shown"][2][0]),
            f"path of {shown}: pairs missed by {early} steps": float(all_counts.missed[early]),
            f"{random}: pairs with the wrong answer": float(all_counts.wrong[ends[-1] :].sum()),
        }
        for family, (_, diameter) in FAMILIES.items():
            expected = np.array([diameter(size) for size in sizes[family]])
            values |= _unlike(f"{family}, up to {longest} nodes", of[family], expected)
        values |= _unlike(random, of[random], of[random][0])
        known = all_counts.known[: layers + 1, :shown, :shown].astype(int).tolist()
        points = [_points(name, of[name]) for name in groups if name != "shown"]
        return Findings(values, {"points": points, "known": known})


def path(nodes: int) -> Graph:
    """One after the other."""
    return np.eye(nodes, k=1) + np.eye(nodes, k=-1)


def cycle(nodes: int) -> Graph:
    """A path whose ends are joined."""
    ends = np.eye(nodes, k=nodes - 1) if nodes > 2 else np.zeros((nodes, nodes))
    return path(nodes) + ends + ends.T


def tree(nodes: int) -> Graph:
    """A binary tree, filled from the root down; whole if there are 2^h - 1 nodes."""
    child = np.arange(1, nodes)
    edges = np.zeros((nodes, nodes))
    edges[child, (child - 1) // 2] = 1
    return edges + edges.T


FAMILIES = {
    "paths": (path, lambda nodes: nodes - 1),
    "cycles": (cycle, lambda nodes: nodes // 2),
    "whole binary trees": (tree, lambda nodes: 2 * (nodes.bit_length() - 1)),
}


def _sizes(family: str, longest: int) -> list[int]:
    if family == "whole binary trees":
        return [2**height - 1 for height in range(2, (longest + 1).bit_length())]
    return list(range(3, longest + 1, max(1, longest // PATHS)))


def layers_for_diameter(diameter: int) -> int:
    """⌈log₂ D⌉: the edges are known before the first layer.

    >>> [layers_for_diameter(diameter) for diameter in (0, 1, 2, 3, 32, 33)]
    [0, 0, 1, 2, 5, 6]
    """
    return max(diameter - 1, 0).bit_length()


def missed_on_path(nodes: int, steps: int) -> int:
    """Ordered pairs of a path's nodes further apart than so many steps."""
    return max(nodes - steps - 1, 0) * max(nodes - steps, 0)


def random_graphs(settings: Mapping[str, Any]) -> list[Graph]:
    """Every edge with one probability a graph, so that a node has half a neighbour to four."""
    nodes, draw = settings["nodes"], np.random.default_rng(settings["seed"])
    if nodes < 2:
        raise BadInput("a graph needs two nodes to connect", seen=nodes)
    chances = draw.uniform(0.5, 4.0, settings["graphs"]) / nodes
    upper = np.triu(draw.random((settings["graphs"], nodes, nodes)) < chances[:, None, None], 1)
    return list((upper | upper.swapaxes(1, 2)).astype(float))


def distances(edges: Graph) -> Float[np.ndarray, "query key"]:
    """Between all nodes, by a library; those that are not connected are infinitely far apart."""
    return np.asarray(shortest_path(edges, unweighted=True), float)


def _padded(graphs: Sequence[Graph], nodes: int) -> Rows:
    """All of one size: the nodes that are added have no edges."""
    return np.stack([np.pad(graph, (0, nodes - len(graph))) for graph in graphs])


def counted(graphs: Sequence[Graph], nodes: int) -> Counts:
    """Run both until everything must be known, and find when it first was."""
    edges = _padded(graphs, nodes)
    apart = [distances(graph) for graph in graphs]
    diameters = np.array([int(each[np.isfinite(each)].max()) for each in apart])
    labels = np.stack([connected_components(graph)[1] for graph in edges])
    truth = labels[:, :, None] == labels[:, None, :]
    layered = squarings(edges, truth, layers_for_diameter(nodes - 1), SHARPNESS)
    searched = frontier_steps(edges, truth, nodes - 1, SHARPNESS)
    layers, steps = _first_right(layered.wrong), _first_right(searched.wrong)
    missed = searched.wrong[:, 0]
    return Counts(diameters, layers, steps, layered.wrong[-1], missed, layered.first)


def _first_right(wrong: Int[np.ndarray, "_round batch"]) -> Int[np.ndarray, " batch"]:
    """The first round with every pair right, or one more than there are."""
    done = wrong == 0
    return np.where(done.any(axis=0), done.argmax(axis=0), len(done))


def _unlike(name: str, of: Triple, diameters: np.ndarray) -> dict[str, float]:
    _, layers, steps = of
    expected = np.array([layers_for_diameter(int(each)) for each in diameters])
    return {
        f"{name}: layers unlike ⌈log₂ D⌉": float((layers != expected).sum()),
        f"{name}: steps unlike D": float((steps != diameters).sum()),
    }


def _points(name: str, of: Triple) -> dict[str, Any]:
    """For the figure."""
    columns = ("diameters", "layers", "steps")
    return {"name": name, **{each: row.tolist() for each, row in zip(columns, of, strict=True)}}
