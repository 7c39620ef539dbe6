"""The generalization gap over degree and sparsity: fitted models beside the bound.

What: Random functions of each degree and sparsity are fitted to the same number of random inputs;
    how much worse are the models on fresh ones? Beside it the bound, the norm and the sharpness of
    what was learned, and those of the explicit construction.
Definition: Functions are sums of parities of equal size with positive coefficients, squares
    summing to 1 (`boolean:degree=k,sparsity=w,T=20,seed=i`). Each function has one model and one
    sample of its own, by the gap protocol. All of them train as one fleet.
Example:
    >>> from foretell.protocols._asking import Budget
    >>> lines = BooleanGap().lines(Budget.CPU)
    >>> lines[0].label, len(lines)
    ('degree 1 sparsity 1', 12)

Known limits: The paper's learning rate and dropout are not known; ours are 0.001 and none. Its
    figures print no numbers, so there is nothing to compare with but shapes: gaps grow with degree,
    faster than in proportion, and with sparsity.
Sources: A sharper picture of generalization in transformers, Section 2 and Figures 1 and 2
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from foretell.protocols._asking import Budget
from foretell.protocols._running import Asked
from foretell.protocols.gap import RATE, Gap, question_about
from foretell.reproductions import Line, Reproduction


@dataclass(frozen=True)
class Grid:
    """What is varied, and how much of it."""

    bits: int
    degrees: tuple[int, ...]
    sparsities: tuple[int, ...]
    functions: int
    samples: int
    steps: int


GRID = {
    Budget.SMOKE: Grid(6, (1, 2), (1,), 1, 64, 100),
    Budget.CPU: Grid(10, (1, 2, 3), (1, 5), 2, 768, 3_000),
    Budget.GPU: Grid(20, (1, 2, 3, 4, 5), (1, 7, 14, 20), 11, 8_192, 60_000),
}


@final
class BooleanGap(Reproduction):
    """Figures 1 and 2 of the sharper picture."""

    about = "gap"
    title = "The generalization gap of Boolean functions: bound beside measurement"
    source = "A sharper picture of generalization in transformers, Figures 1 and 2"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Degree by degree; `seeds` functions of each class."""
        grid = GRID[budget]
        protocol = Gap(steps=grid.steps, check_every=100, learning_rate=RATE)
        return tuple(
            Line(
                f"degree {degree}",
                f"degree {degree} sparsity {sparsity}",
                Asked(question_about(text, grid.samples), protocol, (number,)),
            )
            for degree in grid.degrees
            for sparsity in grid.sparsities
            for number in range(grid.functions if seeds is None else seeds)
            for text in (f"degree={degree},sparsity={sparsity},T={grid.bits},seed={number}",)
        )
