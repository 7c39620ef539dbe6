"""A penalty on products of positions: does it change the heads, and does it help longer inputs?

What: The idealised learner of the theory pays for products of position vectors, so that pairs
    of positions that training never puts together get little. Usual training pays nothing. Here
    the same models are trained without and with that penalty, at several strengths; then the
    heads are looked at (do their products depend on the distance alone?) and the models are
    tested on longer words.
Definition: Loss plus λ times regularizer (8), the sum over layers, heads and queries j of
    (p_1ᵀ Kᵀ Q p_j)², or times the sum over all pairs that the released code adds, over the number
    of positions and with no norm between; λ = 0 is usual training. The length protocol with learned
    positions, except that no run stops when it fits, so that all are trained alike. Then, for every
    head, the offset variance of M = Pᵀ Qᵀ K P and the regularizer itself, as `foretell positions`
    measures them.
    tomita-7 has a program that needs no positions, as have anbn and anbncn, tomita-4 one that looks
    back by fixed distances, (aa)* one that needs the parity of a distance. The GPU's budget adds
    (aaaa)* and (abab)*, 012-star-02, which has none, and copies with and without repeated symbols.
Example:
    >>> from foretell.protocols._asking import Budget
    >>> [line.setting for line in PositionPenalty().lines(Budget.SMOKE)][::2]
    ['λ = 0', 'λ = 0.01', 'λ = 0.01, all pairs']

Known limits: The paper states the regularizer for its proof; its released logs have runs with the
    sum over all pairs (docs/positions.md), in shapes and with data that a CPU's budget does not
    have. Strengths of 0.0001 and 0.001 for all pairs are released ones. The others are ours; that
    of the CPU's budget was chosen when the penalty of two tasks trained without it was known to be
    a few units to some tens. There models are small and trained for minutes. Layer norms are held
    at the average over typical inputs, in the penalty at that over all pairs of token and position.
Sources: Huang et al., A formal framework for understanding length generalization, Section 3,
    Equation (8), and Appendices G.1 and G.6.2
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from foretell.core.architecture import Architecture
from foretell.core.question import GeneralizesInLength, Question, SizeRange
from foretell.models.position_products import ALL_PAIRS, FIRST_KEY
from foretell.protocols._asking import SAMPLES, Budget
from foretell.protocols._running import Asked
from foretell.protocols._settings import Setting
from foretell.protocols.length import Length
from foretell.reproductions import Line, Reproduction
from foretell.tasks.lookup import find_task

RANGES = (SizeRange(51, 100), SizeRange(101, 150))
TRAINED = 50  # the largest size of training
POSITIONAL = "ape"


@dataclass(frozen=True)
class Extent:
    """How much a budget trains."""

    settings: dict[str, Setting]  # by task
    strengths: tuple[tuple[float, str], ...]  # and what is paid for
    seeds: int
    batch: int


SMALL = Setting(2, 2, 32, 1e-3, 2_000)  # for minutes on two cores
SMALLEST = Setting(1, 1, 16, 1e-3, 2_000)  # which counting takes, by `length-search`
EXTENTS = {
    Budget.SMOKE: Extent(
        dict.fromkeys(("tomita-7", "tomita-4"), Setting(1, 1, 16, 1e-3, 100)),
        ((0.0, FIRST_KEY), (0.01, FIRST_KEY), (0.01, ALL_PAIRS)),
        1,
        16,
    ),
    Budget.CPU: Extent(
        dict.fromkeys(("tomita-7", "tomita-4", "aa-star"), SMALL)
        | dict.fromkeys(("anbn", "anbncn"), SMALLEST),
        ((0.0, FIRST_KEY), (0.1, FIRST_KEY), (1e-4, ALL_PAIRS), (1e-3, ALL_PAIRS)),
        3,
        32,
    ),
    Budget.GPU: Extent(
        {
            "tomita-7": Setting(4, 2, 128, 1e-3, 30_000),
            "tomita-4": Setting(4, 2, 128, 1e-3, 30_000),
            "aa-star": Setting(4, 4, 128, 1e-4, 40_000),
            "012-star-02": Setting(4, 2, 128, 1e-3, 30_000),
            "copy-unique": Setting(2, 1, 64, 1e-3, 30_000),
            "copy-repeat": Setting(4, 4, 256, 1e-3, 30_000),
            "aaaa-star": Setting(4, 4, 128, 1e-4, 40_000),
            "abab-star": Setting(4, 4, 128, 1e-4, 40_000),
            "anbn": Setting(1, 1, 16, 1e-3, 30_000),
            "anbncn": Setting(1, 1, 16, 1e-3, 30_000),
        },
        (
            (0.0, FIRST_KEY),
            (0.1, FIRST_KEY),
            (1.0, FIRST_KEY),
            (1e-4, ALL_PAIRS),
            (1e-3, ALL_PAIRS),
            (1e-2, ALL_PAIRS),
        ),
        5,
        64,
    ),
}


@final
class PositionPenalty(Reproduction):
    """The same tasks at every strength of the penalty."""

    about = "positions"
    title = "A penalty on products of positions: heads and longer inputs, without it and with it"
    source = "our own runs; the regularizer is Equation (8) of Huang et al. 2024"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Strength by strength, each task."""
        extent = EXTENTS[budget]
        runs = tuple(range(extent.seeds if seeds is None else seeds))
        return tuple(
            Line(
                "Without the penalty" if strength == 0 else "With the penalty",
                name,
                Asked(_question(name, setting), _protocol(setting, strength, paid, budget), runs),
                setting=f"λ = {strength:g}" + (f", {paid}" if paid == ALL_PAIRS else ""),
            )
            for strength, paid in extent.strengths
            for name, setting in extent.settings.items()
        )


def _protocol(setting: Setting, strength: float, paid: str, budget: Budget) -> Length:
    return Length(
        steps=setting.steps,
        check_every=min(1_000, setting.steps),
        learning_rate=setting.learning_rate,
        batch=EXTENTS[budget].batch,
        samples=min(500, SAMPLES[budget]),
        position_penalty=strength,
        penalized=paid,
        to_the_end=True,
    )


def _question(name: str, setting: Setting) -> Question:
    longest = RANGES[-1].high
    task = find_task(name, longest)
    shape = Architecture(
        layers=setting.layers,
        heads=setting.heads,
        width=setting.width,
        positional=POSITIONAL,
        context=task.width(longest),
        tied=task.labels == task.alphabet.tokens,
    )
    seen = SizeRange(max(1, task.smallest), TRAINED)
    return Question(task, shape, GeneralizesInLength(seen, RANGES))
