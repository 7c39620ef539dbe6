"""One class of fitted functions: what was measured, beside its bound and its construction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.pac_bayes import truncated
from foretell.boolean.bounds.risk_bound import RiskBound, Setting
from foretell.boolean.bounds.terms import Form, sizes_of
from foretell.boolean.outcome import GapAtMost
from foretell.constructions.chain_of_thought import build_chain, said
from foretell.constructions.flat import FlatWeights, build_flat, squared_norm
from foretell.constructions.flat_forward import flat_output
from foretell.core.measurement import Measurement
from foretell.numerics.curvature import gradient_norms
from foretell.numerics.intervals import of_mean, over_seeds
from foretell.protocols._running import stored
from foretell.protocols.gap import VALIDATION
from foretell.reproductions import Line
from foretell.tasks.boolean import BooleanTask
from foretell.theory._boolean import chain_sizes, step_of
from foretell.theory.degree_hardness import hardness
from foretell.training.store import Store

PUBLISHED, ADMISSIBLE = 0.01, 0.5  # sub-Gaussian constants: the paper's; the least not ruled out
DELTA = 0.05
INPUTS = 256  # at which the construction's gradients are taken
QUANTITIES = {
    "gap": "gap",
    "trace": "Hessian trace",
    "squared_norm": "squared norm",
    "train": "training loss",
    "wrong": "wrong answers",
    "training_steps": "training steps",
}
OF_ALL = ("wrong", "training_steps")  # also of models that did not fit


@dataclass(frozen=True)
class Spread:
    """Values of several functions, their mean and its interval."""

    values: tuple[float, ...]
    tried: int | None = None  # inputs behind each, where they are shares

    @property
    def mean(self) -> float:
        """Over functions."""
        return of_mean(self.values)[0]

    @property
    def interval(self) -> tuple[float, float]:
        """95 %; infinite for one function."""
        if self.tried is None or len(self.values) < 2:
            return of_mean(self.values)[1:]
        return over_seeds(self.values, self.tried)[1:]


@dataclass(frozen=True)
class GapClass:
    """All functions of one degree and sparsity, learned one way.

    A chain of thought is in the class of its steps.
    """

    family: FunctionClass
    chained: bool
    lines: tuple[Line, ...]
    measured: tuple[Measurement, ...]
    built_norm: float  # squared norm and trace of the construction, mean over functions
    built_trace: float
    samples: int

    @property
    def label(self) -> str:
        """As in tables."""
        return self.lines[0].label

    @property
    def way(self) -> str:
        """How its functions are answered."""
        return "in steps" if self.chained else "one pass"

    @property
    def is_whole(self) -> bool:
        """True for the parity of all bits in one pass."""
        return not self.chained and self.family.degree == self.family.bits

    @property
    def fitted(self) -> tuple[Measurement, ...]:
        """Those with a model that fitted its training inputs; their values are of such models."""
        return tuple(each for each in self.measured if each.provenance["fitted"])

    @property
    def counts(self) -> tuple[int, int, int]:
        """Models fitted, models trained, models asked for."""
        known = [each.provenance for each in self.measured]
        fitted, trained = (sum(len(each[name]) for each in known) for name in ("fitted", "seeds"))
        return fitted, trained, sum(len(line.asked.seeds) for line in self.lines)

    @property
    def fitted_of(self) -> str:
        """How many models fitted, of how many that were trained; what was not trained said so."""
        fitted, trained, asked = self.counts
        return f"{fitted} of {trained}" + (f", {asked} asked" if trained < asked else "")

    def spread(self, quantity: str) -> Spread | None:
        """Over the functions that were fitted; wrong answers and steps over all of them."""
        name = QUANTITIES[quantity]
        found = tuple(
            one
            for each in (self.measured if quantity in OF_ALL else self.fitted)
            for value in each.values
            if value.probe == name
            for one in value.seeds
        )
        return Spread(found, VALIDATION if quantity == "wrong" else None) if found else None

    def models(self, quantity: str) -> list[tuple[float, bool]]:
        """A quantity of every model, and whether that one fitted."""
        return [
            (one, run in each.provenance["fitted"])
            for each in self.measured
            for value in each.values
            if value.probe == QUANTITIES[quantity]
            for one, run in zip(value.seeds, value.runs, strict=True)
        ]

    def bound(self, constant: float, form: Form) -> RiskBound:
        """Truncated, at the best noise; of a chain the mean over its steps."""
        setting = Setting(samples=self.samples, constant=constant, delta=DELTA)
        corrected = self.chained and form is Form.CORRECTED
        sizes = chain_sizes(self.family.bits) if corrected else sizes_of(self.family, form)
        return truncated(self.family, setting, form, sizes)

    def as_json(self) -> dict[str, Any]:
        """Plain values, function by function."""
        spreads = {name: self.spread(name) for name in QUANTITIES}
        if not spreads["wrong"]:  # a function with more than two values
            del spreads["wrong"]
        return {
            "way": self.way,
            "degree": self.family.degree,
            "sparsity": self.family.sparsity,
            "bits": self.family.bits,
            "models": dict(zip(("fitted", "trained", "asked"), self.counts, strict=True)),
            **{name: list(found.values) if found else [] for name, found in spreads.items()},
            "construction": {"squared_norm": self.built_norm, "trace": self.built_trace},
            "hardness": hardness(self.family),
            "bounds": {
                "published": self.bound(PUBLISHED, Form.PUBLISHED).as_json(),
                "corrected": self.bound(ADMISSIBLE, Form.CORRECTED).as_json(),
            },
            "provenance": [each.provenance for each in self.measured],
        }


def collect_class(lines: Sequence[Line], store: Store) -> GapClass:
    """The class of these lines beside what the store has for them."""
    question = lines[0].asked.question
    task, outcome = question.task, question.outcome
    assert isinstance(task, BooleanTask) and isinstance(outcome, GapAtMost)
    expansion = task.function.expansion
    assert expansion is not None
    built = [_construction(line) for line in lines]
    found = [stored(line.asked, store) for line in lines]
    family = FunctionClass(
        degree=expansion.degree, sparsity=expansion.sparsity, bits=expansion.bits
    )
    return GapClass(
        step_of(task.bits) if task.steps else family,
        task.steps,
        tuple(lines),
        tuple(each for each in found if each is not None),
        float(np.mean([norm for norm, _ in built])),
        float(np.mean([trace for _, trace in built])),
        outcome.samples,
    )


def _construction(line: Line) -> tuple[float, float]:
    """Squared norm, and the Hessian's trace where the loss is 0: twice the squared gradient."""
    task = line.asked.question.task
    assert isinstance(task, BooleanTask) and task.function.expansion is not None
    inputs = np.random.default_rng(0).integers(0, 2, (INPUTS, task.bits))
    if task.steps:
        weights = build_chain(task.bits, ramp="narrow")
        norms = gradient_norms(_step_output, _numbers(weights), _steps(inputs))
    else:
        weights = build_flat(task.function.expansion)
        norms = gradient_norms(flat_output, _numbers(weights), jnp.asarray(inputs))
    return squared_norm(weights), float(2 * norms.total.mean())


def _numbers(weights: FlatWeights) -> FlatWeights:
    return jax.tree.map(lambda leaf: jnp.asarray(leaf, "float32"), weights)


def _step_output(
    weights: FlatWeights, step: tuple[Float[Array, " length"], Int[Array, ""]]
) -> Float[Array, ""]:
    return said(weights, *step)


def _steps(
    inputs: Int[np.ndarray, "batch bit"],
) -> tuple[Float[Array, "batch length"], Int[Array, " batch"]]:
    """Every step of every chain: the context at its end, and the number of the step."""
    count, bits = inputs.shape
    written = np.cumsum(inputs, axis=1)[:, :-1] % 2
    context = np.concatenate([inputs, np.zeros((count, 1), int), written], axis=1)
    numbers = np.tile(np.arange(bits), count)
    return jnp.asarray(context, jnp.float32).repeat(bits, axis=0), jnp.asarray(numbers)
