"""Samples a second of the tasks of capture by size: drawn by us, by a loop on the host, consumed.

Ours: one compiled call draws a batch with its answers. The host draws one example after the other
from the same distribution: tokens in plain Python, graphs with NumPy, a tree for the edges and
SciPy's shortest path or largest flow. Both redraw graphs without a path. The growth is the slope of
log time an example against log size, over the larger half of the sizes; ours and the host's.

Consumed: samples a second that one model of `--budget cpu` trains on while it adapts to that size,
drawing included. Samples drawn (of the task as it is trained, with fewer symbols than in the first
column) over samples consumed says how often drawing could keep up: below 1 training would wait.

    python benchmarks/capture_sampling.py [--out FILE]
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import string
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy.sparse.csgraph import maximum_flow, shortest_path

from foretell.numerics.keys import key_for, root_key
from foretell.plain.files import write_atomically
from foretell.protocols._asking import Budget, Request
from foretell.tasks.capture._lattice import SIDE, host_arcs, host_edges
from foretell.tasks.graphs import GraphTask, acceptance
from foretell.tasks.lookup import find_task
from foretell.training.capture_stage import fleet_for
from foretell.training.provenance import describe_machine

TOKEN_SIZES, GRAPH_SIZES = (16, 64, 256, 1024, 4096), (16, 64, 256, 1024)
BATCH, TOKENS_AT_ONCE, HOST_BLOCK = 64, 1 << 17, 16  # examples a call; a block evens out redraws
TRAINED = 64  # the largest size here that a CPU adapts to in minutes
SECONDS, FEWEST = 0.8, 3  # a measurement goes on this long, and over this many calls
SOLVERS: dict[str, Callable[[Any], float]] = {
    "shortest-path": lambda arcs: shortest_path(arcs, unweighted=True, indices=0)[1],
    "min-cut": lambda arcs: maximum_flow(arcs, 0, 1).flow_value,
}


def induction(chance: random.Random, size: int) -> object:
    tokens = [chance.randrange(64) for _ in range(size)]
    trigger, first = chance.randrange(64), chance.randrange(size - 2)
    tokens = [(trigger + 1) % 64 if token == trigger else token for token in tokens]
    tokens[first] = tokens[-1] = trigger
    return tokens, tokens[first + 1]


def sorting(chance: random.Random, size: int) -> object:
    numbers = chance.sample(range(2 * TOKEN_SIZES[-1]), size)
    return numbers, sorted(numbers)


def matching(chance: random.Random, size: int) -> object:
    pattern = "aaa"
    while pattern[0] == pattern[2]:
        pattern = "".join(chance.choices("abcd", k=3))
    text = "".join(chance.choices("abcd", k=size))
    start = chance.randrange(size - 3)
    text = text[:start] + pattern + text[start + 3 :]
    while (wrong := _second(text, pattern, start)) >= 0:
        text = text[:wrong] + "".join(chance.choices("abcd", k=3)) + text[wrong + 3 :]
    return text, pattern, text[start + 3]


def _second(text: str, pattern: str, start: int) -> int:
    found = text.find(pattern)
    return found if found != start else text.find(pattern, start + 1)


def hopping(chance: random.Random, size: int) -> object:
    trip = chance.sample(range(TOKEN_SIZES[-1]), size)
    arrows = list(zip(trip, trip[1:] + trip[:1], strict=True))
    chance.shuffle(arrows)
    return arrows, trip[0], trip[2]


def graph(name: str) -> Callable[[random.Random, int], object]:
    """One graph on the host, with its answer; drawn again where there is no path."""

    def draw(chance: random.Random, size: int) -> object:
        generator = np.random.default_rng(chance.getrandbits(64))
        while True:
            points = generator.integers(0, SIDE, (size, 2))
            found = SOLVERS[name](host_arcs(host_edges(points, 4.52, False), size))
            if 0 < found < np.inf:
                return points, found

    return draw


def majority(chance: random.Random, size: int) -> object:
    while True:
        word = chance.choices(string.ascii_lowercase, k=size)
        (winner, most), *others = collections.Counter(word).most_common(2)
        if not others or others[0][1] < most:
            return word, winner


def copying(chance: random.Random, size: int) -> object:
    word = chance.sample(range(TOKEN_SIZES[-1]), size)
    return word, list(word)


HOST: dict[str, Callable[[random.Random, int], object]] = {
    "induction-heads": induction,
    "sorting": sorting,
    "string-matching": matching,
    "majority": majority,
    "copy-unique": copying,
    "multi-hop": hopping,
    "shortest-path": graph("shortest-path"),
    "min-cut": graph("min-cut"),
}


def seconds_a_call(work: Callable[[int], object]) -> float:
    """Lower quartile over calls of `SECONDS` together: others may be at work on the machine."""
    times: list[float] = []
    while len(times) < FEWEST or sum(times) < SECONDS:
        began = time.perf_counter()
        work(len(times))
        times.append(time.perf_counter() - began)
    return float(np.quantile(times, 0.25))


def compiled(name: str, size: int, batch: int, longest: int) -> Callable[[int], object]:
    """Ours for one size of a task built for sizes up to the longest, ready to run."""
    task = find_task(name, longest)

    def draw(key: jax.Array) -> object:
        if isinstance(task, GraphTask):
            return task.draw_graphs(key, size, batch)
        return task.sample(key, jnp.full(batch, size), task.width(size))

    key = root_key(0)
    ready = jax.jit(draw).lower(key).compile()
    jax.block_until_ready(ready(key))
    return lambda turn: jax.block_until_ready(ready(key_for(key, turn)))


def consumed(name: str, size: int) -> float:
    """Samples a second that one model trains on at that size, after compiling."""
    request = Request(what=name, protocol="capture", budget=Budget.CPU, start=8, sizes=(size,))
    plan = request.build_protocol().plan(request.question(), (0,))
    (part, *_) = plan.parts(plan.stages[1], (0,))
    fleet = fleet_for(part)
    states = fleet.advance(fleet.start())

    def segment(_: int) -> None:
        nonlocal states
        states = fleet.advance(states)

    return part.segment * part.batch / seconds_a_call(segment)


def growth(sizes: list[int], times: list[float]) -> float:
    """Slope of log time against log size over the larger half."""
    half = len(sizes) // 2
    return float(np.polyfit(np.log(sizes[half:]), np.log(times[half:]), 1)[0])


def rows_of(name: str) -> list[dict[str, Any]]:
    rows = []
    for size in GRAPH_SIZES if name in SOLVERS else TOKEN_SIZES:
        batch = max(1, min(BATCH, TOKENS_AT_ONCE // size))
        longest = size if name in SOLVERS else TOKEN_SIZES[-1]  # symbols may depend on it
        ours = seconds_a_call(compiled(name, size, batch, longest)) / batch
        chance = random.Random(size)

        def block(_: int, size: int = size, chance: random.Random = chance) -> object:
            return [HOST[name](chance, size) for _ in range(HOST_BLOCK)]

        host = seconds_a_call(block) / HOST_BLOCK
        row: dict[str, Any] = {
            "task": name,
            "size": size,
            "batch": batch,
            "samples_a_second": 1 / ours,
            "host_samples_a_second": 1 / host,
            "times_faster": host / ours,
        }
        if size <= TRAINED:
            trained = seconds_a_call(compiled(name, size, batch, size)) / batch
            row["consumed_a_second"] = consumed(name, size)
            row["drawn_to_consumed"] = 1 / trained / row["consumed_a_second"]
            row["host_to_consumed"] = 1 / host / row["consumed_a_second"]
        if name in SOLVERS:
            row["acceptance"] = acceptance(size, draws=256)
        rows.append(row)
        shown = (row.get(each) for each in ("consumed_a_second", "drawn_to_consumed"))
        print(
            f"{name:16} {size:>5} {1 / ours:>12,.0f} {1 / host:>12,.0f} {host / ours:>8.1f}",
            " ".join(f"{'–':>11}" if each is None else f"{each:>11,.1f}" for each in shown),
            flush=True,
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    heads = f"{'task':16} {'size':>5} {'samples/s':>12} {'host':>12} {'faster':>8}"
    print(heads, f"{'consumed':>11} {'ratio':>11}")
    rows = [row for name in HOST for row in rows_of(name)]
    exponents = {}
    for name in HOST:
        own = [row for row in rows if row["task"] == name]
        sizes = [row["size"] for row in own]
        exponents[name] = {
            "ours": growth(sizes, [1 / row["samples_a_second"] for row in own]),
            "host": growth(sizes, [1 / row["host_samples_a_second"] for row in own]),
        }
        found = exponents[name]
        print(f"{name:16} growth in T: {found['ours']:.2f}, host {found['host']:.2f}")
    if options.out:
        document = {
            "provenance": describe_machine(),
            "load": os.getloadavg(),  # others' work on the same cores, if any
            "cores": os.cpu_count(),
            "degree": 4.52,
            "rows": rows,
            "growth": exponents,
        }
        write_atomically(options.out, json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
