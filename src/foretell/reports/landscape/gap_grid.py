"""A grid of fitted functions: class by class, what was measured beside bound and construction."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from foretell.numerics.ranks import RankAgreement, kendall
from foretell.protocols._asking import Budget
from foretell.reports.landscape.gap_chain import Pair, pair_json
from foretell.reports.landscape.gap_class import GapClass, collect_class
from foretell.reproductions import Line, Reproduction
from foretell.theory.degree_hardness import hardness
from foretell.training.store import Store


@dataclass(frozen=True)
class GapGrid:
    """The whole grid."""

    reproduction: Reproduction
    budget: str
    classes: tuple[GapClass, ...]

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """One pass and steps for each number of bits that has both."""
        whole = {c.family.bits: c for c in self.classes if c.is_whole}
        return tuple(
            (whole[each.family.bits], each)
            for each in self.classes
            if each.chained and each.family.bits in whole
        )

    @property
    def axis(self) -> str:
        """What figures have from left to right: parities of all bits differ in their number."""
        return "bits" if self.pairs else "degree"

    def curves(self) -> dict[str, tuple[GapClass, ...]]:
        """Classes that a line joins, by its name: those of one sparsity, or of one way."""
        found: dict[str, list[GapClass]] = {}
        for each in sorted(self.classes, key=lambda c: (c.chained, c.family.sparsity)):
            name = each.way if self.pairs else str(each.family.sparsity)
            found.setdefault(name, []).append(each)
        return {name: tuple(joined) for name, joined in found.items()}

    def order(self) -> RankAgreement | None:
        """Do hardness and mean gaps put the classes into the same order?"""
        pairs = [(hardness(c.family), s.mean) for c in self.classes if (s := c.spread("gap"))]
        if len(pairs) < 3:
            return None
        return kendall([hard for hard, _ in pairs], [gap for _, gap in pairs])

    def dominated(self, quantity: str) -> tuple[int, int]:
        """In how many classes what was learned stays below the construction, of how many."""
        found = [(c, s.mean) for c in self.classes if (s := c.spread(quantity))]
        built = {"squared_norm": "built_norm", "trace": "built_trace"}[quantity]
        return sum(mean < getattr(c, built) for c, mean in found), len(found)

    def as_json(self) -> dict[str, Any]:
        """The form of `foretell reproduce --json`."""
        order = self.order()
        return {
            "title": self.reproduction.title,
            "source": self.reproduction.source,
            "budget": self.budget,
            "classes": [each.as_json() for each in self.classes],
            **(
                {"chain_of_thought": [pair_json(pair) for pair in self.pairs]} if self.pairs else {}
            ),
            "summary": {
                "order": dataclasses.asdict(order) if order else None,
                "norm_below_construction": self.dominated("squared_norm"),
                "trace_below_construction": self.dominated("trace"),
            },
        }


def collect(reproduction: Reproduction, budget: str, seeds: int | None, store: Store) -> GapGrid:
    """Every class beside what the store has for it."""
    groups: dict[str, list[Line]] = {}
    for line in reproduction.lines(Budget(budget), seeds):
        groups.setdefault(line.label, []).append(line)
    return GapGrid(
        reproduction, budget, tuple(collect_class(lines, store) for lines in groups.values())
    )
