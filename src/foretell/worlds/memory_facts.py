"""Facts "subject, relation: answer" in a noisy context, and linear attention that recalls them."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from foretell.numerics.keys import key_for
from foretell.plain.errors import BadInput

NOISE, LENGTH = 20, 32  # noise words there are; tokens of a context, the end included


class Facts(NamedTuple):
    """All facts: how often each token is in the context, the answer, and its relation's answers."""

    counts: Float[np.ndarray, "batch token"]
    answers: Int[np.ndarray, " batch"]
    of_relation: Float[np.ndarray, "batch label"]


class Attention(NamedTuple):
    """Linear attention over one-hot tokens: how much the end looks, and what is said then."""

    looks: Float[Array, " token"]
    values: Float[Array, "token label"]


def facts_of(subjects: int, relations: int, answers: int) -> Facts:
    """Subject s and relation r have answer rD + ⌊sD/S⌋; noise counts are means."""
    if relations < 2 or answers < 2 or subjects < answers or subjects % answers:
        raise BadInput(
            "every answer needs as many subjects as any other",
            seen=f"{subjects} subjects, {relations} relations, {answers} answers a relation",
            why="the law of answers given the relation would not be uniform",
            hint="subjects a multiple of answers, and at least two answers and two relations",
        )
    subject, relation = np.divmod(np.arange(subjects * relations), relations)
    noise = np.full((len(subject), NOISE), (LENGTH - 3) / NOISE)
    end = np.ones((len(subject), 1))
    counts = [np.eye(subjects)[subject], np.eye(relations)[relation], noise, end]
    of_relation = np.repeat(np.eye(relations)[relation], answers, axis=1)
    chosen = relation * answers + subject * answers // subjects
    return Facts(np.concatenate(counts, axis=1, dtype=np.float32), chosen, of_relation)


def log_chances(model: Attention, counts: Float[Array, "... token"]) -> Float[Array, "... label"]:
    """Of every answer, given the counts of a context."""
    return jax.nn.log_softmax((counts * model.looks) @ model.values)


def stages(model: Attention, facts: Facts) -> dict[str, Float[Array, ""]]:
    """The loss in its two parts, how far the model is from p(answer | relation), and w² - |V|².

    The parts add up to the loss: is it an answer of that relation, and is it the right one then?
    """
    said = log_chances(model, jnp.asarray(facts.counts))
    right = jnp.take_along_axis(said, jnp.asarray(facts.answers)[:, None], axis=1)
    inside = jax.nn.logsumexp(said, axis=1, b=facts.of_relation)
    number = facts.of_relation.sum(axis=1)
    law = -jnp.log(number) - jnp.sum(said * facts.of_relation, axis=1) / number
    balance = jnp.square(model.looks) - jnp.sum(jnp.square(model.values), axis=1)
    return {
        "loss": -jnp.mean(right),
        "relation": -jnp.mean(inside),
        "distance": jnp.mean(law),
        "balance": balance,
        "looks": jnp.max(jnp.abs(model.looks)),
    }


def draw(
    facts: Facts, batch: int, key: Key[Array, ""]
) -> tuple[Float[Array, "batch token"], Int[Array, " batch"]]:
    """Facts chosen at random, each in a context with noise of its own."""
    which, words = key_for(key, "fact"), key_for(key, "noise")
    chosen = jax.random.randint(which, (batch,), 0, len(facts.answers))
    noise = jax.random.randint(words, (batch, LENGTH - 3), 0, NOISE)
    drawn = jnp.sum(jax.nn.one_hot(noise, NOISE), axis=1)
    counts = jnp.asarray(facts.counts)[chosen]
    return counts.at[:, -1 - NOISE : -1].set(drawn), jnp.asarray(facts.answers)[chosen]
