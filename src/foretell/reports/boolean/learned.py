"""What a fitted model makes of its function: its spectrum, where it looks, what noise does to it.

A model is asked as any Boolean function is, so that transform and testers serve both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int8
from safetensors import SafetensorError
from safetensors.numpy import load

from foretell.boolean.asking import Answering, ask
from foretell.boolean.expansion import Expansion
from foretell.boolean.spectrum import Spectrum
from foretell.boolean.testing import QueriedBound
from foretell.boolean.testing_degree import find_degree
from foretell.boolean.testing_width import find_width
from foretell.boolean.truth_table import truth_table
from foretell.models import readout
from foretell.models.readout import Readout
from foretell.numerics.keys import key_for, root_key
from foretell.numerics.perturbation import perturbed_losses, perturbed_traces
from foretell.plain.errors import BadInput
from foretell.tasks.boolean import BooleanTask
from foretell.tasks.lookup import task_from_json
from foretell.training import regression
from foretell.training.checkpoint import fill

USUAL_BITS = 16  # up to here a model is asked for every input without being told to
EXACT_BITS = 20  # up to here at most: a minute a model on two cores
INPUTS = 20_000  # beyond, for so many random ones
LOOKED_AT = 256  # inputs over which attention and sharpness are averaged
OTHERS = 3  # components listed that the function does not have
TOLERANCE = 0.1  # of a tester: a model is never exact; values 0 and 1 are ten of these apart
NOISES = (1e-4, 1e-3, 1e-2)
DRAWS, PRODUCTS = 4, 8
LOSS_DRAWS = 64  # each with both signs, so that what is linear in the noise drops out


@dataclass(frozen=True)
class Component:
    """One parity of the function, as the model has it."""

    bits: tuple[int, ...]
    true: float  # coefficient in the ±1 basis
    learned: float
    row: int  # the position whose first attention looks most at these bits
    share: float  # of its attention that falls on them
    chance: float  # what attention spread evenly would give


@dataclass(frozen=True)
class Noise:
    """What normal noise on all weights does to one model."""

    deviation: float
    change: float  # of the trace, as a share of it: the 90th percentile over draws
    ratio: float  # of the loss added, mean over draws, to half the variance times the trace


@dataclass(frozen=True)
class LearnedModel:
    """One fitted model."""

    seed: int
    components: tuple[Component, ...]
    explained: float  # share of the model's variance in the function's own components
    error: float  # mean squared error on the inputs asked
    attention: Float[np.ndarray, "query key"]  # of the first layer, mean over inputs
    by_degree: tuple[float, ...]  # shares of the variance, from degree 1; empty if not all asked
    others: tuple[tuple[tuple[int, ...], float], ...]  # largest that the function does not have
    tested: tuple[QueriedBound, ...]  # degree and width by queries, where not all are asked
    noise: tuple[Noise, ...]


@dataclass(frozen=True)
class Learned:
    """All models of a run."""

    task: BooleanTask
    models: tuple[LearnedModel, ...]
    inputs: int
    exact: bool

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "task": self.task.name,
            "inputs": self.inputs,
            "all_inputs": self.exact,
            "models": [
                {
                    "seed": model.seed,
                    "explained": model.explained,
                    "error": model.error,
                    "components": [vars(part) for part in model.components],
                    "others": [
                        {"bits": list(bits), "learned": size} for bits, size in model.others
                    ],
                    "variance_by_degree": list(model.by_degree),
                    "tested": [each.as_json() for each in model.tested],
                    "noise": [vars(each) for each in model.noise],
                    "attention": np.round(model.attention, 5).tolist(),
                }
                for model in self.models
            ],
        }


def inspect(folder: Path, exact: bool | None = None) -> Learned:
    """Read a run's models and ask each of them: for all values, if `exact`."""
    task, arrays = _read(folder)
    if task.steps:
        raise BadInput(
            "a chain writes many bits, and this looks at models that say one value",
            seen=task.name,
            hint="a run of the same function in one pass, without `steps`",
        )
    expansion = task.function.expansion
    if expansion is None:
        raise BadInput("the components of this function are not known", seen=task.name)
    if exact and task.bits > EXACT_BITS:
        raise BadInput(
            f"all values are asked up to {EXACT_BITS} bits",
            seen=f"{task.bits} bits",
            hint="--query-only",
        )
    exact = task.bits <= USUAL_BITS if exact is None else exact
    models = _models(task, arrays, folder)
    noise = _noise(task, [model for _, model in models])
    found = tuple(
        _look(seed, model, expansion, exact, own)
        for (seed, model), own in zip(models, noise, strict=True)
    )
    return Learned(task, found, 1 << task.bits if exact else INPUTS, exact)


def asked(model: Readout) -> Answering:
    """A fitted model as a function of bits."""
    return lambda rows: np.asarray(_apply(model, jnp.asarray(rows, jnp.int8)))


_apply = jax.jit(readout.apply)


class Found(NamedTuple):
    """What asking one model gives."""

    learned: Float[np.ndarray, " set"]  # coefficients of the function's own components
    variance: float
    error: float
    by_degree: tuple[float, ...] = ()
    others: tuple[tuple[tuple[int, ...], float], ...] = ()
    tested: tuple[QueriedBound, ...] = ()


def _look(
    seed: int, model: Readout, expansion: Expansion, exact: bool, noise: tuple[Noise, ...]
) -> LearnedModel:
    found = (_transformed if exact else _sampled)(asked(model), expansion)
    rows = _random(LOOKED_AT, expansion.bits)
    attention = np.asarray(readout.attention_rows(model, jnp.asarray(rows))).mean(axis=0)
    return LearnedModel(
        seed,
        _components(expansion, found.learned, attention),
        min(1.0, float((found.learned**2).sum()) / max(found.variance, 1e-12)),
        found.error,
        attention,
        found.by_degree,
        found.others,
        found.tested,
        noise,
    )


