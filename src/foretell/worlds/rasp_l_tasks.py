"""Tasks of the RASP-L suite that no catalogue has: counting up, and two with hints.

The rest of the suite are tasks of the house. `suite` says which task, which program, which class.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from foretell.core.task import Fact, Task
from foretell.plain.catalogue import suggest
from foretell.plain.errors import BadInput
from foretell.rasp_l.program import Program
from foretell.rasp_l.programs import PROGRAMS
from foretell.tasks.algorithmic.addition import Addition, add_bits
from foretell.tasks.algorithmic.binary_majority import BinaryMajority
from foretell.tasks.algorithmic.copy_repeat import CopyRepeat
from foretell.tasks.algorithmic.copy_unique import CopyUnique
from foretell.tasks.algorithmic.majority import Majority
from foretell.tasks.algorithmic.parity import Parity
from foretell.tasks.algorithmic.sort import Sort
from foretell.tasks.answering import AnsweringTask
from foretell.tasks.capture.induction_heads import InductionHeads

SHORT, UNKNOWN, MADE_SHORT = "short program", "no short program known", "short with a scratchpad"
Drawn = tuple[
    Int[Array, " length"], Int[Array, ""], Int[Array, " size"], Int[Array, ""]
]  # input, how long, answer, how long


@dataclass(frozen=True)
class Counting(AnsweringTask):
    """From one number to another: the input is two numbers, the size how many are written."""

    name = "count"
    sampler = "first number uniform"
    facts: tuple[Fact, ...] = field(default=(), init=False)

    @property
    def symbols(self) -> tuple[str, ...]:
        """Half as many numbers again as the longest answer, so that it may begin anywhere."""
        return tuple(map(str, range(self.longest + self.longest // 2)))

    def word_length(self, size: int) -> int:
        """First and last."""
        return 2

    def answer_length(self, size: int) -> int:
        """All in between, and both ends."""
        return size

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """Count."""
        first, last = map(int, word)
        return tuple(map(str, range(first, last + 1)))

    def draw_word(self, key: Key[Array, ""], size: Int[Array, ""], width: int) -> Drawn:
        """A start that leaves room."""
        first = jax.random.randint(key, (), 0, len(self.symbols) - size + 1)
        ends = jnp.stack([first, first + size - 1])
        return ends, jnp.full_like(size, 2), first + jnp.arange(width), size


@dataclass(frozen=True)
class ParityWithScratchpad(AnsweringTask):
    """Bits with hints; the answer is every hint again with the parity up to there."""

    name = "parity-with-scratchpad"
    sampler = "bits uniform, first hint uniform"
    facts: tuple[Fact, ...] = field(default=(), init=False)

    @property
    def symbols(self) -> tuple[str, ...]:
        """Two bits and the hints."""
        return ("0", "1", *hints(self.longest))

    def word_length(self, size: int) -> int:
        """A hint and a bit each."""
        return 2 * size

    def answer_length(self, size: int) -> int:
        """A hint and a parity each."""
        return 2 * size

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """Count the ones so far."""
        bits = word[1::2]
        parities = [str(bits[: place + 1].count("1") % 2) for place in range(len(bits))]
        return tuple(symbol for pair in zip(word[::2], parities, strict=True) for symbol in pair)

    def draw_word(self, key: Key[Array, ""], size: Int[Array, ""], width: int) -> Drawn:
        """Hints at even places."""
        for_hint, for_bits = jax.random.split(key)
        room = len(hints(self.longest))
        marks = 2 + jax.random.randint(for_hint, (), 0, room - size + 1) + jnp.arange(width)
        bits = jax.random.randint(for_bits, (width,), 0, 2)
        word = jnp.stack([marks, bits], axis=1).reshape(-1)
        answer = jnp.stack([marks, jnp.cumsum(bits) % 2], axis=1).reshape(-1)
        return word, 2 * size, answer, 2 * size


@dataclass(frozen=True)
class ReverseAdditionWithHints(AnsweringTask):
    """Two numbers of equal length with hints; the sum from its last digit on, with hints.

    Both begin with a 0, so that the sum is as long as they are. Size is how many digits one has.
    """

    name = "reverse-addition-with-hints"
    sampler = "bits uniform behind a leading zero, first hint uniform"
    facts: tuple[Fact, ...] = field(default=(), init=False)

    @property
    def symbols(self) -> tuple[str, ...]:
        """Two bits, the plus sign and the hints."""
        return ("0", "1", "+", *hints(self.longest))

    def word_length(self, size: int) -> int:
        """A hint and a bit for each digit of both, and the plus."""
        return 4 * size + 1

    def answer_length(self, size: int) -> int:
        """A hint and a bit for each digit."""
        return 2 * size

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """Add as whole numbers."""
        cut = word.index("+")
        first, second = word[:cut], word[cut + 1 :]
        total = int("".join(first[1::2]), 2) + int("".join(second[1::2]), 2)
        digits = reversed(f"{total:0{len(first) // 2}b}")
        marks = reversed(first[::2])
        return tuple(symbol for pair in zip(marks, digits, strict=True) for symbol in pair)

    def draw_word(self, key: Key[Array, ""], size: Int[Array, ""], width: int) -> Drawn:
        """Digits by their distance from the last one; then everything is put where it is read."""
        for_hint, for_bits = jax.random.split(key)
        room = len(hints(self.longest))
        first_hint = 3 + jax.random.randint(for_hint, (), 0, room - size + 1)
        place = jnp.arange(width)
        inside = place < size - 1  # the leading digit is 0
        left, right = jax.random.randint(for_bits, (2, width), 0, 2) * inside
        marks = first_hint + place
        turned = jnp.clip(size - 1 - place, 0)  # from the first digit on

        def woven(digits: Int[Array, " size"], order: Int[Array, " size"]) -> Int[Array, " length"]:
            return jnp.stack([marks[order], digits], axis=1).reshape(-1)[:width]

        ahead, behind = woven(left[turned], place), woven(right[turned], place)
        shifted = behind[jnp.clip(place - 2 * size - 1, 0)]
        word = jnp.where(place < 2 * size, ahead, jnp.where(place == 2 * size, 2, shifted))
        return word, 4 * size + 1, woven(add_bits(left, right), turned), 2 * size


def hints(longest: int) -> tuple[str, ...]:
    """Half as many again as are needed, so that they may begin anywhere."""
    return tuple(f"h{number}" for number in range(longest + longest // 2))


class Member(NamedTuple):
    """A task of the suite: what makes it, its program if one is known, and its class."""

    task: type[Task]
    expected: str
    program: str | None

    def build(self, longest: int) -> Task:
        """The task at sizes up to `longest`."""
        return self.task(longest)  # type: ignore[call-arg]

    def solution(self) -> Program | None:
        """Its program, checked and inlined."""
        return None if self.program is None else PROGRAMS[self.program]()


SUITE = {
    "count": Member(Counting, SHORT, "count"),
    "mode": Member(Majority, SHORT, "mode"),
    "unique-copy": Member(CopyUnique, SHORT, "unique-copy"),
    "sort": Member(Sort, SHORT, "sort"),
    "majority": Member(BinaryMajority, SHORT, "majority"),
    "induction": Member(InductionHeads, SHORT, "induction"),
    "parity": Member(Parity, UNKNOWN, None),
    "copy-with-repeats": Member(CopyRepeat, UNKNOWN, None),
    "addition": Member(Addition, UNKNOWN, None),
    "parity-with-scratchpad": Member(ParityWithScratchpad, MADE_SHORT, "parity-with-scratchpad"),
    "reverse-addition-with-hints": Member(
        ReverseAdditionWithHints, MADE_SHORT, "reverse-addition-with-hints"
    ),
}


def member(name: str) -> Member:
    """The task of the suite of that name."""
    if name not in SUITE:
        raise BadInput("no task of the RASP-L suite", seen=name, hint=suggest(name, SUITE))
    return SUITE[name]
