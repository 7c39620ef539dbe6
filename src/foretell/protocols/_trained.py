"""Trained transformers read back: from a run of the store, or from a GPT-2 of somebody else."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int
from safetensors import SafetensorError
from safetensors.numpy import load

from foretell.core.alphabet import PAD
from foretell.core.architecture import KINDS, Architecture
from foretell.core.task import Task
from foretell.models.gpt2 import from_gpt2
from foretell.models.transformer import Transformer
from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput
from foretell.tasks.lookup import task_from_json
from foretell.training.checkpoint import fill

RUN, OTHERS = "weights.safetensors", "model.safetensors"
PROTOCOL = "length"
MOST_EXAMPLES = 512
TOKENS = 4_096  # about as many are read where nothing is known about typical inputs


@dataclass(frozen=True)
class Trained:
    """One model, its name in tables, and the task it was trained on where that is known."""

    name: str
    model: Transformer
    task: Task | None = None
    sizes: tuple[int, int] = (1, 1)  # it was trained on
    ends: tuple[int, ...] = ()  # largest sizes of its tests

    def inputs(
        self,
    ) -> tuple[Int[Array, "batch length"], Int[Array, "batch length"], Bool[Array, "batch length"]]:
        """Tokens, positions at random offsets, and what is no padding: typical, else uniform."""
        key, context = root_key(0), self.model.architecture.context
        if self.task is None:
            shape = (max(1, TOKENS // context), context)
            tokens = jax.random.randint(key_for(key, "tokens"), shape, 0, len(self.model.embedding))
        else:
            legal = jnp.array(self.task.sizes(*self.sizes))
            sizes = jnp.resize(legal, (MOST_EXAMPLES,))
            width = self.task.width(self.sizes[1])
            tokens = self.task.sample(key_for(key, "examples"), sizes, width).tokens
        counted = tokens != PAD if self.task else jnp.ones_like(tokens, bool)
        lengths = counted.sum(axis=1)
        offsets = jax.random.randint(
            key_for(key, "offsets"), lengths.shape, 0, context - lengths + 1
        )
        positions = jnp.arange(tokens.shape[1]) + offsets[:, None]
        return tokens, jnp.minimum(positions, context - 1), counted

    @property
    def reading(self) -> str:
        """One sentence on the inputs."""
        if self.task is None:
            return "uniformly random tokens over the whole context"
        low, high = self.sizes
        return f"typical inputs of {self.task.name}, sizes {low} to {high}, at random offsets"


def read_trained(path: Path, heads: int | None = None) -> tuple[Trained, ...]:
    """The models of a run's folder, one a seed; or a GPT-2, from its file or its folder."""
    file = _file(path)
    arrays = _arrays(file)
    if (file.parent / "settings.json").exists():
        if heads is not None:
            raise BadInput(
                "a run says itself how many heads it has",
                seen=f"--heads {heads} for {path}",
                why="the option is for a GPT-2 without its config.json",
                hint="leave it out",
            )
        return _run_models(file, arrays)
    return (Trained(path.stem, from_gpt2(arrays, heads or _heads(file))),)


def _file(path: Path) -> Path:
    found = [path] if not path.is_dir() else [path / RUN, path / OTHERS]
    for file in found:
        if file.is_file():
            return file
    raise BadInput(
        "there are no weights",
        seen=path,
        why=f"it is no file, and no folder with {RUN} or {OTHERS}",
        hint="the folder of a finished run, foretell-runs/QUESTION/RUN",
    )


def _arrays(file: Path) -> dict[str, np.ndarray]:
    try:
        return load(file.read_bytes())
    except (OSError, SafetensorError, ValueError, TypeError, KeyError) as error:
        why = str(error).splitlines()[0]
        raise BadInput("the weights cannot be read", seen=file, why=why) from None


def _heads(file: Path) -> int:
    """As the `config.json` says that HuggingFace keeps beside a model."""
    try:
        config = json.loads((file.parent / "config.json").read_text(encoding="utf-8"))
        return int(config["n_head"])
    except (OSError, ValueError, KeyError, TypeError):
        raise BadInput(
            "the number of heads is unknown",
            seen=file,
            why="a GPT-2's weights do not say it, and no config.json with n_head is beside them",
            hint="--heads 12",
        ) from None


def _run_models(file: Path, arrays: Mapping[str, np.ndarray]) -> tuple[Trained, ...]:
    question, settings = (
        _json(path)
        for path in (file.parent.parent / "question.json", file.parent / "settings.json")
    )
    try:
        architecture = Architecture(**question["architecture"])
        protocol, plan = settings["protocol"], settings["plan"]
        described = question["task"]
    except (KeyError, TypeError) as error:
        raise BadInput("the run is not whole", seen=file.parent, why=f"{error!r}") from None
    if protocol != PROTOCOL:
        raise BadInput(
            "only runs that train on some sizes and test on others can be looked into",
            seen=f"a run of the protocol {protocol}",
            hint=f"the folder of a run of the protocol {PROTOCOL}",
        )
    if architecture.kind != KINDS[0]:
        raise BadInput(
            "only transformers have heads to look at",
            seen=architecture.label,
            why="a recurrence knows order by reading in order, not by attending",
            hint="a run of a transformer",
        )
    seeds: dict[int, dict[str, np.ndarray]] = {}
    for name, array in arrays.items():
        found = re.fullmatch(r"seed-(\d+)\.(.*)", name)
        if found is None:
            raise BadInput(
                "the weights are not those of a trained transformer",
                seen=f"{name} in {file}",
                hint="the folder of a run that trained",
            )
        seeds.setdefault(int(found[1]), {})[found[2]] = array
    try:
        task, sizes = _task(described), tuple(plan["train"])
        ends = tuple(trial["sizes"][1] for trial in plan["trials"])
    except (KeyError, TypeError, IndexError) as error:
        raise BadInput("the run is not whole", seen=file.parent, why=f"{error!r}") from None
    return tuple(
        Trained(f"seed {seed}", _rebuilt(architecture, own, file), task, sizes, ends)
        for seed, own in sorted(seeds.items())
    )


def _json(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found
    except (OSError, ValueError) as error:
        raise BadInput("the run is not whole", seen=path, why=str(error)) from None


def _task(described: Mapping[str, Any]) -> Task | None:
    """The task of a question, if what describes it still makes the very same."""
    try:
        task = task_from_json(described)
    except BadInput:
        return None
    return task if task.as_json() == described else None


def _rebuilt(architecture: Architecture, arrays: dict[str, np.ndarray], file: Path) -> Transformer:
    try:
        tokens = len(arrays["embedding"])
        labels = len(arrays["unembedding"]) if "unembedding" in arrays else tokens
        shapes = eqx.filter_eval_shape(
            Transformer.create, architecture, tokens, labels, root_key(0)
        )
        model: Transformer = jax.tree.map(jnp.asarray, fill(shapes, arrays))
        return model
    except (KeyError, ValueError) as error:
        raise BadInput("the weights do not fit the run", seen=file, why=str(error)) from None
