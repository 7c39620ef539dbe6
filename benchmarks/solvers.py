"""What the tasks of capture take: operations of a plain solver by size, with fitted exponents.

Operations are counted, not timed, since counts do not depend on the machine: tokens looked at by
the scans of induction heads, copying and majority, entries of the table of arrows and hops along
it, comparisons of merge sort and of Knuth, Morris and Pratt, arcs looked at by breadth-first search
and by a flow that augments along shortest paths. Words are drawn by the tasks' own samplers, and
every answer is compared with the task's oracle. Graphs are drawn here, in the unit square at the
expected degree 4.52 with source and target connected, since packing 16,384 nodes on a device takes
too long; their answers are compared with SciPy's.

    python benchmarks/solvers.py [--instances N] [--largest T] [--out FILE]
"""

from __future__ import annotations

import argparse
import collections
import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_flow, shortest_path
from scipy.spatial import cKDTree

from foretell.numerics.growth import fit_growth
from foretell.numerics.keys import key_for, root_key
from foretell.plain.files import write_atomically
from foretell.tasks.lookup import find_task
from foretell.training.provenance import describe_machine

SIZES = tuple(2**power for power in range(6, 15))  # 64 to 16,384: 2.4 decades
DEGREE = 4.52
HOPS = 2  # what multi-hop asks for unless told
Graph = list[list[int]]
Word = tuple[str, ...]


@dataclass
class Counter:
    """Operations of one run."""

    operations: int = 0


def induction(word: Word, count: Counter) -> Word:
    """Scan for the trigger from the left; the answer is the token after it."""
    place = 0
    while word[place] != word[-1]:
        place += 1
    count.operations += place + 1
    return (word[place + 1],)


def copying(word: Word, count: Counter) -> Word:
    """Read and write, token by token."""
    written = []
    for token in word:
        count.operations += 1
        written.append(token)
    return tuple(written)


def majority(word: Word, count: Counter) -> Word:
    """Count every letter in one pass, then look for the largest count."""
    counts: dict[str, int] = {}
    for letter in word:
        count.operations += 1
        counts[letter] = counts.get(letter, 0) + 1
    count.operations += len(counts)
    return (max(counts, key=counts.__getitem__),)


def hopping(word: Word, count: Counter) -> Word:
    """Enter all arrows in a table, then follow them."""
    arrows: dict[str, str] = {}
    for place in range(0, len(word) - 1, 2):
        count.operations += 1
        arrows[word[place]] = word[place + 1]
    now = word[-1]
    for _ in range(HOPS):
        count.operations += 1
        now = arrows[now]
    return (now,)


def sorting(word: Word, count: Counter) -> Word:
    """Merge sort, from runs of one."""
    runs = [[int(number)] for number in word]
    while len(runs) > 1:
        runs = [_merge(runs[place : place + 2], count) for place in range(0, len(runs), 2)]
    return tuple(map(str, runs[0]))


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


def matching(word: Word, count: Counter) -> Word:
    """Knuth, Morris, Pratt, up to the one place of the pattern; then the letter after it."""
    cut = word.index("<sep>")
    return (word[_after_match(word[:cut], word[cut + 1 :], count)],)


def _after_match(text: Word, pattern: Word, count: Counter) -> int:
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
            return place + 1
    raise AssertionError("every text holds its pattern")


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


ON_WORDS: dict[str, tuple[str, Callable[[Word, Counter], Word]]] = {
    "induction-heads": ("scan", induction),
    "sorting": ("merge sort", sorting),
    "string-matching": ("Knuth, Morris, Pratt", matching),
    "majority": ("one count a letter", majority),
    "copy-unique": ("read and write", copying),
    "multi-hop": ("table of arrows", hopping),
}
ON_GRAPHS: dict[str, tuple[str, Callable[[np.random.Generator, int, Counter], None]]] = {
    "shortest-path": ("breadth-first search", shortest),
    "min-cut": ("augmenting shortest paths", cutting),
}


def prepared(name: str, largest: int) -> tuple[str, Callable[[int, int, Counter], None]]:
    """The solver's name, and what draws one instance by its number and size, solves and checks."""
    if name in ON_GRAPHS:
        solver, run = ON_GRAPHS[name]
        return solver, lambda row, size, count: run(np.random.default_rng([row, size]), size, count)
    solver, solve = ON_WORDS[name]
    task = find_task(name, largest)
    width = task.width(largest)
    draw = jax.jit(lambda key, size: task.draw(task.tables, key, size, width, task.probes[0]))

    def one(row: int, size: int, count: Counter) -> None:
        tokens = draw(key_for(root_key(row), name, size), jnp.int32(size)).tokens
        word = task.read_word(np.asarray(tokens).tolist())
        answer = solve(word, count)
        assert answer == task.answer(word)

    return solver, one


def declared(name: str) -> str:
    """What the task says that it takes."""
    return str(getattr(find_task(name).fact("heuristic-complexity"), "value", "nothing"))


def measure(name: str, sizes: Sequence[int], instances: int) -> dict[str, Any]:
    """Counts by size, and the exponent with its interval over instances."""
    solver, solve = prepared(name, sizes[-1])
    counts = np.zeros((instances, len(sizes)))
    for column, size in enumerate(sizes):
        for row in range(instances):
            count = Counter()
            solve(row, size, count)
            counts[row, column] = count.operations
    # means first: a mean of counts is what an average-case bound speaks of, and single ones vary
    groups = np.array_split(np.arange(instances), min(10, instances))
    means = np.array([counts[group].mean(axis=0) for group in groups])
    fitted = fit_growth(sizes[0], np.asarray(sizes, float), means)
    low, high = fitted.interval
    print(
        f"{name:24} {solver:28} {declared(name):8} {fitted.exponent:6.3f} [{low:.3f}, {high:.3f}]"
        f"   {counts[:, 0].mean():>9.0f} {counts[:, -1].mean():>12.0f}",
        flush=True,
    )
    return {
        "task": name,
        "solver": solver,
        "declared": declared(name),
        "exponent": fitted.exponent,
        "interval": [low, high],
        "grows_as": fitted.grows_as,
        "mean_operations": counts.mean(axis=0).tolist(),
        "largest_operations": counts.max(axis=0).tolist(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--instances", type=int, default=60)
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    sizes = [size for size in SIZES if size <= options.largest]
    print(f"{'task':24} {'solver':28} {'declared':8} exponent {'':15} operations, ends")
    rows = [measure(name, sizes, options.instances) for name in (*ON_WORDS, *ON_GRAPHS)]
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
