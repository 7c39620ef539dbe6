"""Saving and loading states: safetensors for arrays, a small JSON file that points at them.

The arrays are written under a new name first, then the pointer is replaced in one step: a process
killed at any moment leaves a pointer to a whole file.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import jax
import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from foretell.plain.errors import StoreProblem
from foretell.plain.files import write_atomically

Tree = Any
POINTER = "checkpoint.json"


def named_leaves(tree: Tree) -> dict[str, Any]:
    """Every leaf of a tree under its path."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {jax.tree_util.keystr(path, simple=True, separator="."): leaf for path, leaf in leaves}


def named_arrays(tree: Tree) -> dict[str, np.ndarray]:
    """Every array of a tree under its path, on the host."""
    return {name: np.asarray(leaf) for name, leaf in named_leaves(tree).items()}


def fill(tree: Tree, arrays: dict[str, np.ndarray]) -> Tree:
    """The same tree with its arrays replaced by those of the same names, shapes and types."""
    expected = named_leaves(tree)
    wrong = sorted(set(expected) ^ set(arrays)) or [
        name
        for name, leaf in expected.items()
        if (leaf.shape, leaf.dtype) != (arrays[name].shape, arrays[name].dtype)
    ]
    if wrong:
        raise ValueError(f"array {wrong[0]} does not fit")
    structure = jax.tree.structure(tree)
    return jax.tree.unflatten(structure, [arrays[name] for name in expected])


def stack(trees: list[Tree]) -> Tree:
    """One tree with a leading member axis."""
    return jax.tree.map(lambda *leaves: np.stack([np.asarray(leaf) for leaf in leaves]), *trees)


def save_checkpoint(folder: Path, members: list[Tree], notes: dict[str, Any]) -> None:
    """Write the states of all members and the run's bookkeeping; remove what they replace."""
    data = save(named_arrays(stack(members)))
    digest = hashlib.sha256(data).hexdigest()
    arrays = folder / f"checkpoint-{digest[:12]}.safetensors"
    write_atomically(arrays, data)
    pointer = {"arrays": arrays.name, "sha256": digest, "notes": notes}
    write_atomically(folder / POINTER, json.dumps(pointer))
    remove_arrays(folder, keep=arrays)


def remove_arrays(folder: Path, keep: Path | None = None) -> None:
    """Delete arrays that no pointer names, those half-written by a killed process included."""
    for pattern in ("checkpoint-*.safetensors", ".checkpoint-*"):
        for old in folder.glob(pattern):
            if old != keep:
                old.unlink(missing_ok=True)


def load_checkpoint(
    folder: Path, like: Tree, count: int
) -> tuple[list[Tree], dict[str, Any]] | None:
    """The saved states of `count` members and the bookkeeping; nothing if none were saved.

    `like` is one member, or its shapes. A damaged file is refused by name.
    """
    pointer_path = folder / POINTER
    if not pointer_path.exists():
        return None
    try:
        pointer = json.loads(pointer_path.read_text())
        data = (folder / Path(str(pointer["arrays"])).name).read_bytes()
        if hashlib.sha256(data).hexdigest() != pointer["sha256"]:
            raise ValueError("the bytes are not those that were written")
        shapes = jax.tree.map(
            lambda leaf: jax.ShapeDtypeStruct((count, *leaf.shape), leaf.dtype), like
        )
        stacked = fill(shapes, load(data))
        members = [
            jax.tree.map(lambda leaf, i=i: np.asarray(leaf[i]), stacked) for i in range(count)
        ]
        return members, dict(pointer["notes"])
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise StoreProblem(
            "a checkpoint is damaged",
            seen=pointer_path,
            why=str(error).splitlines()[0],
            hint=f"delete {pointer_path} to train this run from the start; other runs are intact",
        ) from None
