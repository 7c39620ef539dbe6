"""Which floating point numbers to compute in."""

from __future__ import annotations

from contextlib import AbstractContextManager

import jax


def double_precision() -> AbstractContextManager[None]:
    """While it lasts, JAX computes in 64 bits what it is given in 64 bits.

    One place for the spelling, which has moved between versions of JAX.

    >>> import numpy as np
    >>> with double_precision():
    ...     print(jax.numpy.asarray(np.ones(2)).dtype)
    float64
    """
    return jax.enable_x64(True)
