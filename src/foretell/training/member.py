"""One member of a fleet: a pure training step and everything it carries from step to step.

Nothing here knows how many members there are; the fleet maps over them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, Key

from foretell.compiler.finite import FiniteTransformer
from foretell.core.alphabet import PAD
from foretell.core.task import ArrayTree, Example, Task
from foretell.models.attention import has_kernel
from foretell.models.position_products import PENALTIES
from foretell.models.positional import load as load_positional
from foretell.models.sequence_model import Model as Trained
from foretell.models.sequence_model import create_model
from foretell.models.transformer import Transformer
from foretell.numerics.keys import key_for, root_key
from foretell.training.accumulating import bytes_of_row, cost_and_gradient, pieces_for
from foretell.training.packing import Room, Rows, aligned, alone, antithetic, pack
from foretell.training.plan import Plan

Model = Trained | FiniteTransformer  # or built by the compiler
DRAWN_AT_ONCE = (10, 5, 2, 1)  # steps whose batches are drawn together, the first that fits
RUNNING, FITTED, DIVERGED = 0, 1, 2  # what a member's `status` says


class MemberData(NamedTuple):
    """What tells one member from another, as arrays."""

    seed: Int[Array, "*member"]
    learning_rate: Float[Array, "*member"]
    sizes: Int[Array, "*member size"]  # what training sizes are drawn from, padded
    size_count: Int[Array, "*member"]
    label_count: Int[Array, "*member"]  # a neighbour may have more labels than this member
    tables: ArrayTree


class MemberState(NamedTuple):
    """What changes while training."""

    model: Any  # what is trained: a model of sequences here, other models in other fleets
    optimiser: optax.OptState
    step: Int[Array, "*member"]
    status: Int[Array, "*member"]
    loss: Float[Array, "*member"]  # mean over the last segment
    best: Any = ()  # what was seen at the best moment so far, in fleets that choose one


def create(plan: Plan, tokens: int, labels: int, data: MemberData) -> MemberState:
    """A fresh member, decided by its seed alone."""
    key = key_for(root_key(data.seed), "model")
    model = create_model(plan.architecture, tokens, labels, key)
    zero = jnp.zeros((), jnp.int32)
    return MemberState(model, optimiser(plan).init(model), zero, zero, jnp.zeros(()))


def own_rows(model: Model, task: Task) -> Model:
    """The model without rows for tokens and labels that only its neighbours in a fleet have."""
    if isinstance(model, FiniteTransformer):
        return model
    tables = model.embedding[: task.alphabet.size], model.unembedding
    if tables[1] is not None:
        tables = tables[0], tables[1][: len(task.labels)]
    return eqx.tree_at(
        lambda m: (m.embedding, m.unembedding), model, tables, is_leaf=lambda leaf: leaf is None
    )


def optimiser(plan: Plan) -> optax.GradientTransformation:
    """AdamW without its learning rate, which differs between members and is applied by `step`."""
    return optax.chain(
        optax.clip_by_global_norm(plan.clip),
        optax.scale_by_adam(),
        optax.add_decayed_weights(
            plan.weight_decay, mask=lambda model: jax.tree.map(lambda leaf: leaf.ndim >= 2, model)
        ),
    )


def learning_rate(plan: Plan, peak: Float[Array, ""], step: Int[Array, ""]) -> Float[Array, ""]:
    """Linear warm-up to the peak (the first step already moves), then linear decay to zero."""
    rise = (step + 1.0) / max(plan.warmup, 1)
    if plan.until is not None:
        return peak * jnp.minimum(1.0, rise)
    fall = (plan.steps - step) / max(plan.steps - plan.warmup, 1)
    return peak * jnp.minimum(1.0, jnp.minimum(rise, fall))


def room_for(plan: Plan) -> Room:
    """What a row of any member's batch may take."""
    return Room.of((each.task, plan.training_sizes(each.task)) for each in plan.members)


def draw_batch(plan: Plan, room: Room, data: MemberData, step: Int[Array, ""]) -> Rows:
    """The training batch of a step: sizes drawn from those of the plan."""
    task = plan.members[0].task
    key = key_for(root_key(data.seed), "train", step + plan.steps_before)
    index = antithetic(key_for(key, "sizes"), plan.batch, data.size_count)
    width = task.width(plan.train.high)
    one_to_a_row = alone_in_a_row(plan)
    width = aligned(width) if one_to_a_row else width
    example = task.sample(key_for(key, "examples"), data.sizes[index], width, tables=data.tables)
    shift = offsets(plan, example.tokens, key_for(key, "offsets"))
    if one_to_a_row:
        return alone(example, shift, task.scored(plan.train.high))
    return pack(example, shift, room)


def alone_in_a_row(plan: Plan) -> bool:
    """Is a row one example? Where all are equally long or every second one is the longest, so that
    two in a row gain nothing, and where the device's kernel for long inputs attends, which knows no
    second one."""
    width = aligned(plan.members[0].task.width(plan.train.high))
    return plan.one_size or plan.half_largest or has_kernel(plan.architecture, width)


def offsets(plan: Plan, tokens: Int[Array, "batch length"], key: Key[Array, ""]) -> Array:
    """Random shifts of the positions, so that every position a test needs has been trained."""
    lengths = jnp.sum(tokens != PAD, axis=1)
    if not load_positional(plan.architecture.positional).random_offsets:
        return jnp.zeros_like(lengths)
    return jax.random.randint(key, lengths.shape, 0, plan.architecture.context - lengths + 1)


