"""Training throughput against the loop people use today, in one run on one machine.

The peer is the HuggingFace Trainer of `shared/bench/hf_baseline.py` (row A; row C is the same
model without the cost of data), run as a child process on the same task: binary majority,
sequences of at most 54 tokens, batch 64, AdamW, clipping, learned positions with random offsets.
Ours draws its data inside the compiled loop and is timed with everything it does in training.

    make bench                                     # or, with an environment that has torch:
    python benchmarks/training.py --peer PATH/hf_baseline.py --torch-python PYTHON --out FILE
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
from pathlib import Path

from foretell.core.architecture import Architecture
from foretell.core.question import SizeRange
from foretell.plain.files import write_atomically
from foretell.tasks.lookup import find_task
from foretell.training.fleet import Fleet
from foretell.training.plan import Member, Plan, Trial
from foretell.training.provenance import describe_machine

HERE = Path(__file__).resolve().parent
SHAPES = {"1L1h-d16": (1, 1, 16, 100), "2L4h-d256": (2, 4, 256, 4)}  # …, steps a segment
MEMBERS = (1, 8)


def time_peer(peer: Path, python: str, seconds: float, threads: int) -> dict[str, dict[str, float]]:
    """Model-steps per second of the peer's rows A and C, by shape."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.jsonl"
        command = [python, str(peer), "--part", "torch", "--device", "cpu", "--ens", "1"]
        command += ["--no-compile", "--learn", "0", "--dtypes", "fp32", "--only", *SHAPES]
        command += ["--budget", str(seconds), "--threads", str(threads), "--out", str(out)]
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
        rows = [json.loads(line) for line in out.read_text().splitlines()]
    found: dict[str, dict[str, float]] = {shape: {} for shape in SHAPES}
    for row in rows:
        if "mps" in row and row["engine"][0] in "AC":
            found[row["cfg"]][row["engine"][0]] = row["mps"]
    return found


def time_fleet(shape: str, members: int, seconds: float) -> dict[str, float]:
    """Model-steps per second of our fleet: median over segments, after compiling."""
    layers, heads, width, segment = SHAPES[shape]
    task = find_task("binary-majority", 150)
    plan = Plan(
        architecture=Architecture(
            layers=layers, heads=heads, width=width, positional="ape", context=task.width(150)
        ),
        members=tuple(Member(seed, 1e-3, task) for seed in range(members)),
        train=SizeRange(1, 50),
        trials=(Trial("typical", SizeRange(1, 50), 100),),
        steps=segment * 10_000,
        check_every=segment,
        segment=segment,
    )
    fleet = Fleet(plan)
    states = fleet.start()
    began = time.perf_counter()
    states = fleet.advance(states)
    compiled = time.perf_counter() - began
    times = []
    while sum(times) < seconds or len(times) < 3:
        began = time.perf_counter()
        states = fleet.advance(states)
        times.append(time.perf_counter() - began)
    rate = members * segment / statistics.median(times)
    return {"model_steps_per_second": rate, "first_segment_seconds": compiled}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = HERE.parent.parent / "shared" / "bench" / "hf_baseline.py"
    parser.add_argument("--peer", type=Path, default=default)
    parser.add_argument("--torch-python", default=sys.executable)
    parser.add_argument("--seconds", type=float, default=8.0, help="timed, for each of our rows")
    parser.add_argument("--peer-seconds", type=float, default=60.0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if not options.peer.exists():
        sys.exit(f"the peer's script is not at {options.peer}; name it with --peer")
    peers = {
        threads: time_peer(options.peer, options.torch_python, options.peer_seconds, threads)
        for threads in (1, 2)
    }
    rows = []
    print(
        f"{'shape':10} {'members':>7} {'ours/s':>9} {'HF A/s':>8} {'ratio':>7} {'HF C/s':>8} "
        f"{'ratio':>7}"
    )
    for shape in SHAPES:
        # the peer at its best number of threads
        best = {row: max(found[shape].get(row, 0.0) for found in peers.values()) for row in "AC"}
        for members in MEMBERS:
            ours = time_fleet(shape, members, options.seconds)
            rate = ours["model_steps_per_second"]
            rows.append({"shape": shape, "members": members, **ours, "peer": best})
            print(
                f"{shape:10} {members:7} {rate:9.1f} {best['A']:8.1f} {rate / best['A']:7.1f} "
                f"{best['C']:8.1f} {rate / best['C']:7.1f}",
                flush=True,
            )
    if options.out:
        document = {"provenance": describe_machine(), "peer_by_threads": peers, "rows": rows}
        write_atomically(options.out, json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
