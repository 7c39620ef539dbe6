"""What compiling costs, and what the compiled networks cost to run.

Three tables. How compiling grows with the size of the program (sums of many thresholds over one
count, so that operations grow and depth does not, and a chain of counts, where depth grows
too). How T_N grows with the context N. And, for programs of the library, words per second of the
interpreter, of the exact Limit Transformer and of T_N.

    python benchmarks/compiling.py [--out FILE]
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

import foretell.crasp
from foretell.compiler.compiling import Compiled, compile_program
from foretell.compiler.running import Form, answers
from foretell.crasp.builder import Builder
from foretell.crasp.operations import Core
from foretell.crasp.program import Program
from foretell.plain.files import write_atomically
from foretell.training.provenance import describe_machine

LIBRARY = Path(foretell.crasp.__file__).parent / "library"
PROGRAMS = ("majority-language", "dyck-1", "contains-ab", "tomita-4", "aa-star", "abcde")
SIZES = (10, 30, 100, 300, 1000)
CONTEXTS = (32, 64, 128, 256, 512)
Row = dict[str, Any]


def median_seconds(call: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def wide(size: int) -> Core:
    """Many thresholds of one count, and how many of them are passed."""
    build = Builder(("a", "b"))
    count = build.count(build.letter("a"))
    tests = [build.at_most(build.number(k + 1), count) for k in range(size // 2)]
    one, zero = build.number(1), build.number(0)
    passed = build.add(*(build.choose(test, one, zero) for test in tests))
    accept = build.at_most(passed, build.count(build.letter("b")))
    return Core(build.letters, tuple(build.operations), (), accept).pruned()


def deep(size: int) -> Core:
    """Each count counts where the one before it was even with another."""
    build = Builder(("a", "b"))
    base = build.count(build.letter("b"))
    count = build.count(build.letter("a"))
    test = build.at_most(base, count)
    for _ in range(size // 3):
        count = build.count(test)
        test = build.negate(build.at_most(base, count))
    return Core(build.letters, tuple(build.operations), (), test).pruned()


def by_program_size(repeats: int) -> list[Row]:
    rows = []
    print(
        f"{'shape':6} {'operations':>10} {'layers':>7} {'width':>6} {'ms':>9} {'us/operation':>13}"
    )
    for name, make in (("wide", wide), ("deep", deep)):
        for size in SIZES:
            core = make(size)
            limit = compile_program(core).limit
            seconds = median_seconds(lambda core=core: compile_program(core), repeats)
            row = {
                "shape": name,
                "operations": len(core.operations),
                "layers": len(limit.layers),
                "width": limit.width,
                "milliseconds": 1e3 * seconds,
                "microseconds_per_operation": 1e6 * seconds / len(core.operations),
            }
            rows.append(row)
            print(
                f"{name:6} {row['operations']:10} {row['layers']:7} {row['width']:6} "
                f"{row['milliseconds']:9.2f} {row['microseconds_per_operation']:13.1f}",
                flush=True,
            )
    return rows


def by_context(repeats: int) -> list[Row]:
    print(
        f"\n{'program':18} {'N':>5} {'width':>6} {'compile ms':>11} {'first s':>8} {'words/s':>9}"
    )
    names = ("dyck-1", "contains-ab", "aa-star")
    return [at_context(name, context, repeats) for name in names for context in CONTEXTS]


def at_context(name: str, context: int, repeats: int) -> Row:
    program = library_program(name)
    seconds = median_seconds(lambda: compile_program(program, context=context), repeats)
    compiled = compile_program(program, context=context)
    words = random_words(32, context - 1, len(program.letters))
    first = median_seconds(lambda: answers(compiled, words), 1)
    rate = len(words) / median_seconds(lambda: answers(compiled, words), repeats)
    width = compiled.transformer.architecture.width
    print(
        f"{name:18} {context:5} {width:6} {1e3 * seconds:11.1f} {first:8.2f} {rate:9.1f}",
        flush=True,
    )
    return {
        "program": name,
        "context": context,
        "width": width,
        "compile_milliseconds": 1e3 * seconds,
        "first_run_seconds": first,
        "words_per_second": rate,
    }


def by_form(repeats: int, length: int, count: int) -> list[Row]:
    print(f"\nwords of {length} letters a second, in batches of {count}")
    print(f"{'program':18} {'interpreter':>12} {'steps':>9} {'limit':>9} {'T_N':>9}")
    return [in_every_form(name, repeats, length, count) for name in PROGRAMS]


def in_every_form(name: str, repeats: int, length: int, count: int) -> Row:
    program = library_program(name)
    compiled = compile_program(program, context=length + 1)
    words = random_words(count, length, len(program.letters))
    interpreter = count / median_seconds(lambda: ask(program, words), repeats)
    forms = (Form.STEPS, Form.LIMIT, Form.FINITE)
    rates = {form.value: timed_form(compiled, words, form, repeats) for form in forms}
    line = " ".join(f"{rate:9.0f}" for rate in rates.values())
    print(f"{name:18} {interpreter:12.0f} {line}", flush=True)
    return {"program": name, "length": length, "interpreter": interpreter, **rates}


def timed_form(compiled: Compiled, words: list[tuple[int, ...]], form: Form, repeats: int) -> float:
    answers(compiled, words, form)  # compiles T_N's forward pass
    return len(words) / median_seconds(lambda: answers(compiled, words, form), repeats)


def ask(program: Program, words: list[tuple[int, ...]]) -> object:
    return program.accepts(words) if program.is_acceptor else program.following(words)


def library_program(name: str) -> Program:
    return Program.parse((LIBRARY / f"{name}.crasp").read_text(encoding="utf-8"))


def random_words(count: int, length: int, letters: int) -> list[tuple[int, ...]]:
    drawn = np.random.default_rng(0).integers(0, letters, (count, length))
    return [tuple(row) for row in drawn.tolist()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--length", type=int, default=63)
    parser.add_argument("--words", type=int, default=64)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    found = {
        "provenance": describe_machine(),
        "by_program_size": by_program_size(options.repeats),
        "by_context": by_context(options.repeats),
        "by_form": by_form(options.repeats, options.length, options.words),
    }
    if options.out:
        write_atomically(options.out, json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
