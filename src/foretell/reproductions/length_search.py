"""Which shape to train? The framework paper's search, simplest first.

What: Published scores come from shapes that were searched for. Here the search itself is run: every
    shape and rate of the grid, from simple to complex, until one fits its training range and the
    next range without a mistake. It settles the counter languages, for which no shape was
    published; for tasks whose search was released, ours stands beside it. `length-search:WHAT`
    searches for a task of your own: a name, `regex:(ab)*`, a DFA file, a program.
Definition: Layers, heads and widths in that order, each with two rates; one run each of the length
    protocol. Chosen is the first without a mistake to 50 and at 51-100; if there is none, of those
    without a mistake to 50 the best at 51-100, and of equals the simplest. No shape behind a
    settled one is trained (both rates of a shape go together). The range 101-150 has no say, so
    it remains a test.
Example:
    >>> [str(shape) for shape in grid(Budget.GPU)][::18]
    ['1 layer, 1 head, 16 wide, 0.001', '2 layers, 1 head, 16 wide, 0.001', \
'4 layers, 1 head, 16 wide, 0.001']

Known limits: One run decides about a shape, as in the released search, and runs differ. A CPU's
    grid ends at 2 layers and 64 wide. The released search goes on to 12 layers where no shape fits;
    this one says that none does.
Sources: Huang et al., A formal framework for understanding length generalization, Section 5 and
    Appendix E.3; numbers from the authors' released logs of the search
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from foretell.core.measurement import Measurement
from foretell.core.question import GeneralizesInLength
from foretell.plain.errors import BadInput
from foretell.plain.wording import counted
from foretell.protocols._asking import Budget, Request
from foretell.protocols._running import Asked
from foretell.reproductions import Line, Reproduction

COUNTERS = ("dyck-1", "anbn", "anbncn")
SEARCHED = ("binary-majority", "majority", "sort")  # whose released logs stand beside ours
ENCODINGS = ("ape", "nope")
RATES = (1e-3, 1e-4)
STEPS = {Budget.SMOKE: 100, Budget.CPU: 30_000, Budget.GPU: 30_000}
LAYERS = {Budget.SMOKE: (1,), Budget.CPU: (1, 2), Budget.GPU: (1, 2, 4)}
HEADS = {Budget.SMOKE: (1,), Budget.CPU: (1, 2, 4), Budget.GPU: (1, 2, 4)}
WIDTHS = {Budget.SMOKE: (8, 16), Budget.CPU: (16, 64), Budget.GPU: (16, 64, 256)}
TASKS = {
    Budget.SMOKE: COUNTERS[:1],
    Budget.CPU: (*COUNTERS, *SEARCHED[:2]),  # the others need more than a CPU's grid
    Budget.GPU: (*COUNTERS, *SEARCHED),
}


@dataclass(frozen=True)
class Shape:
    """One point of the grid."""

    layers: int
    heads: int
    width: int
    rate: float

    def __str__(self) -> str:
        layers, heads = counted(self.layers, "layer"), counted(self.heads, "head")
        return f"{layers}, {heads}, {self.width} wide, {self.rate:g}"


def grid(budget: Budget) -> tuple[Shape, ...]:
    """Every shape, the simplest first: layers count before heads, heads before width."""
    sides = (LAYERS[budget], HEADS[budget], WIDTHS[budget], RATES)
    return tuple(Shape(*point) for point in itertools.product(*sides))


def is_settled(measured: Measurement) -> bool:
    """No mistake in the training range, and none in the next one."""
    return is_fitted(measured) and next_range(measured) == 1.0


def is_fitted(measured: Measurement) -> bool:
    """No mistake in the training range, in no run."""
    fitted, runs = (measured.provenance[name] for name in ("fitted", "seeds"))
    return len(fitted) == len(runs)


def next_range(measured: Measurement) -> float:
    """The share right in the first range beyond training."""
    outcome, probe = measured.question.outcome, measured.question.task.probes[0]
    assert isinstance(outcome, GeneralizesInLength)
    here = (probe, outcome.asked[0])
    return next(value.mean for value in measured.values if (value.probe, value.sizes) == here)


def choose(found: Iterable[tuple[Line, Measurement]]) -> Line | None:
    """The line that the search takes, of those of one task and encoding in the grid's order."""
    fitted = [(line, measured) for line, measured in found if is_fitted(measured)]
    return max(fitted, key=lambda pair: next_range(pair[1]))[0] if fitted else None


@final
@dataclass(frozen=True)
class LengthSearch(Reproduction):
    """The grid, for tasks without a published shape, some with a released search, or one's own."""

    what: str | None = None
    about = "search"
    in_order = True
    of_any_task = True
    title = "Which shape to train: the search, simplest first"
    source = "the grid and the rule of Huang et al. 2024, Appendix E.3; the authors' released logs"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Task by task, APE before NoPE, the simplest shape first."""
        path = Path(__file__).with_suffix(".toml")
        released = tomllib.loads(path.read_text(encoding="utf-8"))
        return tuple(
            _line(name, positional, shape, budget, seeds, released)
            for name in ((self.what,) if self.what else TASKS[budget])
            for positional in ENCODINGS
            for shape in grid(budget)
        )

    def wanted(
        self, lines: Sequence[Line], measured: Callable[[Line], Measurement | None]
    ) -> tuple[Line, ...]:
        """Nothing that is behind a settled shape of the same task and encoding."""
        kept, settled = [], set()
        for line in lines:
            if line.group in settled:
                continue
            kept.append(line)
            found = measured(line)
            if found and is_settled(found):
                settled.add(line.group)
        return tuple(kept)


def _line(
    name: str,
    positional: str,
    shape: Shape,
    budget: Budget,
    seeds: int | None,
    released: Mapping[str, Any],
) -> Line:
    request = Request(
        what=name,
        positional=positional,
        budget=budget,
        seeds=1 if seeds is None else seeds,
        layers=shape.layers,
        heads=shape.heads,
        width=shape.width,
        learning_rate=shape.rate,
        steps=STEPS[budget],
        check_every=min(3_000, STEPS[budget]),
        precision="bfloat16" if budget is Budget.GPU else "float32",
    )
    if request.protocol != "length":
        raise BadInput(
            "a shape is searched for by how far models go beyond their training sizes",
            seen=name,
            why=f"it is measured by the protocol {request.protocol}",
            hint="length-search:regex:(ab)*",
        )
    logged = released.get(name, {}).get(positional, {}).get(str(shape))
    published = tuple(value / 100 for value in logged) if logged else None
    asked = Asked(request.question(), request.build_protocol(), request.seed_list())
    return Line(f"{name}, {positional}", name, asked, published, setting=str(shape))
