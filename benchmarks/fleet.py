"""Training throughput against the loop people use today, in one run on one machine.

The peers are rows of `shared/bench/hf_baseline.py`, run as a child process: A is the HuggingFace
Trainer, C the same model without the cost of data, D (on a GPU) a hand-batched PyTorch ensemble
replayed as a CUDA graph. Same task for all: binary majority, sequences of at most 54 tokens, batch
64, AdamW, clipping, learned positions with random offsets. Ours draws its data inside the compiled
loop and is timed with everything it does in training.

    python benchmarks/fleet.py --peer PATH/hf_baseline.py --torch-python PYTHON --out FILE
    python benchmarks/fleet.py --only growth --out FILE   # how cost grows; no peer needed

The share of the peak (on a GPU) counts the FLOPs of the whole padded model, as the peers compute
it; ours skips what carries no loss, so its own arithmetic is less.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from foretell.cli._start import prepare_jax
from foretell.core.architecture import Architecture
from foretell.core.question import SizeRange
from foretell.plain.files import write_atomically
from foretell.tasks.lookup import find_task
from foretell.training.fleet import SequenceFleet
from foretell.training.plan import Member, Plan, Trial
from foretell.training.provenance import describe_machine

HERE = Path(__file__).resolve().parent
SHAPES = {
    "1L1h-d16": (1, 1, 16),
    "2L4h-d256": (2, 4, 256),
    "4L4h-d128": (4, 4, 128),
    "6L4h-d256": (6, 4, 256),
}
ON_CPU = {"1L1h-d16": ((1, 8), 100), "2L4h-d256": ((1, 8), 4)}  # members; steps a segment
ON_GPU = {
    "1L1h-d16": ((1, 64, 256), 50),
    "2L4h-d256": ((64, 256), 20),
    "4L4h-d128": ((64, 256), 20),
    "6L4h-d256": ((64, 128), 20),
}
BATCH, TOKENS, VOCABULARY = 64, 54, 6
SWEEPS = {  # one axis at a time; the rest stays at 2 layers, 64 wide, sizes to 50
    "members": (1, 4, 16, 64, 256),
    "longest": (25, 50, 100, 200),
    "width": (16, 64, 256),
    "layers": (1, 2, 4, 8),
}
Build = tuple[int, int, int, int, int, int]  # layers, heads, width, members, segment, longest


def flops(layers: int, width: int, tokens: int = TOKENS) -> float:
    """Of one model-step: forward and backward, attention scores not halved."""
    products = 2 * (12 * layers * width**2 + VOCABULARY * width) + 4 * layers * tokens * width
    return 3.0 * BATCH * tokens * products


def time_peer(peer: Path, python: str, seconds: float, threads: int) -> dict[str, dict[str, float]]:
    """Model-steps per second of the peer's rows, by shape; D at its best ensemble."""
    gpu = jax.default_backend() != "cpu"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.jsonl"
        command = [python, str(peer), "--part", "torch", "--device", "cuda" if gpu else "cpu"]
        command += ["--ens", "64,256" if gpu else "1", "--no-compile", "--learn", "0"]
        command += ["--dtypes", "bf16" if gpu else "fp32", "--only", *(ON_GPU if gpu else ON_CPU)]
        command += ["--budget", str(seconds), "--threads", str(threads), "--out", str(out)]
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
        rows = [json.loads(line) for line in out.read_text().splitlines()]
    found: dict[str, dict[str, float]] = {shape: {} for shape in SHAPES}
    for row in rows:
        if "mps" in row and row["engine"][0] in "ACD":
            kept = found[row["cfg"]]
            kept[row["engine"][0]] = max(row["mps"], kept.get(row["engine"][0], 0.0))
    return found


def build(
    layers: int, heads: int, width: int, members: int, segment: int, longest: int
) -> SequenceFleet:
    """A fleet on binary majority, in the precision that suits the device."""
    gpu = jax.default_backend() != "cpu"
    task = find_task("binary-majority", 3 * longest)
    shape = Architecture(
        layers=layers,
        heads=heads,
        width=width,
        positional="ape",
        context=task.width(3 * longest),
        precision="bfloat16" if gpu else "float32",  # type: ignore[arg-type]
    )
    return SequenceFleet(
        Plan(
            architecture=shape,
            members=tuple(Member(seed, 1e-3, task) for seed in range(members)),
            train=SizeRange(1, longest),
            trials=(Trial("typical", SizeRange(1, longest), 100),),
            steps=segment * 100_000,
            check_every=segment,
            segment=segment,
        )
    )


def time_fleet(fleet: SequenceFleet, seconds: float) -> dict[str, float]:
    """Model-steps per second: median over segments, after compiling."""
    states = jax.block_until_ready(fleet.start())
    began = time.perf_counter()
    states = jax.block_until_ready(fleet.advance(states))
    compiled = time.perf_counter() - began
    times: list[float] = []
    while sum(times) < seconds or len(times) < 3:
        began = time.perf_counter()
        states = jax.block_until_ready(fleet.advance(states))
        times.append(time.perf_counter() - began)
    rate = len(fleet.plan.members) * fleet.plan.segment / statistics.median(times)
    return {"model_steps_per_second": rate, "first_segment_seconds": compiled}


