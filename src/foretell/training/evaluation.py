"""Exact match on fixed samples: an example counts only if every scored position is right."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

from foretell.core.task import ArrayTree, Example
from foretell.numerics.keys import key_for, root_key
from foretell.training.member import MemberData, Model, logits_and_targets, offsets
from foretell.training.plan import Plan, Trial

SCORES = 2**27  # attention scores a forward pass may hold, so that memory stays below a gigabyte
LARGEST_PIECE = 250


def piece_size(plan: Plan, trial: Trial) -> int:
    """How many examples a forward pass takes at once."""
    width = plan.members[0].task.width(trial.sizes.high)
    fitting = SCORES // (plan.architecture.heads * width * width)
    return max(1, min(LARGEST_PIECE, fitting, trial.count))


class TrialSizes(NamedTuple):
    """Legal sizes of one test for one member, padded; `legal` of 0 means the test is skipped."""

    sizes: Int[Array, "*member size"]
    legal: Int[Array, "*member"]


class Samples(NamedTuple):
    """The fixed samples of a trial: their sizes, the examples, and where they start."""

    sizes: Int[Array, "*member batch"]
    example: Example
    shift: Int[Array, "*member batch"]


def draw_trial(
    plan: Plan, trial: Trial, seed: Int[Array, ""], sizes: TrialSizes, tables: ArrayTree
) -> Samples:
    """The samples of a trial, decided by the seed and the trial alone."""
    task = plan.members[0].task
    key = key_for(root_key(seed), "test", trial.probe, trial.sizes.low, trial.sizes.high)
    piece = piece_size(plan, trial)
    count = -(-trial.count // piece) * piece
    index = jax.random.randint(key_for(key, "sizes"), (count,), 0, jnp.maximum(sizes.legal, 1))
    drawn = sizes.sizes[index]
    width = task.width(trial.sizes.high)
    example = task.sample(key_for(key, "examples"), drawn, width, trial.probe, tables)
    shift = offsets(plan, example.tokens, key_for(key, "offsets"))
    return Samples(drawn, example, shift if trial.shifted else jnp.zeros_like(shift))


def score(
    plan: Plan, trial: Trial, data: MemberData, model: Model, samples: Samples
) -> Bool[Array, " batch"]:
    """Which examples are right at every scored position."""
    scored = plan.members[0].task.scored(trial.sizes.high)

    def piece(part: Samples) -> Bool[Array, " batch"]:
        logits, targets, mask = logits_and_targets(
            model, part.example, part.shift, scored, data.label_count
        )
        return jnp.all((jnp.argmax(logits, axis=-1) == targets) | ~mask, axis=1)

    count, each = samples.sizes.shape[0], piece_size(plan, trial)
    pieces = jax.tree.map(lambda part: part.reshape(count // each, each, *part.shape[1:]), samples)
    return jax.lax.map(piece, pieces).reshape(count)


def guess_from_current_token(seen: Example, asked: Example) -> np.ndarray:
    """Exact match of the best predictor that sees only the current token.

    The floor of every figure: for each token its most frequent target in the in-range test (so
    in range it is fitted to what it is scored on). The seed paper trains an MLP for the same end.
    """
    mask = np.asarray(seen.mask)
    tokens, targets = np.asarray(seen.tokens)[mask], np.asarray(seen.targets)[mask]
    counts = np.zeros((max(tokens.max(), np.asarray(asked.tokens).max()) + 1, targets.max() + 1))
    np.add.at(counts, (tokens, targets), 1)
    guesses = counts.argmax(axis=1)[np.asarray(asked.tokens)]
    right = (guesses == np.asarray(asked.targets)) | ~np.asarray(asked.mask)
    return right.all(axis=1)
