"""What a fitted model makes of its function: its components, and where it looks for them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int
from safetensors import SafetensorError
from safetensors.numpy import load

from foretell.boolean.expansion import Expansion
from foretell.boolean.truth_table import every_input
from foretell.models import readout
from foretell.models.readout import Readout
from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput
from foretell.tasks.boolean import BooleanTask
from foretell.tasks.lookup import task_from_json
from foretell.training.checkpoint import fill

EXACT_BITS = 14  # up to here the model is asked for every input
INPUTS = 20_000  # beyond, for so many random ones
LOOKED_AT = 256  # inputs over which attention is averaged
PIECE = 2_048


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
class LearnedModel:
    """One fitted model."""

    seed: int
    components: tuple[Component, ...]
    explained: float  # share of the model's variance in the function's own components
    error: float  # mean squared error on the inputs asked
    attention: Float[np.ndarray, "query key"]  # of the first layer, mean over inputs


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
                    "attention": np.round(model.attention, 5).tolist(),
                }
                for model in self.models
            ],
        }


def inspect(folder: Path) -> Learned:
    """Read a run's models and ask each of them."""
    task, arrays = _read(folder)
    expansion = task.function.expansion
    if expansion is None:
        raise BadInput("the components of this function are not known", seen=task.name)
    exact = task.bits <= EXACT_BITS
    inputs = every_input(task.bits) if exact else _random(task.bits)
    rows = np.asarray(inputs, np.int8)
    models = tuple(
        _look(seed, model, expansion, rows, task) for seed, model in _models(task, arrays, folder)
    )
    return Learned(task, models, len(rows), exact)


def _random(bits: int) -> Int[np.ndarray, "batch bit"]:
    return np.random.default_rng(0).integers(0, 2, (INPUTS, bits))


def _look(
    seed: int, model: Readout, expansion: Expansion, rows: np.ndarray, task: BooleanTask
) -> LearnedModel:
    pieces = [
        np.asarray(_apply(model, jnp.asarray(rows[first : first + PIECE])))
        for first in range(0, len(rows), PIECE)
    ]
    said = np.concatenate(pieces).astype(float)
    signs = 1.0 - 2.0 * ((rows @ expansion.indicator.T) % 2)
    learned = signs.T @ said / len(rows)
    attention = np.asarray(readout.attention_rows(model, jnp.asarray(rows[:LOOKED_AT]))).mean(
        axis=0
    )
    on_sets = attention[:, : expansion.bits] @ expansion.indicator.T
    components = tuple(
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
    spread = max(float(said.var()), 1e-12)
    error = float(np.mean(np.square(said - task.function(rows))))
    return LearnedModel(
        seed, components, min(1.0, float((learned**2).sum()) / spread), error, attention
    )


_apply = jax.jit(readout.apply)


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
