"""What a report says about the spectrum of a function: exact where it can be, tested elsewhere."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, final

import numpy as np

from foretell.boolean.expansion import Expansion
from foretell.boolean.formula import Formula
from foretell.boolean.function import BooleanFunction
from foretell.boolean.spectrum import Spectrum
from foretell.boolean.testing import QueriedBound
from foretell.boolean.testing_degree import find_degree
from foretell.boolean.testing_width import find_width
from foretell.boolean.transform import MOST_BITS, memory_needed
from foretell.boolean.truth_table import truth_table

TRANSFORMED = 20  # bits up to which a function given by its components is transformed all the same
MOST_SHOWN = 12  # components that are listed

Component = tuple[tuple[int, ...], float]


@final
@dataclass(frozen=True)
class KnownSpectrum:
    """An exact spectrum in numbers, coefficients in the ±1 basis."""

    how: str
    degree: int
    sparsity: int
    mean: float
    variance: float
    total_influence: float
    weight_by_degree: tuple[float, ...]
    influences: tuple[float, ...]
    largest: tuple[Component, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain values; bits are numbered from 0."""
        largest = [{"set": list(chosen), "coefficient": size} for chosen, size in self.largest]
        return asdict(self) | {"largest": largest}


@final
@dataclass(frozen=True)
class Queried:
    """Degree and width found by asking for values only, and why they were looked for."""

    why: str
    degree: QueriedBound
    width: QueriedBound

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"why": self.why, "degree": self.degree.as_json(), "width": self.width.as_json()}


def known_spectrum(function: BooleanFunction) -> KnownSpectrum | None:
    """The exact spectrum, or nothing if the function is a formula of too many bits."""
    source = function.source
    if isinstance(source, Formula):
        if len(source.mentioned) > MOST_BITS:
            return None
        named = len(source.mentioned)
        how = f"all 2^{max(named, 1)} values of the bits it names, transformed"
        return _of_spectrum(function.spectrum, how)
    if isinstance(source, Expansion):
        return _of_components(source)
    return _of_spectrum(function.spectrum, f"all 2^{function.bits} values, transformed")


def query(function: BooleanFunction, seed: int = 0) -> Queried:
    """What the query-only testers find."""
    return Queried(
        transform_needs(function.bits),
        find_degree(function, function.bits, seed=seed),
        find_width(function, function.bits, seed=seed),
    )


def beyond_transform(bits: int) -> bool:
    """True if all values are too many to hold."""
    return bits > MOST_BITS


def transform_needs(bits: int) -> str:
    """What the exact transform would cost, as a sentence.

    >>> transform_needs(40)
    'The exact transform of 2^40 values would need 16 TiB of memory; it goes up to 26 bits.'
    """
    need = f"The exact transform of 2^{bits} values would need {_memory(bits)} of memory"
    if beyond_transform(bits):
        return f"{need}; it goes up to {MOST_BITS} bits."
    return f"{need} and was left out as asked."


def _memory(bits: int) -> str:
    if bits > 70:  # beyond all units
        return f"about 10^{math.floor((bits + 4) * math.log10(2))} bytes"
    return memory_needed(bits)


def _of_spectrum(spectrum: Spectrum, how: str) -> KnownSpectrum:
    return KnownSpectrum(
        how=how,
        degree=spectrum.degree,
        sparsity=spectrum.sparsity,
        mean=spectrum.mean,
        variance=spectrum.variance,
        total_influence=spectrum.total_influence,
        weight_by_degree=tuple(map(float, spectrum.weight_by_degree)),
        influences=tuple(map(float, spectrum.influences)),
        largest=spectrum.largest(MOST_SHOWN),
    )


def _of_components(expansion: Expansion) -> KnownSpectrum:
    """Where the components are given, there is something to compare a transform with."""
    given = _read_off(expansion)
    if expansion.bits > TRANSFORMED:
        return given
    spectrum = Spectrum.of_truth_table(truth_table(expansion, expansion.bits))
    off = _largest_difference(spectrum, expansion)
    how = (
        f"all 2^{expansion.bits} values, transformed; the components found are the ones given, "
        f"up to {off:.0e}"
    )
    return _of_spectrum(spectrum, how)


def _largest_difference(spectrum: Spectrum, expansion: Expansion) -> float:
    """How far any coefficient is from half of the one given, or the mean from its own."""
    masks = np.array([0, *(sum(1 << bit for bit in each) for each in expansion.sets)])
    halves = np.array([0.0, *expansion.coefficients]) / 2
    halves[0] = expansion.constant + halves.sum()
    both = np.concatenate([spectrum.masks, masks])
    _, places = np.unique(both, return_inverse=True)
    signed = np.concatenate([spectrum.coefficients, -halves])
    return float(np.abs(np.bincount(places, signed)).max())


def _read_off(expansion: Expansion) -> KnownSpectrum:
    """From the components themselves, for any number of bits."""
    halves = np.array(expansion.coefficients, float) / 2
    squares = np.square(halves)
    sizes = np.array([len(each) for each in expansion.sets], np.int64)
    mean = expansion.constant + math.fsum(halves)
    weights = np.bincount(sizes, squares, minlength=expansion.bits + 1)
    weights[0] = mean * mean
    order = np.argsort(-np.abs(halves), kind="stable")[:MOST_SHOWN]
    return KnownSpectrum(
        how="read off the components that define the function",
        degree=expansion.degree,
        sparsity=expansion.sparsity,
        mean=mean,
        variance=float(squares.sum()),
        total_influence=float(squares @ sizes),
        weight_by_degree=tuple(map(float, weights)),
        influences=tuple(map(float, squares @ expansion.indicator)),
        largest=tuple((expansion.sets[place], float(halves[place])) for place in order),
    )
