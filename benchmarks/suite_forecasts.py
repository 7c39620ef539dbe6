"""Do the rules of the first suite hold on languages drawn anew? Judged on `language-suite-fresh`.

Reads the kept values of the fresh suite and sets beside them what was foretold: `late-moves` as it
was fixed, membership in DA, the plain theory (a program exists, so yes), and each quantity of
suite_rules.py with the limit that `rules.json` keeps for the same reading of the first suite. No
limit is fitted here. The more frequent answer is known only afterwards: a line to be above, not a
forecast. Late moves to 500 must be what the store had on record before training, and the counts
must be those of the page, which comes to them by other code; otherwise nothing is written.

    python benchmarks/suite_forecasts.py [--out FILE]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scipy import stats
from suite_rules import RESULTS, Known, outcomes, quantities

from foretell.core.question import SizeRange
from foretell.numerics.intervals import wilson
from foretell.plain.files import write_atomically
from foretell.protocols._asking import Budget
from foretell.reproductions.language_suite import TRAIN
from foretell.reproductions.language_suite_fresh import COUNTS, draw_fresh
from foretell.tasks.tracking import TrackingTask
from foretell.theory._moves import late_moves
from foretell.theory.late_moves import LIMITS
from foretell.training.provenance import describe_machine

OURS, IN_DA, PLAIN = "late-moves", "in DA", "crasp-length"
Answers = Mapping[str, bool]  # by language: foretold or came out


def share(right: int, tried: int) -> dict[str, Any]:
    """A count of right answers with its interval; no rate where nothing was said."""
    if tried == 0:
        return {"right": 0, "of": 0}
    low, high = wilson(right, tried)
    rate, interval = round(right / tried, 3), [round(low, 3), round(high, 3)]
    return {"right": right, "of": tried, "rate": rate, "interval": interval}


def score(said: Answers, shown: Answers) -> dict[str, Any]:
    """How often right, and how far its yes and its no can be relied on."""
    by_answer = {
        word: [shown[name] is answer for name in shown if said[name] is answer]
        for word, answer in (("its yes", True), ("its no", False))
    }
    everything = [right for rights in by_answer.values() for right in rights]
    return share(sum(everything), len(everything)) | {
        word: share(sum(rights), len(rights)) for word, rights in by_answer.items()
    }


def against(said: Answers, other: Answers, shown: Answers) -> dict[str, Any]:
    """Rows in which only one of the two is right, and how likely so uneven a split is by chance."""
    differ = [name for name in shown if said[name] is not other[name]]
    ours = sum(said[name] is shown[name] for name in differ)
    chance = float(stats.binomtest(ours, len(differ)).pvalue) if differ else 1.0
    return {
        "only late-moves": ours,
        "only the other": len(differ) - ours,
        "p, two-sided": float(f"{chance:.2g}"),
    }


def foretold(tasks: Mapping[str, TrackingTask], groups: Answers, sizes: SizeRange) -> Any:
    """What each way says of every language; `groups`: those in DA, among those with a program."""
    few = {
        name: late_moves(task, TRAIN.high, sizes) <= LIMITS[sizes] for name, task in tasks.items()
    }
    return {
        OURS: {name: name in groups and few[name] for name in tasks},
        IN_DA: {name: groups.get(name, False) for name in tasks},
        PLAIN: {name: name in groups for name in tasks},
    }


def compare_ways(said: Mapping[str, Answers], shown: Answers) -> dict[str, Any]:
    """The ways side by side on the same rows."""
    yes = sum(shown.values())
    return {
        "rows": len(shown),
        "came out yes": yes,
        **{way: score(answers, shown) for way, answers in said.items()},
        "always the more frequent answer, known afterwards": share(
            max(yes, len(shown) - yes), len(shown)
        ),
        "late-moves against": {way: against(said[OURS], said[way], shown) for way in (IN_DA, PLAIN)}
        | {"always no": against(said[OURS], dict.fromkeys(shown, False), shown)},
    }


def with_first_limits(rules: Mapping[str, Any], known: Known, shown: Answers) -> dict[str, Any]:
    """Each quantity with the limit that was fitted on the first suite, to the same reading."""
    found = {}
    for quantity, rule in rules.items():
        side = 1 if rule["yes is"] == "above" else -1
        said = {name: side * known[name][quantity] >= side * rule["limit"] for name in shown}
        found[quantity] = {"limit": rule["limit"], "yes is": rule["yes is"], **score(said, shown)}
    return found


def misses(
    said: Answers, shown: Answers, known: Known, rows: Mapping[str, Any], sizes: SizeRange
) -> list[dict[str, Any]]:
    """Where late-moves was wrong, with the lowest run on every kind of word at that range."""
    return [
        {
            "language": name,
            "foretold": "yes" if said[name] else "no",
            "late moves": round(known[name]["late moves"], 3),
            "lowest run": {
                value["probe"]: min(value["seeds"])
                for value in [*rows[name]["ours"], *rows[name]["other_tests"]]
                if value["size_range"] == [sizes.low, sizes.high] and "," not in value["probe"]
            },
        }
        for name in sorted(shown)
        if said[name] is not shown[name]
    ]


def check_record(rows: Mapping[str, Any], said: Answers) -> None:
    """What is computed here as far as training was asked must have been said before it."""
    for name, row in rows.items():
        stated = {each["predictor"]: each["verdict"] for each in row["predicted"]}
        if stated[OURS] != ("yes" if said[name] else "no"):
            raise SystemExit(f"{name}: {OURS} said {stated[OURS]} before training, not so here")


def check_page(kept: Any, ways: Mapping[str, Any], sizes: SizeRange, reading: str) -> None:
    """The page counts by the protocol's own code; here rows are read from their values."""
    here = ([sizes.low, sizes.high], reading, True)
    page = {
        tally["way"]: [tally["right"]["yes"], tally["right"]["no"]]
        for tally in kept["summary"]["forecasts"]
        if (tally["sizes"], tally["reading"], tally["program"]) == here
    }
    mine = {
        way: [ways[way][word]["right"] for word in ("its yes", "its no")]
        for way in (OURS, IN_DA, PLAIN)
    }
    if mine != page:
        raise SystemExit(f"to {sizes.high}, {reading}: {mine} here, {page} on the page")


