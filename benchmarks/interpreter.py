"""The C-RASP interpreter: speed, growth in length and in operations, against a plain loop.

The peer is the interpreter people write today: for every position, for every operation, one value
(with running totals, so that it is linear in the length too). Both run the same core operations in
the same process on the same words, and are compared position by position before they are timed.

    python benchmarks/interpreter.py [--out FILE]
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

from foretell.crasp import operations as op
from foretell.crasp.interpreter import OnWords, evaluate
from foretell.crasp.program import Program
from foretell.crasp.words import Words
from foretell.plain.files import write_atomically
from foretell.training.provenance import describe_machine

TARGET = 0.3  # seconds for twelve operations over a million tokens, on one core
TOKENS = 10**6
TWELVE = """
alphabet a b
before_a(i) := #[j <= i, j == i - 1] Q_a(j)
ab_here(i) := Q_b(i) and 1 <= before_a(i)
pairs(i) := #[j <= i] ab_here(j)
odd(i) := i mod 2 == 1
odds(i) := #[j <= i] odd(j)
accept(i) := (ab_here(i) ? pairs(i) + 1 : odds(i)) <= odds(i)
"""


def chain(operations: int) -> Program:
    """A program of about that many operations: counts of comparisons of counts."""
    lines = ["alphabet a b", "c0(i) := #[j <= i] Q_a(j)", "d0(i) := #[j <= i] Q_b(j)"]
    for k in range(max(1, operations // 4)):
        lines.append(f"p{k}(i) := c{k}(i) <= d{k}(i)")
        lines.append(f"c{k + 1}(i) := #[j <= i] p{k}(j)")
        lines.append(f"d{k + 1}(i) := d{k}(i) + c{k}(i) - c{k + 1}(i)")
    lines.append(f"accept(i) := c{k + 1}(i) <= d{k + 1}(i)")
    return Program.parse("\n".join(lines))


def plainly(program: Program, word: list[int]) -> list[bool]:
    """The accepting operation at every position, one value at a time."""
    operations = program.core.operations
    totals = [0] * len(operations)
    past: dict[int, list[bool]] = {
        o.body: [] for o in operations if isinstance(o, op.Count) and o.offsets is not None
    }
    found = []
    for position, letter in enumerate(word, 1):
        values: list[Any] = [None] * len(operations)
        for place, operation in enumerate(operations):
            match operation:
                case op.Letter(number):
                    value: Any = letter == number
                case op.Truth():
                    value = True
                case op.Periodic(modulus, residues):
                    value = position % modulus in residues
                case op.Not(body):
                    value = not values[body]
                case op.And(left, right):
                    value = values[left] and values[right]
                case op.AtMost(left, right):
                    value = values[left] <= values[right]
                case op.Count(body, None):
                    totals[place] += values[body]
                    value = totals[place]
                case op.Count(body, offsets):
                    seen = [*past[body], values[body]] if 0 in offsets else past[body]
                    at = len(past[body])
                    value = sum(seen[at - k] for k in offsets if k <= at)
                case op.Choice(condition, then, otherwise):
                    value = values[then] if values[condition] else values[otherwise]
                case op.Add(left, right):
                    value = values[left] + values[right]
                case op.Subtract(left, right):
                    value = values[left] - values[right]
                case _:
                    value = 1
            values[place] = value
        for body, kept in past.items():
            kept.append(values[body])
        found.append(values[program.core.accept])
    return found


def vectorised(program: Program, words: Words) -> np.ndarray:
    """The accepting operation at every position."""
    place = program.core.accept
    return evaluate(program.core, OnWords.create(program.core, words), [place])[place]


def seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """Median time, after one run that does not count."""
    work()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def random_words(lengths: list[int]) -> Words:
    generator = np.random.default_rng(0)
    return Words.of([generator.integers(0, 2, length, dtype=np.int32) for length in lengths])


def row(label: str, program: Program, words: Words, plain_tokens: int = 20_000) -> dict[str, Any]:
    """One line of the table: ours in full, the peer on a piece that takes it about a second."""
    ours = seconds(lambda: vectorised(program, words), 5 if len(words.letters) <= TOKENS else 3)
    piece = words.letters[: min(plain_tokens, int(words.ends[0]))].tolist()
    same = vectorised(program, Words.of([piece])).tolist() == plainly(program, piece)
    if not same:
        raise SystemExit(f"{label}: the two interpreters disagree")
    peer = seconds(lambda: plainly(program, piece), 3) / len(piece) * len(words.letters)
    found = {
        "what": label,
        "operations": len(program.core.live),
        "tokens": len(words.letters),
        "words": len(words),
        "seconds": ours,
        "nanoseconds_per_operation_and_token": ours
        / len(program.core.live)
        / len(words.letters)
        * 1e9,
        "plain_loop_seconds": peer,
        "plain_loop_measured_on_tokens": len(piece),
        "ratio": peer / ours,
    }
    print(
        f"{label:34} {found['operations']:>6} {found['tokens']:>10,} {found['words']:>7,} "
        f"{ours:>9.4f} {found['nanoseconds_per_operation_and_token']:>7.2f} {peer:>9.2f} "
        f"{found['ratio']:>7.0f}",
        flush=True,
    )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    twelve = Program.parse(TWELVE)
    print(
        f"{'':34} {'ops':>6} {'tokens':>10} {'words':>7} {'seconds':>9} {'ns/o/t':>7} "
        f"{'plain s':>9} {'ratio':>7}"
    )
    rows = [row("target: twelve operations", twelve, random_words([TOKENS]))]
    for length in (10**4, 10**5, 10**6, 10**7):
        rows.append(row(f"length {length:,}", twelve, random_words([length])))
    for operations in (12, 50, 200, 800, 3_200):
        words = random_words([10**5])
        rows.append(row(f"about {operations:,} operations", chain(operations), words, 2_000))
    for length in (10, 100):
        words = random_words([length] * (TOKENS // length))
        rows.append(row(f"words of length {length}", twelve, words))
    text = "".join(np.array(["a", "b"])[random_words([TOKENS]).letters].tolist())
    whole = seconds(lambda: twelve.run(text), 3)
    print(f"{'from text to answer, a million tokens':37} {whole:.3f} s")
    met = rows[0]["seconds"] < TARGET
    print(f"target: {rows[0]['seconds']:.3f} s < {TARGET} s: {'met' if met else 'missed'}")
    if options.out:
        document = {
            "provenance": describe_machine(),
            "target_seconds": TARGET,
            "rows": rows,
            "text_to_answer_seconds": whole,
        }
        write_atomically(options.out, json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
