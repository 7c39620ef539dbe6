"""Hessian traces of a fleet of 16 as one program against a loop over members, in one run.

Members have the shape of the flat construction with random weights, on inputs drawn once; the loss
is the squared error against a random sum of parities. Both sides run the same compiled estimator
with the same keys and as many products side by side; the loop dispatches one member after the
other and waits at the end. Then, for the smallest shape, how often the stated 95 % interval holds
the exact trace.

    python benchmarks/curvature.py [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from foretell.boolean.expansion import Expansion
from foretell.constructions.flat import FlatWeights, build_flat, parameter_count
from foretell.constructions.flat_forward import squared_error
from foretell.numerics.curvature import estimate, traces
from foretell.numerics.intervals import wilson
from foretell.numerics.keys import key_for, root_key
from foretell.numerics.precision import double_precision
from foretell.plain.files import write_atomically
from foretell.training.provenance import describe_machine

MEMBERS, DRAWS, ROUNDS = 16, 30, 3


class Shape(NamedTuple):
    """Bits and degree give the weights their shape."""

    bits: int
    degree: int
    inputs: int


SHAPES = (Shape(8, 3, 16), Shape(8, 3, 256), Shape(20, 5, 64))
REPEATS, BUDGETS = 25, (12, 30, 90)


def problem(shape: Shape) -> tuple[FlatWeights, tuple[np.ndarray, np.ndarray]]:
    """Random members of that shape, and inputs with the values of a random function."""
    generator = np.random.default_rng(shape)
    inputs = generator.integers(0, 2, (shape.inputs, shape.bits))
    sets = {tuple(sorted(generator.permutation(shape.bits)[: shape.degree])) for _ in range(4)}
    sets = {tuple(map(int, each)) for each in sets}
    expansion = Expansion(shape.bits, tuple(sorted(sets)), (0.5,) * len(sets))
    like = build_flat(expansion)

    def drawn(array: np.ndarray) -> np.ndarray:
        return generator.normal(size=(MEMBERS, *array.shape)) / np.sqrt(array.shape[-1])

    return FlatWeights(*map(drawn, like)), (inputs, expansion(inputs))


class Seconds(NamedTuple):
    """On the clock, and of all threads of this process: the second does not mind other programs."""

    wall: float
    processor: float


def seconds(work: Callable[[], object]) -> Seconds:
    began = Seconds(time.perf_counter(), time.process_time())
    jax.block_until_ready(work())
    return Seconds(time.perf_counter() - began.wall, time.process_time() - began.processor)


def speed_row(shape: Shape, method: str) -> dict[str, Any]:
    """Median times of both sides, taken in turns; compilation apart."""
    doubles, (inputs, values) = problem(shape)
    members = jax.tree.map(jnp.float32, doubles)
    data = (jnp.asarray(inputs), jnp.float32(values))
    separate = [FlatWeights(*each) for each in zip(*members, strict=True)]
    keys = [key_for(root_key(0), "member", n) for n in range(MEMBERS)]

    def together() -> Any:
        return traces(squared_error, members, data, root_key(0), DRAWS, method=method).value

    def one_by_one() -> Any:
        return [
            estimate(squared_error, one, data, key, DRAWS, method).value
            for one, key in zip(separate, keys, strict=True)
        ]

    first = {"fleet": seconds(together).wall, "loop": seconds(one_by_one).wall}
    rounds = [(seconds(together), seconds(one_by_one)) for _ in range(ROUNDS)]
    fleet, loop = (
        Seconds(*(statistics.median(each) for each in zip(*side, strict=True)))
        for side in zip(*rounds, strict=True)
    )
    apart = np.abs(np.asarray(together()) / np.array(one_by_one()) - 1).max()
    row = {
        **shape._asdict(),
        "method": method,
        "parameters": parameter_count(separate[0]),
        "members": MEMBERS,
        "draws": DRAWS,
        "fleet_seconds": fleet._asdict(),
        "loop_seconds": loop._asdict(),
        "times_faster": Seconds(*(a / b for a, b in zip(loop, fleet, strict=True)))._asdict(),
        "wall_ratios": [one.wall / all_.wall for all_, one in rounds],
        "first_call_seconds": first,
        "largest_relative_difference": float(apart),
    }
    print(
        f"T={shape.bits:<3} k={shape.degree} {shape.inputs:>4} inputs {row['parameters']:>6,} "
        f"parameters {method:10} {fleet.wall:>9.4f} {loop.wall:>9.4f} "
        f"{loop.wall / fleet.wall:>7.2f}x {loop.processor / fleet.processor:>7.2f}x",
        flush=True,
    )
    return row


def coverage_rows(shape: Shape) -> list[dict[str, Any]]:
    """How often the interval holds the exact trace, over members and keys."""
    rows = []
    with double_precision():
        members, data = jax.tree.map(jnp.asarray, problem(shape))
        exact = np.asarray(
            traces(squared_error, members, data, root_key(0), 0, method="exact").value
        )
        for method in ("hutchinson", "hutch++"):
            rows += [_coverage(members, data, exact, method, draws) for draws in BUDGETS]
    return rows


def _coverage(
    members: FlatWeights, data: Any, exact: np.ndarray, method: str, draws: int
) -> dict[str, Any]:
    inside, tried, errors, stated = 0, 0, [], []
    for repeat in range(REPEATS):
        key = key_for(root_key(1), "repeat", repeat)
        found = traces(squared_error, members, data, key, draws, method=method)
        low, high = np.asarray(found.low), np.asarray(found.high)
        inside += int(np.sum((low <= exact) & (exact <= high)))
        tried += len(exact)
        errors.append(np.asarray(found.value) / exact - 1)
        stated.append(np.asarray(found.error) / exact)
    low, high = wilson(inside, tried)
    row = {
        "method": method,
        "draws": draws,
        "intervals": tried,
        "coverage": inside / tried,
        "coverage_interval": [low, high],
        "root_mean_square_relative_error": float(np.sqrt(np.mean(np.square(errors)))),
        "root_mean_square_stated_error": float(np.sqrt(np.mean(np.square(stated)))),
        "mean_relative_error": float(np.mean(errors)),
    }
    print(
        f"{method:10} {draws:>5} draws  coverage {row['coverage']:.3f} [{low:.3f}, {high:.3f}]  "
        f"error {row['root_mean_square_relative_error']:.4f}, "
        f"stated {row['root_mean_square_stated_error']:.4f}",
        flush=True,
    )
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    heads = f"{'fleet s':>9} {'loop s':>9} {'wall':>8} {'CPU':>8}"
    print(f"{f'{MEMBERS} members, {DRAWS} products each':51} {heads}")
    speed = [speed_row(shape, method) for shape in SHAPES for method in ("hutchinson", "hutch++")]
    speed.append(speed_row(SHAPES[0], "exact"))
    print("\nintervals of 95 % against the exact trace")
    coverage = coverage_rows(SHAPES[0])
    if options.out:
        document = {
            "provenance": describe_machine(),
            "speed": speed,
            "coverage": {**SHAPES[0]._asdict(), "rows": coverage},
        }
        write_atomically(options.out, json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
