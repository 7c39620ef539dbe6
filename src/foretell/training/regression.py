"""One member that fits a function of bits: a pure step on its own sample, by squared error.

A chain of thought learns from right chains: each step reads what the steps before should have
written, and an input's error is the mean over its steps. Tested, it reads what it wrote itself.

Nothing here knows how many members there are; the fleet maps over them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Int8, Key

from foretell.models import chained, readout
from foretell.models.readout import Readout
from foretell.numerics.keys import key_for, root_key
from foretell.training.gap_plan import GapMember, GapPlan
from foretell.training.member import MemberState, guarded

PIECE = 2_048  # inputs of one forward pass when a loss over all of them is taken
HALF = 0.5  # where answers are rounded


class Sample(NamedTuple):
    """Inputs with the function's values: one each, or for a chain one a step."""

    inputs: Int8[Array | np.ndarray, "*member batch bit"]
    values: Float[Array | np.ndarray, "..."]

    @property
    def chained(self) -> bool:
        """True if there is a value for each step; of one member only."""
        return self.values.ndim == 2


class RegressionData(NamedTuple):
    """What tells one member from another, as arrays."""

    seed: Int[Array, "*member"]
    learning_rate: Float[Array, "*member"]
    train: Sample
    fresh: Sample


def draw_data(plan: GapPlan, member: GapMember) -> RegressionData:
    """Uniform inputs, with repetition: the training sample and the fresh one, by the seed alone."""
    generator = np.random.default_rng([member.seed, 0x6761])
    bits = member.task.bits

    def drawn(count: int) -> Sample:
        inputs = generator.integers(0, 2, (count, bits), dtype=np.int8)
        return Sample(inputs, member.task.targets(inputs).astype(np.float32))

    rate = jnp.float32(member.learning_rate)
    train, fresh = drawn(plan.samples), drawn(plan.validation)
    return RegressionData(jnp.int32(member.seed), rate, train, fresh)


def create(plan: GapPlan, data: RegressionData) -> MemberState:
    """A fresh member, decided by its seed alone."""
    way = chained if data.train.chained else readout
    model = way.create(data.train.inputs.shape[-1], key_for(root_key(data.seed), "model"))
    zero = jnp.zeros((), jnp.int32)
    return MemberState(model, optimiser(plan).init(model), zero, zero, jnp.zeros(()))


def optimiser(plan: GapPlan) -> optax.GradientTransformation:
    """AdamW without its learning rate, which differs between members and is applied by `step`."""
    return optax.chain(optax.scale_by_adam(), optax.add_decayed_weights(plan.weight_decay))


def squared_error(
    model: Readout, sample: Sample, key: Key[Array, ""] | None = None, dropout: float = 0.0
) -> Float[Array, ""]:
    """Mean squared error, without a factor one half."""
    return jnp.mean(jnp.square(_said(model, sample, key, dropout) - sample.values))


def _said(
    model: Readout, sample: Sample, key: Key[Array, ""] | None = None, dropout: float = 0.0
) -> Float[Array, "batch ..."]:
    """What the model says at each input; at each step, if the ones before are right."""
    inputs = jnp.asarray(sample.inputs)
    if sample.chained:
        return chained.apply(model, inputs, jnp.asarray(sample.values), key, dropout)
    return readout.apply(model, inputs, key, dropout)


def losses(model: Readout, sample: Sample) -> Float[Array, " batch"]:
    """The squared error at each input, over a chain its mean."""
    found = jnp.square(in_pieces(lambda part: _said(model, part), sample) - sample.values)
    return found.mean(axis=1) if sample.chained else found


def wrong(model: Readout, sample: Sample) -> Float[Array, ""]:
    """The share of inputs whose answer, rounded, is not the value; a chain reads its own bits."""

    def answer(part: Sample) -> Float[Array, " batch"]:
        if not part.chained:
            return _said(model, part)
        return chained.run(model, jnp.asarray(part.inputs))[:, -1].astype(jnp.float32)

    truth = jnp.asarray(sample.values)
    truth = truth[:, -1] if sample.chained else truth
    return jnp.mean((in_pieces(answer, sample) >= HALF) != (truth >= HALF))


def two_valued(data: RegressionData) -> bool:
    """True if all values are 0 or 1: only then is an answer right or wrong."""
    return all(bool(np.isin(each.values, (0, 1)).all()) for each in (data.train, data.fresh))


def in_pieces(
    function: Callable[[Sample], Float[Array, "batch ..."]], sample: Sample
) -> Float[Array, "batch ..."]:
    """A function of many inputs, a piece of them at a time."""
    count = sample.values.shape[0]
    piece = min(PIECE, count)

    def cut(values: Array | np.ndarray) -> Array:
        room = ((0, -count % piece), *[(0, 0)] * (values.ndim - 1))
        return jnp.pad(jnp.asarray(values), room).reshape(-1, piece, *values.shape[1:])

    found = jax.lax.map(function, jax.tree.map(cut, sample))
    return found.reshape(-1, *found.shape[2:])[:count]


def step(
    plan: GapPlan, data: RegressionData, state: MemberState
) -> tuple[MemberState, Float[Array, ""]]:
    """One step of AdamW on a batch drawn with repetition from the training sample."""
    key = key_for(root_key(data.seed), "train", state.step)
    batch = min(plan.batch, plan.samples)
    index = jax.random.randint(key_for(key, "batch"), (batch,), 0, plan.samples)
    chosen = Sample(jnp.asarray(data.train.inputs)[index], jnp.asarray(data.train.values)[index])
    dropping = key_for(key, "dropout") if plan.dropout else None
    cost, gradient = jax.value_and_grad(squared_error)(state.model, chosen, dropping, plan.dropout)
    updates, memory = optimiser(plan).update(gradient, state.optimiser, state.model)
    model = jax.tree.map(
        lambda weight, change: weight - data.learning_rate * change, state.model, updates
    )
    return state._replace(model=model, optimiser=memory, step=state.step + 1), cost


def segment(plan: GapPlan, data: RegressionData, state: MemberState) -> MemberState:
    """`plan.segment` steps. A member that is done stays as it is; one that blows up goes back."""

    def steps(start: MemberState) -> tuple[MemberState, Float[Array, " size"]]:
        return jax.lax.scan(lambda now, _: step(plan, data, now), start, None, plan.segment)

    return guarded(steps, state)
