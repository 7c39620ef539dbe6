"""Kernel regression put to the test: train on one alphabet, ask about strings of another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float, Int

from foretell.kernels.duals import Activation
from foretell.kernels.random_features import RandomFeatures, closed, gram
from foretell.kernels.regression import fit
from foretell.kernels.template_draws import Form, checked
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

Strings = Int[np.ndarray, "batch length"]
Kernel = Callable[[Strings], Float[np.ndarray, "batch batch"]]


class Drawn(NamedTuple):
    """Strings and the numbers of their templates."""

    strings: Strings
    template: Int[np.ndarray, " batch"]


@final
@dataclass(frozen=True)
class Unseen:
    """Mean squared error on strings of unseen symbols, on training strings, and the dimension."""

    test: float
    train: float
    effective_dimension: float


def draw_strings(
    templates: Sequence[Form], count: int, alphabet: Int[np.ndarray, " token"], seed: int
) -> Drawn:
    """Strings of templates drawn uniformly; each wildcard gets another symbol of the alphabet."""
    forms = np.array(checked(templates))
    wildcards = -min(int(forms.min()), 0)
    if wildcards > len(alphabet):
        raise BadInput(
            "there are fewer symbols than wildcards",
            seen=f"{len(alphabet)} symbols, wildcards numbered to {wildcards}",
        )
    if np.isin(alphabet, forms).any():
        raise BadInput(
            "the alphabet holds a regular token",
            seen=np.intersect1d(alphabet, forms).tolist(),
            why="a string could then match two templates",
        )
    generator = np.random.default_rng(seed)
    template = generator.integers(len(forms), size=count)
    order = np.argsort(generator.random((count, len(alphabet))), axis=1)[:, :wildcards]
    chosen = forms[template]
    filled = np.take_along_axis(
        np.concatenate([alphabet[order], np.zeros((count, 1), int)], axis=1),
        np.where(chosen < 0, -chosen - 1, wildcards),
        axis=1,
    )
    return Drawn(np.where(chosen < 0, filled, chosen), template)


def unseen_symbols(
    kernel: Kernel,
    templates: Sequence[Form],
    labels: Sequence[float] | Float[np.ndarray, " label"],
    *,
    samples: int,
    ridge: float,
    symbols: int | None = None,
    tests: int = 100,
    seed: int = 0,
) -> Unseen:
    """Fit `samples` strings over an alphabet of `symbols` (as many as samples, if not given).

    Test strings come from an alphabet of as many other symbols, at least 100.
    """
    regular = max(0, *(symbol + 1 for form in templates for symbol in form))
    train_symbols = samples if symbols is None else symbols
    train_alphabet = regular + np.arange(train_symbols)
    test_alphabet = regular + train_symbols + np.arange(max(100, train_symbols))
    train = draw_strings(templates, samples, train_alphabet, seed)
    test = draw_strings(templates, tests, test_alphabet, seed + 1)
    found = kernel(np.concatenate([train.strings, test.strings]))
    wanted = np.asarray(labels, float)
    fitted = fit(found[:samples, :samples], wanted[train.template], ridge)

    def error(drawn: Drawn, cross: Float[np.ndarray, "query batch"]) -> float:
        return float(np.mean((fitted.predict(cross) - wanted[drawn.template]) ** 2))

    return Unseen(
        error(test, found[samples:, :samples]),
        error(train, found[:samples, :samples]),
        fitted.effective_dimension,
    )


def transformer_kernel(kernel: RandomFeatures, *, draws: int, seed: int = 0) -> Kernel:
    """The random-features transformer on strings, a last token added."""
    return lambda strings: gram(kernel, closed(strings), draws=draws, seed=seed).value


def inner_product_kernel(activation: Activation) -> Kernel:
    """A fully connected network on one-hot tokens: it knows in how many places strings agree."""

    def found(strings: Strings) -> Float[np.ndarray, "batch batch"]:
        # Place by place: the array of all pairs and places at once would be large.
        overlap = sum(
            (strings[:, None, place] == strings[None, :, place]).astype(float)
            for place in range(strings.shape[1])
        )
        with double_precision():
            return np.asarray(activation.dual(1.0, 1.0, np.asarray(overlap) / strings.shape[1]))

    return found
