"""What would a table of the last few letters score on the language suite? Beside the networks.

For every language of `language-suite` a table answers with the commonest state after the longest
ending, of 1, 2, 4, 8, 16 or 32 letters, that it saw in words of the trained lengths
(`training/look_back.py`). It is tested on the words that the networks of seed 0 were tested on (the
same keys), and set beside the best and the mean of the six kept runs, learned positions and none;
runs of other seeds had other words of the same law. A table cannot count beyond what it looks back:
where it does better than the networks, they do not do what would suffice. Nothing is trained.

    python benchmarks/suite_looking_back.py [--words 10000] [--out FILE]
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path
from statistics import fmean
from typing import Any

from foretell.core.question import SizeRange
from foretell.plain.files import write_atomically
from foretell.protocols._asking import Budget
from foretell.reproductions.language_suite import (
    BAR,
    CLASSES,
    PER_CLASS,
    RANGES,
    SETTING,
    asked_of,
    draw_suite,
)
from foretell.theory._moves import late_moves
from foretell.training.fleet import SequenceFleet
from foretell.training.look_back import BACKS, LookBack
from foretell.training.plan import join
from foretell.training.provenance import describe_machine

RESULTS = Path(__file__).parent.parent / "results" / "language-suite"
MARGIN = 0.05  # less may be chance: 500 words on either side
Shares = dict[str, tuple[float, ...]]  # by range: a share for each number of letters, or each run


def tables_of(words: int) -> dict[str, Shares]:
    """By language, what each table scores at each range."""
    budget = Budget.GPU
    asked = [
        asked_of(task, budget, SETTING[budget], "nope", 1)
        for _, task in draw_suite(PER_CLASS[budget])
    ]
    tested = join([each.plan for each in asked])
    read = join(
        [
            dataclasses.replace(
                each, protocol=dataclasses.replace(each.protocol, samples=words)
            ).plan
            for each in asked
        ]
    )
    reader, fleet = SequenceFleet(read), SequenceFleet(tested)
    tables = [LookBack(drawn.example) for drawn in reader.loop.gather(reader.in_range)]
    found: dict[str, Shares] = {each.task.language.name: {} for each in tested.members}
    for trial in tested.trials[1:]:
        if trial.probe != tested.trials[0].probe:
            continue
        drawn = fleet.loop.gather(fleet.samples(trial))
        for member, table, own in zip(tested.members, tables, drawn, strict=True):
            shares = table.shares(own.example, trial.count)
            found[member.task.language.name][str(trial.sizes)] = shares
    return found


def networks_of(path: Path) -> dict[str, Shares]:
    """By language, what every kept run scores on the same words."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in json.loads(path.read_text(encoding="utf-8"))["rows"]:
        ranges = found.setdefault(row["task"].partition(":")[2], {})
        for value in row["ours"]:
            sizes = str(SizeRange(*value["size_range"]))
            ranges.setdefault(sizes, []).extend(value["seeds"])
    return {
        name: {sizes: tuple(shares) for sizes, shares in ranges.items()}
        for name, ranges in found.items()
    }


def compare(kinds: dict[str, str], tables: dict[str, Shares], networks: dict[str, Shares]) -> Any:
    """By class and range: how often each reaches the bar, and which is ahead."""
    found: dict[str, Any] = {}
    for kind, heading in CLASSES.items():
        names = [name for name, own in kinds.items() if own == kind]
        for sizes in map(str, RANGES):
            table = {name: tables[name][sizes][-1] for name in names}  # looking back farthest
            runs = {name: networks[name][sizes] for name in names}
            found.setdefault(heading, {})[sizes] = {
                "languages": len(names),
                "table at the bar": [name for name in names if table[name] >= BAR],
                "best run at the bar": sum(max(runs[name]) >= BAR for name in names),
                "table ahead of the best run": [
                    name for name in names if table[name] > max(runs[name]) + MARGIN
                ],
                "table ahead of the mean run": sum(
                    table[name] > fmean(runs[name]) + MARGIN for name in names
                ),
                "mean of the table": round(fmean(table.values()), 3),
                "mean of the runs": round(fmean(fmean(own) for own in runs.values()), 3),
            }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=10_000, help="words that a table is made of")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    suite = draw_suite(PER_CLASS[Budget.GPU])
    kinds = {task.language.name: kind for kind, task in suite}
    tables, networks = tables_of(options.words), networks_of(RESULTS / "h200.json")
    languages = {
        task.language.name: {
            "class": kind,
            "late moves to 150": round(late_moves(task, 50, SizeRange(101, 150)), 3),
            "tables": {
                sizes: dict(zip(map(str, BACKS), (round(s, 3) for s in shares), strict=True))
                for sizes, shares in tables[task.language.name].items()
            },
            "best run": {s: max(runs) for s, runs in networks[task.language.name].items()},
            "mean run": {
                s: round(fmean(runs), 3) for s, runs in networks[task.language.name].items()
            },
        }
        for kind, task in suite
    }
    whole = {
        "words a table is made of": options.words,
        "by class": compare(kinds, tables, networks),
        "languages": languages,
        "machine": describe_machine(),
    }
    print(json.dumps(whole["by class"], indent=1))
    if options.out:
        write_atomically(options.out, json.dumps(whole) + "\n")


if __name__ == "__main__":
    main()
