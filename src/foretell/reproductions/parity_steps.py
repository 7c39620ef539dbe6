"""Parity in one pass against parity in steps: what chain of thought changes, trained.

What: In one pass a model must learn the parity of all bits, a function of the highest degree. In
    steps it says the parity of two bits at a time (the running one and the next), a function of
    degree 2, as often as there are bits. Both are fitted to the same number of inputs.
Definition: For each number of bits T, `boolean:parity,T=T` and a random parity of two of T bits,
    by the gap protocol. A chain is right if every one of its T - 1 steps is: the page shows what
    was fitted and how much worse it is on fresh inputs; bounds for both are beside it.
Example:
    >>> from foretell.protocols._asking import Budget
    >>> [line.label for line in ParitySteps().lines(Budget.SMOKE)]
    ['one pass, T=4', 'one step, T=4']

Known limits: The step is learned alone, on inputs of its own, not inside a chain that a model
    writes itself; errors of a chain are those of its steps only if they are independent.
Sources: A sharper picture of generalization in transformers, Section 4 and Appendix G, which has no
    training run to compare with
"""

from __future__ import annotations

from typing import final

from foretell.protocols._asking import Budget
from foretell.protocols._running import Asked
from foretell.protocols.gap import SAMPLES, Gap, question_about
from foretell.reproductions import Line, Reproduction

BITS = {Budget.SMOKE: (4,), Budget.CPU: (4, 6, 8), Budget.GPU: (4, 6, 8, 10, 12, 16, 20)}
STEPS = {Budget.SMOKE: 100, Budget.CPU: 2_000, Budget.GPU: 30_000}
SEEDS = {Budget.SMOKE: 1, Budget.CPU: 2, Budget.GPU: 5}


@final
class ParitySteps(Reproduction):
    """Chain of thought for parity."""

    about = "gap"
    title = "Parity in one pass and in steps"
    source = "our own runs for Section 4 of A sharper picture of generalization in transformers"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """For each number of bits both ways; `seeds` models of each."""
        runs = tuple(range(SEEDS[budget] if seeds is None else seeds))
        protocol = Gap(steps=STEPS[budget], check_every=100, learning_rate=2e-3)
        samples = {Budget.CPU: 2_048}.get(budget, SAMPLES[budget])
        lines: list[Line] = []
        for bits in BITS[budget]:
            parity = Asked(question_about(f"parity,T={bits}", samples), protocol, runs)
            lines.append(Line(f"{bits} bits", f"one pass, T={bits}", parity))
            for seed in runs:  # another pair of bits each
                text = f"degree=2,sparsity=1,T={bits},seed={seed}"
                step = Asked(question_about(text, samples), protocol, (seed,))
                lines.append(Line(f"{bits} bits", f"one step, T={bits}", step))
        return tuple(lines)
