"""Where inputs are cut, how many bits must cross there, and what is built that carries them.

One case for each problem of sizes: its bits (`communication.py`), and for a state and for one layer
of attention the cut and its evidence, or why no cut says anything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, final

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
    width: int | None = None  # of a model that is there already

    def __post_init__(self) -> None:
        if not 1 <= self.length <= LONGEST:
            raise BadInput(
                "no length to ask about", seen=self.length, why=f"a length is 1 to {LONGEST:,}"
            )
        most_of = {"bits": MOST_BITS, "symbols": LONGEST, "heads": LONGEST, "width": LONGEST}
        for name, most in most_of.items():
            if (getattr(self, name) or 0) > most:
                raise BadInput(
                    f"too many {name}", seen=getattr(self, name), why=f"at most {most:,}"
                )
        self.needed()  # which refuses what its formula is not for
        Size(heads=self.heads, precision=self.bits)
        if self.width is not None and self.width < 1:
            raise BadInput("a model of no width", seen=self.width, hint="--width 64")

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


def _pointer(asked: Asked) -> Built:
    what = "one head that looks at place i, places numbered by signs"
    return Built(what, None, _digits(asked.length), "as the pointers of circuits-by-steps")


def _binary(asked: Asked) -> Built:
    what = "one head of width 1 that adds up a binary number of n bits"
    return Built(what, 2 * asked.length, None, "built, and its states counted, in state-bits")


def _two_layers(asked: Asked) -> Built:
    """Written out, since building it would load what the rest does without; tested against it.

    The stream has codes of the symbol, of the one before and of the answer, and three flags; a
    match is worth more than all steps back, each of which costs 2, and 20 more.
    """
    width = 3 * _digits(HARD_SYMBOLS) + 3
    scores = (2 * (2 * asked.length + 20)).bit_length()
    what = f"two layers of one head, at every length; scores of {scores} bits"
    return Built(what, None, width, "built, without error, in induction-depth")


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
