"""Inside a model with one attention and one curve: do rows show components, does the curve swing?

What: The explicit transformer averages the bits of a component in a row of its attention, and an
    MLP that goes up and down turns the average into a parity. Here the smallest model of that
    form is trained on random functions, then looked at: which rows of the attention show a
    component, how often the MLP turns in the range it uses, and which coefficients it learned.
Definition: Stream of T + 1 one-hot positions and the bit; one attention with one query-key matrix,
    logits times 2 ln T; one number read at each position, an MLP of width 32 from a number to a
    number, a linear combination over positions. Random sums of 3 parities of degree 2 to 4. AdamW
    at 5e-3, weight decay 1e-4, squared error on 64 fresh inputs a step. Fitted: mean squared
    error below 0.02. The row of a component is the one that looks most at the bit it looks at
    least; the component is shown if its bits are what that row looks at most, and bright if some
    row puts more than twice even attention on them. A turning point counts from a tenth of the
    curve's range up. One row alone needs k - 1 of them for a parity of k bits of equal weight;
    several rows that read the same bits can do with fewer, on a curve that only bends.
Example:
    >>> from foretell.protocols._asking import Budget
    >>> len(ParityLookup().cells(Budget.CPU))
    72

Known limits: Attention may see positions and bits, as one matrix on the stream does, or positions
    only, as the construction does; the paper does not say how much its models used the bits. Our
    625 weights at T = 20 (582 without bits) are fewer than the "just over 1000" of the paper, whose
    value or query and key matrices may have been whole. With `--budget cpu` T is 12.
Sources: A sharper picture of generalization in transformers, Section 2.4 and Figures 5 to 7
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp

from foretell.boolean.drawing import draw_expansion
from foretell.boolean.expansion import Expansion
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.reproductions import Cell, Experiment
from foretell.reproductions._computing import in_parts
from foretell.reproductions._looking import Training, key_of, look, train
from foretell.training.engine import Progress

DEGREES = (2, 3, 4)
SPARSITY = 3
KINDS = {"positions only": False, "positions and bits": True}
FITTED = 0.02  # mean squared error; the best constant has 0.25
BRIGHT = 2.0  # times what attention spread evenly would put on a component's bits
MOST_SEEDS = 1_000
TOGETHER = {"cpu": 36}  # models of one program
ELSEWHERE = 512


class Extent(NamedTuple):
    """How much a budget trains."""

    bits: tuple[int, ...]
    functions: int  # of each degree
    starts: int
    steps: int


EXTENTS = {
    Budget.SMOKE: Extent((8,), 1, 1, 1_500),
    Budget.CPU: Extent((12,), 6, 2, 10_000),
    Budget.GPU: Extent((12, 16, 20), 32, 4, 30_000),
}


@final
class ParityLookup(Experiment):
    """Section 2.4 of the paper on sharpness."""

    name = "parity-lookup"
    title = "One attention, one curve: how a small model computes parities"
    source = "A sharper picture of generalization in transformers, Section 2.4, Figures 5 to 7"

    def cells(self, budget: Budget, seeds: int | None = None) -> tuple[Cell, ...]:
        """Size by size, kind by kind, degree by degree; a seed is one more start."""
        extent = EXTENTS[budget]
        starts = extent.starts if seeds is None else seeds
        if not 1 <= starts <= MOST_SEEDS:
            raise BadInput(f"seeds must be between 1 and {MOST_SEEDS:,}", seen=starts)
        return tuple(
            _cell(kind, degree, function, start, bits, extent.steps)
            for bits in extent.bits
            for kind in KINDS
            for degree in DEGREES
            for function in range(extent.functions)
            for start in range(starts)
        )

    def parts(self, cells: Sequence[Cell]) -> list[tuple[Cell, ...]]:
        """Models of one shape, the small first."""
        size = TOGETHER.get(jax.default_backend(), ELSEWHERE)
        return in_parts(cells, _training, lambda each: (each.bits, each.sees_bits), size)

    def compute(
        self, part: Sequence[Cell], show: Callable[[Progress], None]
    ) -> list[dict[str, Any]]:
        """Train all models of a part at once, then look inside."""
        training = _training(part[0])
        expansions = [function_of(cell.settings) for cell in part]
        names = ("degree", "function")
        keys = [
            key_of(cell.settings["start"], *(cell.settings[name] for name in names))
            for cell in part
        ]
        began = time.monotonic()

        def report(step: int, loss: float) -> None:
            rate = step / max(time.monotonic() - began, 1e-9)
            show(
                Progress(
                    step=step,
                    steps=training.steps,
                    members=len(part),
                    running=len(part),
                    loss=loss,
                    accuracy=None,
                    rate=rate * len(part),
                    seconds_left=(training.steps - step) / rate,
                    phase=f"training, {part[0].settings['kind']}",
                )
            )

        return look(train(training, expansions, jnp.stack(keys), report), expansions)


def function_of(settings: Any) -> Expansion:
    """The function that a cell's model learns."""
    sizes = (settings["bits"], settings["degree"], settings["sparsity"])
    return draw_expansion(*sizes, seed=settings["function"])


def _training(cell: Cell) -> Training:
    names = [field.name for field in dataclasses.fields(Training)]
    return Training(**{name: cell.settings[name] for name in names})


def _cell(kind: str, degree: int, function: int, start: int, bits: int, steps: int) -> Cell:
    training = Training(bits=bits, sparsity=SPARSITY, sees_bits=KINDS[kind], steps=steps)
    settings = {
        "experiment": ParityLookup.name,
        "kind": kind,
        "degree": degree,
        "function": function,
        "start": start,
        **dataclasses.asdict(training),
    }
    return Cell(f"degree {degree}", f"T = {bits}, function {function + 1}", settings)
