"""An induction head as three associative memories, learnt from the output backwards.

What: Words follow a bigram law, but for a few triggers, drawn anew for every word with an output
    each: after a trigger comes its output, always. Whoever has seen a trigger once can tell what
    follows it the next time. Two layers of attention do it with three matrices, each of which
    is a sum of outer products of random vectors, a memory of pairs: "from this place, the one
    before", "to this symbol, a place that follows it", "say what is there". Gradient descent
    fills the last one first, since the others get no signal without it.
Definition: Symbol v at place t is w_E(v) + p_t, random vectors that are never trained. Layer 1
    attends with scores x_tᵀ W_K¹ x_s and adds w_1 = W_1 times what it reads, W_1 random; layer 2
    attends with W_K² and adds W_O² W_V, W_V random; symbol u is given w_U(u) times that.
    Nothing else is trained. The solution is
    W_K¹ = Σ_t p_t p_{t-1}ᵀ, W_K² = Σ_k w_E(k) w_1(k)ᵀ, W_O² = Σ_v w_U(v) (W_V w_E(v))ᵀ.
    A probe is the share of pairs a matrix recalls: for which w_U(u)ᵀ W_O² W_V w_E(v) is largest
    at u = v, w_E(k)ᵀ W_K² w_1(v) at v = k, and p_tᵀ W_K¹ p_s at s = t-1 among places up to t.
    From zero only W_O² has a gradient, then W_K², then W_K¹: predicted are half-times in that
    order, and with all three the best loss at triggers seen before, 0.
Example:
    >>> sandbox = TriggerMemories()
    >>> sandbox.claims(sandbox.settings(Budget.CPU))[0].predicted
    ('W_O2', 'W_K2', 'W_K1')

Known limits: The loss counts only at triggers that were seen before, so the bigram law is context
    and nothing to learn; with a loss everywhere a further layer is needed that stores it. The law
    is drawn from a Dirichlet law, where the paper takes letters of a corpus. On a CPU places at the
    end of long words are rarely needed and W_K¹ recalls half of them; the half-time is that of
    what it gets to. The descent is plain, with momentum: no claim is made of other optimisers.
Sources: Birth of a transformer: a memory viewpoint (Bietti and others, 2023); the tutorial Sandbox
    for the Blackbox, part II
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, Key

from foretell.numerics.keys import key_for, root_key
from foretell.numerics.stages import half_time
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show, Value
from foretell.worlds.descent import Trained, descend

NAMES = {"output": "W_O2", "second": "W_K2", "first": "W_K1"}  # in the order of learning
ORDER, RIGHT = "half-times, first to last", "share right at triggers seen before"
LATER = ("output", "second")  # memories whose pairs are all needed, so that all are recalled
FORGOTTEN = 0.1  # pairs that may be wrong at the end


class Law(NamedTuple):
    """A bigram law as cumulated rows, and how often a symbol comes in the long run."""

    ladder: Float[Array, "letter letter"]
    often: Float[Array, " letter"]


class Given(NamedTuple):
    """Random vectors and matrices that are never trained."""

    symbols: Float[Array, "token width"]
    said: Float[Array, "token width"]
    places: Float[Array, "length width"]
    remap: Float[Array, "width width"]  # W_1
    value: Float[Array, "width width"]  # W_V


class Memories(NamedTuple):
    """The three matrices that learn."""

    first: Float[Array, "width width"]
    second: Float[Array, "width width"]
    output: Float[Array, "width width"]


@final
class TriggerMemories(Sandbox):
    """Descent from zero, with the three memories probed on the way."""

    name = "trigger-memories"
    essential = False
    title = "An induction head as three memories, learnt from the output backwards"
    lesson = (
        "How many of its pairs each matrix recalls while training: first what to say, then which "
        "place to look at, then the place before. Only then are triggers answered."
    )
    caveat = "It shows the order in a model cut down to three matrices, with no residual mixing."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Thirty-two symbols on a CPU; on an accelerator as many as a corpus has letters."""
        sizes = {
            Budget.SMOKE: {"symbols": 6, "length": 12, "width": 8, "batch": 4, "steps": 4},
            Budget.CPU: {"symbols": 32, "length": 64, "width": 64, "batch": 64, "steps": 1000},
            Budget.GPU: {"symbols": 65, "length": 256, "width": 256, "batch": 512, "steps": 4000},
        }[budget]
        rate = 0.2 if budget is Budget.GPU else 0.3
        watched = 8 if budget is Budget.SMOKE else 256
        wanted = 0.9 if budget is Budget.GPU else 0.7
        tuning = {"rate": rate, "momentum": 0.9, "decay": 1e-4, "watched": watched}
        return {**sizes, "triggers": 2 if budget is Budget.SMOKE else 5, "alpha": 0.3} | {
            **tuning,
            "wanted": wanted,
            "seed": 0,
        }

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Which matrix can learn before which, and what they amount to."""
        return (
            Claim(ORDER, tuple(NAMES.values()), "order", 0.0, "theorem"),
            Claim(RIGHT, settings["wanted"], ">=", 0.0, "empirical"),
            *(
                Claim(f"{NAMES[each]}: pairs recalled", 1.0, "=", FORGOTTEN, "empirical")
                for each in LATER
            ),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Train, and take half-times of the probes."""
        trained = _train(settings, show)
        steps, watched = trained.steps.astype(float), trained.watched
        times = {each: _or_never(half_time(steps, watched[each].astype(float))) for each in NAMES}
        ordered = sorted(
            (each for each in NAMES if math.isfinite(times[each])), key=lambda each: times[each]
        )
        values: dict[str, Value] = {
            ORDER: tuple(NAMES[each] for each in ordered),
            RIGHT: float(watched["right"][-1]),
        }
        values |= {f"{NAMES[each]}: pairs recalled": float(watched[each][-1]) for each in LATER}
        curves = {
            "steps": trained.steps.tolist(),
            "names": NAMES,
            **{name: np.round(each, 4).tolist() for name, each in watched.items()},
            "times": {
                each: round(time, 1) if math.isfinite(time) else None
                for each, time in times.items()
            },
        }
        return Findings(values, curves)


