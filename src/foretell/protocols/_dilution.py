"""Attention of models that adapted, against size: how thin it spreads, before and after.

Read from the weights that a finished run of capture keeps: those that the small sizes gave, and
those that adapting to the largest size made of them, from the start if that was tried.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load

from foretell.core.architecture import KINDS, Architecture
from foretell.core.task import Task
from foretell.models.attention_looks import look
from foretell.models.transformer import Transformer
from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput, StoreProblem
from foretell.plain.files import write_atomically
from foretell.tasks.graphs import GraphTask
from foretell.tasks.lookup import task_from_json
from foretell.training.checkpoint import fill

WHEN = {"start": "before adapting", "adapted": "after adapting to the largest size"}
SAMPLES = 64


@dataclass(frozen=True)
class Dilution:
    """One layer of one model at one size, at the first scored position, mean over samples.

    Of several heads those that attend most sharply are told: the others may be idle.
    """

    when: str
    seed: int
    size: int
    layer: int
    entropy: float  # in nats, of the sharpest head
    evenly: float  # the entropy of attention that spreads evenly
    spread: float  # of the logits, in the head where it is largest
    largest: float  # share of the most attended position, in the head where it is largest

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def looked(folder: Path) -> tuple[Dilution, ...]:
    """As kept beside the run, or read off its weights and kept; nothing where neither is there.

    Kept, because weights are large and do not travel with results.
    """
    kept, weights = folder / "looks.json", folder / "weights.safetensors"
    if kept.exists():
        try:
            return tuple(Dilution(**each) for each in json.loads(kept.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise StoreProblem(
                "what was read off the weights is damaged",
                seen=kept,
                why=str(error).splitlines()[0],
                hint="delete that file; the run is intact",
            ) from None
    if not weights.exists() or not _attends(_json(folder.parent / "question.json")):
        return ()
    found = dilution(folder)
    write_atomically(kept, json.dumps([each.as_json() for each in found]))
    return found


def dilution(folder: Path, samples: int = SAMPLES) -> tuple[Dilution, ...]:
    """Every model of a finished capture run, at every size of the run."""
    question, plan = _json(folder.parent / "question.json"), _json(folder / "settings.json")["plan"]
    if "sizes" not in plan or "start" not in plan:
        raise BadInput("that is no run of the protocol capture", seen=folder)
    task, architecture = task_from_json(question["task"]), Architecture(**question["architecture"])
    if not _attends(question):
        raise BadInput(
            "attention is looked at in transformers that read tokens",
            seen=f"{task.name}, {architecture.label}",
        )
    found = []
    for (when, seed), arrays in sorted(_models(folder / "weights.safetensors").items()):
        model = _rebuilt(architecture, task, arrays)
        for size in (plan["start"][1], *plan["sizes"]):
            found += _looks(WHEN[when], seed, size, model, task, samples)
    return tuple(found)


def _attends(question: Mapping[str, Any]) -> bool:
    """Is it about a transformer that reads tokens? Others do not attend in every layer."""
    kind = Architecture(**question["architecture"]).kind
    return kind == KINDS[0] and not isinstance(task_from_json(question["task"]), GraphTask)


def _looks(
    when: str, seed: int, size: int, model: Transformer, task: Task, samples: int
) -> list[Dilution]:
    key = key_for(root_key(seed), "dilution", size)
    example = task.sample(key, jnp.full(samples, size), task.width(size))
    positions = jnp.arange(example.tokens.shape[1])[None]
    layers = eqx.filter_jit(look)(model, example.tokens, positions, example.first)
    evenly = float(jnp.log(example.first + 1.0).mean())
    found = []
    for number, layer in enumerate(layers, 1):
        told = layer.entropy, layer.spread, layer.largest
        entropy, spread, largest = (np.asarray(own).mean(axis=0) for own in told)
        values = float(entropy.min()), evenly, float(spread.max()), float(largest.max())
        found.append(Dilution(when, seed, size, number, *values))
    return found


def _models(path: Path) -> dict[tuple[str, int], dict[str, np.ndarray]]:
    try:
        arrays = load(path.read_bytes())
    except (OSError, SafetensorError, ValueError) as error:
        why = str(error).splitlines()[0]
        raise BadInput("the weights cannot be read", seen=path, why=why) from None
    found: dict[tuple[str, int], dict[str, np.ndarray]] = {}
    for name, array in arrays.items():
        when, seed, rest = name.split(".", 2)
        if when not in WHEN:
            raise BadInput("the weights are not those of a capture run", seen=name)
        found.setdefault((when, int(seed.removeprefix("seed-"))), {})[rest] = array
    return found


def _rebuilt(
    architecture: Architecture, task: Task, arrays: Mapping[str, np.ndarray]
) -> Transformer:
    shape = architecture, task.alphabet.size, len(task.labels), root_key(0)
    like = eqx.filter_eval_shape(Transformer.create, *shape)
    try:
        model: Transformer = jax.tree.map(jnp.asarray, fill(like, dict(arrays)))
    except ValueError as error:
        raise BadInput("the weights do not fit the run", seen=str(error)) from None
    return model


def _json(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found
    except (OSError, ValueError) as error:
        raise BadInput("the run is not whole", seen=path, why=str(error)) from None
