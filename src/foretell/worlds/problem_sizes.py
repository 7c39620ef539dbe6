"""How large a model must be for a problem of some length, and how long a problem may be for it.

A bound divides the bits that must cross a cut (`problem_cuts.py`) by what one number of the model
can carry across. It says nothing where no cut applies; it is vacuous where every model has that
much.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, final

from foretell.plain.errors import BadInput
from foretell.worlds import communication as formulas
from foretell.worlds.communication import Message, Size
from foretell.worlds.problem_cuts import CASES, LONGEST, Asked, Built, Side


def _scaled(built: Built) -> Built:
    """The same bits in a model whose numbers do not mix: a diagonal one cannot shift."""
    what = "one number, scaled down at every step, that holds the bits as a binary number"
    return Built(what, built.bits, None, "argument of ours")


class Model(NamedTuple):
    """A kind of model: whose side it is on, what is counted, what it carries across the cut."""

    name: str
    side: str
    counted: str  # in the singular
    numbers: int  # that each unit keeps
    message: Message
    formula: str
    adapt: Callable[[Built], Built | None] = lambda built: built  # a construction, to this model


MODELS = (
    Model("RNN: Elman, GRU", "state", "unit", 1, formulas.recurrent_message, "units × p"),
    Model(
        "RNN: LSTM", "state", "unit", 2, formulas.recurrent_message, "2 × units × p",
        lambda built: None,
    ),
    Model(
        "SSM, diagonal", "state", "number", 1, formulas.recurrent_message, "numbers × p", _scaled
    ),
    Model("transformer, 1 layer", "layer", "width", 1, formulas.attention_message, "H(m + 1)p"),
)  # fmt: skip


@final
@dataclass(frozen=True)
class Bound:
    """The least size of one kind of model; none where the cut says nothing."""

    model: Model
    side: Side = field(repr=False)
    least: int | None
    built: Built | None
    longest: int | None = None  # with the width asked about; 0 where every length is excluded

    @property
    def vacuous(self) -> bool:
        """Does every model have that much?"""
        return self.least is not None and self.least <= 1

    @property
    def formula(self) -> str:
        """What the model can carry across the cut."""
        return self.model.formula if self.side.message is None else "2pH + dp + 2"

    def as_json(self) -> dict[str, Any]:
        """A value that `json.dumps` can write."""
        return {
            "model": self.model.name,
            "counted": self.model.counted,
            "least": self.least,
            "vacuous": self.vacuous,
            "formula": self.formula,
            "cut": self.side.cut,
            "evidence": self.side.evidence,
            "longest": self.longest,
            "built": self.built and self.built._asdict(),
        }


def bounds(asked: Asked) -> tuple[Bound, ...]:
    """The least size of every kind of model.

    >>> {bound.model.name: bound.least for bound in bounds(Asked("induction", 512, bits=9))}
    {'RNN: Elman, GRU': 29, 'RNN: LSTM': 15, 'SSM, diagonal': 29, 'transformer, 1 layer': 28}
    """
    return tuple(_bound(model, asked) for model in MODELS)


def _bound(model: Model, asked: Asked) -> Bound:
    case = CASES[asked.problem]
    side = case.state if model.side == "state" else case.layer
    built = None if side.built is None else model.adapt(side.built(asked))
    if side.evidence is None:
        return Bound(model, side, None, built)
    message = side.message or model.message
    size = Size(heads=asked.heads, precision=asked.bits)
    numbers = formulas.fewest(message, "width", asked.needed(), size)
    longest = None
    if asked.width is not None:
        longest = _longest(asked, message(replace(size, width=asked.width * model.numbers)))
    return Bound(model, side, -(-numbers // model.numbers), built, longest)


def _longest(asked: Asked, carried: int) -> int:
    """The last length whose bits are carried: they never fall as the length grows."""

    def too_long(length: int) -> bool:
        try:
            return replace(asked, length=length).needed() > carried
        except BadInput:  # shorter than the problem can be
            return False

    return bisect.bisect_left(range(1, LONGEST + 1), True, key=too_long)


def growth(asked: Asked) -> tuple[tuple[int, tuple[Bound, ...]], ...]:
    """The same at lengths that double, from 8 to beyond the one asked for."""
    last = max(10, math.ceil(math.log2(asked.length)) + 2)
    step = max(1, (last - 3) // 12)
    lengths = [2**power for power in range(3, last + 1, step)]
    return tuple((n, bounds(replace(asked, length=n, width=None))) for n in lengths if n <= LONGEST)


def formula(asked: Asked) -> str:
    """The bits that are needed, with the settings of the problem."""
    return CASES[asked.problem].formula.format(**vars(asked))
