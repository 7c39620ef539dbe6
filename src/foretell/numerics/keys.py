"""Random keys derived from a path of names, so that adding a thing never moves another's draws."""

from __future__ import annotations

import hashlib

import jax
from jaxtyping import Array, Int, Key


def root_key(seed: int | Int[Array, ""]) -> Key[Array, ""]:
    """The key at the root of a seed's tree. Threefry: the same bits on every device."""
    return jax.random.key(seed, impl="threefry2x32")


def key_for(root: Key[Array, ""], *path: str | int | Int[Array, ""]) -> Key[Array, ""]:
    """Key at `path` below `root`. Names are hashed, whole numbers (also traced ones) fold in.

    >>> import jax
    >>> a, b = key_for(root_key(0), "train", 3), key_for(root_key(0), "train", 3)
    >>> bool(jax.random.key_data(a)[0] == jax.random.key_data(b)[0])
    True
    """
    for part in path:
        if isinstance(part, str):
            digest = hashlib.blake2s(part.encode(), digest_size=4).digest()
            part = int.from_bytes(digest, "big")
        root = jax.random.fold_in(root, part)
    return root
