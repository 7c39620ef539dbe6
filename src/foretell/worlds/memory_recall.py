"""Facts recalled by one layer with random embeddings: many sizes of it trained as one program.

A context holds a subject, a relation and noise, in any order, then the end, where softmax attention
looks back and a ReLU layer, if there is one, works on what was found. Nothing says where a token
stands, so only counts matter and every token's score is computed once. Members of a fleet differ
in heads, hidden units and subjects; what a member does not have is masked, so all share a shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key

from foretell.numerics.keys import key_for
from foretell.plain.errors import BadInput
from foretell.worlds.descent import Show, Trained, descend

FAINTEST = -60.0  # the logarithm of the least weight, far from the least number there is


class World(NamedTuple):
    """Relations with so many answers each, noise words, and the most subjects of any member."""

    subjects: int
    relations: int
    answers: int
    noise: int
    length: int

    @property
    def tokens(self) -> int:
        """Subjects, relations, noise words and the end, in this order."""
        return self.subjects + self.relations + self.noise + 1


class Sizes(NamedTuple):
    """What a member has, and how fast it learns; with a leading axis those of a fleet."""

    heads: Int[np.ndarray | Array, "..."]
    hidden: Int[np.ndarray | Array, "..."]
    subjects: Int[np.ndarray | Array, "..."]
    rate: Float[np.ndarray | Array, "..."]


class Book(NamedTuple):
    """What is given and never trained: embeddings, vectors of the answers, and the facts.

    `answers` has a row a subject and a column a relation. With a leading axis those of a fleet.
    """

    tokens: Float[np.ndarray | Array, "*member token width"]
    outputs: Float[np.ndarray | Array, "*member label width"]
    answers: Int[np.ndarray | Array, "*member size state"]


class Recall(NamedTuple):
    """Weights of one layer, or with a leading axis of a fleet."""

    query: Float[Array, "*member head width part"]
    key: Float[Array, "*member head width part"]
    value: Float[Array, "*member head width part"]
    output: Float[Array, "*member head part width"]
    first: Float[Array, "*member width hidden"]
    second: Float[Array, "*member hidden width"]


class Context(NamedTuple):
    """A batch: shares of 1 that choose a subject, relations, and counts of the noise words."""

    subject: Float[Array, " batch"]
    relation: Int[Array, " batch"]
    noise: Float[Array, "batch token"]


def require_world(world: World) -> World:
    """Two answers to choose from, and room for a subject, a relation, noise and the end."""
    if min(world.subjects, world.relations, world.noise) < 1 or world.answers < 2:
        raise BadInput(
            "facts need subjects, relations, noise words, and two answers or more a relation",
            seen=world,
        )
    if world.length < 3:
        raise BadInput(
            "the context is too short", seen=world.length, why="subject, relation and end are three"
        )
    return world


def book(world: World, width: int, seed: Sequence[int]) -> Book:
    """Normal embeddings of length near 1, and an answer of its relation for every fact."""
    random = np.random.default_rng(seed)
    labels = world.relations * world.answers

    def vectors(number: int) -> Float[np.ndarray, "token width"]:
        return (random.normal(size=(number, width)) / np.sqrt(width)).astype(np.float32)

    chosen = random.integers(0, world.answers, (world.subjects, world.relations))
    answers = chosen + world.answers * np.arange(world.relations)
    return Book(vectors(world.tokens), vectors(labels), answers.astype(np.int32))


def parameters(
    heads: int | Int[np.ndarray, "..."], hidden: int | Int[np.ndarray, "..."], width: int, part: int
) -> Int[np.ndarray, "..."]:
    """Numbers that are trained: four matrices a head, two of the ReLU layer.

    >>> int(parameters(2, 32, 16, 4))
    1536
    """
    return np.asarray(4 * heads * part * width + 2 * hidden * width)


def create(sizes: Sizes, width: int, part: int, seed: int) -> Recall:
    """Normal weights; heads and hidden units that a member lacks are there and masked."""
    random = np.random.default_rng((seed, 1))
    members, heads, hidden = len(sizes.heads), int(sizes.heads.max()), int(sizes.hidden.max())
    hidden = max(hidden, 1)

    def normal(inputs: int, *shape: int) -> Array:
        drawn = random.normal(size=(members, *shape)) / np.sqrt(inputs)
        return jnp.asarray(drawn.astype(np.float32))

    query, key, value = (normal(width, heads, width, part) for _ in range(3))
    output = normal(part, heads, part, width)
    first, second = normal(width, width, hidden), normal(width, hidden, width)
    return Recall(query, key, value, output, first, second)


def draw(world: World, key: Key[Array, ""], batch: int) -> Context:
    """Contexts that members with any number of subjects can share."""
    noise = jax.random.randint(key_for(key, "noise"), (batch, world.length - 3), 0, world.noise)
    return Context(
        jax.random.uniform(key_for(key, "subject"), (batch,)),
        jax.random.randint(key_for(key, "relation"), (batch,), 0, world.relations),
        jnp.sum(jax.nn.one_hot(noise, world.noise), axis=1),
    )


def counts(world: World, subject: Int[Array, " batch"], context: Context) -> Array:
    """How often every token stands in each context."""
    end = jnp.ones((len(subject), 1))
    named = jax.nn.one_hot(subject, world.subjects)
    related = jax.nn.one_hot(context.relation, world.relations)
    return jnp.concatenate([named, related, context.noise, end], axis=1)


def logits(
    model: Recall, sizes: Sizes, known: Book, found: Float[Array, "batch token"]
) -> Float[Array, "batch label"]:
    """Of every answer, from the counts of each context, by one member."""
    tokens = jnp.asarray(known.tokens)
    heads, hidden = model.query.shape[0], model.first.shape[1]
    asked = tokens[-1] @ model.query
    scores = jnp.einsum("tw,hwp,hp->ht", tokens, model.key, asked) / model.query.shape[-1] ** 0.5
    # The highest score may be that of a word that is not there: no other may vanish beside it.
    weights = jnp.exp(jnp.maximum(scores - jnp.max(scores, axis=1, keepdims=True), FAINTEST))
    has_head = (jnp.arange(heads) < sizes.heads)[:, None, None]
    said = weights[..., None] * (tokens @ model.value @ model.output) * has_head
    stream = jnp.sum((found @ said) / (found @ weights.T).T[..., None], axis=0)
    has_unit = jnp.arange(hidden) < sizes.hidden
    inner = jax.nn.relu(stream @ model.first) * has_unit
    return (stream + inner @ model.second) @ jnp.asarray(known.outputs).T


def judged(
    model: Recall, sizes: Sizes, known: Book, world: World, context: Context
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """One member's loss and share right on a batch."""
    subject = jnp.floor(context.subject * sizes.subjects).astype(int)
    said = logits(model, sizes, known, counts(world, subject, context))
    answers = jnp.asarray(known.answers)[subject, context.relation]
    losses = optax.softmax_cross_entropy_with_integer_labels(said, answers)
    return jnp.mean(losses), jnp.mean(jnp.argmax(said, axis=1) == answers)


