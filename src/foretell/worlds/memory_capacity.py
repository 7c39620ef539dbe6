"""How many associations a memory holds: every number of facts and every seed trained as one.

Fact x is a vector e_x that shall be answered by u_y, and is right if u_y · F(e_x) is the largest of
all. A fleet member is a memory with its own number of facts, which are the first of its seed's
list; the rest is masked, so that one program serves a whole search.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int

from foretell.plain.errors import BadInput
from foretell.worlds import chains

SCORES = 2**34  # bytes that the scores of all members may take
ALMOST_ALL = 0.99
Memory = Callable[[Any, Float[Array, "token width"]], Float[Array, "token width"]]


class Associations(NamedTuple):
    """Facts of one member, or with a leading axis of a fleet.

    Inputs (facts × width), vectors of the answers (labels × width), each fact's answer, and how
    many facts and labels count, from the first.
    """

    inputs: Any
    outputs: Any
    answers: Any
    number: Any
    labels: Any


class Tuning(NamedTuple):
    """How a memory is trained: logits are multiplied by `scale`, Adam walks at `rate`."""

    rate: float
    scale: float
    steps: int


def directions(
    random: np.random.Generator, number: int, width: int
) -> Float[np.ndarray, "token width"]:
    """Points drawn uniformly from the unit sphere."""
    drawn = random.normal(size=(number, width))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


def associations(
    seed: Sequence[int], width: int, most: int, labels: int | None = None
) -> Associations:
    """Facts of one seed: answers all different, or chosen from so many labels."""
    require_memory(width, most)
    random = np.random.default_rng(seed)
    inputs = directions(random, most, width)
    outputs = directions(random, most if labels is None else labels, width)
    answers = np.arange(most) if labels is None else random.integers(0, labels, most)
    return Associations(
        inputs, outputs, answers.astype(np.int32), np.int32(most), np.int32(len(outputs))
    )


def fleet_of_facts(
    facts: Sequence[Associations], rows: Int[np.ndarray, "draw size"]
) -> Associations:
    """A member each seed and number of facts: the members of a seed share its list.

    A member counts only the first so many facts, and, if all answers differ, their answers.
    """
    repeated = jax.tree.map(lambda *each: np.repeat(np.stack(each), rows.shape[1], 0), *facts)
    numbers = rows.ravel().astype(np.int32)
    injective = facts[0].labels == facts[0].number
    return repeated._replace(number=numbers, labels=numbers if injective else repeated.labels)


def require_scores(members: int, facts: int) -> None:
    """A member scores every answer for every fact, and all members train together."""
    what = f"{members} memories of {facts:,} facts each"
    chains.require_memory(4 * members * facts**2, what, SCORES)


def require_memory(width: int, fewest: int) -> None:
    """Two facts and one dimension at least."""
    if fewest < 2 or width < 1:
        raise BadInput(
            "a memory holds two facts or more in one dimension or more",
            seen=f"{fewest} facts, width {width}",
        )


def scores(memory: Memory, weights: Any, facts: Associations) -> Float[Array, "token label"]:
    """What the memory gives every answer that counts, fact by fact."""
    found = memory(weights, facts.inputs) @ facts.outputs.T
    return jnp.where(jnp.arange(found.shape[1]) < facts.labels, found, -jnp.inf)


def share_right(memory: Memory, weights: Any, facts: Associations) -> Float[Array, ""]:
    """Of the facts that count."""
    right = jnp.argmax(scores(memory, weights, facts), axis=1) == facts.answers
    return jnp.sum(right & _counts(facts)) / facts.number


@functools.partial(jax.jit, static_argnames=("memory", "tuning"))
def train(
    memory: Memory, tuning: Tuning, weights: Any, facts: Associations
) -> tuple[Any, Float[Array, " member"]]:
    """Minimise the cross-entropy of all members together; final weights, and shares right.

    A program of its own, and not `descend`, since a search runs it again with other numbers.
    """

    def loss(weights: Any, facts: Associations) -> Float[Array, ""]:
        said = jax.nn.log_softmax(tuning.scale * scores(memory, weights, facts))
        right = jnp.take_along_axis(said, facts.answers[:, None], axis=1)[:, 0]
        return -jnp.sum(jnp.where(_counts(facts), right, 0.0)) / facts.number

    optimizer = optax.adam(tuning.rate)
    slopes = jax.vmap(jax.grad(loss))

    def step(_: Any, state: Any) -> Any:
        weights, moments = state
        change, moments = optimizer.update(slopes(weights, facts), moments)
        return optax.apply_updates(weights, change), moments

    state = (weights, optimizer.init(weights))
    weights = jax.lax.fori_loop(0, tuning.steps, step, state)[0]
    return weights, jax.vmap(lambda *each: share_right(memory, *each))(weights, facts)


def search(
    numbers: Int[np.ndarray, " size"],
    shares_of: Callable[[Int[np.ndarray, " size"]], Float[np.ndarray, " size"]],
) -> float:
    """Facts held: a coarse row of numbers is tried, then a fine one where the share falls."""
    shares = shares_of(numbers)
    finer = refine(numbers, shares, len(numbers))
    return capacity(np.concatenate([numbers, finer]), np.concatenate([shares, shares_of(finer)]))


def refine(
    numbers: Int[np.ndarray, " size"], shares: Float[np.ndarray, " size"], count: int
) -> Int[np.ndarray, " size"]:
    """Numbers to try next: as many, between the last that was held and the first that was not.

    >>> refine(np.array([10, 20, 40, 80]), np.array([1.0, 1.0, 0.5, 0.2]), 3)
    array([24, 28, 34])
    """
    held = int(np.cumprod(shares >= ALMOST_ALL).sum())
    low, high = numbers[max(held - 1, 0)], numbers[min(held, len(numbers) - 1)]
    return np.round(np.geomspace(low, high, count + 2)[1:-1]).astype(int)


def capacity(numbers: Int[np.ndarray, " size"], shares: Float[np.ndarray, " size"]) -> float:
    """Facts at which the share right falls below 99 %, between two numbers tried.

    Not a number if it is below for the fewest, or at 99 % still for the most.

    >>> round(capacity(np.array([10, 40, 20]), np.array([1.0, 0.98, 1.0])), 2)
    28.28
    """
    order = np.argsort(numbers, kind="stable")
    numbers, shares = numbers[order], shares[order]
    held = int(np.cumprod(shares >= ALMOST_ALL).sum())
    if not 0 < held < len(numbers):
        return float("nan")
    part = (shares[held - 1] - ALMOST_ALL) / (shares[held - 1] - shares[held])
    low, high = np.log(numbers[held - 1]), np.log(numbers[held])
    return float(np.exp(low + part * (high - low)))


def fewest_first(held: Mapping[str, float]) -> tuple[str, ...]:
    """Names by number of facts held; those of which nothing is known are left out.

    >>> fewest_first({"trained": 61.0, "Hebb": 7.0, "other": float("nan")})
    ('Hebb', 'trained')
    """
    known = [name for name, number in held.items() if math.isfinite(number)]
    return tuple(sorted(known, key=lambda name: held[name]))


def rounded(number: float) -> float | None:
    """For the store: two digits, or nothing where nothing was found."""
    return round(number, 2) if math.isfinite(number) else None


def _counts(facts: Associations) -> Array:
    return jnp.arange(len(facts.inputs)) < facts.number
