"""What would a table of the last few tokens score on the tests of a figure? Nothing is trained.

For every task of `length-figure`, and of the same languages on released words, tables are made of
the in-range test's samples and tested on the very samples of the longer tests
(`training/look_back.py`). A test that a table passes does not show that a network does more.

    python benchmarks/looking_back.py [--out FILE]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from foretell.plain.files import write_atomically
from foretell.protocols._asking import Budget
from foretell.reproductions import Reproduction, load
from foretell.training.fleet import SequenceFleet
from foretell.training.look_back import BACKS, LookBack
from foretell.training.plan import Plan
from foretell.training.provenance import describe_machine

ASKED = ("length-figure", "length-figure-released")
BAR = 0.95  # where a published value is clear


def shares_of(plan: Plan) -> dict[str, dict[str, dict[str, float]]]:
    """By kind of words and range, what each table scores."""
    fleet = SequenceFleet(plan)
    (seen,) = fleet.loop.gather(fleet.in_range)
    table, found = LookBack(seen.example), dict[str, dict[str, dict[str, float]]]()
    for trial in plan.trials[1:]:
        (drawn,) = fleet.loop.gather(fleet.samples(trial))
        shares = (round(share, 3) for share in table.shares(drawn.example, trial.count))
        told = dict(zip(map(str, BACKS), shares, strict=True))
        found.setdefault(trial.label, {})[str(trial.sizes)] = told
    return found


def tables_for(name: str) -> dict[str, Any]:
    """Task by task; both encodings have the same words, but for the positions they start at."""
    asked = load(name)
    assert isinstance(asked, Reproduction)
    found: dict[str, Any] = {}
    for line in asked.lines(Budget.GPU, seeds=1):
        if line.asked.question.architecture.positional == "nope" and line.label not in found:
            found[line.label] = shares_of(line.asked.plan)
            print(f"{name} {line.label}: {fewest(found[line.label])}", flush=True)
    return found


def fewest(told: dict[str, dict[str, dict[str, float]]]) -> dict[str, int | None]:
    """Of each kind of words, how far a table must look back to pass every longer test."""
    return {
        label: next(
            (back for back in BACKS if all(own[str(back)] >= BAR for own in ranges.values())), None
        )
        for label, ranges in told.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    whole: dict[str, Any] = {name: tables_for(name) for name in ASKED}
    whole["tokens that suffice for 95 % in every longer range"] = {
        name: {label: fewest(told) for label, told in whole[name].items()} for name in ASKED
    }
    whole["machine"] = describe_machine()
    if options.out:
        write_atomically(options.out, json.dumps(whole, indent=1) + "\n")


if __name__ == "__main__":
    main()
