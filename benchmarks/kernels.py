"""Kernels of infinitely wide attention: time for a Gram matrix, by sampler, and growth with T.

Every pair of inputs is wanted, in two forms: the read-out token only, and the block of all tokens.
The peer is entry by entry: a Python loop over pairs and draws in NumPy, with factors prepared once
a pair and only the rows that are wanted, in the same process. It would take hours, so it is timed
on a few pairs and draws and scaled up; what is scaled says so (`measured` beside `wanted`). NumPy
has one core; JAX has the device it finds. Inputs are Gaussian features in single precision.

    python benchmarks/kernels.py [--inputs 256] [--length 32] [--draws 10000] [--out FILE]
"""

from __future__ import annotations

import os

for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"  # one core; it has to be said before NumPy is loaded
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")

import argparse  # noqa: E402
import json  # noqa: E402
import statistics  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

from foretell.kernels.attention import (  # noqa: E402
    Attention,
    Joint,
    Pairs,
    prepare_pair,
    sample_joint,
    sample_pairs,
)
from foretell.kernels.cost import fitted_exponent  # noqa: E402
from foretell.kernels.estimate import average  # noqa: E402
from foretell.kernels.transformer import KernelTransformer, gram  # noqa: E402
from foretell.numerics.keys import root_key  # noqa: E402
from foretell.plain.files import write_atomically  # noqa: E402
from foretell.training.provenance import describe_machine  # noqa: E402

WIDTH = 16
TARGET = 20.0  # times faster than entry by entry
LENGTHS = (16, 32, 64, 128, 256)


