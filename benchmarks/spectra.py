"""The Walsh–Hadamard transform: time and memory by the number of bits, beside its peers.

Peers: the product with scipy's Hadamard matrix (quadratic, so only for few bits), a recursion that
splits into halves, and plain butterflies that pass over the whole array once a level. All run in
one process on one core, in float32, on the same values; memory is the most that the call holds
beyond its input. Spectra and testers follow, to see what the transform is part of.

    python benchmarks/spectra.py [--out FILE]
"""

from __future__ import annotations

import os

for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"  # one core; it has to be said before NumPy is loaded
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"

import argparse  # noqa: E402
import json  # noqa: E402
import statistics  # noqa: E402
import time  # noqa: E402
import tracemalloc  # noqa: E402
from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from scipy.linalg import hadamard  # noqa: E402

from foretell.boolean.drawing import draw_expansion  # noqa: E402
from foretell.boolean.spectrum import Spectrum  # noqa: E402
from foretell.boolean.testing_degree import find_degree  # noqa: E402
from foretell.boolean.testing_width import find_width  # noqa: E402
from foretell.boolean.transform import walsh_hadamard, walsh_hadamard_jax  # noqa: E402
from foretell.plain.files import write_atomically  # noqa: E402
from foretell.training.provenance import describe_machine  # noqa: E402

TARGET_SECONDS, TARGET_GIGABYTES = 2.0, 1.0  # 24 bits in float32 on one core
MOST_MATRIX_BITS = 13  # the matrix is then 256 MB


def recursive(table: np.ndarray) -> np.ndarray:
    """Halves, then their sum and difference."""
    if len(table) == 1:
        return table
    half = len(table) // 2
    left, right = recursive(table[:half]), recursive(table[half:])
    return np.concatenate([left + right, left - right])


def level_by_level(table: np.ndarray) -> np.ndarray:
    """Plain butterflies, one pass over the array a level."""
    found, stride = table.copy(), 1
    while stride < len(found):
        pairs = found.reshape(-1, 2, stride)
        total = pairs[:, 0] + pairs[:, 1]
        pairs[:, 1] = pairs[:, 0] - pairs[:, 1]
        pairs[:, 0] = total
        stride *= 2
    return found


def by_matrix(bits: int) -> Callable[[np.ndarray], np.ndarray]:
    """The product with scipy's matrix, which is made before the clock starts."""
    matrix = hadamard(1 << bits, dtype=np.float32)
    return lambda table: matrix @ table


def on_device(bits: int) -> Callable[[np.ndarray], np.ndarray]:
    """Ours in JAX, compiled before the clock starts."""
    ready = jax.jit(walsh_hadamard_jax).lower(jnp.zeros(1 << bits, jnp.float32)).compile()
    return lambda table: np.asarray(ready(jnp.asarray(table)))


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Median time."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def peak_megabytes(work: Callable[[], object]) -> float:
    """The most that NumPy and Python hold while it runs; what XLA holds is not seen."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def transform_rows(bits: int) -> list[dict[str, Any]]:
    """Ours and every feasible peer on the same values."""
    table = np.random.default_rng(0).standard_normal(1 << bits).astype(np.float32)
    ways: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "foretell, NumPy": walsh_hadamard,
        "foretell, JAX": on_device(bits),
        "level by level": level_by_level,
    }
    if bits <= 20:
        ways["recursive"] = recursive
    if bits <= MOST_MATRIX_BITS:
        ways["scipy.linalg.hadamard @"] = by_matrix(bits)
    exact = walsh_hadamard(table.astype(float))
    rows: list[dict[str, Any]] = []
    for name, way in ways.items():
        error = float(np.abs(way(table) - exact).max() / np.abs(exact).max())
        repeats = 9 if bits <= 16 else 5
        took = seconds(lambda way=way: way(table), repeats if name != "recursive" else 2)
        memory = peak_megabytes(lambda way=way: way(table)) if name != "foretell, JAX" else None
        rows.append(
            {"bits": bits, "way": name, "seconds": took, "peak_megabytes": memory, "error": error}
        )
        rows[-1]["times_slower"] = took / rows[0]["seconds"]
        shown = "" if memory is None else f"{memory:.1f}"
        print(
            f"{bits:>4} {name:26} {took:>11.6f} {rows[-1]['times_slower']:>8.2f} "
            f"{shown:>9} {error:>10.1e}",
            flush=True,
        )
    return rows


def chain_rows() -> list[dict[str, Any]]:
    """What a user waits for."""
    drawn = draw_expansion(20, 3, 7)
    table = Spectrum.of_expansion(drawn).values()
    large = np.random.default_rng(0).standard_normal(1 << 24).astype(np.float32)
    work: dict[str, Callable[[], object]] = {
        "values of an expansion, T = 20": lambda: Spectrum.of_expansion(drawn).values(),
        "spectrum of a table, T = 20": lambda: Spectrum.of_truth_table(table).degree,
        "spectrum of a dense table, T = 24": lambda: Spectrum.of_truth_table(large).degree,
        "degree tester, T = 20": lambda: find_degree(drawn, 20),
        "degree tester, T = 200": lambda: find_degree(draw_expansion(200, 3, 7), 200),
        "width tester, T = 20": lambda: find_width(drawn, 20),
        "width tester, T = 200": lambda: find_width(draw_expansion(200, 3, 7), 200),
    }
    rows = []
    for name, task in work.items():
        task()
        row = {"what": name, "seconds": seconds(task, 3), "peak_megabytes": peak_megabytes(task)}
        rows.append(row)
        print(f"{name:36} {row['seconds']:>9.4f} {row['peak_megabytes']:>9.1f}", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    heads = f"{'seconds':>11} {'slower':>8} {'peak MB':>9} {'error':>10}"
    print(f"{'bits':>4} {'':26} {heads}")
    transforms = [row for bits in (8, 12, 13, 16, 20, 24) for row in transform_rows(bits)]
    print(f"\n{'':36} {'seconds':>9} {'peak MB':>9}")
    chain = chain_rows()
    ours = next(row for row in transforms if row["bits"] == 24)
    met = ours["seconds"] < TARGET_SECONDS and ours["peak_megabytes"] < 1e3 * TARGET_GIGABYTES
    print(f"\n24 bits in under {TARGET_SECONDS:g} s and {TARGET_GIGABYTES:g} GB: {met}")
    if options.out:
        document = {
            "provenance": describe_machine(),
            "cores": 1,
            "target_seconds_for_24_bits": TARGET_SECONDS,
            "target_gigabytes_for_24_bits": TARGET_GIGABYTES,
            "target_met": met,
            "transforms": transforms,
            "chain": chain,
        }
        write_atomically(options.out, json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
