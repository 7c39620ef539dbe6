"""Compiled transformers on disk: a JSON description that names a safetensors file of arrays.

The arrays are written first, under a name made from their content; the description last. So a
process killed at any moment leaves either the old network or the new one, never a mixture.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from foretell.compiler.arrays import as_array
from foretell.compiler.compiling import Compiled
from foretell.compiler.finite import FiniteLayer, FiniteTransformer
from foretell.compiler.precision import TYPES
from foretell.compiler.regularizer import regularizer
from foretell.core.alphabet import Alphabet
from foretell.core.architecture import Architecture
from foretell.crasp.core_form import core_statements
from foretell.crasp.printing import print_program
from foretell.plain.errors import BadInput
from foretell.plain.files import read_text, write_atomically

FORMAT = "foretell compiled transformer 1"
PARTS = ("key_query", "value", "expand", "bias", "contract", "heaviside")
LARGEST_BITS = 64


@dataclass(frozen=True)
class Saved:
    """A network that was loaded, with what its file says about it."""

    model: FiniteTransformer
    alphabet: Alphabet
    labels: tuple[str, ...]
    directions: tuple[str, ...]
    program: str
    description: dict[str, Any]


def save_compiled(path: Path, compiled: Compiled, program: str | None = None) -> Path:
    """Write the description to `path` (`….json`) and the arrays beside it; returns where those are.

    `program` is the text as its author wrote it; without it the core form is kept.
    """
    data = save(named_arrays(compiled.transformer))
    digest = hashlib.sha256(data).hexdigest()
    arrays = path.with_name(f"{path.stem}-{digest[:12]}.safetensors")
    write_atomically(arrays, data)
    text = describe(compiled, program) | {"arrays": arrays.name, "sha256": digest}
    write_atomically(path, json.dumps(text, indent=1, ensure_ascii=False) + "\n")
    return arrays


def describe(compiled: Compiled, program: str | None = None) -> dict[str, Any]:
    """Everything about a compiled network that is not an array, as plain values."""
    core, model = compiled.core, compiled.transformer
    assert compiled.exact is not None
    own = print_program(core.letters, core_statements(core))
    return {
        "format": FORMAT,
        "program": own if program is None else program,
        "letters": list(core.letters),
        "symbols": list(compiled.alphabet.symbols),
        "labels": list(compiled.labels),
        "context": compiled.context,
        "architecture": model.architecture.as_json(),
        "dtype": str(model.embedding.dtype),
        "logit_bits": model.logit_bits,
        "directions": list(compiled.exact.directions),
        "heads": [list(names) for names in model.heads],
        "limit": {
            "layers": len(compiled.limit.layers),
            "heads": compiled.limit.heads,
            "width": compiled.limit.width,
            "period": compiled.limit.period,
        },
        "regularizer": regularizer(model).as_json(),
        "precision": compiled.precision.as_json(),
        "warning": compiled.warning,
    }


def named_arrays(model: FiniteTransformer) -> dict[str, np.ndarray]:
    """Every array of the model under its name."""
    found = {"embedding": model.embedding, "unembedding": model.unembedding}
    if model.positions is not None:
        found["positions"] = model.positions
    for at, layer in enumerate(model.layers):
        found |= {f"layers.{at}.{part}": getattr(layer, part) for part in PARTS}
    return {name: np.asarray(array) for name, array in found.items()}


def load_compiled(path: Path) -> Saved:
    """Read a description and its arrays; anything that does not fit together is bad input."""
    text = read_text(path)
    try:
        described = json.loads(text)
        if not isinstance(described, dict) or described.get("format") != FORMAT:
            raise ValueError(f"it does not say {FORMAT!r}")
        data = path.with_name(Path(str(described["arrays"])).name).read_bytes()
        if hashlib.sha256(data).hexdigest() != described["sha256"]:
            raise ValueError("the arrays are not those that were written")
        return _rebuild(described, load(data))
    except (OSError, ValueError, KeyError, TypeError, RecursionError, SafetensorError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else str(error).split("\n")[0]
        raise BadInput(
            "this is not a compiled transformer that can be loaded",
            seen=path,
            why=why,
            hint="foretell crasp compile FILE makes a new one",
        ) from None


def _rebuild(described: dict[str, Any], arrays: dict[str, np.ndarray]) -> Saved:
    dtype, bits = described["dtype"], described["logit_bits"]
    if dtype not in TYPES or type(bits) is not int or not 0 <= bits <= LARGEST_BITS:
        raise ValueError(f"it computes in {dtype} with {bits} bits")
    architecture = Architecture(**described["architecture"])
    alphabet, labels = Alphabet(_strings(described, "symbols")), _strings(described, "labels")
    heads = [tuple(map(str, names)) for names in described["heads"]]
    _check_shapes(arrays, architecture, alphabet.size, len(labels), heads, dtype)
    numbers = {
        name: jnp.asarray(array) if array.dtype == bool else as_array(array, dtype)
        for name, array in arrays.items()
    }
    layers = tuple(
        FiniteLayer(**{part: numbers[f"layers.{at}.{part}"] for part in PARTS})
        for at in range(len(heads))
    )
    positions: jax.Array | None = numbers.get("positions")
    output = numbers["unembedding"]
    model = FiniteTransformer(
        numbers["embedding"], positions, layers, output, tuple(heads), bits, architecture
    )
    program, directions = str(described["program"]), _strings(described, "directions")
    return Saved(model, alphabet, labels, directions, program, described)


def _strings(described: dict[str, Any], key: str) -> tuple[str, ...]:
    found = described[key]
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise ValueError(f"{key} is not a list of strings")
    return tuple(found)


def _check_shapes(
    arrays: dict[str, np.ndarray],
    architecture: Architecture,
    tokens: int,
    labels: int,
    heads: list[tuple[str, ...]],
    dtype: str,
) -> None:
    """Refuse arrays that are missing, spare, of another shape or type, or not finite."""
    width = architecture.width
    expected: dict[str, tuple[int, ...]] = {
        "embedding": (tokens, width),
        "unembedding": (labels, width),
    }
    if architecture.positional != "nope":
        expected["positions"] = (architecture.context, width)
    for at, names in enumerate(heads):
        hidden = arrays[f"layers.{at}.bias"].shape[0]
        square, unit = (len(names), width, width), (hidden,)
        shapes = [square, square, (hidden, width), unit, (width, hidden), unit]
        expected |= {f"layers.{at}.{part}": s for part, s in zip(PARTS, shapes, strict=True)}
    wrong = sorted(set(expected) ^ set(arrays)) or [
        name for name, shape in expected.items() if arrays[name].shape != shape
    ]
    if wrong or len(heads) != architecture.layers:
        raise ValueError(f"array {wrong[0]} does not fit" if wrong else "layers are missing")
    for name, array in arrays.items():
        own = "bool" if name.endswith("heaviside") else dtype
        if array.dtype != own or not np.isfinite(array).all():
            raise ValueError(f"array {name} holds something else than finite {own} numbers")
