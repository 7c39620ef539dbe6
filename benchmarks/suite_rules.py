"""Which rule tells the languages of C-RASP[∅] apart that go on to longer words? The first suite.

Reads the kept values of `language-suite` and `language-suite-settings`, computes what could be
known of each language before training, and asks of each quantity how well one limit on it foretells
the rows: fitted on all of them, and with languages left out one automaton at a time (automata that
differ in letters or final states only are left out together). `chosen inside` picks the best
quantity anew each time, which is what looking through so many costs. Nothing is trained, and the
languages of `language-suite-fresh` are not looked at: suite_forecasts.py judges on them.

    python benchmarks/suite_rules.py [--out FILE]
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from foretell.core.question import SizeRange
from foretell.crasp.analysis import analyse
from foretell.crasp.deciding.configurations import without_windows
from foretell.crasp.deciding.decide import decide
from foretell.crasp.deciding.machines import Machine
from foretell.languages.classes import class_report
from foretell.languages.dfa import DFA
from foretell.languages.sampling import walk
from foretell.numerics.keys import key_for, root_key
from foretell.plain.files import write_atomically
from foretell.reproductions.language_suite import RANGES, TRAIN, draw_suite, moves_up_to_names
from foretell.tasks.tracking import TrackingTask
from foretell.theory._moves import late_moves
from foretell.theory.late_moves import LIMITS
from foretell.training.provenance import describe_machine

RESULTS = Path(__file__).parent.parent / "results" / "language-suite"
SETTINGS = {
    "wide nope": ("h200.json", None, "nope"),
    "wide ape": ("h200.json", None, "ape"),
    "narrow nope": ("settings-h200.json", "narrow", "nope"),
    "float32 nope": ("settings-h200.json", "float32", "nope"),
}
BAR = 0.99
WORDS = 1_000  # drawn for the entropy of states
Known = dict[str, dict[str, float]]  # by language, by quantity


def heights(dfa: DFA) -> int:
    """The largest height that a program must count to; 0 where nothing is counted."""
    found = without_windows(Machine.of(dfa, "last-letter"))
    potentials = [p for tower in found.towers for level in tower.levels for p in level.potentials]
    return max((abs(h) for p in potentials for h in p.heights.values()), default=0)


def entropy(task: TrackingTask, size: int) -> float:
    """Of the states that words of the longest trained size go through, in nats."""
    tables, dfa = task.tables, task.language.dfa
    keys = jax.random.split(key_for(root_key(0), "suite-rules"), WORDS)
    drawn = jax.vmap(lambda key: task.draw(tables, key, jnp.int32(size), size + 1))(keys)
    letters = drawn.tokens[:, 1:] - task.alphabet.encode(dfa.alphabet.symbols[:1])[0]
    delta = np.array(dfa.delta)
    states = np.asarray(jax.vmap(lambda word: walk(delta, dfa.start, word))(letters))[:, 1:]
    shares = np.bincount(states.ravel()) / states.size
    return float(-sum(share * np.log(share) for share in shares if share))


def quantities(task: TrackingTask, furthest: SizeRange) -> dict[str, float]:
    """What could be known before training; for states, that of the hardest."""
    dfa = task.language.dfa
    report = class_report(dfa)
    each = [dataclasses.replace(dfa, final=frozenset({state})) for state in range(len(dfa.delta))]
    programs = [program for one in each if (program := decide(one).crasp.program)]
    return {
        "in DA": float(report["da"].answer == "yes"),
        "R-trivial": float(report["r_trivial"].answer == "yes"),
        "piecewise testable": float(report["piecewise_testable"].answer == "yes"),
        "states": len(dfa.delta),
        "size of the monoid": report.monoid_size or 0,
        "largest height counted": max(map(heights, each)),
        "operations of the program": max(analyse(program).operations for program in programs),
        "depth of the program": max(analyse(program).depth for program in programs),
        "moves in a trained word": late_moves(task, 0, SizeRange(TRAIN.high, TRAIN.high)),
        "entropy of states": entropy(task, TRAIN.high),
        "late moves": late_moves(task, TRAIN.high, furthest),
    }


def rows_of(setting: str, names: set[str]) -> list[Any]:
    """The kept rows of these languages, as they were trained in that setting."""
    file, named, positional = SETTINGS[setting]
    asked = (named, positional)
    return [
        row
        for row in json.loads((RESULTS / file).read_text())["rows"]
        if (row["setting"], row["architecture"]["positional"]) == asked and row["task"] in names
    ]


def outcomes(rows: Iterable[Any], furthest: SizeRange) -> dict[str, dict[str, bool]]:
    """By reading and language; rows that the protocol's rule leaves undecided have none there."""
    found: dict[str, dict[str, bool]] = {"by the rule": {}, "typical": {}, "worst": {}}
    for row in rows:
        if not row["ours"]:
            continue
        by_size = {tuple(value["size_range"]): value["seeds"] for value in row["ours"]}
        sizes = [each for each in RANGES if each.high <= furthest.high]
        longer = [by_size[each.low, each.high] for each in sizes]
        here = (furthest.low, furthest.high)
        probes = [
            value["seeds"]
            for value in row["other_tests"]
            if tuple(value["size_range"]) == here and "," not in value["probe"]
        ]
        found["typical"][row["task"]] = max(by_size[here]) >= BAR
        found["worst"][row["task"]] = min(map(min, [by_size[here], *probes])) >= BAR
        if all(min(seeds) >= BAR for seeds in longer):
            found["by the rule"][row["task"]] = True
        elif any(max(seeds) < BAR for seeds in longer):
            found["by the rule"][row["task"]] = False
    return found


