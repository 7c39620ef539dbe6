"""Time and memory of a training step against the size T, with all scores at once and by blocks.

Every row is one step of AdamW on inputs of size T, compiled and run in this process: `plain` keeps
all T × T scores of every layer, `blocks` goes over blocks of queries at every T (the package does
so from `LONG` scores of a head on), and `fused` leaves it to cuDNN, on a GPU. Memory is XLA's own
count of what a step needs beside its arguments and results. Exponents are slopes of logarithms over
the larger half of the sizes. Plain rows that would take more than half of the memory are left out.
All programs are compiled first, on a GPU by several processes into one cache, since one process
compiles for a GPU one program at a time; then they run one after the other, with nothing between
them. Below them: drawing a batch.

    python benchmarks/long_context.py [--longest 1024] [--batch 4] [--tasks NAME…] [--out FILE]
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import jax
import jax.numpy as jnp
import numpy as np

from foretell.cli._start import prepare_jax
from foretell.core.architecture import Architecture
from foretell.core.question import SizeRange
from foretell.models import attention
from foretell.numerics.keys import root_key
from foretell.plain.files import write_atomically
from foretell.tasks.lookup import find_task
from foretell.training import accumulating, member
from foretell.training.fleet import SequenceFleet
from foretell.training.loops import BRIEF
from foretell.training.plan import Member, Plan, Trial
from foretell.training.provenance import describe_machine

SHORTEST, LONGEST = 128, {"cpu": 1_024}  # else 4,096
TASKS = ("induction-heads", "sorting", "string-matching")
WAYS = ("plain", "blocks", "fused")
SECONDS, FEWEST = 0.5, 3  # a measurement goes on this long, and over this many steps
DRAWN = 64  # examples drawn at once
COMPILERS = 9  # processes, on a GPU's machine


def plan_for(name: str, size: int, longest: int, options: argparse.Namespace) -> Plan:
    """Training at one size, as capture adapts to it."""
    task, sizes = find_task(name, longest), SizeRange(size, size)
    shape = {"layers": options.layers, "heads": options.heads, "width": options.width}
    return Plan(
        architecture=Architecture(
            **shape,
            positional=options.positional,
            context=task.width(longest),
            precision=options.precision,
        ),
        members=(Member(0, 1e-3, task),),
        train=sizes,
        trials=(Trial(task.probes[0], sizes, 2),),
        steps=1,
        check_every=1,
        batch=options.batch,
        until=0.95,
        segment=1,
    )


class Row(NamedTuple):
    """A program to be measured, and one that makes what it is given: traced, or compiled."""

    about: dict[str, Any]
    step: Any
    giving: Any

    def compiled(self) -> Row:
        """Ready to run."""
        return Row(self.about, self.step.compile(), self.giving.compile())


@contextmanager
def attending(way: str) -> Iterator[None]:
    """What is traced meanwhile attends in that way, whatever its length."""
    with patch.object(attention, "LONG", 2**62 if way == "plain" else 0):
        if way != "blocks":
            yield
            return
        with patch.object(attention.View, "fused", lambda view, values: False):
            yield


def lower(work: Callable[..., Any], *given: Any) -> Any:
    """Of shapes alone: on an accelerator a few hundred single operations take a minute."""
    options = BRIEF if jax.default_backend() == "gpu" else None  # as capture compiles
    return jax.jit(work, compiler_options=options).lower(*given)


def step_row(name: str, size: int, longest: int, way: str, options: Any) -> Row | None:
    """One step at one size, ready to be compiled, or nothing where it would not fit."""
    plan = plan_for(name, size, longest, options)
    task, shape = plan.members[0].task, plan.architecture
    kept = accumulating.A_SCORE * shape.layers * shape.heads * task.width(size) ** 2
    if way == "plain" and accumulating.BYTES * plan.batch * kept > device_share():
        return None
    fleet = SequenceFleet(plan)
    (data,) = jax.tree.map(jnp.asarray, fleet.loop.gather(fleet.data))

    def give() -> tuple[Any, ...]:
        state = member.create(plan, fleet.tokens, fleet.labels, data)
        return data, state, member.draw_batch(plan, member.room_for(plan), data, jnp.int32(0))

    _, state, rows = shapes = jax.eval_shape(give)
    about = {"task": name, "size": size, "length": rows.tokens.shape[1], "way": way}
    about["pieces"] = member.pieces_of(plan, state.model, rows)
    with attending(way):
        return Row(about, lower(partial(member.step, plan), *shapes), lower(give))


def draw_row(name: str, size: int) -> Row:
    """Drawing batches of one size, on the device."""
    task = find_task(name, size)

    def draw(key: jax.Array) -> object:
        return task.sample(key, jnp.full(DRAWN, size), task.width(size))

    def give() -> tuple[jax.Array]:
        return (root_key(0),)

    about = {"task": name, "size": size, "batch": DRAWN}
    return Row(about, lower(draw, *jax.eval_shape(give)), lower(give))


def measured(row: Row) -> dict[str, Any]:
    """Run it: the lower quartile, for others may be at work here."""
    given = row.giving()
    jax.block_until_ready(row.step(*given))
    times: list[float] = []
    while len(times) < FEWEST or sum(times) < SECONDS:
        began = time.perf_counter()
        jax.block_until_ready(row.step(*given))
        times.append(time.perf_counter() - began)
    needed = row.step.memory_analysis().temp_size_in_bytes
    return {**row.about, "seconds": float(np.quantile(times, 0.25)), "bytes": needed}


def step_rows(options: Any, sizes: list[int]) -> list[Callable[[], Row | None]]:
    """All steps, by task, size and way; traced when called."""
    ways = WAYS if jax.default_backend() == "gpu" else WAYS[:-1]
    return [
        partial(step_row, name, size, options.longest, way, options)
        for name, size, way in itertools.product(options.tasks, sizes, ways)
    ]


def draw_rows(sizes: list[int]) -> list[Callable[[], Row | None]]:
    """All ways of drawing."""
    largest = sorted({sizes[-1], 4_096})
    return [partial(draw_row, name, size) for name, size in itertools.product(TASKS, largest)]


def compile_beside() -> None:
    """This command again, in several processes that share out the programs and only compile."""
    spared = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    children = [
        subprocess.Popen([sys.executable, *sys.argv, "--compile", str(which)], env=spared)
        for which in range(COMPILERS)
    ]
    for child in children:
        child.wait()  # what one of them could not do is done below, and fails aloud there


def show_step(row: dict[str, Any]) -> None:
    print(
        f"{row['task']:16} {row['size']:>5} {row['length']:>6} {row['way']:7} "
        f"{1e3 * row['seconds']:>10.1f} {row['bytes'] / 2**20:>10.1f}",
        flush=True,
    )


def show_draw(row: dict[str, Any]) -> None:
    each, drawn = row["bytes"] / (DRAWN * row["size"]), DRAWN / row["seconds"]
    print(f"{row['task']:16} {row['size']:>5} {drawn:>14,.0f} {each:>14.1f}", flush=True)


def compile_all(builds: list[Callable[[], Row | None]]) -> list[Row]:
    """Those that fit, ready to run."""
    return [row.compiled() for build in builds if (row := build()) is not None]


def run_all(rows: list[Row], show: Callable[[dict[str, Any]], None]) -> list[dict[str, Any]]:
    """One after the other, each shown as soon as it is known."""
    found = []
    for row in rows:
        found.append(measured(row))
        show(found[-1])
    return found


def device_share() -> float:
    return accumulating.SHARE * accumulating.device_memory()


def exponents(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Slopes of time and memory, by task and way."""
    found = {}
    for name, way in dict.fromkeys((row["task"], row["way"]) for row in rows):
        own = [row for row in rows if (row["task"], row["way"]) == (name, way)]
        own = own[(len(own) - 1) // 2 :]
        if len(own) > 1:
            sizes = np.log([row["size"] for row in own])
            found[f"{name}, {way}"] = {
                what: float(np.polyfit(sizes, np.log([row[what] for row in own]), 1)[0])
                for what in ("seconds", "bytes")
            }
    return found


def main() -> None:
    cpu = jax.default_backend() == "cpu"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--longest", type=int, default=LONGEST.get(jax.default_backend(), 4_096))
    parser.add_argument("--tasks", nargs="+", default=TASKS[:1] if cpu else TASKS)
    parser.add_argument("--batch", type=int, default=2 if cpu else 16)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--width", type=int, default=64 if cpu else 128)
    parser.add_argument("--positional", default="rotary")
    parser.add_argument("--precision", default="float32" if cpu else "bfloat16")
    parser.add_argument("--compile", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    prepare_jax()
    sizes = [SHORTEST << n for n in range(20) if SHORTEST << n <= options.longest]
    steps, draws = step_rows(options, sizes), draw_rows(sizes)
    if options.compile is not None:
        compile_all([*steps, *draws][options.compile :: COMPILERS])
        return
    if not cpu:
        compile_beside()
    compiled = compile_all(steps), compile_all(draws)
    print(f"{'task':16} {'T':>5} {'length':>6} {'way':7} {'ms a step':>10} {'MiB':>10}")
    rows = run_all(compiled[0], show_step)
    slopes = exponents(rows)
    for name, slope in slopes.items():
        print(f"{name:25} grows as T^{slope['seconds']:.2f} in time, T^{slope['bytes']:.2f} memory")
    print(f"\n{'task':16} {'T':>5} {'drawn a second':>14} {'bytes a token':>14}")
    drawn = run_all(compiled[1], show_draw)
    if options.out:
        document = {
            "provenance": describe_machine(),
            "load_average": os.getloadavg(),  # the machine may be shared
            "settings": {k: v for k, v in vars(options).items() if k not in ("out", "compile")},
            "blocks_from_scores": attention.LONG,
            "scores_of_a_block": attention.HELD,
            "rows": rows,
            "exponents": slopes,
            "drawing": drawn,
        }
        write_atomically(options.out, json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
