"""What is asked of a model that fits a function: how much worse is it on fresh inputs?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from foretell.core.question import Outcome, SizeRange
from foretell.plain.errors import BadInput


@final
@dataclass(frozen=True)
class GapAtMost(Outcome):
    """Fitted to `samples` inputs, is the loss on fresh ones larger by at most `gap`?

    >>> GapAtMost(SizeRange(20, 20), 8_192, 0.05).sentence
    'fitted to 8,192 inputs, is the loss on fresh ones larger by at most 0.05?'
    """

    name: ClassVar[str] = "gap-at-most"
    sizes: SizeRange
    samples: int
    gap: float

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise BadInput("a model is fitted to at least one input", seen=self.samples)
        if not 0 < self.gap < float("inf"):
            raise BadInput("a gap is a number above 0", seen=self.gap, hint="0.05")

    @property
    def sentence(self) -> str:
        """The question in words."""
        return (
            f"fitted to {self.samples:,} inputs, is the loss on fresh ones larger by at most "
            f"{self.gap:g}?"
        )