def _or_never(time: float | None) -> float:
    return math.inf if time is None else time


def draw_law(seed: int, symbols: int, triggers: int, alpha: float) -> Law:
    """Dirichlet rows, and their long run."""
    if not 1 <= triggers < symbols:
        raise BadInput("no such number of triggers", seen=f"{triggers} of {symbols} symbols")
    if alpha <= 0:
        raise BadInput("alpha is no Dirichlet weight", seen=alpha, why="it must be over 0")
    rows = np.random.default_rng(seed).dirichlet(np.full(symbols, alpha), symbols)
    # The long run's law times (rows - 1) is 0 and sums to 1: both at once, as one system.
    often = np.linalg.solve(rows.T - np.eye(symbols) + 1, np.ones(symbols))
    return Law(jnp.asarray(rows.cumsum(axis=1), jnp.float32), jnp.asarray(often, jnp.float32))


def draw_given(seed: int, symbols: int, length: int, width: int) -> Given:
    """Normal entries of variance 1/width: vectors of length near 1, almost at right angles."""
    random = np.random.default_rng((seed, 1))

    def normal(rows: int) -> Array:
        return jnp.asarray(random.normal(size=(rows, width)) / np.sqrt(width), jnp.float32)

    return Given(normal(symbols), normal(symbols), normal(length), normal(width), normal(width))


def sample_word(
    law: Law, triggers: int, length: int, key: Key[Array, ""]
) -> tuple[Int[Array, " length"], Bool[Array, " letter"]]:
    """One symbol more than are read, and which symbols are triggers in this word."""
    number = law.often.shape[0]
    drawn = jax.random.uniform(key, (2 * number + length + 1,))  # one draw: quick to compile
    chosen, outputs, chances = jnp.split(drawn, [number, 2 * number])
    # The largest of log-chances with Gumbel noise are a draw without replacement.
    noisy = jnp.log(law.often) - jnp.log(-jnp.log(chosen))
    is_trigger = jnp.argsort(jnp.argsort(-noisy)) < triggers
    outputs = jnp.floor(outputs * number).astype(jnp.int32)

    def follow(now: Array, chance: Array) -> tuple[Array, Array]:
        free = jnp.sum(chance >= law.ladder[now, :-1]).astype(jnp.int32)
        after = jnp.where(is_trigger[now], outputs[now], free)
        return after, after

    begun = jnp.sum(chances[0] >= jnp.cumsum(law.often)[:-1]).astype(jnp.int32)
    _, rest = jax.lax.scan(follow, begun, chances[1:])
    return jnp.concatenate([begun[None], rest]), is_trigger


