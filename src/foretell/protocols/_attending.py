"""Where the heads of a trained model look as inputs grow: does what they learned to look at fade?

Softmax shares one whole among all keys. A head whose logit for one key is larger than all others by
a fixed amount gives that key odds that fall as one over their number: what takes 95 % of 50 keys
has 65 % of 500. Nothing goes wrong in the trained range, and everything may beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from foretell.models.attention_looks import AttentionLook, look
from foretell.models.transformer import Transformer
from foretell.numerics.keys import key_for, root_key
from foretell.protocols._trained import Trained, read_trained

INPUTS = 256  # of each length
SCORES = 2**26  # of attention, held at once
LEAST = 1e-7  # of attention: less is lost in rounding
PICKS = 0.5  # a head picks what has this share of it at the end of the trained range
PARTS = (8, 4, 2, 1)  # lengths of a model without a task: parts of its context
FALLING = ("alibi",)  # encodings whose bias falls with the distance, without end
ITSELF = "itself"
START, ANY, MIXES = "the first token", "one token, not by a near distance", "many"


@dataclass(frozen=True)
class Shares:
    """What one head gives at one length, means over inputs, seen from the last scored position."""

    keys: float  # how many there are to look at
    near: tuple[float, ...]  # the last few, its own position first
    first: float
    largest: float  # whichever position has most
    entropy: float  # in nats


@dataclass(frozen=True)
class Head:
    """One head of one model at growing lengths; the first is the longest in training."""

    model: str
    layer: int
    head: int
    lengths: tuple[Shares, ...]
    evenly: bool = True  # a far key may weigh as much as a near one

    @property
    def looks_at(self) -> str:
        """What it picks in the trained range, in words."""
        trained = self.lengths[0]
        if trained.near[self._back] >= PICKS and not self._at_start:
            return f"{self._back} back" if self._back else ITSELF
        if trained.first >= PICKS:
            return START
        return ANY if trained.largest >= PICKS else MIXES

    @property
    def looks_back(self) -> bool:
        """Is it by a fixed distance, beyond its own position?"""
        return self.looks_at not in (ITSELF, START, ANY, MIXES)

    @property
    def shares(self) -> tuple[float, ...]:
        """What it gives, at each length, to that which it picks in the trained range."""
        if self.looks_back or self.looks_at == ITSELF:
            return tuple(each.near[self._back] for each in self.lengths)
        if self.looks_at == START:
            return tuple(each.first for each in self.lengths)
        return tuple(each.largest for each in self.lengths)

    @property
    def diluted(self) -> tuple[float, ...] | None:
        """What would be left of a distance if every further key weighed as the others on average.

        Of mean shares: a head that picks in some inputs and not in others would keep more. None
        where a head looks at something else, or the encoding pushes far keys away.
        """
        if not (self.looks_back and self.evenly):
            return None
        share, others = self.shares[0], self.lengths[0].keys - 1
        odds = share / max(1.0 - share, LEAST)
        fallen = (odds * others / max(each.keys - 1, 1.0) for each in self.lengths)
        return tuple(each / (1.0 + each) for each in fallen)

    @property
    def _back(self) -> int:
        return int(np.argmax(self.lengths[0].near))

    @property
    def _at_start(self) -> bool:
        """Where inputs are short the first token is near too; longer inputs tell the two apart."""
        first, last = self.lengths[0], self.lengths[-1]
        return self._back == round(first.keys) - 1 and last.first >= last.near[self._back]


@dataclass(frozen=True)
class Attending:
    """All heads of all models that a file holds, layer by layer."""

    source: Path
    models: tuple[Trained, ...]
    lengths: tuple[int, ...]  # sizes, or tokens where there is no task
    heads: tuple[Head, ...]

    @property
    def looking_back(self) -> tuple[Head, ...]:
        """Those that pick a token by its distance."""
        return tuple(head for head in self.heads if head.looks_back)

    @property
    def reading(self) -> str:
        """What the models read."""
        task = self.models[0].task
        return f"typical inputs of {task.name}" if task else "uniformly random tokens"

    @property
    def shortest(self) -> str:
        """What the first length is."""
        task = self.models[0].task
        return "the longest in training" if task else "an eighth of the context"


def attending(source: Path, heads: int | None = None) -> Attending:
    """Read the models, and let each read inputs as long as it was trained and tested on."""
    models = read_trained(source, heads)
    lengths = _lengths(models[0])
    found = [head for trained in models for head in _heads(trained, lengths)]
    return Attending(source, models, lengths, tuple(found))


def _lengths(trained: Trained) -> tuple[int, ...]:
    if trained.task is None:
        context = trained.model.architecture.context
        return tuple(sorted({max(1, context // part) for part in PARTS}))
    ends = sorted({trained.sizes[1], *(end for end in trained.ends if end > trained.sizes[1])})
    return tuple(max(trained.task.sizes(1, end)) for end in ends)


def _heads(trained: Trained, lengths: tuple[int, ...]) -> list[Head]:
    seen = [_seen(trained, length) for length in lengths]
    shape = trained.model.architecture
    evenly = shape.positional not in FALLING
    return [
        Head(trained.name, layer, head, tuple(_shares(each, layer, head) for each in seen), evenly)
        for layer in range(shape.layers)
        for head in range(shape.heads)
    ]


Seen = tuple[float, tuple[AttentionLook, ...]]  # how many keys there are, and what layers do


def _seen(trained: Trained, length: int) -> Seen:
    tokens, at = _inputs(trained, length)
    piece = max(1, min(INPUTS, SCORES // (trained.model.architecture.heads * tokens.shape[1] ** 2)))
    return float(at.mean()) + 1.0, _look(trained.model, tokens, at, piece)


def _inputs(
    trained: Trained, length: int
) -> tuple[Int[Array, "batch length"], Int[Array, " batch"]]:
    """Inputs of that length, and the last position of each that is scored."""
    key = key_for(root_key(0), "attending", length)
    if trained.task is None:
        drawn = jax.random.randint(key, (INPUTS, length), 0, len(trained.model.embedding))
        return drawn, jnp.full(INPUTS, length - 1)
    task = trained.task
    example = task.sample(key, jnp.full(INPUTS, length), task.width(length))
    places = jnp.arange(example.mask.shape[1])
    return example.tokens, jnp.max(jnp.where(example.mask, places, 0), axis=1)


@eqx.filter_jit
def _look(
    model: Transformer, tokens: Int[Array, "batch length"], at: Int[Array, " batch"], piece: int
) -> tuple[AttentionLook, ...]:
    positions = jnp.arange(tokens.shape[1])[None]

    def one(own: tuple[Int[Array, " length"], Int[Array, ""]]) -> tuple[AttentionLook, ...]:
        found = look(model, own[0][None], positions, own[1][None])
        return jax.tree.map(lambda each: each[0], found)

    every = jax.lax.map(one, (tokens, at), batch_size=piece)
    return jax.tree.map(_mean, every)


def _mean(entries: Float[Array, "batch ..."]) -> Float[Array, "..."]:
    return entries.mean(axis=0)


def _shares(seen: Seen, layer: int, head: int) -> Shares:
    keys, layers = seen
    own = jax.tree.map(lambda each: np.asarray(each)[head], layers[layer])
    near = tuple(float(share) for share in own.near)
    return Shares(keys, near, float(own.first), float(own.largest), float(own.entropy))
