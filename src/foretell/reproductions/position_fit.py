"""Products of learned positions fitted to a function of distance: which reach farther pairs?

What: Attention reads positions through products p_jᵀ Kᵀ Q p_i. Here nothing else is trained: the
    products are fitted to a given φ(i - j) in windows of 50 positions, then compared with φ in
    windows of 100 and 150. Theory lets local φ reach farther at large width, periodic φ at
    small width, and nothing else.
Definition: 200 positions, K and Q uniform in [-1, 1] (the matrices over the root of the width);
    φ is 2 log 50 where its condition holds, else 0; the error is the mean square over pairs with
    the key not after the query. Adam at 1e-3, 64 windows at random offsets a step, 15,000 steps,
    plus 0.01 times the mean square of each array. Tested at every offset. φ is fitted if 99 % of
    the pairs less than 50 apart are within log 50 of it, and carried over if 99 % of the pairs
    50 to 149 apart are too.
Example:
    >>> from foretell.protocols._asking import Budget
    >>> len(PositionFit().cells(Budget.GPU))
    180

Known limits: With `--budget cpu` one function of each form, one seed, and 3,000 steps at width
    256, which are too few to remove all noise from far pairs. The paper shows one seed. Errors
    of local functions are averages over mostly empty pairs; the share of well placed far
    pairs says whether attention would notice.
Sources: Huang et al., A formal framework for understanding length generalization, Appendix G.2,
    Figures 5 and 6; numbers and initialisation from the authors' released code
"""

from __future__ import annotations

import dataclasses
import functools
import math
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import jax
import numpy as np

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.reproductions import Cell, Experiment
from foretell.reproductions._computing import in_parts
from foretell.reproductions._fitting import Schedule, fit
from foretell.training.engine import Progress

SMALL, LARGE = 32, 256
LENGTHS = (50, 100, 150)
STEPS = {
    Budget.SMOKE: {SMALL: 200},
    Budget.CPU: {SMALL: 15_000, LARGE: 3_000},
    Budget.GPU: {SMALL: 15_000, LARGE: 15_000},
}
SEEDS = {Budget.SMOKE: 1, Budget.CPU: 1, Budget.GPU: 5}
MOST_SEEDS = 1_000
BAR = 0.99  # of the pairs well placed
TOGETHER = {"cpu": 6}  # cells of one program; more would not run faster and are stored later
ELSEWHERE = 128


def _prime(number: int) -> bool:
    return number > 1 and all(number % other for other in range(2, math.isqrt(number) + 1))


FORMS: dict[str, Callable[..., np.ndarray]] = {
    "j = i - c": lambda distance, c: distance == c,
    "j > i - c": lambda distance, c: distance < c,
    "i - j ≡ b mod a": lambda distance, a, b: distance % a == b,
    "j < i - c": lambda distance, c: distance > c,
    "i - j is prime": lambda distance: np.array([_prime(int(each)) for each in distance]),
    "local + periodic": lambda distance, c, a: 1 * (distance == c) + (distance % a == 0),
}


LABELS = {
    "j = i - c": "j = i - {}",
    "j > i - c": "j > i - {}",
    "i - j ≡ b mod a": "i - j ≡ {1} mod {0}",
    "j < i - c": "j < i - {}",
    "i - j is prime": "i - j is prime",
    "local + periodic": "j = i - {}, i - j ≡ 0 mod {}",
}


@dataclass(frozen=True)
class Function:
    """A φ of the published table: its kind, form and constants, and the errors by width."""

    kind: str
    form: str
    constants: tuple[int, ...]
    published: dict[int, tuple[float, ...]]

    @property
    def label(self) -> str:
        """The condition with its constants put in."""
        return LABELS[self.form].format(*self.constants)


@functools.cache
def functions() -> tuple[Function, ...]:
    """All that were published, form by form."""
    path = Path(__file__).with_suffix(".toml")
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["function"]
    return tuple(
        Function(
            row["kind"],
            row["form"],
            tuple(row["constants"]),
            {SMALL: tuple(row["d32"]), LARGE: tuple(row["d256"])},
        )
        for row in rows
    )


def expected(kind: str, width: int) -> bool:
    """Does theory expect φ of this kind to reach farther pairs at this width?"""
    return (kind, width) in {("local", LARGE), ("periodic", SMALL)}


@final
class PositionFit(Experiment):
    """Huang et al., Appendix G.2."""

    name = "position-fit"
    title = "Products of positions: what they carry over to farther pairs"
    source = "Huang et al. 2024, Appendix G.2, Figures 5 and 6; the authors' released code"

    def cells(self, budget: Budget, seeds: int | None = None) -> tuple[Cell, ...]:
        """Width by width, form by form."""
        count = SEEDS[budget] if seeds is None else seeds
        if not 1 <= count <= MOST_SEEDS:
            raise BadInput(f"seeds must be between 1 and {MOST_SEEDS:,}", seen=count)
        chosen = functions()
        if budget is not Budget.GPU:  # the first of each form
            chosen = tuple({each.form: each for each in reversed(chosen)}.values())[::-1]
        return tuple(
            _cell(each, Schedule(width=width, steps=steps), seed)
            for width, steps in STEPS[budget].items()
            for each in chosen
            for seed in range(count)
        )

    def parts(self, cells: Sequence[Cell]) -> list[tuple[Cell, ...]]:
        """Cells of one schedule, the narrow first."""
        size = TOGETHER.get(jax.default_backend(), ELSEWHERE)
        return in_parts(cells, _schedule, lambda each: (each.width, each.steps), size)

    def compute(
        self, part: Sequence[Cell], show: Callable[[Progress], None]
    ) -> list[dict[str, Any]]:
        """Fit all cells of a part at once."""
        schedule = _schedule(part[0])
        targets = np.stack([target(cell) for cell in part])
        seeds = [int(cell.settings["seed"]) for cell in part]
        began = time.monotonic()

        def report(step: int, error: float) -> None:
            rate = step / max(time.monotonic() - began, 1e-9)
            show(
                Progress(
                    step=step,
                    steps=schedule.steps,
                    members=len(part),
                    running=len(part),
                    loss=error,
                    accuracy=None,
                    rate=rate * len(part),
                    seconds_left=(schedule.steps - step) / rate,
                    phase=f"fitting, width {schedule.width}",
                )
            )

        return [found._asdict() for found in fit(schedule, targets, seeds, LENGTHS, report)]


def target(cell: Cell) -> np.ndarray:
    """φ by distance."""
    schedule = _schedule(cell)
    holds = FORMS[cell.settings["form"]](np.arange(schedule.context), *cell.settings["constants"])
    return schedule.value * holds.astype(np.float64)


def _schedule(cell: Cell) -> Schedule:
    names = [field.name for field in dataclasses.fields(Schedule)]
    return Schedule(**{name: cell.settings[name] for name in names})


def _cell(function: Function, schedule: Schedule, seed: int) -> Cell:
    settings = {
        "experiment": PositionFit.name,
        "kind": function.kind,
        "form": function.form,
        "constants": list(function.constants),
        "seed": seed,
        "lengths": list(LENGTHS),
        **dataclasses.asdict(schedule),
    }
    published = function.published.get(schedule.width)
    return Cell(function.form, function.label, settings, published)