def compare() -> dict[str, Any]:
    kept = json.loads((RESULTS / "fresh-h200.json").read_text())
    rules = json.loads((RESULTS / "rules.json").read_text())
    rows = {row["task"]: row for row in kept["rows"]}
    drawn = draw_fresh(*COUNTS[Budget.GPU])
    tasks = {task.name: task for _, task in drawn}
    in_da = {task.name: group == "da" for group, task in drawn if group != "local"}
    found: dict[str, Any] = {}
    for sizes in LIMITS:
        said = foretold(tasks, in_da, sizes)
        if sizes == max(LIMITS):
            check_record(rows, said[OURS])
        known = {name: quantities(tasks[name], sizes) for name in in_da}
        found[f"late moves, to {sizes.high}"] = {
            name: round(each["late moves"], 3) for name, each in known.items()
        }
        for reading, shown in outcomes(rows.values(), sizes).items():
            program = {name: shown[name] for name in in_da if name in shown}
            ways = compare_ways(said, program)
            check_page(kept, ways, sizes, reading)
            first = rules[f"to {sizes.high}, wide nope, {reading}"]["rules"]
            found[f"to {sizes.high}, {reading}"] = {
                "60 languages of C-RASP[∅]": ways,
                "all 80": compare_ways(said, shown),
                "limits of the first suite, on the 60": with_first_limits(first, known, program),
                "late-moves was wrong": misses(said[OURS], program, known, rows, sizes),
            }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    told = {**compare(), "provenance": describe_machine()}
    text = json.dumps(told, indent=1, ensure_ascii=False)
    print(text)
    if given.out is not None:
        write_atomically(given.out, text + "\n")


if __name__ == "__main__":
    main()
