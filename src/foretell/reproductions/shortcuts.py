"""Why runs of one language disagree: one change at a time from one way of training.

What: Public runs of {0,1,2}*02* and of a few other languages give scores far apart, and ours
    differ from both. Here one way of training is the base, and one thing at a time is changed: what
    is asked (next letters of members, or acceptance or the state on a mixture with non-members),
    the words of training (uniform members, members in long runs), the positions, the depth, the
    width, the steps, the learning rate.
    Every model is tested on every kind of word, so that a shortcut shows: right on the words of
    training, wrong on words of the same lengths that stay or repeat, or are no members.
Definition: Base: next letters, uniform members, 2 layers of width 32 without positions; the length
    protocol, except that no run stops when it fits, so that all are trained alike. Languages:
    012-star-02 (no C-RASP program), tomita-4 (one with look-back only), tomita-7 (one without).
Example:
    >>> [line.setting for line in Shortcuts().lines(Budget.CPU)][::3][:3]
    ['base', 'accept, mixture', 'state, mixture']

Known limits: Small models and few seeds, for a CPU: what is seen is seen there, and the published
    models are larger and trained longer. The published data themselves (a fixed set, labels that
    look ahead; docs/published-runs.md) are not rebuilt. Asking otherwise changes the words too:
    of members alone, acceptance of a language closed under prefixes is always yes. Next letters
    are asked only of prefixes that can go on, so with a dead state the other two ask for more.
Sources: Huang et al., A formal framework for understanding length generalization, Appendix E, and
    its released logs; Bhattamishra et al. 2020 for the languages
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from foretell.core.architecture import Architecture
from foretell.core.question import GeneralizesInLength, Question, SizeRange
from foretell.languages import benchmark
from foretell.protocols._asking import SAMPLES, Budget, Setting
from foretell.protocols._running import Asked
from foretell.protocols.length import Length
from foretell.reproductions import Line, Reproduction
from foretell.tasks.lookup import declared
from foretell.tasks.next_symbols import MEMBERS, RUNS
from foretell.tasks.probe_words import EVERY_PROBE
from foretell.tasks.regular import RegularTask
from foretell.tasks.tracking import MIXED, TrackingTask

LANGUAGES = ("012-star-02", "tomita-4", "tomita-7")
TRAIN, RANGES = SizeRange(1, 50), (SizeRange(51, 100), SizeRange(101, 150))
NEXT = "next"
HEADS = 4
BASE = {
    Budget.SMOKE: Setting(1, HEADS, 16, 1e-3, 100),
    Budget.CPU: Setting(2, HEADS, 32, 1e-3, 1_000),  # in minutes, and enough to fit
    Budget.GPU: Setting(2, HEADS, 128, 1e-3, 30_000),
}
BATCH = {Budget.SMOKE: 32, Budget.CPU: 32, Budget.GPU: 64}
SEEDS = {Budget.SMOKE: 1, Budget.CPU: 3, Budget.GPU: 5}


@dataclass(frozen=True)
class Way:
    """One way of training: the base with one thing changed."""

    changed: str
    name: str
    asks: str = NEXT
    drawn: str = MEMBERS
    positional: str = "nope"
    deeper: int = 1  # layers for each of the base
    longer: int = 1  # steps for each of the base
    wider: int = 1  # units for each of the base
    rate: float = 1.0  # share of the base's learning rate


WAYS = (
    Way("Base", "base"),
    Way("What is asked", "accept, mixture", asks="accept", drawn=MIXED),
    Way("What is asked", "state, mixture", asks="state", drawn=MIXED),
    Way("Words of training", "members in runs", drawn=RUNS),
    Way("Architecture", "learned positions", positional="ape"),
    Way("Architecture", "twice as deep", deeper=2),
    Way("Architecture", "four times as wide", wider=4),
    Way("Training", "four times the steps", longer=4),
    Way("Training", "a tenth of the rate", rate=0.1),
)


@final
class Shortcuts(Reproduction):
    """Three languages, nine ways of training."""

    title = "Why runs of one language disagree: one change at a time"
    source = "our own runs; the public ones are named in docs/published-runs.md"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Way by way, each language."""
        runs = tuple(range(SEEDS[budget] if seeds is None else seeds))
        return tuple(
            Line(
                way.changed,
                name,
                Asked(_question(way, name, budget), _protocol(way, budget), runs),
                setting=way.name,
            )
            for way in WAYS
            for name in LANGUAGES
        )


def _protocol(way: Way, budget: Budget) -> Length:
    base = BASE[budget]
    return Length(
        steps=base.steps * way.longer,
        check_every=min(1_000, base.steps),
        learning_rate=base.learning_rate * way.rate,
        batch=BATCH[budget],
        samples=min(500, SAMPLES[budget]),
        to_the_end=True,
    )


def _question(way: Way, name: str, budget: Budget) -> Question:
    base, longest, language = BASE[budget], RANGES[-1].high, benchmark.load(name)
    probed = (way.drawn, *(probe for probe in EVERY_PROBE if probe != way.drawn))
    task: RegularTask | TrackingTask
    if way.asks == NEXT:
        task = RegularTask(longest, declared(name), language=language, probed=probed)
    else:
        task = TrackingTask(longest, way.asks, language=language, probed=probed)
    shape = Architecture(
        layers=base.layers * way.deeper,
        heads=HEADS,
        width=base.width * way.wider,
        positional=way.positional,
        context=task.width(longest),
        tied=False,
    )
    return Question(task, shape, GeneralizesInLength(TRAIN, RANGES))
