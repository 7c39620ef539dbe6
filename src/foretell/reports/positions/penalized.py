"""Models trained with and without a penalty on products of positions: heads and scores, gathered.

Scores are those of all runs, fitted or not, so that strengths are compared over the same seeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from foretell.core.measurement import Measurement
from foretell.core.question import GeneralizesInLength, SizeRange
from foretell.models.position_products import ALL_PAIRS
from foretell.protocols._running import stored
from foretell.protocols._trained import RUN
from foretell.protocols.length import Length
from foretell.reports.positions.products import Positions, inspect
from foretell.reports.reproduced.fitted import read_budget
from foretell.reproductions import Line, Reproduction
from foretell.training.plan import Plan
from foretell.training.store import Store


@dataclass(frozen=True)
class Penalized:
    """One task at one strength: what was measured, and its heads where the store has weights."""

    line: Line
    measured: Measurement | None
    looked: Positions | None

    @property
    def task(self) -> str:
        """The row's task."""
        return self.line.label

    @property
    def strength(self) -> str:
        """What the penalty is multiplied by, and which it is where that is not usual."""
        paid = self._protocol.penalized
        return f"{self._protocol.position_penalty:g}" + (f", {paid}" if paid == ALL_PAIRS else "")

    @property
    def _protocol(self) -> Length:
        protocol = self.line.asked.protocol
        assert isinstance(protocol, Length)
        return protocol

    @property
    def _plan(self) -> Plan:
        plan = self.line.asked.plan
        assert isinstance(plan, Plan)
        return plan

    @property
    def ranges(self) -> tuple[SizeRange, ...]:
        """The sizes trained on, then the longer ones."""
        outcome = self.line.asked.question.outcome
        assert isinstance(outcome, GeneralizesInLength)
        return (outcome.seen, *outcome.asked)

    @property
    def reach(self) -> int:
        """Positions at this distance and beyond never met in training."""
        return self.line.asked.question.task.width(self.ranges[0].high)

    def shares(self, sizes: SizeRange, *, shifted: bool = False) -> dict[int, float]:
        """Share of words all right in a range, on the training distribution, by seed.

        Words begin at the first position, which the penalty is about, or `shifted`: anywhere.
        """
        named = (trial.label for trial in self._plan.trials if trial.shifted == shifted)
        probe = next(named)
        found = {}
        for curve in self.measured.curves if self.measured else ():
            inside = [point for point in curve.points if sizes.low <= point[0] <= sizes.high]
            if curve.probe == probe and inside:
                found[curve.seed] = sum(p[1] for p in inside) / sum(p[2] for p in inside)
        return found

    @property
    def fitted(self) -> int:
        """Runs that fit the training range perfectly."""
        return len(self.measured.provenance["fitted"]) if self.measured else 0

    @property
    def offsets(self) -> tuple[float, ...]:
        """Offset variance of every head of every seed, the largest first."""
        return tuple(head.offset for head in self.looked.heads) if self.looked else ()

    @property
    def uses(self) -> tuple[float, ...]:
        """Variance of all products of the same heads: how much they use positions at all."""
        return tuple(head.whole for head in self.looked.heads) if self.looked else ()

    @property
    def shifts(self) -> tuple[float, ...]:
        """How far a shift of the input moves the attention logits of each head."""
        return tuple(head.deviation for head in self.looked.heads) if self.looked else ()

    @property
    def regularizers(self) -> tuple[float, ...]:
        """Regularizer (8) as trained, by seed: the first position as key, which is paid for."""
        return tuple(model.first_key for model in self.looked.models) if self.looked else ()

    @property
    def pairwise(self) -> tuple[float, ...]:
        """The same over all pairs, over the number of positions: what it stands for."""
        return tuple(model.all_pairs for model in self.looked.models) if self.looked else ()

    def squares(self) -> Float[np.ndarray, "member length"]:
        """Squared products by distance, a row a seed."""
        assert self.looked is not None
        return np.stack([model.by_distance for model in self.looked.models])

    def as_json(self) -> dict[str, Any]:
        """Plain values, seed by seed."""
        question = self.line.asked.question
        seen = self.looked.as_json() if self.looked else {}
        return {
            "task": self.task,
            "strength": self._protocol.position_penalty,
            "penalized": self._protocol.penalized,
            "architecture": question.architecture.as_json(),
            "question": question.hash,
            "run": self.line.asked.plan.hash,
            "protocol": self.line.asked.protocol.as_json(),
            "fitted": [self.fitted, len(self.line.asked.seeds)] if self.measured else None,
            "shares": [
                {
                    "size_range": [sizes.low, sizes.high],
                    "shifted": shifted,
                    "by_seed": self.shares(sizes, shifted=shifted),
                }
                for shifted in (False, True)
                for sizes in self.ranges
            ],
            "measurement": self.measured.as_json() if self.measured else None,
            "positions": seen.get("models"),
            "norms_averaged_over": seen.get("norms_averaged_over"),
            "looked_at": seen.get("provenance"),
        }


@dataclass(frozen=True)
class Penalties:
    """The whole reproduction."""

    reproduction: Reproduction
    budget: str
    rows: tuple[Penalized, ...]

    @property
    def tasks(self) -> tuple[str, ...]:
        """In the table's order."""
        return tuple(dict.fromkeys(row.task for row in self.rows))

    def of(self, task: str) -> tuple[Penalized, ...]:
        """A task's rows, in the table's order: without a penalty first."""
        return tuple(row for row in self.rows if row.task == task)

    def as_json(self) -> dict[str, Any]:
        """The form of `foretell reproduce position-penalty --json`."""
        return {
            "title": self.reproduction.title,
            "source": self.reproduction.source,
            "budget": self.budget,
            "rows": [row.as_json() for row in self.rows],
        }


def collect(reproduction: Reproduction, budget: str, seeds: int | None, store: Store) -> Penalties:
    """Every line beside what the store has for it; heads are measured from the kept weights."""
    rows = []
    for line in reproduction.lines(read_budget(budget), seeds):
        asked = line.asked
        folder = store.folder(asked.question.hash, asked.plan.hash)
        measured = stored(asked, store)
        whole = measured is not None and (folder / RUN).is_file()
        rows.append(Penalized(line, measured, inspect(folder) if whole else None))
    return Penalties(reproduction, budget, tuple(rows))