def matrix_peak() -> float:
    """FLOP/s of a large square product in bfloat16."""
    side = 8192
    matrix = jax.random.normal(jax.random.key(0), (side, side), jnp.bfloat16)
    product = jax.jit(lambda m: m @ m)
    jax.block_until_ready(product(matrix))
    times = []
    for _ in range(7):
        began = time.perf_counter()
        jax.block_until_ready(product(matrix))
        times.append(time.perf_counter() - began)
    return 2 * side**3 / statistics.median(times)


def compile_beside(builds: Iterable[Build], at_once: int = 8) -> dict[Build, float]:
    """Compile fleets in processes of their own, some at once, into the cache on disk.

    Returns the seconds each took, as they share the processors. One that fails is left out: it
    is compiled again, and fails aloud, where it is timed.
    """

    def compile_one(wanted: Build) -> float | None:
        child = subprocess.run(
            [sys.executable, __file__, "--warm", *map(str, wanted)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"},
        )
        return float(child.stdout.split()[-1]) if child.returncode == 0 else None

    every = list(dict.fromkeys(builds))
    with ThreadPoolExecutor(at_once) as pool:
        found = dict(zip(every, pool.map(compile_one, every), strict=True))
    return {wanted: seconds for wanted, seconds in found.items() if seconds is not None}


def table_builds() -> dict[tuple[str, int], Build]:
    """The fleets of the table, by shape and members."""
    table = ON_CPU if jax.default_backend() == "cpu" else ON_GPU
    return {
        (shape, members): (*SHAPES[shape], members, segment, 50)
        for shape, (counts, segment) in table.items()
        for members in counts
    }


def sweep_builds() -> dict[tuple[str, int], Build]:
    """The fleets of the sweeps, by axis and value."""
    gpu = jax.default_backend() != "cpu"
    found: dict[tuple[str, int], Build] = {}
    for axis, values in SWEEPS.items():
        for value in values:
            at = {"layers": 2, "width": 64, "members": 64 if gpu else 2, "longest": 50}
            at[axis] = value
            shape = (at["layers"], 4, at["width"], at["members"])
            found[axis, value] = (*shape, 50 if gpu else 4, at["longest"])
    return found


def against_peers(
    options: argparse.Namespace, builds: dict[tuple[str, int], Build], beside: dict[Build, float]
) -> dict[str, Any]:
    """The table: ours, theirs, ratios, share of the peak."""
    gpu = jax.default_backend() != "cpu"
    tried = (0,) if gpu else (1, 2)  # the peer at its best number of threads
    peers = {
        threads: time_peer(options.peer, options.torch_python, options.peer_seconds, threads)
        for threads in tried
    }
    peak, rows = matrix_peak() if gpu else None, []
    if peak is not None:
        print(f"matrix product: {peak / 1e12:.1f} TFLOP/s")
    print(f"{'shape':10} {'members':>7} {'ours/s':>11} {'of peak':>8}  peers and ratios")
    for (shape, members), wanted in builds.items():
        best = {
            row: max(found[shape].get(row, 0.0) for found in peers.values())
            for row in "ACD"
            if any(row in found[shape] for found in peers.values())
        }
        ours = time_fleet(build(*wanted), options.seconds)
        rate = ours["model_steps_per_second"]
        layers, _, width = SHAPES[shape]
        share = None if peak is None else rate * flops(layers, width) / peak
        row = {"shape": shape, "members": members, **ours, "peer": best, "of_peak": share}
        rows.append({**row, "compile_seconds": beside.get(wanted)})
        ratios = "  ".join(f"{name} {v:,.1f} ({rate / v:,.1f}x)" for name, v in best.items())
        of_peak = "" if share is None else f"{share:.1%}"
        print(f"{shape:10} {members:7} {rate:11,.1f} {of_peak:>8}  {ratios}", flush=True)
    return {"peak_flops": peak, "peer_by_threads": peers, "rows": rows}


def growth(
    options: argparse.Namespace, builds: dict[tuple[str, int], Build]
) -> list[dict[str, Any]]:
    """One axis at a time around 2 layers of 64."""
    rows = []
    for (axis, value), wanted in builds.items():
        found = time_fleet(build(*wanted), options.seconds)
        rows.append({"axis": axis, "value": value, "members": wanted[3], **found})
        rate = found["model_steps_per_second"]
        print(f"{axis:8} {value:5} {rate:12,.1f} model-steps/s", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = HERE.parent.parent / "shared" / "bench" / "hf_baseline.py"
    parser.add_argument("--peer", type=Path, default=default)
    parser.add_argument("--torch-python", default=sys.executable)
    parser.add_argument("--seconds", type=float, default=4.0, help="timed, for each of our rows")
    parser.add_argument("--peer-seconds", type=float, default=60.0)
    parser.add_argument("--only", choices=("peers", "growth"), help="one half of it")
    parser.add_argument("--warm", nargs=6, type=int, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    prepare_jax()
    if options.warm:
        print(time_fleet(build(*options.warm), 0.0)["first_segment_seconds"])
        return
    table = table_builds() if options.only != "growth" else {}
    sweeps = sweep_builds() if options.only != "peers" else {}
    if table and not options.peer.exists():
        sys.exit(f"the peer's script is not at {options.peer}; name it with --peer")
    gpu = jax.default_backend() != "cpu"
    beside = compile_beside([*table.values(), *sweeps.values()]) if gpu else {}
    found = against_peers(options, table, beside) if table else {}
    found["growth"] = growth(options, sweeps)
    if options.out:
        document = {"provenance": describe_machine(), **found}
        write_atomically(options.out, json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
