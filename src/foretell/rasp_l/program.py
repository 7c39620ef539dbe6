"""A program: steps that keep to the rules, with a size and a printed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from foretell.rasp_l.checking import Kind, check
from foretell.rasp_l.printing import listing
from foretell.rasp_l.steps import HEADS, Step, flatten
from foretell.rasp_l.values import Value, as_value


@final
@dataclass(frozen=True)
class Program:
    """Valid by construction; equal programs have equal steps.

    >>> from foretell.rasp_l.library import shift_right
    >>> from foretell.rasp_l.values import tokens
    >>> program = Program.of(shift_right(tokens))
    >>> program.size
    1
    >>> print(program.show())
    h1 = max of tokens over key(indices) == query(indices - 1), else -1
    output = h1
    """

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        check(self.steps)

    @classmethod
    def of(cls, output: Value | int | bool) -> Program:
        """The program that computes this value."""
        return cls(flatten(as_value(output)))

    @property
    def kind(self) -> Kind:
        """What the output is."""
        return check(self.steps)[-1]

    @property
    def size(self) -> int:
        """Number of `kqv` and `sel_width` after inlining; the same one used twice counts once."""
        return sum(step.word in HEADS for step in self.steps)

    def show(self) -> str:
        """A line for each of these, and one for the output."""
        return "\n".join(listing(self.steps))