def logits_and_targets(
    model: Model,
    example: Example,
    shift: Int[Array, " batch"],
    scored: int,
    label_count: Int[Array, ""],
) -> tuple[Float[Array, "batch query label"], Int[Array, "batch query"], Array]:
    """Logits, targets and mask at the scored positions only: the rest carries no loss.

    Labels that only a neighbour in the fleet has cannot be predicted. Shifts are for encodings that
    know only the positions they have met; with all others every example has the same positions.
    """
    width = example.tokens.shape[1]
    positions = jnp.arange(width)[None]
    if load_positional(model.architecture.positional).random_offsets:
        positions = positions + shift[:, None]
    positions = jnp.minimum(positions, model.architecture.context - 1)  # only padding is cut
    if scored >= width:
        logits = _own_labels(model(example.tokens, positions), label_count)
        return logits, example.targets, example.mask
    queries = jnp.minimum(example.first[:, None] + jnp.arange(scored), width - 1)
    logits = _own_labels(model(example.tokens, positions, queries), label_count)
    targets = jnp.take_along_axis(example.targets, queries, axis=1)
    # a clipped query repeats the last position; count it once
    inside = example.first[:, None] + jnp.arange(scored) < width
    return logits, targets, jnp.take_along_axis(example.mask, queries, axis=1) & inside


def _own_labels(
    logits: Float[Array, "batch query label"], label_count: Int[Array, ""]
) -> Float[Array, "batch query label"]:
    own = jnp.arange(logits.shape[-1]) < label_count
    return jnp.where(own, logits, jnp.finfo(logits.dtype).min)


def loss(
    model: Trained,
    rows: Rows,
    label_count: Int[Array, ""],
    counted: Int[Array, ""] | None = None,
) -> Float[Array, ""]:
    """Mean cross-entropy over the scored positions of a batch.

    Of a piece of one, its share of that: `counted` is how many positions the batch scores.
    """
    last = model.architecture.context - 1
    positions = jnp.minimum(rows.positions, last)  # only padding is cut
    logits = _own_labels(model(rows.tokens, positions, rows.queries, rows.starts), label_count)
    costs = optax.softmax_cross_entropy_with_integer_labels(logits, rows.targets)
    counted = jnp.sum(rows.mask) if counted is None else counted
    return jnp.sum(costs * rows.mask) / jnp.maximum(counted, 1)


def pieces_of(plan: Plan, model: Trained, rows: Rows) -> int:
    """Into how many pieces a step cuts its batch, by the shapes of both."""
    (count, length), scored = rows.tokens.shape, rows.targets.shape[1]
    table = model.embedding if model.unembedding is None else model.unembedding
    return pieces_for(plan, count, bytes_of_row(model.architecture, length, scored, len(table)))


def step(
    plan: Plan, data: MemberData, state: MemberState, rows: Rows
) -> tuple[MemberState, Float[Array, ""]]:
    """One step of AdamW on a batch."""
    pieces, counted = pieces_of(plan, state.model, rows), jnp.sum(rows.mask)

    def cost_of(model: Trained, part: Rows) -> Float[Array, ""]:
        cost = loss(model, part, data.label_count, counted)
        if plan.position_penalty:
            assert isinstance(model, Transformer)  # a plan has no penalty for other kinds
            cost += plan.position_penalty / pieces * PENALTIES[plan.penalized](model)
        return cost

    cost, gradient = cost_and_gradient(cost_of, state.model, rows, pieces)
    updates, memory = optimiser(plan).update(gradient, state.optimiser, state.model)
    rate = learning_rate(plan, data.learning_rate, state.step)
    model = jax.tree.map(lambda weight, change: weight - rate * change, state.model, updates)
    return state._replace(model=model, optimiser=memory, step=state.step + 1), cost


def steps(
    plan: Plan, data: MemberData, state: MemberState
) -> tuple[MemberState, Float[Array, " size"]]:
    """`plan.segment` steps, the batches of a few steps drawn at once.

    A sampler may walk letter by letter, which leaves an accelerator idle: one walk then serves
    many steps. Which batch a step sees does not depend on it.
    """
    room = room_for(plan)
    at_once = next(count for count in DRAWN_AT_ONCE if plan.segment % count == 0)

    def several(start: MemberState, _: None) -> tuple[MemberState, Float[Array, " size"]]:
        numbers = start.step + jnp.arange(at_once)
        rows = jax.vmap(lambda number: draw_batch(plan, room, data, number))(numbers)
        return jax.lax.scan(lambda now, own: step(plan, data, now, own), start, rows)

    end, costs = jax.lax.scan(several, state, None, length=plan.segment // at_once)
    return end, costs.ravel()


def segment(plan: Plan, data: MemberData, state: MemberState) -> MemberState:
    """`plan.segment` steps. A member that is done stays as it is; one that blows up goes back.

    Divergence is looked for once a segment: the loss and the weights at its end tell, since
    neither recovers from NaN, and a check every step would copy all weights every step.
    """

    return guarded(partial(steps, plan, data), state)


def guarded(
    advance: Callable[[MemberState], tuple[MemberState, Float[Array, " size"]]],
    state: MemberState,
) -> MemberState:
    """Some steps and their losses, unless the member is done; one that blows up goes back."""

    def run(start: MemberState) -> MemberState:
        end, costs = advance(start)
        finite = jnp.isfinite(costs).all()
        for leaf in jax.tree.leaves(end.model):
            finite &= jnp.isfinite(leaf).all()
        kept = jax.tree.map(lambda new, old: jnp.where(finite, new, old), end, start)
        return kept._replace(status=jnp.where(finite, start.status, DIVERGED), loss=costs.mean())

    return jax.lax.cond(state.status == RUNNING, run, lambda same: same, state)
