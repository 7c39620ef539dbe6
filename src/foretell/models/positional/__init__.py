"""How a transformer knows where a token stands: one file per encoding, the folder is the registry.

An encoding acts through at most three hooks, each of which does nothing unless overridden:

    embed    adds to the token embeddings                 (learned absolute, sinusoidal)
    rotate   turns queries and keys before they meet      (rotary)
    bias     adds to the attention logits                 (ALiBi, T5)

To add one, write `models/positional/<name>.py` with one public subclass of `Positional`, named
after the file, and a docstring with the sections What, Definition, Example, Known limits, Sources.
"""

from __future__ import annotations

import functools
from typing import ClassVar

import equinox as eqx
from jaxtyping import Array, Float, Float32, Int, Key

from foretell.core.architecture import Architecture
from foretell.plain.catalogue import entries, find, suggest
from foretell.plain.errors import BadInput


class Positional(eqx.Module):
    """Base of all encodings. Positions are whole numbers from 0 and may start at an offset.

    Positions may have a single row where the whole batch shares them. Array fields are trained,
    so constants are computed where they are used. `random_offsets` says that training must shift
    positions by random amounts, because the encoding knows only the positions it has met.
    """

    random_offsets: ClassVar[bool] = False

    @classmethod
    def create(cls, architecture: Architecture, key: Key[Array, ""]) -> Positional:
        """Fresh parameters for this architecture. The default has none."""
        del architecture, key
        return cls()

    def embed(
        self, positions: Int[Array, "#batch length"]
    ) -> Float32[Array, "#batch length width"] | None:
        """What is added to the token embeddings."""
        del positions
        return None

    def rotate(
        self,
        vectors: Float[Array, "batch length head part"],
        positions: Int[Array, "#batch length"],
    ) -> Float[Array, "batch length head part"]:
        """What replaces queries and keys, head by head."""
        del positions
        return vectors

    def bias(
        self, query_positions: Int[Array, "#batch query"], key_positions: Int[Array, "#batch key"]
    ) -> Float32[Array, "#batch head query key"] | None:
        """What is added to the attention logits; keys after their query are hidden anyway."""
        del query_positions, key_positions
        return None


def names() -> tuple[str, ...]:
    """Every encoding in this folder, as one writes it on the command line."""
    return tuple(entry.name for entry in entries("positionals"))


@functools.cache  # finding a class reads every file of the folder
def load(name: str) -> type[Positional]:
    """The class of the encoding called `name`.

    >>> load("ape").random_offsets
    True
    """
    known, name = names(), name.replace("_", "-")
    if name not in known:
        raise BadInput(
            "unknown positional encoding",
            seen=name,
            why=f"the encodings are {', '.join(known)}",
            hint=suggest(name, known) or known[0],
        )
    encoding: type[Positional] = find(name, ("positionals",)).load()
    return encoding
