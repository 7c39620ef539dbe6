"""Testing a batched fleet: each test at about its own length, against all at that of the longest.

Where members are one batched program, as on a GPU, compiling is dear: tests of about one length
share a program, down to half of the longest. The peer, which the fleet was until it was measured,
has a single program, and every test is padded to the longest. The tests are those of the random
languages: five probes of 1-50, 51-100, 101-150 and 451-500 letters. Drawing them is not timed.

    python benchmarks/testing.py [--members 2] [--samples 40] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import jax

from foretell.core.architecture import Architecture
from foretell.plain.files import write_atomically
from foretell.reproductions.language_suite import RANGES, TRAIN, draw_suite
from foretell.training.fleet import SequenceFleet
from foretell.training.loops import Together
from foretell.training.plan import Member, Plan, Trial
from foretell.training.provenance import describe_machine

ROUNDS = 3  # in turn; the fastest counts


def suite_plan(members: int, samples: int) -> Plan:
    """Models of the narrow setting and its tests; nothing is trained."""
    languages = [task for _, task in draw_suite(-(-members // 4))][:members]
    first = languages[0]
    context = first.width(RANGES[-1].high)
    shape = Architecture(
        layers=4, heads=4, width=32, positional="alibi", context=context, tied=False
    )
    return Plan(
        architecture=shape,
        members=tuple(Member(seed, 1e-3, task) for seed, task in enumerate(languages)),
        train=TRAIN,
        trials=tuple(
            Trial(probe, sizes, samples) for probe in first.probes for sizes in (TRAIN, *RANGES)
        ),
        steps=50,
        check_every=50,
    )


def seconds(fleet: SequenceFleet) -> list[float]:
    """All tests, compiling first and then several times."""
    models = fleet.models(fleet.start())
    drawn = [jax.block_until_ready(fleet.samples(trial)) for trial in fleet.plan.trials]
    found = []
    for _ in range(1 + ROUNDS):
        began = time.monotonic()
        for trial, samples in zip(fleet.plan.trials, drawn, strict=True):
            fleet.score(models, trial, samples)
        found.append(time.monotonic() - began)
    return found


def main() -> None:
    """Measure both, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--members", type=int, default=2)
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    plan = suite_plan(asked.members, asked.samples)
    longest = max(trial.sizes.high for trial in plan.trials)
    found = {"members": asked.members, "samples": asked.samples, "tests": len(plan.trials)}
    times = {}
    for name in ("own length", "longest"):
        fleet = SequenceFleet(plan, Together())
        if name == "longest":
            fleet._scored_size = lambda trial: longest  # type: ignore[method-assign]
        first, *again = seconds(fleet)
        times[name] = min(again)
        programs = len(fleet._scorers)
        found[name] = {"first": first, "again": min(again), "programs": programs}
        print(f"{name:<12}{min(again):8.2f} s, {first:.2f} s the first time, {programs} programs")
    found["ratio"] = times["longest"] / times["own length"]
    print(f"ratio       {found['ratio']:8.2f}")
    if asked.out:
        text = json.dumps(found | {"provenance": describe_machine()}, indent=1)
        write_atomically(asked.out, text + "\n")


if __name__ == "__main__":
    main()
