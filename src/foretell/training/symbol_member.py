"""One member that learns labelled templates: pure steps on its own strings, and looks at others.

Real labels are fitted by squared error, symbolic ones by cross-entropy. What a look reports of
symbolic labels is the share of wrong answers; it is chosen by its cross-entropy.

Nothing here knows how many members there are; the fleet maps over them. A neighbour may have more
strings and more tokens: rows beyond a member's own strings have no weight in its loss, and tokens
beyond its own have no score.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Shaped

from foretell.models import symbols
from foretell.models.symbols import Model
from foretell.models.symbols.transformer import SymbolTransformer, identities
from foretell.numerics.keys import key_for, root_key
from foretell.templates.sampling import draw_strings
from foretell.training.member import FITTED, RUNNING, MemberState, guarded
from foretell.training.symbol_plan import SymbolMember, SymbolPlan


class Labelled(NamedTuple):
    """Strings, one a row, with a number each, or the id of a token each."""

    strings: Int[Array | np.ndarray, "*member batch length"]
    labels: Shaped[Array | np.ndarray, "*member batch"]
    weights: Float[Array | np.ndarray, "*member batch"]  # 1, or 0 where a row only fills up


class SymbolData(NamedTuple):
    """What tells one member from another, as arrays."""

    seed: Int[Array, "*member"]
    learning_rate: Float[Array, "*member"]
    samples: Int[Array, "*member"]
    tokens: Int[Array, "*member"]
    steps: Int[Array, "*member"]
    train: Labelled
    seen: Labelled  # other strings of the symbols of training
    validation: Labelled
    test: Labelled


class Best(NamedTuple):
    """What the look with the smallest validation loss showed, and how steady that loss is."""

    chosen_by: Float[Array, "*member"]  # the validation loss that training minimizes
    validation: Float[Array, "*member"]
    test: Float[Array, "*member"]
    seen: Float[Array, "*member"]
    train: Float[Array, "*member"]
    step: Int[Array, "*member"]
    key_query: Float[Array, "*member"]  # size of the multiples of the identity
    value_output: Float[Array, "*member"]
    latest: Float[Array, "*member"]  # validation at the last look, best or not
    calm: Int[Array, "*member"]  # looks in a row at which the loss was tiny


def draw_data(plan: SymbolPlan, member: SymbolMember) -> SymbolData:
    """The strings of a member, by its own settings alone; only those of training have noise."""
    generator = np.random.default_rng([member.seed, 0x7379])
    templates, blocks = plan.templates, plan.blocks(member)
    exact = dataclasses.replace(templates, noise=0.0)

    def drawn(source: Any, count: int, alphabet: np.ndarray, rows: int | None = None) -> Labelled:
        found = draw_strings(source, count, alphabet, generator)
        kind = np.float32 if templates.is_real else np.int32
        number = np.arange(rows or count)
        filled = number % count  # own strings again: what fills up must be read without harm
        return Labelled(
            found.tokens.astype(np.int32)[filled],
            found.labels.astype(kind)[filled],
            (number < count).astype(np.float32),
        )

    return SymbolData(
        jnp.int32(member.seed),
        jnp.float32(member.learning_rate),
        jnp.int32(member.samples),
        jnp.int32(blocks.tokens),
        jnp.int32(member.steps),
        train=drawn(templates, member.samples, blocks.train, plan.rows),
        validation=drawn(exact, plan.held_out, blocks.validation),
        test=drawn(exact, plan.held_out, blocks.test),
        seen=drawn(exact, plan.held_out, blocks.train),
    )


def create(plan: SymbolPlan, data: SymbolData) -> MemberState:
    """A fresh member, decided by its seed alone, and a first look at it."""
    model = symbols.create(plan.shape, key_for(root_key(data.seed), "model"), data.tokens)
    zero = jnp.zeros((), jnp.int32)
    first = look(plan, data, model, cost(model, data.train, data.tokens), zero)
    return MemberState(model, optax.scale_by_adam().init(model), zero, zero, first.train, first)


def cost(model: Model, sample: Labelled, tokens: Int[Array, ""]) -> Float[Array, ""]:
    """What training minimizes: squared error without a factor one half, or cross-entropy."""
    return measured(model, sample, tokens)[0]


def measured(
    model: Model, sample: Labelled, tokens: Int[Array, ""]
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """The cost, and what is reported: squared error again, or the share of wrong answers."""
    strings, labels, weights = map(jnp.asarray, sample)
    said = symbols.apply(model, strings)
    if jnp.issubdtype(labels.dtype, jnp.integer):
        said = jnp.where(jnp.arange(said.shape[1]) < tokens, said, jnp.finfo(said.dtype).min)
        costs = optax.softmax_cross_entropy_with_integer_labels(said, labels)
        return _mean(costs, weights), _mean(said.argmax(axis=1) != labels, weights)
    error = _mean(jnp.square(said[:, 0] - labels), weights)
    return error, error


def _mean(values: Shaped[Array, " batch"], weights: Float[Array, " batch"]) -> Float[Array, ""]:
    return jnp.sum(values * weights) / jnp.sum(weights)


def look(
    plan: SymbolPlan,
    data: SymbolData,
    model: Model,
    train: Float[Array, ""],
    step: Int[Array, ""],
) -> Best:
    """One look: losses on seen and on unseen symbols."""
    chosen_by, validation = measured(model, data.validation, data.tokens)
    nothing = jnp.zeros(())
    sizes = identities(model) if isinstance(model, SymbolTransformer) else (nothing, nothing)
    return Best(
        chosen_by,
        validation,
        measured(model, data.test, data.tokens)[1],
        measured(model, data.seen, data.tokens)[1],
        train,
        step,
        *sizes,
        latest=validation,
        calm=(chosen_by <= plan.tiny).astype(jnp.int32),
    )


def better(before: Best, now: Best) -> Best:
    """The look with the smaller validation loss, the earlier one if they are equal."""
    kept = jax.tree.map(
        lambda new, old: jnp.where(now.chosen_by < before.chosen_by, new, old), now, before
    )
    return kept._replace(latest=now.latest, calm=jnp.where(now.calm > 0, before.calm + 1, 0))


def step(
    plan: SymbolPlan, data: SymbolData, state: MemberState
) -> tuple[MemberState, Float[Array, ""]]:
    """One step of Adam on the next batch of the epoch, or on all strings where they are one."""
    chosen = Labelled(*map(jnp.asarray, data.train))
    if plan.in_batches:
        rows = batch(plan, data, state.step)
        chosen = Labelled(*(part[rows] for part in chosen))
    found, gradient = jax.value_and_grad(cost)(state.model, chosen, data.tokens)
    updates, memory = optax.scale_by_adam().update(gradient, state.optimiser)
    model = jax.tree.map(
        lambda weight, change: weight - data.learning_rate * change, state.model, updates
    )
    return state._replace(model=model, optimiser=memory, step=state.step + 1), found


def batch(plan: SymbolPlan, data: SymbolData, step: Int[Array, ""]) -> Int[Array, " batch"]:
    """Which strings a step sees: each once an epoch, in an order of its own.

    The order is that of random numbers, one a row by the row's own key: rows of a neighbour's
    further strings come last, and do not change it.
    """
    epoch, place = jnp.divmod(step, -(-data.samples // plan.batch))
    key, rows = key_for(root_key(data.seed), "epoch", epoch), jnp.arange(plan.rows)
    drawn = jax.vmap(lambda row: jax.random.uniform(key_for(key, row)))(rows)
    order = jnp.argsort(jnp.where(rows < data.samples, drawn, 2.0))
    return order[(place * plan.batch + jnp.arange(plan.batch)) % data.samples]


def segment(plan: SymbolPlan, data: SymbolData, state: MemberState) -> MemberState:
    """`plan.segment` steps and a look. One that is done stays as it is, one that blows up goes
    back; one that took all its steps is done."""

    def steps(start: MemberState) -> tuple[MemberState, Float[Array, " size"]]:
        end, costs = jax.lax.scan(lambda now, _: step(plan, data, now), start, None, plan.segment)
        now = look(plan, data, end.model, costs[-1], end.step)
        return end._replace(best=better(start.best, now)), costs

    now = guarded(steps, state)
    ended = (now.status == RUNNING) & (now.step >= data.steps)
    return now._replace(status=jnp.where(ended, FITTED, now.status))
