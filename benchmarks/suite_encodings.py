"""What languages take that ask to look back: ways compared, and what was expected of them judged.

Reads the kept values of `language-suite-encodings`. A row counts by the mean of its runs. Languages
come in three sets: those seen before anything was expected of others, the five of which it was
first expected, and the rest (docs/looking-back.md has the points (a) to (g), with their dates).
Ways are compared language by language: how many are ahead, how many behind, and how likely so
uneven a split is if neither is better.

    python benchmarks/suite_encodings.py [VALUES] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from scipy import stats

from foretell.plain.files import write_atomically

VALUES = Path(__file__).parents[1] / "results" / "language-suite" / "encodings-cpu.json"
GROUP, BAR = "In C-RASP[local], not in [∅]", 0.99
RANGES = ("51-100", "101-150", "451-500")
AT, FAR = RANGES[1], RANGES[2]
SEEN = (*range(1, 7), 12)
SETS: dict[str, Callable[[int], bool]] = {
    "seen before": lambda number: number in SEEN,
    "the five": lambda number: 7 <= number <= 11,
    "the others": lambda number: number >= 13,
    "all": lambda number: True,
}
NONE, LOG = "nope", " × log length"
LOCAL, BIASES, RECURRENCE = "local", "alibi", "gru"
SIX = (NONE, NONE + LOG, LOCAL, LOCAL + LOG, BIASES, BIASES + LOG)
Scores = Mapping[str, Mapping[int, Mapping[str, float]]]  # way, language, range


def scores_of(page: Any) -> Scores:
    """Means over the runs of every row that was run, on words mixed as in training."""
    found: dict[str, dict[int, dict[str, float]]] = {}
    for row in page["rows"]:
        if not row["group"].startswith(GROUP) or not row["ours"]:
            continue
        positional, setting = row["architecture"].get("positional"), row["setting"]
        way = {None: positional, "log-length": f"{positional}{LOG}"}.get(setting, setting)
        number = int(row["task"].rsplit("-", 1)[1])
        found.setdefault(way, {})[number] = {
            "-".join(map(str, value["size_range"])): value["mean"] for value in row["ours"]
        }
    return found


def summary(scores: Scores, numbers: Iterable[int]) -> dict[str, Any]:
    """Each way over the languages it was run on: means, and how many are at the bar."""
    wanted, found = set(numbers), {}
    for way, rows in scores.items():
        own = [row for number, row in rows.items() if number in wanted]
        if own:
            found[way] = {"languages": len(own)} | {
                sizes: {
                    "mean": round(100 * fmean(row[sizes] for row in own), 1),
                    "at the bar": sum(row[sizes] >= BAR for row in own),
                }
                for sizes in RANGES
            }
    return found


def against(scores: Scores, one: str, other: str, numbers: set[int], sizes: str) -> dict[str, Any]:
    """Language by language, where both were run."""
    both = sorted(numbers & scores.get(one, {}).keys() & scores.get(other, {}).keys())
    gains = [scores[one][number][sizes] - scores[other][number][sizes] for number in both]
    ahead, behind = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
    chance = stats.binomtest(ahead, ahead + behind).pvalue if ahead + behind else 1.0
    return {
        "languages": len(both),
        "ahead": ahead,
        "behind": behind,
        "points on average": round(100 * fmean(gains), 1) if gains else None,
        "p, by signs": float(f"{chance:.2g}"),
    }


def judged(scores: Scores, numbers: set[int], enough: float) -> dict[str, Any]:
    """The points (a) to (e): what was expected, what came out; `enough` of the languages for each.

    A language that has all words right both ways is not ahead, and counts as neither.
    """

    def ahead(one: str, *others: str) -> dict[str, Any]:
        found = [against(scores, one, other, numbers, AT) for other in others]
        held = all(each["behind"] <= (1 - enough) * each["languages"] for each in found)
        return {"held": held, **dict(zip(others, found, strict=True))}

    def at_the_bar(way: str) -> list[int]:
        return [n for n, row in scores.get(way, {}).items() if n in numbers and row[AT] >= BAR]

    def run(way: str) -> int:
        return len(numbers & scores.get(way, {}).keys())

    cost = against(scores, BIASES + LOG, BIASES, numbers, FAR)
    reached = {way: len(at_the_bar(way)) for way in SIX}
    most = max(reached.values())
    return {
        "(a) local with the logarithm is ahead of each alone": ahead(
            LOCAL + LOG, LOCAL, NONE + LOG
        ),
        "(b) linear biases are ahead of no positions": ahead(BIASES, NONE),
        "(c) no positions reach the bar in none": {
            "held": not at_the_bar(NONE),
            "at the bar": at_the_bar(NONE),
            "of": run(NONE),
        },
        "(d) the recurrence reaches it in each": {
            "held": len(at_the_bar(RECURRENCE)) == run(RECURRENCE) if run(RECURRENCE) else None,
            "at the bar": len(at_the_bar(RECURRENCE)),
            "of": run(RECURRENCE),
        },
        "(e) at 451-500 the logarithm costs linear biases": {
            "held": bool(cost["languages"]) and cost["points on average"] < 0,
            **cost,
        },
        "(g) most at the bar with linear biases and the logarithm, two at most without positions": {
            "held": reached[BIASES + LOG] == most
            and sum(count == most for count in reached.values()) == 1
            and max(reached[NONE], reached[NONE + LOG]) <= 2,
            "at the bar": reached,
        },
    }


def main() -> None:
    """Compare, judge, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("values", type=Path, nargs="?", default=VALUES)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    scores = scores_of(json.loads(asked.values.read_text()))
    known = {number for rows in scores.values() for number in rows}
    found: dict[str, Any] = {}
    for name, holds in SETS.items():
        numbers = {number for number in known if holds(number)}
        enough = 1.0 if name == "the five" else 0.9
        found[name] = {
            "ways": summary(scores, numbers),
            "expected": judged(scores, numbers, enough) if name.startswith("the ") else None,
            "pairs at 101-150": {
                f"{one} against {other}": against(scores, one, other, numbers, AT)
                for place, one in enumerate(SIX)
                for other in SIX[:place]
            },
        }
    text = json.dumps(found, indent=1, ensure_ascii=False)
    print(text)
    if asked.out:
        write_atomically(asked.out, text + "\n")


if __name__ == "__main__":
    main()