def train(
    world: World,
    known: Book,
    sizes: Sizes,
    *,
    width: int,
    part: int,
    batch: int,
    steps: int,
    key: Key[Array, ""],
    seed: int,
    show: Show,
) -> Trained:
    """All members on the same contexts, each at its own rate, which falls as a cosine."""
    members, known = jax.tree.map(jnp.asarray, (sizes, known))
    over = jax.vmap(judged, (0, 0, 0, None, None))

    def loss(weights: Recall, key: Key[Array, ""]) -> Float[Array, ""]:
        return jnp.sum(over(weights, members, known, world, draw(world, key, batch))[0])

    def watch(weights: Recall, key: Key[Array, ""]) -> dict[str, Array]:
        losses, right = over(weights, members, known, world, draw(world, key, 8 * batch))
        return {"loss": losses, "right": right}

    return descend(
        loss,
        create(sizes, width, part, seed),
        _optimizer(members.rate, steps),
        steps=steps,
        key=key,
        watch=watch,
        show=show,
        phase="facts",
    )


def _optimizer(rates: Float[Array, " member"], steps: int) -> optax.GradientTransformation:
    """Adam with a rate for each member; all fall as a cosine after a linear rise."""
    schedule = optax.warmup_cosine_decay_schedule(0.0, -1.0, steps // 10, steps)

    def at_own_rate(change: Recall, _: Recall | None) -> Recall:
        return jax.tree.map(lambda own: jax.vmap(jnp.multiply)(own, rates), change)

    return optax.chain(
        optax.scale_by_adam(), optax.stateless(at_own_rate), optax.scale_by_schedule(schedule)
    )
