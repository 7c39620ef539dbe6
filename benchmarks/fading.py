"""Does attention that fades cost models their longer inputs? Trained models, their logits changed.

`foretell attention` shows that heads lose what they look at as inputs grow. That could be without
consequence. Here finished models of the length protocol are tested again with their logits changed,
and only where a position sees more tokens than any in training did. No weight moves.

    trained with usual logits         times log n / log N      (grown)
    trained with logits times log n   log N in place of log n  (held)

n tokens are seen, at most N in training. In the trained range nothing changes. If fading is what
hurts, growing mends and holding harms. Words are mixed as in training, of the models' own task.

    python benchmarks/fading.py STORE [--words 400] [--only alibi] [--out FILE]

A file that is there is gone on with.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from foretell.core.architecture import KINDS, Architecture, AttentionScale
from foretell.core.task import Task
from foretell.models import transformer
from foretell.models.attention import View
from foretell.numerics.keys import key_for, root_key
from foretell.plain.files import write_atomically
from foretell.protocols._attending import attending
from foretell.protocols._trained import Trained
from foretell.training.member import logits_and_targets
from foretell.training.provenance import describe_machine

PIECE = 50  # words at once


class Changed:
    """Makes views whose logits grow, or cease to grow, beyond `most` tokens."""

    def __init__(self, most: int) -> None:
        self.most = most

    def create(self, architecture: Architecture, *others: Any) -> View:
        """As `View.create`, with another factor where more is seen than in training."""
        view = View.create(architecture, *others)
        assert view.viewers.last is not None  # it is causal
        seen, most = view.viewers.last.astype(jnp.float32) + 1, float(self.most)
        if architecture.attention_scale is AttentionScale.LOG_LENGTH:
            scale = jnp.log(jnp.minimum(seen, most))
        else:
            scale = jnp.maximum(1.0, jnp.log(seen) / np.log(most))
        viewers = view.viewers._replace(scale=scale)
        return eqx.tree_at(lambda own: own.viewers, view, viewers)


@functools.cache
def tester(architecture: Architecture, most: int | None) -> Callable[..., jax.Array]:
    """Share of words right at every letter; traced once for models of one shape, changed or not."""
    del architecture, most  # every way has its own

    @eqx.filter_jit
    def right(model: Any, example: Any, labels: jax.Array) -> jax.Array:
        parts = jax.tree.map(lambda own: own.reshape(-1, PIECE, *own.shape[1:]), example)
        none, width = jnp.zeros(PIECE, jnp.int32), example.tokens.shape[1]

        def one(part: Any) -> jax.Array:
            logits, targets, mask = logits_and_targets(model, part, none, width, labels)
            return jnp.all((jnp.argmax(logits, axis=-1) == targets) | ~mask, axis=1)

        return jnp.mean(jax.lax.map(one, parts).astype(jnp.float32))

    return right


@functools.cache
def drawn(task: Task, low: int, high: int, words: int) -> Any:
    """The same words for everyone who asks."""
    key = key_for(root_key(0), "fading", low, high)
    sizes = jax.random.choice(key_for(key, "sizes"), jnp.array(task.sizes(low, high)), (words,))
    return jax.jit(task.sample, static_argnums=2)(key, sizes, task.width(high))


def scores(
    trained: Trained, ranges: list[list[int]], words: int, most: int | None = None
) -> list[float]:
    """One for each range, with logits changed beyond `most` tokens if that is given."""
    task, model = trained.task, trained.model
    assert task is not None  # `looked` leaves out the others
    right, labels = tester(model.architecture, most), jnp.int32(len(task.labels))
    view = transformer.View if most is None else Changed(most)
    with mock.patch.object(transformer, "View", view):
        return [float(right(model, drawn(task, *own, words), labels)) for own in ranges]


def looked(folder: Path, words: int) -> list[dict[str, Any]]:
    """Every model of a run: what its heads do, and what it scores, unchanged and changed."""
    plan = json.loads((folder / "settings.json").read_text(encoding="utf-8"))["plan"]
    ranges = list({tuple(each["sizes"]): list(each["sizes"]) for each in plan["trials"]}.values())
    found, told = attending(folder), []
    for trained in found.models:
        if trained.task is None:  # it is described in a way that is no longer ours
            continue
        most = trained.task.width(trained.sizes[1])
        usual, changed = (scores(trained, ranges, words, each) for each in (None, most))
        own = [head for head in found.heads if head.model == trained.name]
        back = [head for head in own if head.looks_back]
        told.append(
            {
                "run": folder.name,
                "task": trained.task.name,
                "architecture": trained.model.architecture.label,
                "positional": trained.model.architecture.positional,
                "attention_scale": str(trained.model.architecture.attention_scale),
                "model": trained.name,
                "ranges": ranges,
                "usual": usual,
                "changed": changed,
                "lengths": list(found.lengths),
                "heads": len(own),
                "looking_back": [
                    {
                        "layer": head.layer,
                        "head": head.head,
                        "looks_at": head.looks_at,
                        "shares": list(head.shares),
                        "fixed_logits": list(head.diluted) if head.diluted else None,
                    }
                    for head in back
                ],
            }
        )
    return told


def runs_of(store: Path, positional: str | None) -> list[Path]:
    """Finished runs of transformers whose weights are here, of one encoding if it is named."""
    folders = sorted(path.parent for path in store.glob("*/*/weights.safetensors"))
    shapes = {
        folder: json.loads((folder.parent / "question.json").read_text(encoding="utf-8"))
        for folder in folders
    }
    return [
        folder
        for folder, question in shapes.items()
        if Architecture(**question["architecture"]).kind == KINDS[0]
        and question["outcome"]["name"] == "length-generalizes"
        and positional in (None, question["architecture"]["positional"])
    ]


def summary(models: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Means over the models of each way, tested on the same ranges."""

    def way_of(each: dict[str, Any]) -> tuple[Any, ...]:
        return each["positional"], each["attention_scale"], tuple(map(tuple, each["ranges"]))

    told = []
    for way in sorted(set(map(way_of, models))):
        own = [each for each in models if way_of(each) == way]
        back = [head for each in own for head in each["looking_back"]]

        def mean(entries: list[Any]) -> list[float] | None:
            return np.mean(entries, axis=0).round(4).tolist() if entries else None

        told.append(
            {
                "way": list(way[:2]),
                "ranges": list(way[2]),
                "models": len(own),
                "usual": mean([each["usual"] for each in own]),
                "changed": mean([each["changed"] for each in own]),
                "looking_back": len(back),
                "heads": sum(each["heads"] for each in own),
                "shares": mean([head["shares"] for head in back]),
                "fixed_logits": mean([own for head in back if (own := head["fixed_logits"])]),
            }
        )
    return told