def asked(
    word: Int[Array, " length"], is_trigger: Bool[Array, " letter"]
) -> Bool[Array, " length"]:
    """At which places a trigger stands that stood in the word before."""
    alike = jnp.tril(word[:, None] == word, -1)
    return is_trigger[word] & jnp.any(alike, axis=1)


def given_scores(
    model: Memories, given: Given, word: Int[Array, " length"]
) -> Float[Array, "length token"]:
    """What every symbol is given as the next one, at every place."""
    stream = given.symbols[word] + given.places
    seen = jnp.tril(jnp.ones((len(word), len(word)), bool))

    def read(matrix: Array, stream: Array) -> Array:
        scores = jnp.where(seen, stream @ matrix @ stream.T, -jnp.inf)
        return jax.nn.softmax(scores, axis=-1) @ stream

    stream = stream + read(model.first, stream) @ given.remap.T
    found = read(model.second, stream) @ given.value.T @ model.output.T
    return (stream + found) @ given.said.T


def probes(model: Memories, given: Given) -> dict[str, Float[Array, ""]]:
    """The share of its pairs that each memory recalls."""
    number, length = len(given.symbols), len(given.places)
    said = given.said @ model.output @ given.value @ given.symbols.T
    keys = given.symbols @ model.second @ (given.symbols @ given.remap.T).T
    seen = jnp.tril(jnp.ones((length, length), bool))
    places = jnp.where(seen, given.places @ model.first @ given.places.T, -jnp.inf)
    return {
        "output": jnp.mean(said.argmax(axis=0) == jnp.arange(number)),
        "second": jnp.mean(keys.argmax(axis=1) == jnp.arange(number)),
        "first": jnp.mean(places[1:].argmax(axis=1) == jnp.arange(length - 1)),
    }


def _train(settings: Mapping[str, Any], show: Show) -> Trained:
    seed, width, length = settings["seed"], settings["width"], settings["length"]
    law = draw_law(seed, settings["symbols"], settings["triggers"], settings["alpha"])
    given = draw_given(seed, settings["symbols"], length, width)

    def judged(model: Memories, key: Key[Array, ""], count: int) -> tuple[Array, Array]:
        """Mean loss and share right where a trigger stands that was seen before."""
        keys = jax.random.split(key, count)
        words, triggers = jax.vmap(
            lambda each: sample_word(law, settings["triggers"], length, each)
        )(keys)
        scores = jax.vmap(lambda word: given_scores(model, given, word))(words[:, :-1])
        losses = optax.softmax_cross_entropy_with_integer_labels(scores, words[:, 1:])
        counts = jax.vmap(asked)(words[:, :-1], triggers)
        right = scores.argmax(axis=-1) == words[:, 1:]
        total = jnp.maximum(jnp.sum(counts), 1)
        return jnp.sum(losses * counts) / total, jnp.sum(right & counts) / total

    def watch(model: Memories, key: Key[Array, ""]) -> dict[str, Array]:
        loss, right = judged(model, key, settings["watched"])
        return {"loss": loss, "right": right, **probes(model, given)}

    zero = jnp.zeros((width, width))
    return descend(
        lambda model, key: judged(model, key, settings["batch"])[0],
        Memories(zero, zero, zero),
        optax.chain(
            optax.add_decayed_weights(settings["decay"]),
            optax.sgd(settings["rate"], settings["momentum"]),
        ),
        steps=settings["steps"],
        key=key_for(root_key(seed), "trigger-memories"),
        every=max(1, settings["steps"] // 80),
        watch=watch,
        show=show,
    )
