"""Monoids and class reports: how time grows with the monoid, and languages a second.

The families have known sizes: all maps on n points (n to the n), order-preserving maps (binomial
2n-1 over n), bounded bracket depth. Random automata are minimal, uniform over their tables.

    python benchmarks/algebra.py [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from foretell.core.alphabet import Alphabet
from foretell.languages.algebra.green import Green
from foretell.languages.algebra.monoid import Monoid, generate
from foretell.languages.classes import class_report
from foretell.languages.dfa import DFA
from foretell.languages.random_automata import random_minimal
from foretell.languages.regular import RegularLanguage
from foretell.plain.files import write_atomically
from foretell.training.provenance import describe_machine

TARGET_SECONDS = 5.0  # a monoid of 10,000 elements, with Green's relations
TARGET_MILLISECONDS = 10.0  # a class report for at most six states


def all_maps(points: int) -> np.ndarray:
    """A cycle, a swap and a merge generate every map."""
    rows = np.tile(np.arange(points, dtype=np.uint8), (3, 1))
    rows[0] = np.roll(rows[0], -1)
    rows[1, :2] = [1, 0]
    rows[2, 0] = 1
    return rows


def ordered_maps(points: int) -> np.ndarray:
    """Steps of one point up or down generate the order-preserving maps."""
    rows = np.tile(np.arange(points, dtype=np.uint8), (2 * points - 2, 1))
    for point in range(points - 1):
        rows[2 * point, point] += 1
        rows[2 * point + 1, point + 1] -= 1
    return rows


def brackets(depth: int) -> np.ndarray:
    """Brackets of bounded depth; the last state is dead."""
    up = [*range(1, depth + 1), depth + 1, depth + 1]
    down = [depth + 1, *range(depth), depth + 1]
    return np.array([up, down], np.uint8)


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Median time."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def relations(monoid: Monoid) -> Green:
    """All that the class report may ask of a monoid."""
    green = Green(monoid)
    for part in ("r", "l", "j", "h", "regular", "representatives"):
        getattr(green, part)
    return green


def monoid_row(label: str, letters: np.ndarray) -> dict[str, Any]:
    """Time to generate, and to find Green's relations."""
    found = generate(letters, 1_000_000)
    row = {
        "what": label,
        "states": letters.shape[1],
        "letters": len(letters),
        "elements": len(found),
        "generate_seconds": seconds(lambda: generate(letters, 1_000_000)),
        "green_seconds": seconds(lambda: relations(generate(letters, 1_000_000))),
    }
    row["green_seconds"] -= row["generate_seconds"]
    print(
        f"{label:28} {row['states']:>6} {row['letters']:>7} {row['elements']:>9,} "
        f"{row['generate_seconds']:>9.4f} {row['green_seconds']:>9.4f}",
        flush=True,
    )
    return row


def forward(generator: np.random.Generator, states: int, letters: int) -> DFA:
    """Mostly steps ahead, so that most are star-free and need their whole monoid."""
    alphabet = Alphabet(tuple("abcdef"[:letters]))
    while True:
        lowest = np.where(generator.random((states, letters)) < 0.15, 0, np.arange(states)[:, None])
        delta = generator.integers(lowest, states).tolist()
        final = np.flatnonzero(generator.integers(0, 2, states)).tolist()
        found = DFA(alphabet, tuple(map(tuple, delta)), 0, frozenset(final)).minimal()
        if len(found.delta) == states:
            return found


def report_row(label: str, automata: list[DFA]) -> dict[str, Any]:
    """Class reports, one language at a time."""
    times, answers = [], []
    for dfa in automata:
        fresh = DFA(dfa.alphabet, dfa.delta, dfa.start, dfa.final)
        began = time.perf_counter()
        report = class_report(fresh)
        times.append(time.perf_counter() - began)
        answers.append([one.answer for one in report.classes.values()])
    row = {
        "what": label,
        "languages": len(automata),
        "median_milliseconds": statistics.median(times) * 1e3,
        "mean_milliseconds": statistics.mean(times) * 1e3,
        "slowest_milliseconds": max(times) * 1e3,
        "languages_per_second": len(times) / sum(times),
        "too_large": sum("too-large" in each for each in answers),
    }
    print(
        f"{label:34} {row['languages']:>5} {row['median_milliseconds']:>9.2f} "
        f"{row['mean_milliseconds']:>9.2f} {row['slowest_milliseconds']:>9.1f} "
        f"{row['languages_per_second']:>8.0f} {row['too_large']:>9}",
        flush=True,
    )
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    print(f"{'':28} {'states':>6} {'letters':>7} {'elements':>9} {'generate':>9} {'Green':>9}")
    monoids = [monoid_row(f"all maps on {n}", all_maps(n)) for n in (3, 4, 5, 6, 7)]
    monoids += [monoid_row(f"order-preserving on {n}", ordered_maps(n)) for n in (6, 8, 9, 10)]
    monoids += [monoid_row(f"brackets {n} deep", brackets(n)) for n in (4, 12, 30)]
    generator = np.random.default_rng(0)
    heads = f"{'median ms':>9} {'mean ms':>9} {'slowest':>9} {'/s':>8} {'too large':>9}"
    print(f"\n{'':34} {'count':>5} {heads}")
    reports = []
    for states in (3, 4, 5, 6, 8, 12):
        automata = list(random_minimal(states, 2, 100, seed=0))
        reports.append(report_row(f"uniform, {states} states, 2 letters", automata))
    for states in (4, 6, 8):
        automata = [forward(generator, states, 3) for _ in range(100)]
        reports.append(report_row(f"mostly forward, {states} states, 3 letters", automata))
    sizes = {"order-preserving, 8 states": ordered_maps(8), "brackets 30 deep": brackets(30)}
    for label, letters in sizes.items():
        alphabet = Alphabet(tuple(f"x{i}" for i in range(len(letters))))
        delta = tuple(map(tuple, letters.T.tolist()))
        language = RegularLanguage(label, DFA(alphabet, delta, 0, frozenset({0})))
        reports.append(report_row(label, [language.dfa]))
    if options.out:
        document = {
            "provenance": describe_machine(),
            "target_seconds_for_10000_elements": TARGET_SECONDS,
            "target_milliseconds_for_six_states": TARGET_MILLISECONDS,
            "monoids": monoids,
            "reports": reports,
        }
        write_atomically(options.out, json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
