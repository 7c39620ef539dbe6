"""What the tasks of capture take: operations of a plain solver by size, with fitted exponents.

Operations are counted, not timed, since counts do not depend on the machine: tokens looked at by
the scan of induction heads, comparisons of merge sort and of Knuth, Morris and Pratt, arcs looked
at by breadth-first search and by a flow that augments along shortest paths. Instances are those of
the tasks: triggers and patterns planted once, distinct numbers, random geometric graphs in the
unit square at the expected degree 4.52, with source and target connected. Times of the same runs
stand beside them. Flows are compared with SciPy's on every graph, sorts and matches with NumPy's.

    python benchmarks/solvers.py [--instances N] [--out FILE]
"""

from __future__ import annotations

import argparse
import collections
import itertools
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_flow, shortest_path
from scipy.spatial import cKDTree

from foretell.numerics.growth import fit_growth
from foretell.plain.files import write_atomically
from foretell.training.provenance import describe_machine

SIZES = tuple(2**power for power in range(6, 15))  # 64 to 16,384: 2.4 decades
DEGREE = 4.52
VOCABULARY, LETTERS, PATTERN = 64, 4, 3
Graph = list[list[int]]


class Counter:
    """Operations and seconds of one run; drawing the instance and checking the answer are not in.

    `with` it around the solver.
    """

    def __init__(self) -> None:
        self.operations, self.seconds = 0, 0.0

    def __enter__(self) -> None:
        self.seconds = -time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter()


def induction(rng: np.random.Generator, size: int, count: Counter) -> None:
    """Scan for the trigger from the left; the answer is the token after it."""
    word = rng.integers(VOCABULARY, size=size)
    trigger = int(rng.integers(VOCABULARY))
    word[word == trigger] = (trigger + 1) % VOCABULARY
    planted = int(rng.integers(size - 2))
    word[planted] = word[-1] = trigger
    tokens, place = word.tolist(), 0
    with count:
        while tokens[place] != trigger:
            count.operations += 1
            place += 1
    count.operations += 1
    assert place == planted


def sorting(rng: np.random.Generator, size: int, count: Counter) -> None:
    """Merge sort, from runs of one."""
    numbers = rng.permutation(4 * size)[:size]
    runs = [[number] for number in numbers.tolist()]
    with count:
        while len(runs) > 1:
            runs = [_merge(runs[place : place + 2], count) for place in range(0, len(runs), 2)]
    assert runs[0] == np.sort(numbers).tolist()


def _merge(runs: list[list[int]], count: Counter) -> list[int]:
    if len(runs) == 1:
        return runs[0]
    left, right = runs
    merged, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        count.operations += 1
        if left[i] <= right[j]:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]


def matching(rng: np.random.Generator, size: int, count: Counter) -> None:
    """Knuth, Morris, Pratt, up to the one place of the pattern."""
    pattern = rng.integers(LETTERS, size=PATTERN)
    text = rng.integers(LETTERS, size=size)
    planted = int(rng.integers(size - PATTERN))
    places = np.arange(planted, planted + PATTERN)
    while True:  # all other places of the pattern are drawn anew
        text[places] = pattern
        windows = np.lib.stride_tricks.sliding_window_view(text, PATTERN)
        others = np.setdiff1d(np.flatnonzero((windows == pattern).all(axis=1)), [planted])
        if not len(others):
            break
        wrong = (others[:, None] + np.arange(PATTERN)).ravel()
        text[wrong] = rng.integers(LETTERS, size=len(wrong))
        if np.isin(wrong, places).any():  # beside the plant there may be no other way
            text[:] = rng.integers(LETTERS, size=size)
            pattern = rng.integers(LETTERS, size=PATTERN)
    with count:
        found = _first_match(text.tolist(), pattern.tolist(), count)
    assert found == planted


def _first_match(text: list[int], pattern: list[int], count: Counter) -> int | None:
    borders, held = [0] * len(pattern), 0
    for place in range(1, len(pattern)):
        while held and pattern[place] != pattern[held]:
            count.operations += 1
            held = borders[held - 1]
        count.operations += 1
        held += pattern[place] == pattern[held]
        borders[place] = held
    held = 0
    for place, letter in enumerate(text):
        while held and letter != pattern[held]:
            count.operations += 1
            held = borders[held - 1]
        count.operations += 1
        held += letter == pattern[held]
        if held == len(pattern):
            return place - len(pattern) + 1
    return None


def connected_graph(rng: np.random.Generator, size: int) -> tuple[Graph, csr_array]:
    """A random geometric graph whose first two nodes are connected, by rejection."""
    radius = np.sqrt(DEGREE / (np.pi * size))
    while True:
        tree = cKDTree(rng.random((size, 2)))
        pairs = tree.query_pairs(radius, output_type="ndarray")
        ends = np.concatenate([pairs, pairs[:, ::-1]])
        matrix = csr_array((np.ones(len(ends), np.int32), ends.T), shape=(size, size))
        parts = connected_components(matrix, directed=False)[1]
        if parts[0] == parts[1]:
            break
    graph: Graph = [[] for _ in range(size)]
    for one, other in ends.tolist():
        graph[one].append(other)
    return graph, matrix


