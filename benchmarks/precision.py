"""Do bfloat16 fleets reach the verdicts of float32 fleets, and what does it save?

The published trainings of the tasks below, every seed twice: float32 throughout, and bfloat16
compute with float32 weights. Same seeds, same data, same tests. Runs go to a store and are resumed.

    python benchmarks/precision.py --out results/performance/precision-h200.json
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from foretell.cli._start import prepare_jax
from foretell.core.measurement import Measurement
from foretell.plain.files import write_atomically
from foretell.protocols._asking import Budget, Request
from foretell.protocols._running import Asked, fleets, stored, train, unfinished
from foretell.training.provenance import describe_machine
from foretell.training.stopping import Interrupted
from foretell.training.store import Store

TASKS = (
    *((name, "ape") for name in ("binary-majority", "copy-unique", "tomita-1", "tomita-2")),
    *((name, "ape") for name in ("d-2", "d-3", "d-4", "d-12", "abcde", "ab-d-bc")),
    *((name, "nope") for name in ("binary-majority", "majority", "tomita-4", "tomita-7")),
    *((name, "nope") for name in ("dyck-1", "anbn", "anbncn")),  # which suffer, see length-causes
)
PRECISIONS = ("float32", "bfloat16")


def asked(name: str, positional: str, precision: str, budget: Budget) -> Asked:
    """One published training in one precision."""
    request = Request(what=name, positional=positional, budget=budget, precision=precision)
    return Asked(request.question(), request.build_protocol(), request.seed_list())


def row(name: str, positional: str, found: dict[str, Measurement]) -> dict[str, Any]:
    """Both measurements side by side."""
    return {
        "task": name,
        "positional": positional,
        "same_verdict": len({each.verdict for each in found.values()}) == 1,
        **{
            precision: {
                "verdict": each.verdict.value,
                "fitted": len(each.provenance["fitted"]),
                "seconds": each.provenance["seconds"],
                "fleet": each.provenance["fleet"],
                "means": [value.mean for value in each.values],
                "seeds": [list(value.seeds) for value in each.values],
                "tests": [f"{value.probe} {value.sizes}" for value in each.values],
            }
            for precision, each in found.items()
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budget", default="gpu")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--store", help="folder of runs")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    prepare_jax()
    store, end = Store.at(options.store), time.monotonic() + 60 * options.minutes
    every = {
        (name, positional): {
            p: asked(name, positional, p, Budget(options.budget)) for p in PRECISIONS
        }
        for name, positional in TASKS
    }
    for pack in fleets([each for pair in every.values() for each in pair.values()]):
        left = unfinished(pack, store)
        if left and time.monotonic() < end:
            try:
                train(left, store, seconds=end - time.monotonic())
            except Interrupted:
                print("time is up; the same command goes on")
    rows = []
    for (name, positional), pair in every.items():
        found = {p: m for p, each in pair.items() if (m := stored(each, store)) is not None}
        if len(found) == len(PRECISIONS):
            rows.append(row(name, positional, found))
            told = " ".join(
                f"{precision}: {each.verdict.value}, {len(each.provenance['fitted'])} fit, "
                f"{each.provenance['seconds']} s"
                for precision, each in found.items()
            )
            print(f"{name:18} {positional:5} {told}", flush=True)
    same = sum(each["same_verdict"] for each in rows)
    print(f"same verdict: {same} of {len(rows)}; {len(every) - len(rows)} not run yet")
    if options.out:
        document = {"provenance": describe_machine(), "budget": options.budget, "rows": rows}
        write_atomically(options.out, json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