def _transformed(model: Answering, expansion: Expansion) -> Found:
    """From all values."""
    spectrum = Spectrum.of_truth_table(truth_table(model, expansion.bits))
    learned = _coefficients(spectrum, expansion)
    halves = np.array(expansion.coefficients) / 2
    mean = expansion.constant + halves.sum()
    rest = max(0.0, spectrum.variance - float(np.sum(learned**2)))
    error = (spectrum.mean - mean) ** 2 + np.sum((learned - halves) ** 2) + rest  # Parseval
    shares = spectrum.weight_by_degree[1:] / max(spectrum.variance, 1e-12)
    listed = spectrum.largest(len(halves) + OTHERS)
    others = tuple(each for each in listed if each[0] not in expansion.sets)[:OTHERS]
    return Found(learned, spectrum.variance, float(error), tuple(map(float, shares)), others)


def _sampled(model: Answering, expansion: Expansion) -> Found:
    """From values at random inputs, and by the testers."""
    rows = _random(INPUTS, expansion.bits)
    said = ask(model, rows)
    signs = 1.0 - 2.0 * ((rows @ expansion.indicator.T) % 2)
    error = float(np.mean(np.square(said - expansion(rows))))
    tested = (
        find_degree(model, expansion.bits, tolerance=TOLERANCE),
        find_width(model, expansion.bits, tolerance=TOLERANCE),
    )
    return Found(signs.T @ said / len(rows), float(said.var()), error, tested=tested)


def _coefficients(spectrum: Spectrum, expansion: Expansion) -> Float[np.ndarray, " set"]:
    """Of the function's own components; 0 where the spectrum has no entry."""
    masks = np.array([sum(1 << bit for bit in each) for each in expansion.sets])
    places = np.minimum(np.searchsorted(spectrum.masks, masks), len(spectrum.masks) - 1)
    return np.where(spectrum.masks[places] == masks, spectrum.coefficients[places], 0.0)


def _components(
    expansion: Expansion,
    learned: Float[np.ndarray, " set"],
    attention: Float[np.ndarray, "query key"],
) -> tuple[Component, ...]:
    """Each component with the row that looks at its bits most."""
    on_sets = attention[:, : expansion.bits] @ expansion.indicator.T
    return tuple(
        Component(
            bits,
            coefficient / 2,
            float(learned[place]),
            int(on_sets[:, place].argmax()),
            float(on_sets[:, place].max()),
            len(bits) / (expansion.bits + 1),
        )
        for place, (bits, coefficient) in enumerate(
            zip(expansion.sets, expansion.coefficients, strict=True)
        )
    )


def _noise(task: BooleanTask, models: list[Readout]) -> list[tuple[Noise, ...]]:
    """All models of a run at once."""
    rows = _random(LOOKED_AT, task.bits)
    sample = regression.Sample(jnp.asarray(rows), jnp.asarray(task.function(rows), jnp.float32))
    members = jax.tree.map(lambda *leaves: jnp.stack(leaves), *models)
    key, deviations = key_for(root_key(0), "noise on learned weights"), jnp.asarray(NOISES)
    error = regression.squared_error
    found = perturbed_traces(
        error, members, sample, key, deviations, DRAWS, method="hutchinson", products=PRODUCTS
    )
    signed = jnp.concatenate([deviations, -deviations])
    losses = perturbed_losses(error, members, sample, key, signed, LOSS_DRAWS)
    trace, loss = (np.asarray(each, float)[:, None] for each in (found.trace, found.loss))
    changes = np.percentile(np.asarray(found.change, float), 90, axis=2) / np.abs(trace)
    both = np.asarray(losses, float).mean(axis=2).reshape(len(models), 2, len(NOISES))
    added = both.mean(axis=1) - loss
    ratios = added / (np.square(NOISES) / 2 * trace)
    return [
        tuple(map(Noise, NOISES, map(float, change), map(float, ratio)))
        for change, ratio in zip(changes, ratios, strict=True)
    ]


def _random(count: int, bits: int) -> Int8[np.ndarray, "batch bit"]:
    return np.random.default_rng(0).integers(0, 2, (count, bits), dtype=np.int8)


def _read(folder: Path) -> tuple[BooleanTask, dict[str, np.ndarray]]:
    try:
        question = json.loads((folder.parent / "question.json").read_text(encoding="utf-8"))
        arrays = load((folder / "weights.safetensors").read_bytes())
        task = task_from_json(question["task"])
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise BadInput(
            "that is not the folder of a finished run",
            seen=folder,
            why=str(error).splitlines()[0],
            hint="foretell-runs/QUESTION/RUN, as `foretell check boolean:…` leaves it",
        ) from None
    if not isinstance(task, BooleanTask):
        raise BadInput(
            "the run is about no Boolean function",
            seen=task.name,
            hint="foretell positions RUN looks at transformers that read sequences",
        )
    return task, arrays


def _models(
    task: BooleanTask, arrays: Mapping[str, np.ndarray], folder: Path
) -> list[tuple[int, Readout]]:
    seeds: dict[int, dict[str, np.ndarray]] = {}
    for name, array in arrays.items():
        found = re.fullmatch(r"seed-(\d+)\.(.*)", name)
        if found:
            seeds.setdefault(int(found[1]), {})[found[2]] = array
    shapes = jax.eval_shape(lambda: readout.create(task.bits, root_key(0)))
    try:
        return [(seed, fill(shapes, own)) for seed, own in sorted(seeds.items())]
    except ValueError as error:
        raise BadInput("the weights do not fit the run", seen=folder, why=str(error)) from None
