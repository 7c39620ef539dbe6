"""Exact match on fixed samples: is every scored position of an example right, and is the last?"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from foretell.core.task import ArrayTree, Example
from foretell.models.attention import HELD, LONG
from foretell.numerics.keys import key_for, root_key
from foretell.training.member import Model, logits_and_targets, offsets
from foretell.training.plan import Plan

SCORES = 2**27  # attention scores a forward pass may hold, so that memory stays below a gigabyte
SCORES_OF_ALL = 2**30  # the same over all members, on an accelerator that runs them together,
POSITIONS_OF_ALL = 2**18  # and positions: enough to fill it
OF_A_POSITION = 512  # what it takes beside the scores, in scores: of a long input that is the most
OF_A_LABEL = 2  # for each label of a scored position, likewise
LARGEST_PIECE = 250


def piece_size(count: int, heads: int, width: int, members: int, logits: int = 0) -> int:
    """How many of `count` examples of that width a forward pass takes at once.

    `members` go at once on an accelerator; `logits` are the labels of all scored positions. Pieces
    make up the count where one nearly as large does: a padded last one is work for nothing.
    """
    most, largest = SCORES, LARGEST_PIECE
    if jax.default_backend() != "cpu":
        most = min(SCORES, SCORES_OF_ALL // members)
        largest = min(LARGEST_PIECE, POSITIONS_OF_ALL // (members * width))
    scores = width * width if width * width < LONG else max(HELD, OF_A_POSITION * width)
    fitting = most // max(heads * scores, OF_A_LABEL * logits)  # whichever is more decides
    fitting = max(1, min(largest, fitting, count))
    whole = next(size for size in range(fitting, 0, -1) if count % size == 0)
    return whole if 2 * whole > fitting else fitting


class TrialSizes(NamedTuple):
    """Legal sizes of one test for one member, padded; `legal` of 0 means the test is skipped."""

    sizes: Int[Array, "*member size"]
    legal: Int[Array, "*member"]


class Samples(NamedTuple):
    """The fixed samples of a trial: their sizes, the examples, and where they start."""

    sizes: Int[Array, "*member batch"]
    example: Example
    shift: Int[Array, "*member batch"]


class Place(NamedTuple):
    """Which samples a test wants, as numbers: one compilation draws every range of a probe."""

    low: Int[Array, ""]
    high: Int[Array, ""]
    shifted: Bool[Array, ""]


class Right(NamedTuple):
    """Which examples are right at every scored position, which at the last, and at what share."""

    everywhere: Bool[Array | np.ndarray, "*member batch"]
    last: Bool[Array | np.ndarray, "*member batch"]
    share: Float[Array | np.ndarray, "*member batch"]


def draw_trial(
    plan: Plan,
    probe: str,
    count: int,
    width: int,
    place: Place,
    seed: Int[Array, ""],
    sizes: TrialSizes,
    tables: ArrayTree,
) -> Samples:
    """The samples of a trial, decided by the seed and the trial alone."""
    task = plan.members[0].task
    key = key_for(root_key(seed), "test", probe, place.low, place.high)
    index = jax.random.randint(key_for(key, "sizes"), (count,), 0, jnp.maximum(sizes.legal, 1))
    drawn = sizes.sizes[index]
    example = task.sample(key_for(key, "examples"), drawn, width, probe, tables)
    shift = offsets(plan, example.tokens, key_for(key, "offsets"))
    return Samples(drawn, example, jnp.where(place.shifted, shift, 0))


def cut(samples: Samples, width: int) -> Samples:
    """The same samples with less padding."""
    tokens, targets, mask, first = samples.example
    example = Example(tokens[..., :width], targets[..., :width], mask[..., :width], first)
    return samples._replace(example=example)


def score(
    label_count: Int[Array, ""], model: Model, samples: Samples, scored: int, piece: int
) -> Right:
    """Which examples are right, `piece` of them at a time."""

    def right(part: Samples) -> Right:
        logits, targets, mask = logits_and_targets(
            model, part.example, part.shift, scored, label_count
        )
        good = (jnp.argmax(logits, axis=-1) == targets) | ~mask
        place = jnp.arange(mask.shape[1])
        last = jnp.max(jnp.where(mask, place, 0), axis=1)
        share = jnp.sum(good & mask, axis=1) / jnp.maximum(jnp.sum(mask, axis=1), 1)
        at_last = jnp.all(good | (place != last[:, None]), axis=1)
        return Right(jnp.all(good, axis=1), at_last, share)

    count = samples.sizes.shape[0]
    pieces = jax.tree.map(lambda own: own.reshape(count // piece, piece, *own.shape[1:]), samples)
    return jax.tree.map(lambda found: found.reshape(count), jax.lax.map(right, pieces))
