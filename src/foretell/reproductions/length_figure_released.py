"""The regular languages of the framework paper with the words and lengths of its released data.

What: The paper says that its regular languages are trained on words of up to 50 letters and tested
    at 51-100 and 101-150. Its released data are other: most languages train on words of up to 100
    (some 200 or 500), tests begin beyond that, and words are not uniform among those of a
    length. `length-figure` trains as the paper says, and many rows differ from what was published;
    here the same shapes train on released lengths, with words made by the released laws.
Definition: The published shape, rate and steps of each language, five seeds, the length protocol.
    Words come from a list of 4,000 for training and 1,000 for each longer range, of D_n as many as
    were released, made by the laws in `languages/released_words.py`; models are tested on uniform
    members too, of the same lengths.
Example:
    >>> line = LengthFigureReleased().lines(Budget.SMOKE)[-1]
    >>> line.label, line.group
    ('abab-star', 'Trained to 500, tested at 501-600 and 601-700')

Known limits: Sizes are uniform over the lengths that occur, where the released training draws from
    a fixed list; words of the in-range test come from the list that trains; rates decay linearly,
    batches are of 64 and runs stop when they fit, none of which is so in the released code.
    One-layer shapes compute in float32, which most of them do not in `length-figure`. No lengths
    were released for tomita-5 and tomita-6.
Sources: Huang et al., A formal framework for understanding length generalization, Figure 1; the
    authors' released data and logs
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import final

from foretell.core.architecture import Architecture, Precision
from foretell.core.question import GeneralizesInLength, Question, SizeRange
from foretell.languages import benchmark
from foretell.languages.released_words import released_lengths, released_list
from foretell.protocols._asking import CHECK_EVERY, SAMPLES, SEEDS, Budget
from foretell.protocols._running import Asked
from foretell.protocols._settings import setting_for
from foretell.protocols.length import Length
from foretell.reproductions import Line, Reproduction
from foretell.tasks.lookup import declared
from foretell.tasks.next_symbols import LISTED, MEMBERS
from foretell.tasks.regular import RegularTask

ENCODINGS = ("ape", "nope")


@final
class LengthFigureReleased(Reproduction):
    """Huang et al., Figure 1, right, as its data were released."""

    title = "Regular languages on released words and lengths: published beside reproduced"
    source = "Huang et al. 2024, Figure 1 and Table 2; the authors' released data and logs"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Language by language, APE before NoPE."""
        path = Path(__file__).with_name("length_figure.toml")
        scores = tomllib.loads(path.read_text(encoding="utf-8"))["regular"]
        runs = tuple(range(SEEDS[budget] if seeds is None else seeds))
        return tuple(
            _line(name, positional, ranges, scores[name][positional], budget, runs)
            for name, ranges in released_lengths().items()
            for positional in ENCODINGS
        )


def _line(
    name: str,
    positional: str,
    ranges: list[list[int]],
    scores: list[float],
    budget: Budget,
    runs: tuple[int, ...],
) -> Line:
    setting, language = setting_for(name, positional, budget), benchmark.load(name)
    listed = released_list(language, "small" if budget is Budget.SMOKE else "full")
    task = RegularTask(
        ranges[-1][1],
        declared(name),
        language=language,
        probed=(LISTED, MEMBERS),
        listed=listed,
    )
    seen, *asked = (SizeRange(*ends) for ends in ranges)
    large = budget is Budget.GPU and setting.layers > 1  # one layer can do without an accelerator
    shape = Architecture(
        layers=setting.layers,
        heads=setting.heads,
        width=setting.width,
        positional=positional,
        context=task.width(task.longest),
        tied=False,
        precision=Precision.BFLOAT16 if large else Precision.FLOAT32,
    )
    protocol = Length(
        steps=setting.steps,
        check_every=min(CHECK_EVERY[budget], setting.steps),
        learning_rate=setting.learning_rate,
        samples=SAMPLES[budget],
        count_unfitted=budget is Budget.GPU,
    )
    question = Question(task, shape, GeneralizesInLength(seen, tuple(asked)))
    published = tuple(score / 100 for score in scores[: len(ranges)])
    note = None if len(ranges) == len(scores) else "both released tests have these lengths"
    heading = f"Trained to {seen.high}, tested at {' and '.join(map(str, asked))}"
    return Line(heading, name, Asked(question, protocol, runs), published, note)
