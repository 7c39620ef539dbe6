"""Softmax attention, and who sees whom in it.

Scores are a number for every head, query and key: of a long input they are more than any memory
holds. There a block of queries goes at a time, and the backward pass makes a block's scores again
instead of keeping them; keys that a whole stripe of queries cannot see are left out. The numbers
are those of the same rows of the whole. Where an accelerator has a kernel for it (cuDNN: bfloat16,
every position sees all before it, no bias) that does the same, faster, up to rounding. On a CPU
a few inputs go at a time, short ones too: scores that leave its cache take longer to move than to
make, in the backward pass as well.
"""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import Any, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Float32, Int, Key

from foretell.core.architecture import KINDS, Architecture, AttentionScale, Precision
from foretell.models.layers import STANDARD_DEVIATION, Linear, residual_deviation
from foretell.models.positional import Positional, load
from foretell.numerics.keys import key_for

LONG = 2**20  # scores of a head; with fewer a batch fits, and the program stays what it always was
HELD = 2**18  # scores of a head in one block: matrix products are still large, a batch still fits
CACHED = 2**18  # scores of all heads that stay in a CPU's cache: the inputs that go at once
STRIPES = 4  # parts of a long input, each looking at no key after its end: 5/8 of all scores


class Viewers(NamedTuple):
    """Who looks, and how far: an entry for every query. Nothing means the same for all.

    `first` and `last` are the indices of the first and the last key that are seen.
    """

    positions: Int[Array, "#batch query"]
    first: Int[Array, "#batch query"] | None
    last: Int[Array, "#batch query"] | None
    scale: Float32[Array, "#batch query"] | None


class Mask(NamedTuple):
    """What depends on query and key, but not on what they hold."""

    visible: Bool[Array, "#batch query key"] | None
    bias: Float32[Array, "#batch head query key"] | None


class Changes(NamedTuple):
    """What becomes of the logits; what is the same for all inputs has one row."""

    visible: Bool[Array, "#batch query key"] | None
    bias: Float32[Array, "#batch head query key"] | None
    scale: Float32[Array, "#batch query"] | None


