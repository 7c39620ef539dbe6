"""A head that has nothing to do looks at the start symbol, and the start symbol says nothing.

What: In bigram-backcopy words a symbol follows from the one before it, except after a few trigger
    symbols, which repeat the symbol before them. One layer suffices: the MLP knows the rows, and
    a head copies. But the head is needed only after triggers, and attention weights must sum to
    1: for every other symbol they have to go somewhere without doing harm. They go to the start
    symbol (the sink), whose value vector is short (the drain): the head is active on triggers and
    dormant elsewhere. With ReLU attention, which may be 0 everywhere, no sink is formed. Plain
    gradient steps instead of Adam's reach the same loss with far less of a sink.
Definition: Words are <s>, x_1, x_2, ...; x_{t+1} is drawn from the row of x_t, or is x_{t-1} if
    x_t is a trigger. The triggers are the most frequent symbols. The model is one layer with one
    head and an MLP, without norms, trained with Adam on all positions, or with SGD with momentum
    0.9. Measured at the end, on
    fresh words: the mean weight on <s> when the query is a trigger and when it is not, the
    weight that triggers put on the position before them, and the length of the value vector of
    <s> over the median of all others. With three layers: the length of the stream at <s> over
    that median, where it is largest between two layers. The loss above the least possible one is
    the mean divergence from the true law of the next symbol.
Example:
    >>> import jax.numpy as jnp
    >>> from foretell.worlds.k_gram_backcopy import draw_backcopy, next_laws
    >>> law = draw_backcopy(0, 4, 1, 0.3)
    >>> trigger = int(jnp.argmax(law.triggers))
    >>> other = int(jnp.argmin(law.triggers))
    >>> word = jnp.array([law.start, other, trigger])
    >>> int(jnp.argmax(next_laws(law, word)[-1])) == other
    True

Known limits: The levels claimed are those seen by others and by us, not a theorem's. With norms
    before attention and MLP the sink is weak at this size (0.2 of the weight): the MLP can undo
    what the head adds. The start symbol's value does not shrink here, it starts short and stays
    so while all others grow; under ReLU attention it grows with them, and the ratio falls less.
    SGD makes the sink slower rather than impossible: its weight on <s> still grows when training
    ends, and at three times the rate it came close to the level asked of Adam (tried, not kept);
    the rate was chosen after looking.
    A peak of the residual stream takes three layers, which are trained in the full preset only,
    with norms, and have not been run there; small ones that were tried (not kept) showed no peak
    and no difference between Adam and SGD. The rows come from a Dirichlet law, not from a text.
Sources: Active-dormant attention heads (Guo and others, 2024); the tutorial Sandbox for the
    Blackbox, part II
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Key

from foretell.models.small_decoder import Decoder, Shape, create, logits, look
from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show, require_among
from foretell.worlds.descent import Trained, descend
from foretell.worlds.k_gram_backcopy import Backcopy, draw_backcopy, next_laws, sample_backcopy

SHOWN = 24  # positions of the word whose attention is drawn
SMALL = {"symbols": 16, "triggers": 2, "length": 32, "width": 32, "rate": 3e-3, "decay": 0.0}
LARGE = {"symbols": 64, "triggers": 3, "length": 256, "width": 256, "rate": 3e-4, "decay": 1e-4}
PEAK = 2.0  # start symbol's length over the median of all others, between two layers
SINK = 0.35  # of a dormant query's weight on the start symbol: from there on it is called one
MOMENTUM = 0.9


class Arm(NamedTuple):
    """One of the trainings: which attention, whether by plain gradient steps, how many layers."""

    attention: str
    plain: bool = False
    layers: int = 1


ARMS = {"softmax": Arm("softmax"), "relu": Arm("relu"), "SGD": Arm("softmax", plain=True)}
DEEP = {"three layers": Arm("softmax", layers=3), "three layers, SGD": Arm("softmax", True, 3)}


@final
class AttentionSink(Sandbox):
    """The same words and the same layer, with softmax and with ReLU attention, and by SGD."""

    name = "attention-sink"
    title = "Where a head looks when it has nothing to do"
    lesson = (
        "Trained with softmax, triggers look one step back and all other symbols look at the "
        "start symbol, whose value vector has become short. With ReLU attention the other symbols "
        "look nowhere, at the same loss. By SGD, with softmax, they come to look there far less."
    )
    caveat = "One layer, one head and no norms: it does not show how sinks form in deep models."
    essential = False

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Small words for a CPU; on an accelerator the paper's sizes, with a random chain."""
        steps = {Budget.SMOKE: 4, Budget.CPU: 1500, Budget.GPU: 10_000}[budget]
        return {
            **(LARGE if budget is Budget.GPU else SMALL),
            "alpha": 0.3,
            "plain_rate": 0.1,
            "batch": {Budget.SMOKE: 4, Budget.CPU: 64, Budget.GPU: 512}[budget],
            "kinds": {
                Budget.SMOKE: ["softmax"],
                Budget.CPU: [*ARMS],
                Budget.GPU: [*ARMS, *DEEP],
            }[budget],
            "eval_words": 4 if budget is Budget.SMOKE else 128,
            "steps": steps,
            "every": max(1, steps // 30),
            "seed": 0,
        }

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse what does not go together."""
        require_among("kind of model", settings["kinds"], (*ARMS, *DEEP))
        if "softmax" not in settings["kinds"]:
            raise BadInput("softmax is what the others are compared with", seen=settings["kinds"])
        law = (settings["seed"], settings["symbols"], settings["triggers"], settings["alpha"])
        draw_backcopy(*law)

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Levels of active and dormant, and a least loss that all reach."""
        claims = (
            Claim("softmax: weight on the start, other queries", SINK, ">=", 0.0, "empirical"),
            Claim("softmax: weight on the start, trigger queries", 0.05, "<=", 0.0, "empirical"),
            Claim("softmax: weight one step back, trigger queries", 0.5, ">=", 0.0, "empirical"),
            Claim("softmax: value of the start over the median", 0.5, "<=", 0.0, "empirical"),
            Claim("relu: weight on the start, other queries", 0.05, "<=", 0.0, "empirical"),
            Claim("softmax: loss above the least possible", 0.0, "=", 0.05, "derived"),
            Claim("relu: loss above the softmax one's", 0.0, "=", 0.02, "numeric"),
            Claim("SGD: weight on the start, other queries", SINK, "<=", 0.0, "empirical"),
            Claim("SGD: weight one step back, trigger queries", 0.5, ">=", 0.0, "empirical"),
            Claim("SGD: loss above the softmax one's", 0.0, "=", 0.02, "numeric"),
            Claim("three layers: peak of the start's stream", PEAK, ">=", 0.0, "empirical"),
            Claim("three layers, SGD: peak of the start's stream", PEAK, "<=", 0.0, "empirical"),
        )
        return tuple(each for each in claims if each.quantity.split(":")[0] in settings["kinds"])

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Train them, and look at the same words with all."""
        root = root_key(settings["seed"])
        law = draw_backcopy(
            settings["seed"], settings["symbols"], settings["triggers"], settings["alpha"]
        )
        kinds: list[str] = settings["kinds"]
        trained = {kind: _trained(kind, law, root, settings, show) for kind in kinds}
        values: dict[str, float] = {}
        for kind, each in trained.items():
            end = {name: curve[-1] for name, curve in _course(each).items()}
            values |= {
                f"{kind}: weight on the start, other queries": end["dormant"],
                f"{kind}: weight on the start, trigger queries": end["active"],
                f"{kind}: weight one step back, trigger queries": end["back"],
                f"{kind}: value of the start over the median": end["ratio"],
                f"{kind}: loss above the least possible": end["excess"],
                f"{kind}: peak of the start's stream": peak(each),
            }
        above = "loss above the least possible"
        values |= {
            f"{kind}: loss above the softmax one's": values[f"{kind}: {above}"]
            - values[f"softmax: {above}"]
            for kind in trained
        }
        curves = {
            "triggers": np.flatnonzero(np.asarray(law.triggers)).tolist(),
            "symbols": settings["symbols"],
            "word": trained["softmax"].watched["word"][-1].tolist(),
            "kinds": {kind: _drawn(trained[kind]) for kind in kinds if kind in ARMS},
            "streams": {kind: _streams(trained[kind]).tolist() for kind in kinds if kind in DEEP},
        }
        return Findings(values, curves)


def sink_shape(arm: Arm, settings: Mapping[str, Any]) -> Shape:
    """One head a layer, an MLP four times as wide; norms only where there are several layers."""
    return Shape(
        tokens=settings["symbols"] + 1,
        length=settings["length"],
        width=settings["width"],
        hidden=4 * settings["width"],
        layers=arm.layers,
        attention=arm.attention,
        norm=arm.layers > 1,
    )


def _trained(
    kind: str,
    law: Backcopy,
    root: Key[Array, ""],
    settings: Mapping[str, Any],
    show: Show,
) -> Trained:
    arm, length = (ARMS | DEEP)[kind], settings["length"]
    shape = sink_shape(arm, settings)
    adam = optax.adamw(settings["rate"], weight_decay=settings["decay"])

    def words(key: Key[Array, ""], count: int) -> Array:
        return jax.vmap(lambda each: sample_backcopy(law, length, each))(
            jax.random.split(key, count)
        )

    def loss(weights: Decoder, key: Key[Array, ""]) -> Float[Array, ""]:
        drawn = words(key, settings["batch"])
        said = jax.vmap(lambda word: logits(shape, weights, word[:-1]))(drawn)
        return optax.softmax_cross_entropy_with_integer_labels(said, drawn[:, 1:]).mean()

    def watch(weights: Decoder, key: Key[Array, ""]) -> dict[str, Array]:
        return watched(shape, weights, law, words(key, settings["eval_words"])[:, :-1])

    return descend(
        loss,
        create(shape, key_for(root, "weights")),
        optax.sgd(settings["plain_rate"], MOMENTUM) if arm.plain else adam,
        steps=settings["steps"],
        key=key_for(root, "train"),
        every=settings["every"],
        watch=watch,
        show=show,
        phase=kind,
    )


def watched(shape: Shape, weights: Decoder, law: Backcopy, words: Array) -> dict[str, Array]:
    """Weights by kind of query, the divergence from the true law, and what is drawn."""
    seen = jax.vmap(lambda word: look(shape, weights, word))(words)
    attention, lengths = seen.attention[:, 0, 0], seen.values[:, 0, 0]
    later = jnp.arange(words.shape[1]) > 0
    trigger = law.triggers[jnp.minimum(words, law.start - 1)] & later
    truth = jax.vmap(lambda word: next_laws(law, word))(words)
    said = jax.nn.log_softmax(seen.logits)[..., : law.start]
    surprise = jnp.where(truth > 0, truth * (jnp.log(jnp.where(truth > 0, truth, 1.0)) - said), 0.0)
    return {
        "dormant": _mean(attention[:, :, 0], ~trigger & later),
        "active": _mean(attention[:, :, 0], trigger),
        "back": _mean(jnp.diagonal(attention, -1, 1, 2), trigger[:, 1:]),
        "excess": surprise.sum(axis=-1).mean(),
        "lengths": lengths,
        "streams": _over_median(jnp.linalg.norm(seen.streams, axis=-1)),
        "word": words[0, :SHOWN],
        "attention": attention[0, :SHOWN, :SHOWN],
    }


def _over_median(lengths: Float[Array, "batch size length"]) -> Float[Array, " size"]:
    """The start's length over the median of all other positions', before and after each layer."""
    return lengths[:, :, 0].mean(axis=0) / jnp.median(lengths[:, :, 1:], axis=(0, 2))


def _streams(trained: Trained) -> Float[np.ndarray, " size"]:
    return np.asarray(trained.watched["streams"][-1], float).round(4)


def peak(trained: Trained) -> float:
    """The largest between two layers at the end; 0 if there is but one layer."""
    return float(max(_streams(trained)[1:-1], default=0.0))


def _mean(values: Float[Array, "batch query"], chosen: Bool[Array, "batch query"]) -> Array:
    return jnp.sum(values * chosen) / jnp.maximum(jnp.sum(chosen), 1)


def _course(trained: Trained) -> dict[str, list[float]]:
    """What was watched, as numbers a step; the value of the start stands at position 0."""
    seen = trained.watched
    start, others = seen["lengths"][:, 0, 0], np.median(seen["lengths"][:, :, 1:], axis=(1, 2))
    course = {name: seen[name] for name in ("dormant", "active", "back", "excess")}
    course |= {"ratio": start / others, "start": start}
    return {name: np.asarray(curve, float).round(6).tolist() for name, curve in course.items()}


def _drawn(trained: Trained) -> dict[str, Any]:
    """Curves, the attention of one word, and the value length of every symbol."""
    rows = np.asarray(trained.weights.embedding) + np.asarray(trained.weights.positions)[:1]
    lengths = np.linalg.norm(rows @ np.asarray(trained.weights.layers[0].value[0]), axis=-1)
    return {
        "steps": trained.steps.tolist(),
        **_course(trained),
        "attention": trained.watched["attention"][-1].astype(float).round(3).tolist(),
        "values": lengths.astype(float).round(4).tolist(),
    }