def features(count: int, length: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(count, length, WIDTH)).astype(np.float32)


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Median time after a first run that compiles."""
    jax.block_until_ready(work())
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        jax.block_until_ready(work())
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def by_entry(
    first: np.ndarray, second: np.ndarray, rows: slice, draws: int, rng: Any
) -> np.ndarray:
    """One pair of inputs, draw by draw: Cholesky factors, conditional mean and fluctuation."""
    length = len(first)
    ridge = 1e-4 * np.eye(length)
    one, two = first @ first.T / WIDTH + ridge, second @ second.T / WIDTH + ridge
    cross = first @ second.T / WIDTH
    left, right = np.linalg.cholesky(one), np.linalg.cholesky(two)
    back = np.linalg.solve(one, cross).T
    middle = np.linalg.solve(right, np.linalg.solve(right, back @ cross).T)
    values, vectors = np.linalg.eigh((middle + middle.T) / 2)
    shared = np.clip(values, 0, 1)
    rest = np.sqrt(1 - np.outer(shared, shared))
    turned, mapped = right @ vectors, back @ left
    # Draws in single precision, like ours.
    left, rest, turned, mapped, cross = (
        each.astype(np.float32) for each in (left, rest, turned, mapped, cross)
    )
    total = np.zeros((len(range(*rows.indices(length))),) * 2)
    for _ in range(draws):
        noise, more = rng.standard_normal((2, length, length), dtype=np.float32)
        a = softmax(left[rows] @ noise @ left.T)
        b = softmax(mapped[rows] @ noise @ mapped.T + turned[rows] @ (rest * more) @ turned.T)
        total += a @ cross @ b.T
    return total / draws


def entry_row(inputs: np.ndarray, token: bool, draws: int, wanted: float) -> dict[str, Any]:
    """A few pairs, scaled to all pairs and draws."""
    rng, rows, pairs = np.random.default_rng(1), slice(-1, None) if token else slice(None), 16
    given = inputs.astype(float)
    began = time.perf_counter()
    for number in range(pairs):
        by_entry(given[number], given[number + 1], rows, draws, rng)
    took = time.perf_counter() - began
    return {"way": "entry by entry, NumPy", "measured": took, "pairs": pairs, "draws": draws} | {
        "seconds": took / (pairs * draws) * wanted,
        "scaled": True,
    }


def joint_row(inputs: np.ndarray, token: bool, draws: int) -> dict[str, Any]:
    """Shared draws. The read-out token by the front door; all tokens by one layer of attention."""
    if token:
        took = seconds(lambda: gram(KernelTransformer(), inputs, draws=draws).value, 1)
        return {"way": "foretell, joint", "measured": took, "draws": draws, "seconds": took}
    given = jnp.asarray(inputs) / np.sqrt(WIDTH)
    ready, settings = Joint((given,), (given,), (), ()), (Attention(), ((0, 0),))
    few = min(draws, 128 if jax.default_backend() == "cpu" else draws)
    took = seconds(lambda: average(sample_joint, settings, ready, root_key(0), few), 1)
    row = {"way": "foretell, joint", "measured": took, "draws": few}
    return row | {"seconds": took * draws / few, "scaled": few < draws}


def ready_pairs(layer: Attention, inputs: np.ndarray, pairs: int) -> Pairs:
    given = jnp.asarray(inputs) / np.sqrt(WIDTH)
    first = given[np.arange(pairs) % len(given)]
    second = given[(np.arange(pairs) + 1) % len(given)]
    blocks = [
        jnp.einsum("nsw,ntw->nst", *each)
        for each in ((first, first), (second, second), (first, second))
    ]
    prepared = jax.jit(jax.vmap(lambda *each: prepare_pair(layer, *each)))(*blocks)
    return Pairs(*prepared, blocks[2], None)


def pair_row(inputs: np.ndarray, token: bool, draws: int, wanted: float) -> dict[str, Any]:
    """Pairs one after another are alike: some pairs, some draws, scaled."""
    layer = Attention(token=-1 if token else None)
    pairs, few = (64, 256) if jax.default_backend() == "cpu" else (2048, 1024)
    ready = ready_pairs(layer, inputs, pairs)
    took = seconds(lambda: average(sample_pairs, layer, ready, root_key(0), few))
    row = {"way": "foretell, pair by pair", "measured": took, "pairs": pairs, "draws": few}
    return row | {"seconds": took / (pairs * few) * wanted, "scaled": True}


def gram_rows(count: int, length: int, draws: int) -> list[dict[str, Any]]:
    """Every way for both forms, beside entry by entry."""
    inputs = features(count, length)
    wanted = count * (count + 1) / 2 * draws
    rows = []
    for token in (True, False):
        peers = entry_row(inputs, token, 200, wanted)
        for row in (joint_row(inputs, token, draws), pair_row(inputs, token, draws, wanted), peers):
            row["form"] = "read-out token" if token else "all tokens"
            row["times_faster"] = peers["seconds"] / row["seconds"]
            rows.append(row)
            print(
                f"{row['form']:15} {row['way']:24} {row['measured']:>9.3f} {row['seconds']:>12.2f} "
                f"{row['times_faster']:>9.1f}{'  scaled' if row.get('scaled') else ''}",
                flush=True,
            )
    return rows


def growth_row(length: int) -> dict[str, Any]:
    """Time for one draw of one pair, all tokens, and how much one draw varies."""
    # Enough work to time, and no more than a few hundred megabytes.
    pairs = 2**11 // length if jax.default_backend() == "cpu" else 2**22 // length**2
    layer, draws = Attention(), 128
    ready = ready_pairs(layer, features(8, length), min(max(pairs, 1), 64))

    def work() -> Any:
        return average(sample_pairs, layer, ready, root_key(0), draws)

    each = seconds(work) / (draws * len(ready.cross))
    spread = float(jnp.sqrt(jnp.mean(work()[1][0] ** 2)) * np.sqrt(draws))
    print(f"{length:>6} {1e6 * each:>14.2f} {spread:>14.4f}", flush=True)
    return {"length": length, "seconds_a_draw": each, "spread_a_draw": spread}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=256)
    parser.add_argument("--length", type=int, default=32)
    parser.add_argument("--draws", type=int, default=10_000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    print(f"{options.inputs} × {options.inputs} pairs, T = {options.length}, {options.draws} draws")
    print(f"{'form':15} {'':24} {'measured':>9} {'seconds':>12} {'faster':>9}")
    rows = gram_rows(options.inputs, options.length, options.draws)
    print(f"\n{'T':>6} {'µs a draw':>14} {'spread':>14}")
    growth = [growth_row(length) for length in LENGTHS]
    times = [row["seconds_a_draw"] for row in growth]
    exponents = {
        "16 to 256": fitted_exponent(LENGTHS, times),
        "64 to 256": fitted_exponent(LENGTHS[2:], times[2:]),
    }
    met = all(row["times_faster"] >= TARGET for row in rows if row["way"] == "foretell, joint")
    print(f"\nexponent of T: {exponents}\njoint at least {TARGET:g} times faster: {met}")
    if options.out:
        document = {
            "provenance": describe_machine(),
            "numpy_cores": 1,
            "load_average": os.getloadavg(),  # the machine may be shared
            "inputs": options.inputs,
            "length": options.length,
            "width": WIDTH,
            "draws": options.draws,
            "target_times_faster": TARGET,
            "target_met": met,
            "gram": rows,
            "growth": growth,
            "exponents": exponents,
        }
        write_atomically(options.out, json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
