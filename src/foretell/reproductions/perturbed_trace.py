"""Noise on the weights of the explicit transformer: how much does it change the Hessian's trace?

What: The bound on the loss under noise has the trace of the Hessian at θ, which has a formula, and
    what noise adds to it, whose formula is hopelessly large. Here the addition is measured: over
    degree, sparsity and length, and by how it grows with the noise. Beside it the loss under
    noise itself, which the trace should predict.
Definition: The construction as published (narrow ramps, attention scales 2). Noise ε is normal with
    standard deviation s on every weight. The value of a function is the 90th percentile over
    draws of |Tr H(θ + ε) - Tr H(θ)| over Tr H(θ); that of a class its largest over functions.
    A draw is one direction for all s. The loss is the mean over ε and -ε, so that what is linear
    in ε drops out, less the loss without noise, over s²/2 · Tr H(θ): 1 if the trace at θ says it
    all.
Example:
    >>> from foretell.protocols._asking import Budget
    >>> len(PerturbedTrace().cells(Budget.GPU))
    80

Known limits: Means over random inputs, 128 with `--budget cpu` and 512 with gpu (the paper: 1,000).
    The part of the trace that the residual weighs is estimated; the other is exact. The paper's
    code passes s as a variance; here it is the standard deviation, as its bound has it. With
    `--budget cpu` four s, three functions a class, ten draws, and lengths above 20 at degree 3
    and sparsity 7 only.
Sources: A sharper picture of generalization in transformers, Section 2.3 and Figures 3 and 4
"""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, final

import numpy as np

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.reproductions import Cell, Experiment
from foretell.reproductions._computing import in_parts
from foretell.reproductions._perturbing import Found, Noise, perturb
from foretell.training.engine import Progress

MESH = tuple(float(f"{each:.6g}") for each in np.linspace(0.01, 0.00001, 20))
DEGREES, SPARSITIES, LENGTHS = (1, 2, 3, 4, 5), (1, 7, 14, 20), (20, 30, 40, 50)
SMALL = 1e-3  # standard deviations up to here should change little
LITTLE = 0.1  # of the trace
QUANTILE = 0.9
MOST_FUNCTIONS = 1_000


class Extent(NamedTuple):
    """How much a budget measures."""

    classes: tuple[tuple[int, int, int], ...]  # length, degree, sparsity
    deviations: tuple[float, ...]
    functions: int
    draws: int
    inputs: int
    signs: int = 2


EXTENTS = {
    Budget.SMOKE: Extent(((8, 1, 1), (8, 2, 1), (8, 2, 4), (12, 2, 4)), (0.01, 0.001), 2, 5, 64),
    Budget.CPU: Extent(
        (
            *itertools.product(LENGTHS[:1], DEGREES, SPARSITIES),
            *((length, 3, 7) for length in LENGTHS[1:]),
        ),
        (0.01, 0.003, 0.001, 0.0001),
        3,
        10,
        128,
    ),
    Budget.GPU: Extent(tuple(itertools.product(LENGTHS, DEGREES, SPARSITIES)), MESH, 10, 50, 512),
}


@final
class PerturbedTrace(Experiment):
    """Section 2.3 of the paper on sharpness."""

    name = "perturbed-trace"
    title = "Noise on the explicit transformer: what it adds to the Hessian's trace"
    source = "A sharper picture of generalization in transformers, Section 2.3, Figures 3 and 4"

    def cells(self, budget: Budget, seeds: int | None = None) -> tuple[Cell, ...]:
        """Length by length, degree by degree; a seed is one more function of each class."""
        extent = EXTENTS[budget]
        count = extent.functions if seeds is None else seeds
        if not 1 <= count <= MOST_FUNCTIONS:
            raise BadInput(f"seeds must be between 1 and {MOST_FUNCTIONS:,}", seen=count)
        return tuple(_cell(extent, count, *each) for each in extent.classes)

    def parts(self, cells: Sequence[Cell]) -> list[tuple[Cell, ...]]:
        """Classes of one length and degree: their transformers have one shape."""
        return in_parts(cells, _noise, lambda each: (each.bits, each.degree), len(cells) or 1)

    def compute(
        self, part: Sequence[Cell], show: Callable[[Progress], None]
    ) -> list[dict[str, Any]]:
        """All functions of all classes of a part together."""
        noise = _noise(part[0])
        counts = [cell.settings["functions"] for cell in part]
        drawn = [
            (cell.settings["sparsity"], seed)
            for cell, count in zip(part, counts, strict=True)
            for seed in range(count)
        ]
        began = time.monotonic()

        def report(done: int, loss: float) -> None:
            steps = len(noise.deviations) + 1
            rate = (done + 1) / max(time.monotonic() - began, 1e-9)
            show(
                Progress(
                    step=done + 1,
                    steps=steps,
                    members=len(drawn),
                    running=len(drawn),
                    loss=loss,
                    accuracy=None,
                    rate=rate * len(drawn),
                    seconds_left=(steps - done - 1) / rate,
                    phase=f"noise, T = {noise.bits}, degree {noise.degree}",
                )
            )

        found = perturb(noise, drawn, report)
        pieces = zip(*(np.split(each, np.cumsum(counts)[:-1]) for each in found), strict=True)
        return [_values(Found(*piece)) for piece in pieces]


def _values(found: Found) -> dict[str, Any]:
    """By function; changes and losses also by deviation."""
    change = np.abs(found.traces - found.trace[:, None, None])
    return {
        "trace": found.trace.tolist(),
        "loss": found.loss.tolist(),
        "change": np.quantile(change, QUANTILE, axis=2).tolist(),
        "losses": found.losses.mean(axis=2).tolist(),
    }


def _noise(cell: Cell) -> Noise:
    given = {field.name: cell.settings[field.name] for field in dataclasses.fields(Noise)}
    return Noise(**{**given, "deviations": tuple(given["deviations"])})


def _cell(extent: Extent, count: int, length: int, degree: int, sparsity: int) -> Cell:
    settings = {
        "experiment": PerturbedTrace.name,
        "kind": f"degree {degree}",
        "bits": length,
        "degree": degree,
        "sparsity": sparsity,
        "functions": count,
        "deviations": list(extent.deviations),
        "draws": extent.draws,
        "inputs": extent.inputs,
        "signs": extent.signs,
    }
    return Cell(f"T = {length}", f"degree {degree}, sparsity {sparsity}", settings)