def begun(out: Path | None, words: int) -> list[dict[str, Any]]:
    """The models that a file of earlier has."""
    if out is None or not out.exists():
        return []
    found = json.loads(out.read_text(encoding="utf-8"))
    return list(found["models"]) if found["words"] == words else []


def main() -> None:
    """Every run of the store, then the means of each way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--words", type=int, default=400)
    parser.add_argument("--only", help="this encoding")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    if asked.words % PIECE:
        parser.error(f"words go {PIECE} at a time")
    folders = runs_of(asked.store, asked.only)
    if not folders:
        parser.error(f"no weights of a transformer's length run in {asked.store}")
    models = begun(asked.out, asked.words)
    known = {each["run"] for each in models}
    for place, folder in enumerate(folders, 1):
        if folder.name in known:
            continue
        own = looked(folder, asked.words)
        told = f"{own[0]['task']} {own[0]['architecture']}" if own else "its task is not ours now"
        print(f"{place}/{len(folders)} {folder.name}: {told}", file=sys.stderr)
        models += own
        found = {"words": asked.words, "summary": summary(models), "models": models}
        if asked.out:
            text = json.dumps(found | {"provenance": describe_machine()})
            write_atomically(asked.out, text + "\n")
    print(json.dumps(summary(models), indent=1))


if __name__ == "__main__":
    main()
