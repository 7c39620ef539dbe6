"""What is asked of a model that reads templates: does it work on symbols it has never seen?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from foretell.core.question import Outcome, SizeRange
from foretell.plain.errors import BadInput
from foretell.templates.notation import Wildcard
from foretell.templates.template_set import TemplateSet

SHARE = 0.1  # of what the best constant loses: so much may still be lost on unseen symbols


@final
@dataclass(frozen=True)
class HandlesUnseenSymbols(Outcome):
    """Trained on `samples` strings, is the loss on strings of unseen symbols at most `bar`?

    `sizes` is the alphabet that training takes symbols from, one number twice: as many symbols as
    there are strings unless somebody says otherwise. The loss is the mean squared error where
    labels are real and the share of wrong answers where they are symbols.

    >>> HandlesUnseenSymbols(SizeRange(64, 64), 64).sentence
    'trained on 64 strings of 64 symbols, is the loss on strings of unseen symbols at most 0.1?'
    """

    name: ClassVar[str] = "handles-unseen-symbols"
    sizes: SizeRange
    samples: int
    bar: float = SHARE

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise BadInput("a model is trained on at least one string", seen=self.samples)
        if not 0 < self.bar < float("inf"):
            raise BadInput("a bar for the loss is a number above 0", seen=self.bar, hint="0.1")
        if self.sizes.low != self.sizes.high:
            raise BadInput("training takes symbols from one alphabet", seen=self.sizes)

    @property
    def symbols(self) -> int:
        """How many symbols training takes from."""
        return self.sizes.high

    @property
    def sentence(self) -> str:
        """The question in words."""
        return (
            f"trained on {self.samples:,} strings of {self.symbols:,} symbols, is the loss on "
            f"strings of unseen symbols at most {self.bar:g}?"
        )


def best_constant_loss(templates: TemplateSet) -> float:
    """What the best answer loses that does not look at its string, on unseen symbols.

    The variance of real labels, without noise; where labels are symbols, the share of strings that
    the most likely regular token does not answer: an unseen symbol cannot be guessed.

    >>> best_constant_loss(TemplateSet.parse("aa -> 1; ab -> -1"))
    1.0
    >>> best_constant_loss(TemplateSet.parse("aSS -> a; aTT -> S"))
    0.5
    """
    if templates.is_real:
        values = np.array(templates.labels, float)
        mean = np.average(values, weights=templates.probabilities)
        return float(np.average((values - mean) ** 2, weights=templates.probabilities))
    chances: dict[object, float] = {}
    for label, chance in zip(templates.labels, templates.probabilities, strict=True):
        if not isinstance(label, Wildcard):
            chances[label] = chances.get(label, 0.0) + chance
    return 1.0 - max(chances.values(), default=0.0)


def asked_of(
    templates: TemplateSet, samples: int, symbols: int | None = None
) -> HandlesUnseenSymbols:
    """The question with the usual bar: a tenth of what the best constant loses.

    >>> asked_of(TemplateSet.parse("aa -> 1; ab -> -1"), 64).bar
    0.1
    """
    lost = best_constant_loss(templates)
    if lost < 1e-9:
        raise BadInput(
            "all templates have the same label",
            seen=templates.title,
            why="a constant is right on every string, seen or not",
        )
    size = samples if symbols is None else symbols
    return HandlesUnseenSymbols(SizeRange(size, size), samples, SHARE * lost)
