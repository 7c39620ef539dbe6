"""How large a model must be for a problem of some length: least widths, beside what is built.

A bound divides the bits that must cross a cut (`communication.py`) by what one number of the model
can carry across. It says nothing where the cut does not apply, and then why; it is vacuous where
every model has that much.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple, final

from foretell.constructions.induction_head import induction_head, score_bits, sign_codes
from foretell.plain.errors import BadInput
from foretell.worlds import communication as formulas
from foretell.worlds.communication import Message, Size

LONGEST, MOST_BITS = 10**12, 10**6  # whole numbers up to there are exact in the formulas
RECALLED, DERIVED = "theorem, as recalled", "derived"
COUNTED = "derived, and counted where all inputs can be (communication-bounds)"
HARD_SYMBOLS = 4  # of the words in which an induction head hides an index: 0, 1, blank, marker


@final
@dataclass(frozen=True)
class Asked:
    """A problem's length, and the numbers of the model and of the answer."""

    problem: str
    length: int = 1000
    bits: int = 16
    heads: int = 1
    accuracy: float = 1.0  # of index
    symbols: int = 26  # of copy

    def __post_init__(self) -> None:
        if not 1 <= self.length <= LONGEST:
            raise BadInput(
                "no length to ask about", seen=self.length, why=f"a length is 1 to {LONGEST:,}"
            )
        for name, most in (("bits", MOST_BITS), ("symbols", LONGEST), ("heads", LONGEST)):
            if getattr(self, name) > most:
                raise BadInput(
                    f"too many {name}", seen=getattr(self, name), why=f"at most {most:,}"
                )
        self.needed()  # which refuses what its formula is not for
        Size(heads=self.heads, precision=self.bits)

    def needed(self) -> float:
        """Bits that must cross the cut."""
        return CASES[self.problem].bits(self)


class Built(NamedTuple):
    """A construction: what it is, how many bits it keeps or how wide it is, and what shows it."""

    what: str
    bits: int | None
    width: int | None
    shown: str


class Side(NamedTuple):
    """What is known of one kind of model: how the input is cut, on what evidence, what is built.

    Without evidence the cut says nothing, and `cut` says why.
    """

    cut: str
    evidence: str | None
    built: Callable[[Asked], Built] | None = None
    message: Message | None = None  # where a theorem counts otherwise


class Case(NamedTuple):
    """A problem: its bits, as a function and as text, and both kinds of model."""

    bits: Callable[[Asked], float]
    formula: str
    state: Side
    layer: Side
    options: tuple[str, ...] = ()  # that mean something for this problem alone


def _digits(values: int) -> int:
    return formulas.position_precision(values)


def _register(
    what: str, bits: Callable[[Asked], int], shown: str = "argument of ours, as for index"
) -> Callable[[Asked], Built]:
    def build(asked: Asked) -> Built:
        return Built(f"a shift register of {what}, a bit a unit", bits(asked), None, shown)

    return build


def _scaled(built: Built) -> Built:
    """The same bits in a model whose numbers do not mix: a diagonal one cannot shift."""
    what = "one number, scaled down at every step, that holds the bits as a binary number"
    return Built(what, built.bits, None, "argument of ours")


def _pointer(asked: Asked) -> Built:
    what = "one head that looks at place i, places numbered by signs"
    return Built(what, None, _digits(asked.length), "as the pointers of circuits-by-steps")


def _binary(asked: Asked) -> Built:
    what = "one head of width 1 that adds up a binary number of n bits"
    return Built(what, 2 * asked.length, None, "built, and its states counted, in state-bits")


@functools.cache
def _two_layer_width() -> int:
    return int(induction_head(8, sign_codes(HARD_SYMBOLS)).width)  # the same at every length


def _two_layers(asked: Asked) -> Built:
    what = f"two layers of one head, at every length; scores of {score_bits(asked.length)} bits"
    return Built(what, None, _two_layer_width(), "built, without error, in induction-depth")


CASES: Mapping[str, Case] = MappingProxyType(
    {
        "index": Case(
            lambda asked: formulas.index_bits(asked.length, asked.accuracy),
            "n(1 - h₂(a)) with a = {accuracy:g}",
            Side(
                "cut between the bits and the place that is asked for",
                COUNTED,
                _register("n bits", lambda asked: asked.length, "equality counted in state-bits"),
            ),
            Side(
                "the place asked for is in the query, so that a head may look there",
                None,
                _pointer,
            ),
            ("accuracy",),
        ),
        "disjointness": Case(
            lambda asked: formulas.disjointness_bits(asked.length),
            "n",
            Side(
                "cut between the two sets",
                COUNTED,
                _register("n bits", lambda asked: asked.length, "counted in state-bits"),
            ),
            Side(
                "one party has the places of one set, the other the rest; a fixed symbol asks",
                COUNTED,
                _binary,
            ),
        ),
        "copy": Case(
            lambda asked: formulas.copy_bits(asked.length, asked.symbols),
            "n log₂ D - 1 with D = {symbols:,}",
            Side(
                "cut between the symbols and their copy",
                COUNTED,
                _register("n⌈log₂ D⌉ bits", lambda asked: asked.length * _digits(asked.symbols)),
            ),
            Side(
                "every place of the copy has a query of its own, and may look n places back", None
            ),
            ("symbols",),
        ),
        "induction": Case(
            lambda asked: float(math.floor(formulas.induction_bits(asked.length))),
            "⌊(n - 1)/2⌋",
            Side(
                "pairs of a key and a bit, every key a symbol; cut before the key that asks",
                DERIVED,
                _register("⌊(n - 1)/2⌋ bits", lambda asked: (asked.length - 1) // 2),
            ),
            Side(
                "one party has bits at even places, the other a marker at an odd one, that asks",
                COUNTED,
                _two_layers,
            ),
        ),
        "composition": Case(
            lambda asked: formulas.composition_bits(asked.length),
            "n log₂ n",
            Side(
                "cut between the table of g and the rest",
                COUNTED,
                _register("n⌈log₂ n⌉ bits", lambda asked: asked.length * _digits(asked.length)),
            ),
            Side("one party has the table of g, the other that of f; x asks", COUNTED),
        ),
        "three-gram": Case(
            lambda asked: formulas.three_gram_bits(asked.length),
            "n/3",
            Side("the hard words mix the places of both parties, so that no cut parts them", None),
            Side(
                "blocks of 2, a bit of one party, a bit of the other",
                RECALLED,
                message=formulas.three_gram_message,
            ),
        ),
    }
)


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
    least = None
    if side.evidence is not None:
        size = Size(heads=asked.heads, precision=asked.bits)
        numbers = formulas.fewest(side.message or model.message, "width", asked.needed(), size)
        least = -(-numbers // model.numbers)
    built = None if side.built is None else model.adapt(side.built(asked))
    return Bound(model, side, least, built)


def growth(asked: Asked) -> tuple[tuple[int, tuple[Bound, ...]], ...]:
    """The same at lengths that double, from 8 to beyond the one asked for."""
    last = max(10, math.ceil(math.log2(asked.length)) + 2)
    step = max(1, (last - 3) // 12)
    lengths = [2**power for power in range(3, last + 1, step)]
    return tuple((n, bounds(replace(asked, length=n))) for n in lengths if n <= LONGEST)


def formula(asked: Asked) -> str:
    """The bits that are needed, with the settings of the problem."""
    return CASES[asked.problem].formula.format(**vars(asked))
