"""Attention that thins out with size: encodings side by side, with and without log-length scaling.

What: A model that has learned to look one thing up at small sizes spreads its attention thinner at
    larger ones, because every further position takes its share of the softmax. How thin, how much
    adapting mends it, and whether scaling logits by the logarithm of the length makes adapting
    needless: rotary positions, linear biases and no positions, each both ways.
Definition: Each curve is one question of the protocol `capture` on induction heads. From the kept
    weights, at every size and before and after adapting: the entropy of the sharpest head of each
    layer at the scored position, beside log of the number of positions seen, and the spread of
    its logits.
Example:
    >>> from foretell.protocols._asking import Budget
    >>> [line.label for line in AttentionDilution().lines(Budget.CPU)][:2]
    ['rotary', 'rotary, log-length']

Known limits: One task, two layers. Entropies are read at one position of 64 inputs a size. All
    settings are ours. Models adapt from the start only, not step by step, since what scaling
    changes of one size is seen there already, and at each size alone. Four symbols. The GPU's
    preset has not been run.
Sources: arXiv 2603.11161, Section 5 (words); attention over longer inputs: Chiang and Cholak 2022
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any, final

from foretell.protocols._asking import Budget, Request
from foretell.protocols._running import Asked
from foretell.protocols.capture import ALONE, Capture
from foretell.reproductions import Line, Reproduction
from foretell.training.capture_plan import FROM_START

# So few symbols, because in trials models without positions learned more of them too slowly.
TASK = "induction-heads"
SYMBOLS = 4
IN_MINUTES: dict[Budget, dict[str, Any]] = {
    Budget.CPU: {"batch": 64, "first_steps": 12_000, "arms": (FROM_START,)},
    # six curves within a half hour: the protocol's usual cap alone would take longer
    Budget.GPU: {"first_steps": 20_000, "adapting_steps": 2_048, "arms": (FROM_START,)},
}
SEEDS = {Budget.GPU: 3}
KEPT = (Budget.CPU,)  # trained before sizes drew samples of their own
ENCODINGS = ("rotary", "alibi", "nope")
SCALES = {"sqrt": "", "log-length": ", log-length"}


@final
class AttentionDilution(Reproduction):
    """Six ways to attend, one task."""

    about = "capture"
    title = "Attention thins out with size: what scaling by log-length and adapting mend"
    source = "our own runs; arXiv 2603.11161 has the words"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Encoding by encoding, without and with scaling."""
        start = 4 if budget is Budget.SMOKE else None
        found = []
        for positional, (scale, said) in itertools.product(ENCODINGS, SCALES.items()):
            request = Request(
                what=f"{TASK}:vocabulary={SYMBOLS}",
                protocol="capture",
                budget=Budget(budget),
                seeds=SEEDS.get(budget) if seeds is None else seeds,
                positional=positional,
                attention_scale=scale,
                start=start,
                inputs=ALONE,
            )
            protocol = request.build_protocol()
            assert isinstance(protocol, Capture)
            changed = IN_MINUTES.get(budget, {})
            protocol = dataclasses.replace(protocol, fresh=budget not in KEPT, **changed)
            asked = Asked(request.question(), protocol, request.seed_list())
            found.append(Line(TASK, f"{positional}{said}", asked))
        return tuple(found)
