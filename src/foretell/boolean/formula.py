"""A small formula over bits, such as `x1 xor x2 and not x3`, as a function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float, Shaped

from foretell.boolean.formula_parsing import parse
from foretell.boolean.formula_tree import Node
from foretell.plain.errors import BadInput


@final
@dataclass(frozen=True)
class Formula:
    """A formula with values 0 and 1 on rows of bits.

    In the text, bits are x1, x2, …; `not` binds tightest, then `and`, `xor`, `or`, `->` (from the
    right) and `<->`. The signs `~ ! & ^ |`, the constants 0 and 1, parentheses and `maj(…)` of an
    odd number of parts are also understood.

    >>> formula = Formula.parse("x1 ^ (x2 | x3)")
    >>> print(formula), formula.bits
    x1 xor (x2 or x3)
    (None, 3)
    >>> formula(np.array([[1, 0, 0], [1, 1, 0]])).tolist()
    [1.0, 0.0]
    """

    tree: Node
    bits: int

    def __post_init__(self) -> None:
        least = max(self.mentioned, default=0) + 1
        if self.bits < least:
            raise BadInput(
                "a formula names a bit that does not exist",
                seen=f"x{least} with T={self.bits}" if self.mentioned else f"T={self.bits}",
                why=f"with T={self.bits}, bits are numbered from x1 to x{self.bits}"
                if self.bits > 0
                else "a Boolean function needs at least one bit",
                hint=f"T={least} or more",
            )

    @classmethod
    def parse(cls, text: str, bits: int | None = None) -> Formula:
        """Read a formula; `bits` may be more than it names, by default just enough."""
        tree = parse(text)
        return cls(tree, max(tree.mentioned(), default=0) + 1 if bits is None else bits)

    @property
    def mentioned(self) -> tuple[int, ...]:
        """The bits that occur, numbered from 0."""
        return tuple(sorted(self.tree.mentioned()))

    def __call__(self, inputs: Shaped[np.ndarray, "batch bit"]) -> Float[np.ndarray, " batch"]:
        """The value at each row of bits."""
        rows = np.asarray(inputs)
        return self.tree.value(lambda index: rows[:, index] != 0, len(rows)).astype(float)

    def __str__(self) -> str:
        return str(self.tree)