@final
class View(eqx.Module):
    """Who sees whom, from which positions: what all heads of a layer share.

    The mask of a short input is made once for all layers; there is none of a long one.
    """

    positional: Positional
    viewers: Viewers
    key_positions: Int[Array, "#batch key"]
    mask: Mask | None = None
    in_order: bool = eqx.field(static=True, default=False)  # query i is at key i and sees no later

    @classmethod
    def create(
        cls,
        architecture: Architecture,
        positional: Positional,
        positions: Int[Array, "#batch length"],
        queries: Int[Array, "batch query"] | None,
        starts: Int[Array, "batch length"] | None,
    ) -> View:
        """The causal view from the indices `queries`, or from everywhere, back to `starts`.

        Causality goes by index, not by position: positions carry offsets.
        """
        viewer, here, start = jnp.arange(positions.shape[1])[None], positions, starts
        if queries is not None:
            viewer, here = queries, jnp.take_along_axis(positions, queries, axis=1)
            start = None if starts is None else jnp.take_along_axis(starts, queries, axis=1)
        scale = None
        if architecture.attention_scale is AttentionScale.LOG_LENGTH:
            # No guard for log 1 = 0: whoever sees only itself attends to itself at any scale.
            seen = viewer if start is None else viewer - start
            scale = jnp.log(seen.astype(jnp.float32) + 1)
        viewers, in_order = Viewers(here, start, viewer, scale), queries is None
        return cls(positional, viewers, positions, in_order=in_order).prepared()

    @property
    def long(self) -> bool:
        """Are there too many scores to keep?"""
        return self.viewers.positions.shape[1] * self.key_positions.shape[1] >= LONG

    @property
    def block(self) -> int:
        """Queries that go at a time, if not all of them do."""
        queries, keys = self.viewers.positions.shape[1], self.key_positions.shape[1]
        blocks = -(-queries // max(1, HELD // keys))
        return -(-queries // blocks)  # equally large: the last one is hardly padded

    def fused(self, values: Float[Array, "batch key head part"]) -> bool:
        """Has the device a kernel for this? Only long inputs ask: short ones stay as they were."""
        if not (self.long and self.in_order and self.viewers.first is None):
            return False
        return _fits_kernel(type(self.positional), values.dtype == jnp.bfloat16, values.shape[-1])

    def prepared(self) -> View:
        """The same, with its mask where it is small enough to be kept."""
        return self if self.long else self.at(self.viewers)

    def stripe(self, low: int, high: int) -> View:
        """The view of the queries from `low` to `high`, of the keys before `high`."""
        viewers = jax.tree.map(lambda own: own[:, low:high], self.viewers)
        return View(self.positional, viewers, self.key_positions[:, :high])

    def at(self, viewers: Viewers) -> View:
        """The view of these viewers, with its mask."""
        return View(self.positional, viewers, self.key_positions, self._mask_for(viewers))

    def _mask_for(self, viewers: Viewers) -> Mask:
        index, visible = jnp.arange(self.key_positions.shape[1]), None
        if viewers.last is not None:
            visible = index <= viewers.last[..., None]
            if viewers.first is not None:
                visible &= index >= viewers.first[..., None]
        return Mask(visible, self._bias_for(viewers))

    def _bias_for(self, viewers: Viewers) -> Float32[Array, "#batch head query key"] | None:
        """Where all inputs have the same positions, each takes its rows of what all share: a bias
        that is looked up number by number would cost as much as everything else."""
        rows = self.key_positions
        alike = len(rows) == 1 < len(viewers.positions) and viewers.last is not None
        if alike and not self.long:  # of a long input the whole would be too large to hold
            shared = self.positional.bias(rows, rows)
            return shared if shared is None else jnp.moveaxis(shared[0][:, viewers.last], 0, 1)
        return self.positional.bias(viewers.positions, rows)

    def adjust(
        self, logits: Float32[Array, "batch head query key"]
    ) -> Float32[Array, "batch head query key"]:
        """Add the bias, scale by the logarithm of what is visible, hide what comes later."""
        return _adjust(logits, *self.changes)

    @property
    def changes(self) -> Changes:
        """What `adjust` makes of logits."""
        return Changes(*(self.mask or self._mask_for(self.viewers)), self.viewers.scale)


def _adjust(
    logits: Float32[Array, "batch head query key"],
    visible: Bool[Array, "#batch query key"] | None,
    bias: Float32[Array, "#batch head query key"] | None,
    scale: Float32[Array, "#batch query"] | None,
) -> Float32[Array, "batch head query key"]:
    if bias is not None:
        logits = logits + bias
    if scale is not None:
        logits = logits * scale[:, None, :, None]
    return logits if visible is None else jnp.where(visible[:, None], logits, -jnp.inf)


def has_kernel(architecture: Architecture, length: int) -> bool:
    """Would a kernel of the device attend, if every row of that length were one input?"""
    if architecture.kind != KINDS[0] or length * length < LONG:
        return False
    rounded = architecture.precision is Precision.BFLOAT16
    part = architecture.width // architecture.heads
    return _fits_kernel(load(architecture.positional), rounded, part)


def _fits_kernel(positional: type[Positional], rounded: bool, part: int) -> bool:
    no_bias = positional.bias is Positional.bias
    return no_bias and rounded and part % 8 == 0 and jax.default_backend() == "gpu"


@final
class Attention(eqx.Module):
    """Softmax attention with several heads."""

    query: Linear
    key_value: Linear  # one product for both; queries have their own, for they may be few
    output: Linear
    heads: int = eqx.field(static=True)

    @classmethod
    def create(cls, architecture: Architecture, key: Key[Array, ""]) -> Attention:
        """GPT-2's initialisation."""
        width, deviation = architecture.width, STANDARD_DEVIATION
        return cls(
            Linear.create(width, width, deviation, key_for(key, "query")),
            Linear.create(width, 2 * width, deviation, key_for(key, "key and value")),
            Linear.create(width, width, residual_deviation(architecture), key_for(key, "output")),
            architecture.heads,
        )

    def __call__(
        self,
        here: Float[Array, "batch query width"],
        everywhere: Float[Array, "batch key width"],
        view: View,
    ) -> Float[Array, "batch query width"]:
        """What the positions `here` gather from the positions `everywhere`."""
        queries = view.positional.rotate(self._by_head(self.query(here)), view.viewers.positions)
        keys, values = map(self._by_head, jnp.split(self.key_value(everywhere), 2, axis=-1))
        keys = view.positional.rotate(keys, view.key_positions)
        queries = queries / math.sqrt(queries.shape[-1])
        attending = attend_by_blocks if view.long else attend
        attending = attend_fused if view.fused(values) else attending
        return self.output(attending(queries, keys, values, view).reshape(here.shape))

    def _by_head(
        self, vectors: Float[Array, "batch length width"]
    ) -> Float[Array, "batch length head part"]:
        return vectors.reshape(*vectors.shape[:2], self.heads, -1)


def attend(
    queries: Float[Array, "batch query head part"],
    keys: Float[Array, "batch key head part"],
    values: Float[Array, "batch key head part"],
    view: View,
) -> Float[Array, "batch query head part"]:
    """Values averaged by the softmax of the adjusted scores."""
    count, piece = len(queries), _inputs_at_once(queries, keys)
    if piece == count:
        return _attend(queries, keys, values, view.changes)
    every = (queries, keys, values, view.changes)
    own, shared = eqx.partition(every, lambda entries: len(entries) == count)

    @partial(jax.checkpoint, prevent_cse=False)  # a loop's body is never merged with another's
    def one(part: tuple[Any, ...]) -> Array:
        return _attend(*eqx.combine(part, shared))

    pieces = jax.tree.map(lambda entries: entries.reshape(-1, piece, *entries.shape[1:]), own)
    return jax.lax.map(one, pieces).reshape(queries.shape)


def _inputs_at_once(
    queries: Float[Array, "batch query head part"], keys: Float[Array, "batch key head part"]
) -> int:
    """All of them on an accelerator; on a CPU a divisor of their number whose scores it caches."""
    count = len(queries)
    if jax.default_backend() != "cpu":
        return count
    most = max(1, CACHED // (queries.shape[1] * queries.shape[2] * keys.shape[1]))
    return next(piece for piece in range(min(most, count), 0, -1) if count % piece == 0)


def _attend(
    queries: Float[Array, "batch query head part"],
    keys: Float[Array, "batch key head part"],
    values: Float[Array, "batch key head part"],
    changes: Changes,
) -> Float[Array, "batch query head part"]:
    logits = jnp.einsum("bqhp,bkhp->bhqk", queries, keys, preferred_element_type=jnp.float32)
    weights = jax.nn.softmax(_adjust(logits, *changes), axis=-1).astype(values.dtype)
    return jnp.einsum("bhqk,bkhp->bqhp", weights, values)


def attend_fused(
    queries: Float[Array, "batch query head part"],
    keys: Float[Array, "batch key head part"],
    values: Float[Array, "batch key head part"],
    view: View,
) -> Float[Array, "batch query head part"]:
    """The same by cuDNN, which goes over the scores without ever writing them down."""
    if (scale := view.viewers.scale) is not None:
        queries = (queries * scale[:, :, None, None]).astype(queries.dtype)
    return jax.nn.dot_product_attention(
        queries, keys, values, scale=1.0, is_causal=True, implementation="cudnn"
    )


def attend_by_blocks(
    queries: Float[Array, "batch query head part"],
    keys: Float[Array, "batch key head part"],
    values: Float[Array, "batch key head part"],
    view: View,
) -> Float[Array, "batch query head part"]:
    """The same, a block of queries at a time; backwards each block's scores are made again."""
    if not view.in_order:
        return _by_blocks(queries, keys, values, view)
    ends = [queries.shape[1] * stripe // STRIPES for stripe in range(STRIPES + 1)]
    found = [
        _by_blocks(queries[:, low:high], keys[:, :high], values[:, :high], view.stripe(low, high))
        for low, high in itertools.pairwise(ends)
    ]
    return jnp.concatenate(found, axis=1)


def _by_blocks(
    queries: Float[Array, "batch query head part"],
    keys: Float[Array, "batch key head part"],
    values: Float[Array, "batch key head part"],
    view: View,
) -> Float[Array, "batch query head part"]:
    kind, count, block = queries.dtype, queries.shape[1], view.block

    def cut(entries: Array) -> Array:
        """Blocks first. What the last one lacks repeats the last query, which sees something."""
        room = ((0, 0), (0, -count % block), *((0, 0),) * (entries.ndim - 2))
        whole = jnp.pad(entries, room, mode="edge")
        return jnp.moveaxis(whole.reshape(whole.shape[0], -1, block, *whole.shape[2:]), 1, 0)

    # In float32, because the gradients of all blocks add up in the type of what they share.
    shared = keys.astype(jnp.float32), values.astype(jnp.float32)

    @partial(jax.checkpoint, prevent_cse=False)  # a loop's body is never merged with another's
    def one(part: tuple[Array, Viewers]) -> Array:
        own, viewers = part
        keys, values = (each.astype(kind) for each in shared)
        return _attend(own, keys, values, view.at(viewers).changes)

    found = jnp.moveaxis(jax.lax.map(one, jax.tree.map(cut, (queries, view.viewers))), 0, 1)
    return found.reshape(found.shape[0], -1, *found.shape[3:])[:, :count]