def shortest(rng: np.random.Generator, size: int, count: Counter) -> None:
    """Breadth-first search from the source until the target is met."""
    graph, matrix = connected_graph(rng, size)
    with count:
        distance, queue = {0: 0}, collections.deque([0])
        while 1 not in distance:
            node = queue.popleft()
            for other in graph[node]:
                count.operations += 1
                if other not in distance:
                    distance[other] = distance[node] + 1
                    queue.append(other)
    assert distance[1] == shortest_path(matrix, unweighted=True, indices=0)[1]


def cutting(rng: np.random.Generator, size: int, count: Counter) -> None:
    """Augment along shortest paths until none is left: one search for each unit of flow, one more.

    Arcs leave the source only and enter the target only, and carry one unit each.
    """
    graph, matrix = connected_graph(rng, size)
    with count:
        left = [
            {other: int(other != 0 and node != 1) for other in others}
            for node, others in enumerate(graph)
        ]
        flow = 0
        while (path := _free_path(left, count)) is not None:
            flow += 1
            for one, other in itertools.pairwise(path):
                left[one][other] -= 1
                left[other][one] += 1  # the way back, which undoes a unit
    arcs = matrix.tolil()
    arcs[:, 0] = 0
    arcs[1, :] = 0
    assert flow == maximum_flow(csr_array(arcs.tocsr()), 0, 1).flow_value


def _free_path(left: list[dict[int, int]], count: Counter) -> list[int] | None:
    came, queue = {0: 0}, collections.deque([0])
    while queue:
        node = queue.popleft()
        for other, capacity in left[node].items():
            count.operations += 1
            if capacity and other not in came:
                came[other] = node
                queue.append(other)
                if other == 1:
                    path = [1]
                    while path[-1]:
                        path.append(came[path[-1]])
                    return path[::-1]
    return None


# What the literature, or the source of the tasks, says each of them takes.
SOLVERS: dict[str, tuple[str, str, Callable[[np.random.Generator, int, Counter], None]]] = {
    "induction-heads": ("scan", "T", induction),
    "sorting": ("merge sort", "T log T", sorting),
    "string-matching": ("Knuth, Morris, Pratt", "T", matching),
    "shortest-path": ("breadth-first search", "T", shortest),
    "min-cut": ("augmenting shortest paths", "T^2", cutting),
}


def measure(name: str, sizes: Sequence[int], instances: int) -> dict[str, Any]:
    """Counts and times by size, and the exponent with its interval over instances."""
    solver, declared, solve = SOLVERS[name]
    counts, seconds = np.zeros((instances, len(sizes))), np.zeros((instances, len(sizes)))
    for column, size in enumerate(sizes):
        for row in range(instances):
            count = Counter()
            rng = np.random.default_rng([row, size])
            solve(rng, size, count)
            counts[row, column], seconds[row, column] = count.operations, count.seconds
    # means first: a mean of counts is what an average-case bound speaks of, and single ones vary
    groups = np.array_split(np.arange(instances), min(10, instances))
    means = np.array([counts[group].mean(axis=0) for group in groups])
    fitted = fit_growth(sizes[0], np.asarray(sizes, float), means)
    timed = fit_growth(
        sizes[0],
        np.asarray(sizes, float),
        1e6 * np.array([np.median(seconds[group], axis=0) for group in groups]),
    )
    low, high = fitted.interval
    print(
        f"{name:24} {solver:28} {declared:8} {fitted.exponent:6.3f} [{low:.3f}, {high:.3f}]"
        f" {timed.exponent:6.2f}   {counts[:, 0].mean():>9.0f} {counts[:, -1].mean():>12.0f}",
        flush=True,
    )
    return {
        "task": name,
        "solver": solver,
        "declared": declared,
        "exponent": fitted.exponent,
        "interval": [low, high],
        "grows_as": fitted.grows_as,
        "exponent_of_time": timed.exponent,
        "mean_operations": counts.mean(axis=0).tolist(),
        "largest_operations": counts.max(axis=0).tolist(),
        "median_seconds": np.median(seconds, axis=0).tolist(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--instances", type=int, default=40)
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    sizes = [size for size in SIZES if size <= options.largest]
    print(f"{'task':24} {'solver':28} {'declared':8} exponent {'':15} time   operations, ends")
    rows = [measure(name, sizes, options.instances) for name in SOLVERS]
    if options.out:
        document = {
            "provenance": describe_machine(),
            "sizes": sizes,
            "instances": options.instances,
            "expected_degree": DEGREE,
            "rows": rows,
        }
        write_atomically(options.out, json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
