"""What XLA is spared on a GPU: seconds to compile a fleet's training, and its speed afterwards.

`usual` leaves everything to XLA, `lasting` is how fleets that train for long are compiled, `brief`
how programs are that may end soon (`foretell.training.loops`). Each row is a process of its own,
alone on the machine, with nothing compiled before: XLA remembers what it tried out. Speed is the
median over segments, as in `fleet.py`. On a CPU none of these options exists.

    python benchmarks/compiling_options.py [--shapes 4L4h-d128 …] [--options lasting …] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import fleet
import jax

from foretell.plain.files import write_atomically
from foretell.training import loops
from foretell.training.provenance import describe_machine

OPTIONS: dict[str, dict[str, Any]] = {"usual": {}, "lasting": loops.LASTING, "brief": loops.BRIEF}
SECONDS = 1.0  # timed, a row


def measured(shape: str, kind: str) -> dict[str, Any]:
    """In this process: compile, then train for a second."""
    counts, segment = fleet.ON_GPU[shape]
    with patch.object(loops, "LASTING", OPTIONS[kind]):
        built = fleet.build(*fleet.SHAPES[shape], counts[-1], segment, 50)
        found = fleet.time_fleet(built, SECONDS)
    return {"shape": shape, "options": kind, "members": counts[-1], **found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", nargs="+", choices=fleet.SHAPES, default=list(fleet.SHAPES))
    parser.add_argument("--options", nargs="+", choices=OPTIONS, default=list(OPTIONS))
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    if asked.child:
        print(json.dumps(measured(*asked.child)))
        return
    if jax.default_backend() != "gpu":
        sys.exit("these are options of XLA's compiler for GPUs, and there is none here")
    print(
        f"{'shape':10} {'members':>7} {'options':8} {'first segment, s':>17} {'model-steps/s':>14}"
    )
    rows = []
    for shape in asked.shapes:
        for kind in asked.options:
            command = [sys.executable, __file__, "--child", shape, kind]
            spared = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
            child = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=spared)
            row = json.loads(child.stdout.splitlines()[-1])
            rows.append(row)
            took, rate = row["first_segment_seconds"], row["model_steps_per_second"]
            print(f"{shape:10} {row['members']:7} {kind:8} {took:17.1f} {rate:14,.0f}", flush=True)
    if asked.out:
        document = {"provenance": describe_machine(), "options": OPTIONS, "rows": rows}
        write_atomically(asked.out, json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
