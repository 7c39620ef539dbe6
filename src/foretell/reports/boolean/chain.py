"""What a report says about chain of thought: bounds for parity, and the explicit chain run."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, final

from foretell.boolean.bounds.chain_of_thought import Comparison, Route, compare
from foretell.boolean.bounds.risk_bound import Setting
from foretell.constructions.chain_of_thought import ChainResult, chain_result
from foretell.constructions.flat_error import MOST_BITS

LENGTHS = (4, 8, 16, 20, 32, 64)


@final
@dataclass(frozen=True)
class ChainOfThought:
    """Parity with and without intermediate steps, for several lengths, and the explicit chain."""

    rows: tuple[Comparison, ...]
    degree: int  # of the function: as many bits as its largest component holds
    run_bits: int
    run: ChainResult
    setting: Setting

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "setting": dataclasses.asdict(self.setting),
            "explicit": {"bits": self.run_bits, **self.run._asdict()},
            "rows": [
                {"bits": row.bits, "chain": _plain(row.chain), "one_pass": _plain(row.one_pass)}
                for row in self.rows
            ],
            "reason": self.rows[0].reason,
        }


def chain_of_thought(
    bits: int, degree: int, setting: Setting, scale: float, ramp: str
) -> ChainOfThought:
    """The table over lengths, with the function's own degree and length among them."""
    lengths = sorted({*LENGTHS, *(each for each in (degree, bits) if each >= 2)})
    run_bits = min(max(bits, 2), MOST_BITS)
    return ChainOfThought(
        rows=tuple(compare(each, setting) for each in lengths),
        degree=degree,
        run_bits=run_bits,
        run=chain_result(run_bits, scale, ramp),
        setting=setting,
    )


def _plain(route: Route) -> dict[str, Any]:
    return {
        "steps": route.steps,
        "log10_published": route.log10_published,
        "samples_published": route.samples_published,
        "direct": route.direct,
        "samples_direct": route.samples_direct,
        "vacuous": route.vacuous,
    }
