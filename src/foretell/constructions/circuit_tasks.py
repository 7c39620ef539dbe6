"""Serial tasks as circuits: a table of any function is wired from gates that choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Bool, Int

from foretell.constructions.circuits import Circuit, Gate
from foretell.plain.errors import BadInput

ADDED, SQUARED = 7, 13  # moduli: sums and squares
POINTS = 5


class Wired(NamedTuple):
    """A circuit, the numbers of its outputs' values, and the answer another way."""

    circuit: Circuit
    outputs: tuple[int, ...]
    oracle: Callable[[Int[np.ndarray, "batch bit"]], Int[np.ndarray, "batch size"]]


@final
class Builder:
    """Gates one after the other; equal gates are made once, and constants cost none."""

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.gates: dict[Gate, int] = {}

    def add(self, kind: str, *sources: int) -> int:
        """The number of the gate's value."""
        gate = Gate(kind, tuple(sorted(sources)))
        return self.gates.setdefault(gate, self.inputs + len(self.gates))

    def constant(self, *, one: bool) -> int:
        """A value that is the same for every input."""
        always = self.add("NAND", 0, self.add("NAND", 0, 0))
        return always if one else self.add("NAND", always, always)

    def choose(self, by: int, if_one: int, if_zero: int) -> int:
        """One of two values."""
        if if_one == if_zero:
            return if_one
        against = self.add("NAND", by, by)
        taken = self.add("NAND", by, if_one), self.add("NAND", against, if_zero)
        return self.add("NAND", *taken)

    def look_up(self, by: Sequence[int], table: Bool[np.ndarray, " set"]) -> int:
        """A function of values, the first the highest digit of a place in its table."""
        if (table == table[0]).all():
            return self.constant(one=bool(table[0]))
        low, high = np.split(table, 2)
        return self.choose(by[0], self.look_up(by[1:], high), self.look_up(by[1:], low))

    def built(self) -> Circuit:
        """The circuit so far."""
        return Circuit(self.inputs, tuple(self.gates))


def digits(numbers: Int[np.ndarray, "..."], bits: int) -> Int[np.ndarray, "... bit"]:
    """In binary, the highest first."""
    return (numbers[..., None] >> np.arange(bits)[::-1]) & 1


def number(bits: Int[np.ndarray, "... bit"]) -> Int[np.ndarray, "..."]:
    """The other way round."""
    return bits @ (1 << np.arange(bits.shape[-1])[::-1])


def modular_addition(terms: int) -> Wired:
    """The sum of numbers of three bits modulo 7."""
    _require("terms", terms)
    builder, places = Builder(3 * terms), np.arange(64)
    sums = digits((places // 8 + places % 8) % ADDED, 3).astype(bool)
    total = [builder.look_up((0, 1, 2), column) for column in sums[:8].T]
    for term in range(1, terms):
        read = [*total, *range(3 * term, 3 * term + 3)]
        total = [builder.look_up(read, column) for column in sums.T]

    def oracle(words: Int[np.ndarray, "batch bit"]) -> Int[np.ndarray, "batch size"]:
        return digits(number(words.reshape(len(words), terms, 3)).sum(axis=1) % ADDED, 3)

    return Wired(builder.built(), tuple(total), oracle)


def iterated_squaring(times: int) -> Wired:
    """x squared again and again modulo 13, x of four bits."""
    _require("squarings", times)
    builder = Builder(4)
    squares = digits(np.arange(16) ** 2 % SQUARED, 4).astype(bool)
    value: list[int] = [0, 1, 2, 3]
    for _ in range(times):
        value = [builder.look_up(value, column) for column in squares.T]

    def oracle(words: Int[np.ndarray, "batch bit"]) -> Int[np.ndarray, "batch size"]:
        powers = [pow(int(each), 2**times, SQUARED) for each in number(words)]
        return digits(np.array(powers), 4)

    return Wired(builder.built(), tuple(value), oracle)


def permutation_product(letters: int) -> Wired:
    """Of permutations of five, a bit each: a swap of two or the cycle. Images are one-hot."""
    _require("letters", letters)
    builder = Builder(letters)
    one, zero = builder.constant(one=True), builder.constant(one=False)
    swap, cycle = np.array([1, 0, 2, 3, 4]), (np.arange(POINTS) + 1) % POINTS
    at = [[one if image == point else zero for image in range(POINTS)] for point in range(POINTS)]
    for letter in range(letters):
        # image i was, before the letter, the image that the letter leads to i
        at = [
            [builder.choose(letter, row[(image - 1) % POINTS], row[swap[image]])
             for image in range(POINTS)]
            for row in at
        ]  # fmt: skip

    def oracle(words: Int[np.ndarray, "batch bit"]) -> Int[np.ndarray, "batch size"]:
        images = np.tile(np.arange(POINTS), (len(words), 1))
        for bit in words.T:
            images = np.where(bit[:, None] == 1, cycle[images], swap[images])
        return np.eye(POINTS, dtype=int)[images].reshape(len(words), -1)

    return Wired(builder.built(), tuple(each for row in at for each in row), oracle)


def _require(what: str, count: int) -> None:
    if count < 1:
        raise BadInput(f"too few {what}", seen=count, hint="at least 1")


SERIAL: dict[str, Callable[[int], Wired]] = {
    "modular addition": modular_addition,
    "iterated squaring": iterated_squaring,
    "permutation product": permutation_product,
}