def fit(known: np.ndarray, came_out: np.ndarray) -> tuple[int, float, int]:
    """How many one limit gets right, the limit, and on which side the yes is."""
    values = np.unique(known)
    middles = (values[1:] + values[:-1]) / 2
    limits = [values[0] - 1.0, *middles.tolist(), values[-1] + 1.0]
    tried = (
        (int(np.sum((side * known >= side * limit) == came_out)), limit, side)
        for limit in limits
        for side in (-1, 1)
    )
    return max(tried, key=lambda one: one[0])


def left_out(
    known: dict[str, np.ndarray], came_out: np.ndarray, groups: list[object]
) -> tuple[dict[str, int], int]:
    """Right answers about what was left out: each quantity by itself, and the best one inside."""
    alone, inside = dict.fromkeys(known, 0), 0
    for group in set(groups):
        out = np.array([each == group for each in groups])
        fits = {name: fit(values[~out], came_out[~out]) for name, values in known.items()}
        best = max(fits, key=lambda name: fits[name][0])
        for name, (_, limit, side) in fits.items():
            right = (side * known[name][out] >= side * limit) == came_out[out]
            alone[name] += int(right.sum())
            inside += int(right.sum()) * (name == best)
    return alone, inside


def judge(known: Known, came_out: dict[str, bool], groups: dict[str, object]) -> dict[str, Any]:
    names = sorted(came_out)
    truth = np.array([came_out[name] for name in names])
    columns = {
        quantity: np.array([known[name][quantity] for name in names])
        for quantity in known[names[0]]
    }
    alone, inside = left_out(columns, truth, [groups[name] for name in names])
    fitted = {quantity: fit(values, truth) for quantity, values in columns.items()}
    return {
        "rows": len(names),
        "yes": int(truth.sum()),
        "chosen inside, left out": inside,
        "rules": {
            quantity: {
                "fitted": right,
                "left out": alone[quantity],
                "limit": round(limit, 3),
                "yes is": "above" if side > 0 else "below",
            }
            for quantity, (right, limit, side) in fitted.items()
        },
    }


def fixed(known: Known, came_out: dict[str, bool], says: Callable[[dict[str, float]], bool]) -> int:
    """How many a rule without anything to fit gets right."""
    return sum(says(known[name]) is truth for name, truth in came_out.items())


def compare() -> dict[str, Any]:
    tasks = {task.name: task for kind, task in draw_suite(50) if kind == "crasp"}
    groups: dict[str, object] = {n: moves_up_to_names(t.language.dfa) for n, t in tasks.items()}
    found: dict[str, Any] = {"automata": len(set(groups.values()))}
    for furthest, limit in LIMITS.items():
        known = {name: quantities(task, furthest) for name, task in tasks.items()}
        for setting in SETTINGS:
            for reading, came_out in outcomes(rows_of(setting, set(tasks)), furthest).items():
                told = judge(known, came_out, groups)
                told["late-moves as fixed"] = fixed(
                    known, came_out, lambda one, most=limit: one["late moves"] <= most
                )
                told["in DA as it stands"] = fixed(known, came_out, lambda one: one["in DA"] == 1)
                found[f"to {furthest.high}, {setting}, {reading}"] = told
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    text = json.dumps({**compare(), "provenance": describe_machine()}, indent=1)
    print(text)
    if given.out is not None:
        write_atomically(given.out, text + "\n")


if __name__ == "__main__":
    main()
