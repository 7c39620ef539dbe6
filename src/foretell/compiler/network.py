"""The intermediate form: a transformer as a list of named steps, which can be executed by itself.

Column 0 of every word is SOS, letters follow at i = 1, 2, …. What the directions hold:

    sos, true, letter x   flags from the token: SOS, any letter, that letter
    place m r…            flag from the position: i mod m is among the residues
    one                   1 / (i + 1); i + 1 is how many tokens are visible
    count …, pick …       a count c, stored as c / (i + 1) (so that averaging can make it)
    op …, at l …          a Boolean, 0 or 1, and always 0 at SOS
    back l …              what a head that looks back l positions brings, before it is tested

Heads here are ideal: one that looks back reads exactly one position. The Limit Transformer that
is made from this form does it by soft attention.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from foretell.compiler.forms import SOS, TRUE, Form


class Gap(StrEnum):
    """How far from its threshold the input of a Heaviside unit stays."""

    COUNT = "count"  # an odd multiple of 1 / (i + 1)
    WHOLE = "whole"  # an odd whole number
    LOOK_BACK = "look back"  # 2·raw − 1 of a head that looks back; at least 5/11


@dataclass(frozen=True)
class Gather:
    """An attention step: the mean of a form over what is visible, or its value `offset` ago."""

    direction: str
    form: Form
    offset: int | None = None

    @property
    def reads(self) -> tuple[str, ...]:
        """Directions it depends on."""
        return self.form.directions


@dataclass(frozen=True)
class Unit:
    """A hidden unit: `weight` times ReLU or Heaviside of `form + bias`, added to a direction.

    With a gap it is a Heaviside unit, 1 where the input is at least 0, without one a ReLU. Where
    several write to one direction they are branches: at most one of them, or a pair ±, is not 0.
    """

    direction: str
    form: Form
    bias: int = 0
    weight: int = 1
    gap: Gap | None = None

    @property
    def reads(self) -> tuple[str, ...]:
        """Directions it depends on."""
        return self.form.directions


Step = Gather | Unit


@dataclass(frozen=True)
class Place:
    """A direction of the positional encoding."""

    direction: str
    modulus: int
    residues: tuple[int, ...]


@dataclass(frozen=True)
class Layer:
    """Attention, then the MLP; both read what was there before they began."""

    gathers: tuple[Gather, ...] = ()
    units: tuple[Unit, ...] = ()

    @property
    def offsets(self) -> tuple[int | None, ...]:
        """One head each: the uniform one first."""
        return tuple(
            sorted({step.offset for step in self.gathers}, key=lambda o: -1 if o is None else o)
        )


@dataclass(frozen=True)
class Network:
    """Where things stand in the residual stream, what each layer adds, what is answered.

    `sizes` says how large each direction gets at most, in magnitude.
    """

    letters: tuple[str, ...]
    directions: tuple[str, ...]
    sizes: tuple[int, ...]
    places: tuple[Place, ...]
    layers: tuple[Layer, ...]
    labels: tuple[str, ...]
    answers: tuple[Form, ...]

    def run(self, words: np.ndarray) -> dict[str, np.ndarray]:
        """Every direction at every position of words of one length, times i + 1: whole numbers.

        `words` holds letter numbers, [word, position]. Multiplied by i + 1 every value is whole,
        ReLU commutes with it, and nothing is ever rounded.
        """
        count, length = words.shape
        seen = np.arange(1, length + 2).astype(object)
        values = _start(self, words, seen)
        for direction in self.directions:
            values.setdefault(direction, np.zeros((count, length + 1), object))
        for layer in self.layers:
            found = [_gather(step, values, seen) for step in layer.gathers]
            for step, extra in zip(layer.gathers, found, strict=True):
                values[step.direction] = values[step.direction] + extra
            sums = [read(unit.form, values) + unit.bias * seen for unit in layer.units]
            for unit, total in zip(layer.units, sums, strict=True):
                extra = np.maximum(total, 0) if unit.gap is None else (total >= 0) * seen
                values[unit.direction] = values[unit.direction] + unit.weight * extra
        return values

    def answer(self, words: np.ndarray) -> np.ndarray:
        """Answer forms times i + 1, [word, position, label]; position 0 is the empty word."""
        values = self.run(words)
        return np.stack([read(form, values) for form in self.answers], axis=-1)


def read(form: Form, values: dict[str, np.ndarray]) -> np.ndarray:
    """The value of a form."""
    shape = next(iter(values.values())).shape
    found = np.zeros(shape, object)
    for name, weight in form.terms:
        found = found + weight * values[name]
    return found


def _start(network: Network, words: np.ndarray, seen: np.ndarray) -> dict[str, np.ndarray]:
    """Token embedding plus positional encoding, times i + 1."""
    count, length = words.shape
    column = np.broadcast_to(np.arange(length + 1), (count, length + 1))
    token = np.concatenate([np.full((count, 1), -1), words], axis=1)
    flags = {SOS: column == 0, TRUE: column > 0}
    flags |= {letter_direction(name): token == at for at, name in enumerate(network.letters)}
    flags |= {p.direction: np.isin(column % p.modulus, p.residues) for p in network.places}
    return {name: flag * seen for name, flag in flags.items() if name in network.directions}


def _gather(step: Gather, values: dict[str, np.ndarray], seen: np.ndarray) -> np.ndarray:
    """One attention step, times i + 1; what it reads is whole even without that factor."""
    plain = read(step.form, values) // seen
    if step.offset is None:
        return np.cumsum(plain, axis=1)
    moved = np.zeros_like(plain)
    if step.offset < plain.shape[1]:
        moved[:, step.offset :] = plain[:, : plain.shape[1] - step.offset]
    return moved * seen


def letter_direction(letter: str) -> str:
    """Name of the direction that flags a letter."""
    return f"letter {letter}"
