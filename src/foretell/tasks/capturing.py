"""What is asked of a model that met small instances: did it learn the algorithm, or the sizes?"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import ClassVar, final

from foretell.core.question import Outcome, SizeRange
from foretell.plain.errors import BadInput


@final
@dataclass(frozen=True)
class CapturesAlgorithm(Outcome):
    """Trained up to size `start`, does adapting to each of `sizes` take few further samples?

    Few means: at most in proportion to the logarithm of the size. `threshold` is the accuracy that
    counts as adapted. A size may be given as a number; it is kept as a range of that size alone.

    >>> CapturesAlgorithm(16, (32, 64)).sentence
    'trained up to size 16, does it adapt to 32, 64 from few samples?'
    """

    name: ClassVar[str] = "captures"
    start: int
    sizes: tuple[SizeRange | int, ...]
    threshold: float = 0.95

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", tuple(map(_range, self.sizes)))
        if type(self.start) is not int or self.start < 1:
            raise BadInput("training starts at a whole size, at least 1", seen=self.start)
        if not 0 < self.threshold <= 1:  # also refuses what is no number
            raise BadInput(
                "a threshold lies in (0, 1]",
                seen=self.threshold,
                why="it is a share of right answers",
                hint="0.95",
            )
        if not self.sizes or any(each.low != each.high for each in map(_range, self.sizes)):
            raise BadInput("a model adapts to single sizes, at least one", seen=self.sizes)
        whole = (self.start, *self.adapted)
        if any(later <= earlier for earlier, later in itertools.pairwise(whole)):
            raise BadInput(
                "sizes to adapt to grow, and are larger than those of training",
                seen=f"trained up to {self.start}, then {', '.join(map(str, self.adapted))}",
                hint=f"{2 * self.start},{4 * self.start},{8 * self.start},{16 * self.start}",
            )

    @property
    def adapted(self) -> tuple[int, ...]:
        """The sizes to adapt to, as numbers."""
        return tuple(_range(each).high for each in self.sizes)

    @property
    def sentence(self) -> str:
        """The question in words."""
        asked = ", ".join(map(str, self.adapted))
        return f"trained up to size {self.start}, does it adapt to {asked} from few samples?"


def _range(size: SizeRange | int) -> SizeRange:
    return size if isinstance(size, SizeRange) else SizeRange(size, size)
