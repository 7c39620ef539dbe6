"""A Boolean function with a name: what `boolean:…` stands for on the command line."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from jaxtyping import Float, Integer

from foretell.boolean.expansion import Expansion
from foretell.boolean.formula import Formula
from foretell.boolean.spectrum import MOST_SETS, Spectrum
from foretell.boolean.transform import MOST_BITS, bits_of_table
from foretell.boolean.truth_table import truth_table
from foretell.plain.errors import BadInput


@final
@dataclass(frozen=True)
class TruthTable:
    """The value at every input, entry x for the input whose bit i is `x >> i & 1`.

    >>> TruthTable((0.0, 1.0, 1.0, 0.0))(np.array([[1, 0], [1, 1]])).tolist()
    [1.0, 0.0]
    """

    values: tuple[float, ...]

    def __post_init__(self) -> None:
        bits_of_table(len(self.values))
        if not np.isfinite(self._array).all():
            raise BadInput("the values of a truth table must be finite", seen="nan or inf")

    @cached_property
    def _array(self) -> Float[np.ndarray, " batch"]:
        return np.array(self.values, float)

    @property
    def bits(self) -> int:
        """The number of bits."""
        return bits_of_table(len(self.values))

    def __call__(self, inputs: Integer[np.ndarray, "batch bit"]) -> Float[np.ndarray, " batch"]:
        """The value at each row of bits."""
        return self._array[np.asarray(inputs, np.int64) @ (1 << np.arange(self.bits))]


@final
@dataclass(frozen=True)
class BooleanFunction:
    """A function of `bits` bits, called on rows of them, with the text that names it.

    >>> both = BooleanFunction("x1 and x2", Formula.parse("x1 and x2"))
    >>> both(np.array([[1, 1], [0, 1]])).tolist(), both.spectrum.degree
    ([1.0, 0.0], 2)
    """

    name: str
    source: Expansion | Formula | TruthTable

    @property
    def bits(self) -> int:
        """The number of bits T."""
        return self.source.bits

    def __call__(self, inputs: Integer[np.ndarray, "..."]) -> Float[np.ndarray, " batch"]:
        """The value at each row of bits."""
        rows = np.asarray(inputs)
        if rows.ndim != 2 or rows.shape[1] != self.bits:
            raise BadInput(
                f"{self.name} is asked for inputs of another size",
                seen=f"shape {rows.shape}",
                why=f"it takes rows of {self.bits} bits",
            )
        return self.source(rows)

    @cached_property
    def spectrum(self) -> Spectrum:
        """Its exact spectrum; refused with more bits than the transform can take."""
        if isinstance(self.source, Expansion):
            return Spectrum.of_expansion(self.source)
        if isinstance(self.source, TruthTable):
            return Spectrum.of_truth_table(np.array(self.source.values, float))
        small, named = _on_named_bits(self.source)
        masks = np.zeros_like(small.masks)
        for place, bit in enumerate(named):
            masks |= (small.masks >> place & 1) << bit
        # Named bits ascend, so the masks do.
        return Spectrum(self.bits, masks, small.coefficients, small.tolerance)

    @cached_property
    def expansion(self) -> Expansion | None:
        """As a sum of even-parity indicators, or nothing where that is out of reach.

        It is for formulas that name too many bits, and for functions with too many components.
        """
        if isinstance(self.source, Expansion):
            return self.source
        if isinstance(self.source, TruthTable):
            return self.spectrum.expansion() if self.spectrum.sparsity <= MOST_SETS else None
        if len(self.source.mentioned) > MOST_BITS:
            return None
        small, named = _on_named_bits(self.source)
        if small.sparsity > MOST_SETS:
            return None
        found = small.expansion()
        sets = tuple(tuple(named[place] for place in each) for each in found.sets)
        return Expansion(self.bits, sets, found.coefficients, found.constant)

    def as_json(self) -> dict[str, Any]:
        """What identifies it, and is enough to make it again."""
        if isinstance(self.source, Expansion):
            content: dict[str, Any] = {"expansion": self.source.as_json()}
        elif isinstance(self.source, Formula):
            content = {"formula": str(self.source)}
        else:
            content = {"truth_table": list(self.source.values)}
        return {"name": self.name, "bits": self.bits, **content}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> BooleanFunction:
        """The function that `as_json` describes."""
        try:
            name, bits = str(document["name"]), operator.index(document["bits"])
            return cls(name, source_from_json(document, bits))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise BadInput(
                "that does not describe a Boolean function",
                seen=sorted(document) if isinstance(document, Mapping) else type(document).__name__,
                why=f"{type(error).__name__}: {error}",
                hint="name, bits, and one of expansion, formula, truth_table",
            ) from None


def source_from_json(document: Mapping[str, Any], bits: int) -> Expansion | Formula | TruthTable:
    """The content of a function from the entry of its kind."""
    if "formula" in document:
        return Formula.parse(document["formula"], bits)
    if "truth_table" in document:
        found = TruthTable(tuple(number(value) for value in document["truth_table"]))
        if found.bits != bits:
            raise BadInput(
                "a truth table has another number of bits than it says",
                seen=f"{len(found.values)} entries, bits {bits}",
            )
        return found
    return expansion_from_json(document["expansion"])


def expansion_from_json(document: Mapping[str, Any]) -> Expansion:
    """The expansion that `Expansion.as_json` describes."""
    return Expansion(
        operator.index(document["bits"]),
        tuple(tuple(operator.index(bit) for bit in each) for each in document["sets"]),
        tuple(number(coefficient) for coefficient in document["coefficients"]),
        number(document.get("constant", 0.0)),
    )


def number(value: object) -> float:
    """A number of a JSON document; text that looks like one is not one."""
    if not isinstance(value, int | float):
        raise ValueError(f"{value!r} is not a number")
    return float(value)


def _on_named_bits(formula: Formula) -> tuple[Spectrum, tuple[int, ...]]:
    """The spectrum over the bits that occur, and those: the others are in no component."""
    named = formula.mentioned or (0,)

    def on_named(rows: Integer[np.ndarray, "batch bit"]) -> Float[np.ndarray, " batch"]:
        columns = dict(zip(named, (rows != 0).T, strict=True))
        return formula.tree.value(columns.__getitem__, len(rows)).astype(float)

    return Spectrum.of_truth_table(truth_table(on_named, len(named))), named
