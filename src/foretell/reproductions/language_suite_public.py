"""The public suite of 125 regular languages, and what its words have to do with its result.

What: The 125 languages of Yang et al. 2026, whose chosen configurations reach 99 % at 101-150 where
    C-RASP has a program and not where it has none, in 123 of 125. Random languages of our own
    (`language-suite`) come out otherwise: a program exists, and many do not reach it. Here the
    public languages train in their published shapes, once on uniform members only, as published,
    and once on the mixture of our suite: the words are the one thing that differs. Each row is
    headed by its score on the words it was trained on; all kinds of words stand beside each other
    where they are told apart.
Definition: Say, before every letter and at the end, which state the automaton is in; positions are
    learned, 502 of them. Published shape and rate of each language, batches of 64, at most 40,000
    steps (70,000 with more than 4 layers), stopped at the first check (every 3,000) without a
    mistake; trained to 50, asked at 51-100 and 101-150, bar 0.99. On a CPU at most 12,000 steps,
    and only shapes whose layers times width are at most 64.
Example:
    >>> line = LanguageSuitePublic().lines(Budget.CPU)[0]
    >>> line.label, line.setting, line.group
    ('(ab)+a+', 'members', 'In C-RASP[∅]')

Known limits: Published runs differ in more. Every letter is followed by a token of its own that is
    asked and that no other token sees; here the next letter is asked. Words are drawn 10,000 a
    length and kept once each, a fifth of them for the test; here sizes are equally likely, and the
    words of the test in range are those of training where a language has few. Shapes were
    chosen by their score at 451-500, and the several runs of the chosen one stopped as soon as
    51-100 was perfect: both look at the test. Here runs stop when 1-50 is perfect. The published
    value is that of the one run that was chosen. Left out: two shapes, of 16 and 18 layers.
    Positions are learned, and for those the framework paper asks for a program in
    C-RASP[periodic, local], which 58 of the 60 languages without one in C-RASP[∅] have: of these
    it foretells what the suite counts as a miss.
Sources: Yang et al. 2026, Algebraic Decomposition Theory for Transformer Length Generalization
    (arXiv 2608.13433), with its released languages, configurations and logs
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import final

from foretell.core.architecture import Architecture, Precision
from foretell.core.question import GeneralizesInLength, Question, SizeRange
from foretell.languages.regular import RegularLanguage
from foretell.protocols._asking import CHECK_EVERY, SAMPLES, Budget, Setting
from foretell.protocols._running import Asked
from foretell.protocols.length import Length
from foretell.reproductions import Line, Reproduction
from foretell.tasks.next_symbols import MEMBERS
from foretell.tasks.probe_words import PROBES
from foretell.tasks.tracking import MIXED, TrackingTask

TRAIN, RANGES = SizeRange(1, 50), (SizeRange(51, 100), SizeRange(101, 150))
CONTEXT = 502  # published models have seen positions up to 500
USUAL, DEEP = (40_000, 0), (70_000, 3_000)  # most steps, and of them warm-up; over 4 layers
MOST_STEPS = {Budget.SMOKE: 100, Budget.CPU: 12_000, Budget.GPU: DEEP[0]}
SEEDS = {Budget.SMOKE: 1, Budget.CPU: 3, Budget.GPU: 5}
MOST = {Budget.SMOKE: 16, Budget.CPU: 64, Budget.GPU: 12 * 768}  # layers times width: not 16 x 768
GROUPS = {"crasp": "In C-RASP[∅]", "none": "Not in C-RASP[∅]"}
WORDS = {"members": MEMBERS, "mixture": MIXED}
BAR = 0.99


@dataclass(frozen=True)
class PublicLanguage:
    """A language of the suite, its chosen shape and what was published of it."""

    name: str
    group: str  # of `GROUPS`: is there a program, as published?
    language: RegularLanguage
    chosen: Setting
    published: tuple[float, ...] | None  # shares to 50, at 51-100 and at 101-150
    searched: tuple[int, ...] | None  # shapes tried, fitted, and of those at the bar at 101-150

    @property
    def size(self) -> int:
        """Layers times width."""
        return self.chosen.layers * self.chosen.width


@functools.cache
def public_languages() -> tuple[PublicLanguage, ...]:
    """All 125, those with a program first."""
    path = Path(__file__).with_suffix(".toml")
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(
        PublicLanguage(
            name,
            group,
            RegularLanguage.from_regex(row["regex"], name=name),
            Setting(layers, heads, width, row["rate"], *(DEEP if layers > 4 else USUAL)),
            tuple(score / 100 for score in row["published"]) if "published" in row else None,
            tuple(row["searched"]) if "searched" in row else None,
        )
        for group in GROUPS
        for name, row in tables[group].items()
        for layers, heads, width in [row["shape"]]
    )


@final
class LanguageSuitePublic(Reproduction):
    """Published languages and shapes, on published words and on ours."""

    title = "The public suite of 125 languages: on members alone, and on mixed words"
    source = "Yang et al. 2026, released languages, configurations and logs"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Group by group and words by words, small shapes first."""
        runs = tuple(range(SEEDS[budget] if seeds is None else seeds))
        found = sorted(public_languages(), key=lambda own: (own.size, own.name))
        return tuple(
            _line(own, words, budget, runs)
            for group in GROUPS
            for words in WORDS
            for own in found
            if own.group == group and own.size <= MOST[budget]
        )


def _line(own: PublicLanguage, words: str, budget: Budget, runs: tuple[int, ...]) -> Line:
    trained = WORDS[words]
    probed = (trained, *(probe for probe in PROBES if probe != trained))
    longest = RANGES[-1].high
    task = TrackingTask(longest, "state-before", language=own.language, probed=probed)
    large = budget is Budget.GPU and own.chosen.width >= 64  # small ones are as fast in float32
    shape = Architecture(
        layers=own.chosen.layers,
        heads=own.chosen.heads,
        width=own.chosen.width,
        positional="ape",
        context=CONTEXT,
        tied=False,
        precision=Precision.BFLOAT16 if large else Precision.FLOAT32,
    )
    steps = min(own.chosen.steps, MOST_STEPS[budget])
    protocol = Length(
        steps=steps,
        check_every=min(CHECK_EVERY[Budget.GPU], steps),
        learning_rate=own.chosen.learning_rate,
        warmup=min(own.chosen.warmup, steps),
        samples=min(500, SAMPLES[budget]),
        bar=BAR,
    )
    question = Question(task, shape, GeneralizesInLength(TRAIN, RANGES))
    published = own.published if words == "members" else None
    label = own.language.regex or own.name  # what a reader knows it by
    asked = Asked(question, protocol, runs)
    return Line(GROUPS[own.group], label, asked, published, setting=words)
