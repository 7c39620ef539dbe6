"""The Walsh–Hadamard transform: all 2^T correlations of a function with parities at once.

Entry `x` of a table belongs to the input whose bit i is `x >> i & 1`, and entry `m` of a spectrum
to the subset {i : m >> i & 1}. The transform here is not normalised: twice gives 2^T times the
original, and a division by 2^T turns values into ±1-basis coefficients.
"""

from __future__ import annotations

import functools

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Num

from foretell.plain.errors import BadInput

MOST_BITS = 26  # a table and its spectrum in float64 are then 1 GiB
# Levels of butterflies done by one product with a small Hadamard matrix: more would cost more
# arithmetic than they save in passes over memory.
LEVELS_AT_ONCE = 4
BLOCK = 1 << 14  # numbers of one product: they and the result stay in the second-level cache


def check_bits(bits: int) -> None:
    """Refuse a number of bits for which 2^T numbers are too many to hold."""
    if isinstance(bits, bool) or not isinstance(bits, int | np.integer) or bits < 1:
        raise BadInput("a Boolean function needs at least one bit", seen=bits)
    if bits > MOST_BITS:
        raise BadInput(
            f"{bits} bits are too many for the exact transform",
            seen=f"2^{bits} inputs",
            why=f"the table and its spectrum would need {memory_needed(bits)} of memory; "
            f"the exact transform goes up to {MOST_BITS} bits",
            hint="find_degree and find_width, which only ask for values at random inputs; "
            "or give the function as an expansion",
        )


def memory_needed(bits: int) -> str:
    """What a table of float64 values and its spectrum take together, in words.

    >>> memory_needed(30), memory_needed(40)
    ('16 GiB', '16 TiB')
    """
    amount, unit = 2.0 ** (bits + 4), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.3g} {unit}"


def bits_of_table(entries: int) -> int:
    """The number of bits T of a table with 2^T entries."""
    bits = int(entries).bit_length() - 1
    if entries < 2 or entries != 1 << bits:
        raise BadInput(
            "a table of values must have 2, 4, 8, … entries",
            seen=f"{entries} entries",
            why="it lists the value at every input, and T bits have 2^T inputs",
        )
    check_bits(bits)
    return bits


@functools.cache
def _hadamard(levels: int, kind: str) -> Float[np.ndarray, "set batch"]:
    rows = np.arange(1 << levels)
    odd = np.bitwise_count(rows[:, None] & rows) & 1
    matrix = (1 - 2 * odd.astype(np.int8)).astype(kind)
    matrix.flags.writeable = False
    return matrix


def walsh_hadamard(values: np.ndarray) -> Float[np.ndarray, "*batch set"]:
    """Correlations of each row of values (the last axis) with all parities, not normalised.

    float32 stays float32, everything else becomes float64. Besides the copy that is returned,
    only a few blocks of memory are used.

    >>> walsh_hadamard(np.array([1.0, 0.0, 0.0, 1.0])).tolist()
    [2.0, 0.0, 0.0, 2.0]
    """
    table = np.asarray(values)
    if table.ndim == 0 or table.dtype.kind not in "biuf":
        raise BadInput("a table of values must be an array of real numbers", seen=table.dtype)
    bits = bits_of_table(table.shape[-1])
    found = np.array(table, np.float32 if table.dtype == np.float32 else np.float64, order="C")
    flat = found.reshape(-1)
    spare = np.empty(min(BLOCK, flat.size), found.dtype)
    with np.errstate(invalid="ignore", over="ignore"):  # refused below
        for done in range(0, bits, LEVELS_AT_ONCE):
            _some_levels(flat, spare, done, min(LEVELS_AT_ONCE, bits - done))
    # The entry of the empty set is the sum of all values, so one test sees every bad one.
    if not np.isfinite(found[..., 0]).all():
        raise BadInput("a table of values holds numbers that are not finite", seen="nan or inf")
    return found


def _some_levels(
    flat: Float[np.ndarray, " set"], spare: Float[np.ndarray, " size"], done: int, levels: int
) -> None:
    """The butterflies of some index bits, `done` and up, in place."""
    matrix = _hadamard(levels, flat.dtype.str)
    across, stride = 1 << levels, 1 << done
    blocks = flat.reshape(-1, across, stride)
    columns = min(stride, spare.size // across)
    rows = spare.size // (across * columns)
    for first in range(0, len(blocks), rows):
        for column in range(0, stride, columns):
            part = blocks[first : first + rows, :, column : column + columns]
            result = spare[: part.size].reshape(part.shape)
            if stride == 1:  # one product of matrices instead of many with a vector
                np.matmul(part[:, :, 0], matrix, out=result[:, :, 0])
            else:
                np.matmul(matrix, part, out=result)
            part[...] = result


def walsh_hadamard_jax(values: Num[Array, " set"]) -> Float[Array, " set"]:
    """The same for one row of values on the device: to be jitted, and vmapped over rows.

    >>> walsh_hadamard_jax(jnp.array([1.0, 0.0, 0.0, 1.0])).tolist()
    [2.0, 0.0, 0.0, 2.0]
    """
    bits = bits_of_table(values.shape[0])
    found = jnp.asarray(values)
    if not jnp.issubdtype(found.dtype, jnp.floating):
        found = found.astype(jnp.result_type(float))
    for done in range(0, bits, LEVELS_AT_ONCE):
        levels = min(LEVELS_AT_ONCE, bits - done)
        matrix = jnp.asarray(_hadamard(levels, "<f4"), found.dtype)
        # The highest index bits become the lowest; after all of them each is back in its place.
        turned = found.reshape(1 << levels, -1).T
        found = jnp.matmul(turned, matrix, precision="highest").reshape(-1)
    return found


def sizes_of_masks(masks: Int[np.ndarray, " set"]) -> Int[np.ndarray, " set"]:
    """How many bits each subset holds.

    >>> sizes_of_masks(np.array([0, 5, 7])).tolist()
    [0, 2, 3]
    """
    return np.bitwise_count(masks).astype(np.int64)  # it counts in uint8, where 0 - 1 is 255
