"""Training on n-grams lingers where the model counts k-grams for k below n.

What: Words come from chains of order n-1, a chain each; two layers of attention are trained to
    predict what follows the last symbol. The loss does not fall evenly: it lingers, and where it
    lingers the model computes the in-context k-gram of a smaller k. The reason is that such
    weights are almost a stationary point: nothing near them helps to first order.
Definition: Layer 1 has n-1 heads whose scores depend on the lag only; layer 2 attends from the
    last position by a bilinear form over [symbol, head 1, ..., head n-1] and copies symbols. The
    weights θ_k have heads 1 to k-1 at lags 1 to k-1, spare heads on a lag in use (lag 0 if
    k = 1), and the form c·1 between the symbol j back here and the symbol j+1 back there. With
    large c they say the k-gram. The loss is -Σ π(x) log(f(x) + 0.001), π the true row. At θ_k
    its gradient goes to 0 as length and c grow (for k = 2 about as T^-0.8). Predicted: a start
    at the unigram's loss, a flat stretch at the loss of the (n-1)-gram after T symbols, an end
    near that of the n-gram, and at every time closeness in KL to the k-gram of that stage.
Example:
    >>> steps, losses = np.arange(0.0, 600, 100), np.array([1.2, 1.01, 1.0, 1.0, 1.0, 0.8])
    >>> flat_stay(steps, losses, level=1.0, within=0.012, slope=1e-5)
    (200.0, 400.0)

Known limits: Adam and attention by lag only; with weight decay, content in the first layer or
    several layers more stages can merge. The model starts as a unigram because attention that is
    flat counts symbols, so there is no stage at the uniform loss here (`stagewise-induction` has
    one). The final loss stays above the smoothed n-gram's: the model copies and cannot smooth.
    For k = 1 a spare head at lag 1 spoils stationarity: its gradient does not shrink with T.
Sources: Learning In-context n-grams with Transformers: Sub-n-grams Are Near-stationary Points
    (Varre and others, 2025); the tutorial Sandbox for the Blackbox, part II
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Int, Key

from foretell.numerics.keys import key_for, root_key
from foretell.numerics.stages import flat_stay
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show, Value
from foretell.worlds.chains import Prior, contexts_of, sample_rows, sample_words
from foretell.worlds.descent import Trained, descend
from foretell.worlds.n_gram_model import Matcher, counting, fresh, loss_of, predict
from foretell.worlds.n_grams import counted_levels, last_counts, smoothed

PRIOR = Prior()
NEAR, FLAT, LEAST = 0.012, 1e-5, 300.0  # of a plateau: distance to its level, slope, steps
STRENGTH = 8.0
NAMES = ("unigram", "bigram", "trigram", "4-gram", "5-gram")
POINTS = (("2-gram", 2, 1), ("1-gram", 1, 0), ("1-gram, spare heads at lag 1", 1, 1))
AT_ONCE = 512


@final
class SubNGramPlateaus(Sandbox):
    """Train the matcher, find its plateau, and measure the gradient at θ_k."""

    name = "sub-n-gram-plateaus"
    title = "Plateaus of training are n-grams of lower order"
    lesson = (
        "Loss while training, with the losses of the in-context k-grams dashed; it lingers at the "
        "bigram until the second head finds lag 2. At weights built to say a k-gram the gradient "
        "shrinks with the length of the words; while training, the jitter of Adam hides that."
    )
    caveat = "Two layers made for the purpose; it does not say how long a plateau lasts."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """On an accelerator the paper's: five symbols, long words, decayed weights."""
        run: dict[str, Any]
        shared: dict[str, Any] = {
            "seed": 0,
            "size": 3,
            "batch": 128,
            "scale": 0.01,
            "levels_from": 20_000,
        }
        if budget is Budget.SMOKE:
            run = {"symbols": 2, "size": 2, "length": 8, "steps": 8, "every": 4, "batch": 8}
            return shared | run | {"watched": 64, "rate": 0.01, "lengths": [], "samples": 64}
        if budget is Budget.GPU:
            run = {"symbols": 5, "length": 128, "steps": 16_384, "every": 64, "rate": 1e-3}
            return (
                shared
                | run
                | {
                    "watched": 8192,
                    "decay": 1e-4,
                    "lengths": [16, 32, 64, 128, 256],
                    "samples": 131_072,
                }
            )
        run = {"symbols": 3, "length": 64, "steps": 4000, "every": 50, "rate": 0.01}
        return shared | run | {"watched": 4096, "lengths": [16, 32, 64, 128], "samples": 16_384}

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """From the losses of counting, and the theorem on θ_k."""
        levels, size = _levels(settings), settings["size"]
        below = NAMES[size - 2]
        claims = [
            Claim("loss at the start", float(levels[0]), "=", NEAR, "derived"),
            Claim(f"steps flat at the {below} level", LEAST, ">=", 0.0, "empirical"),
            Claim("closest in the middle of the stay", (below,), "order", 0.0, "empirical"),
            Claim("closest one after another", NAMES[:size], "order", 0.0, "empirical"),
            Claim("loss at the end", float(levels[-1]), "<=", 0.03, "empirical"),
        ]
        if settings["lengths"]:
            slope = "gradient at θ_2: slope in log T"
            claims.append(Claim(slope, -0.5, "<=", 0.0, "numeric"))
        return tuple(claims)

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Train and watch, then differentiate at the constructed weights."""
        trained, size = _train(settings, show), settings["size"]
        steps, watched = trained.steps.astype(float), trained.watched
        level, losses = float(_levels(settings)[size - 2]), watched["loss"].astype(float)
        first, last = flat_stay(steps, losses, level, NEAR, FLAT)
        middle = int(np.argmin(np.abs(steps - (first + last) / 2)))
        closest = watched["apart"].argmin(axis=1)
        order = closest[np.flatnonzero(np.diff(closest, prepend=-1))]
        values: dict[str, Value] = {
            "loss at the start": float(losses[0]),
            f"steps flat at the {NAMES[size - 2]} level": last - first,
            "closest in the middle of the stay": (NAMES[closest[middle]],),
            "closest one after another": tuple(NAMES[each] for each in order),
            "loss at the end": float(losses[-1]),
        }
        gradients = _gradients(settings)
        if settings["lengths"]:
            lengths, found = np.log(settings["lengths"]), np.log(gradients[POINTS[0][0]])
            values["gradient at θ_2: slope in log T"] = float(np.polyfit(lengths, found, 1)[0])
        return Findings(values, _curves(settings, trained, middle, gradients, (first, last)))


def sample_example(
    keys: Key[Array, " set"], symbols: int, order: int, length: int
) -> tuple[Int[Array, " length"], Float[Array, " letter"]]:
    """A word and the true row at its end."""
    rows = sample_rows(keys[0], order, symbols, PRIOR)
    word = sample_words(keys[1], rows, length, symbols, "stationary")
    return word, rows[contexts_of(word, order, symbols)[-1]]


def _levels(settings: Mapping[str, Any]) -> Float[np.ndarray, " size"]:
    """Of smoothed counting after as many symbols as the model reads."""
    order, symbols, length = settings["size"] - 1, settings["symbols"], settings["length"]
    return counted_levels(order, symbols, PRIOR, length, settings["levels_from"]).mean


def _examples(key: Key[Array, ""], count: int, settings: Mapping[str, Any], length: int) -> Any:
    order, symbols = settings["size"] - 1, settings["symbols"]
    keys = jax.random.split(key, (count, 2))
    return jax.vmap(lambda pair: sample_example(pair, symbols, order, length))(keys)


def _mean_loss(model: Matcher, examples: Any, symbols: int) -> Float[Array, ""]:
    words, rows = examples
    return loss_of(jax.vmap(lambda word: predict(model, word, symbols))(words), rows).mean()


def _watched(key: Key[Array, ""], settings: Mapping[str, Any]) -> Any:
    """Words to watch, the true rows at their ends, and what each k-gram says there."""
    symbols, order = settings["symbols"], settings["size"] - 1

    @jax.jit
    def draw(key: Key[Array, ""]) -> Any:
        words, rows = _examples(key, settings["watched"], settings, settings["length"])
        counted = [
            jax.vmap(lambda word, k=k: last_counts(word, k, symbols))(words)
            for k in range(order + 1)
        ]
        return words, rows, smoothed(jnp.stack(counted), PRIOR.alpha)

    return draw(key)


def _train(settings: Mapping[str, Any], show: Show) -> Trained:
    symbols, order, length = settings["symbols"], settings["size"] - 1, settings["length"]
    root = root_key(settings["seed"])
    words, rows, references = _watched(key_for(root, "watched"), settings)
    few = (words[: settings["watched"] // 4], rows[: settings["watched"] // 4])

    def loss(model: Matcher, key: Key[Array, ""]) -> Float[Array, ""]:
        return _mean_loss(model, _examples(key, settings["batch"], settings, length), symbols)

    def watch(model: Matcher, _: Key[Array, ""]) -> dict[str, Array]:
        said = jax.vmap(lambda word: predict(model, word, symbols))(words)
        ratio = jnp.log(jnp.maximum(said, 1e-30) / references)
        slope = jax.grad(_mean_loss)(model, few, symbols)
        return {
            "loss": loss_of(said, rows).mean(),
            "apart": jnp.sum(said * ratio, axis=-1).mean(axis=-1),
            "gradient": jnp.linalg.norm(ravel_pytree(slope)[0]),
            "lags": model.lags,
            "matching": model.matching,
        }

    if settings.get("decay"):
        schedule = optax.cosine_decay_schedule(settings["rate"], settings["steps"])
        optimizer = optax.adamw(schedule, b1=0.0, weight_decay=settings["decay"])
    else:
        optimizer = optax.adam(settings["rate"])
    start = fresh(key_for(root, "weights"), order, symbols, length, settings["scale"])
    plan = {"steps": settings["steps"], "every": settings["every"], "show": show}
    return descend(loss, start, optimizer, key=key_for(root, "train"), watch=watch, **plan)


def _gradients(settings: Mapping[str, Any]) -> dict[str, list[float]]:
    """Length of the mean gradient at the constructed weights, by length of the words.

    The square is the product of two independent means, so that noise adds nothing on average.
    """
    order, symbols = settings["size"] - 1, settings["symbols"]
    rounds, found = max(1, settings["samples"] // (2 * AT_ONCE)), []
    for length in settings["lengths"]:
        made = [counting(k, order, symbols, length, STRENGTH, spare) for _, k, spare in POINTS]
        models = jax.tree.map(lambda *each: jnp.stack(each), *made)

        def slope(models: Matcher, key: Key[Array, ""], length: int = length) -> Matcher:
            examples = _examples(key, AT_ONCE, settings, length)
            return jax.vmap(lambda model: jax.grad(_mean_loss)(model, examples, symbols))(models)

        @jax.jit
        def halves(models: Matcher, keys: Key[Array, "set draw"], slope: Any = slope) -> Any:
            slopes = jax.lax.map(lambda key: slope(models, key), keys.ravel())
            parts = [each.reshape(2, rounds, len(POINTS), -1).mean(axis=1) for each in slopes]
            return sum(jnp.sum(part[0] * part[1], axis=-1) for part in parts)

        root = key_for(root_key(settings["seed"]), "gradients", length)
        square = np.asarray(halves(models, jax.random.split(root, (2, rounds))))
        found.append(np.sqrt(np.maximum(square, 1e-12)))
    return {name: [float(row[i]) for row in found] for i, (name, _, _) in enumerate(POINTS)}


def _curves(
    settings: Mapping[str, Any],
    trained: Trained,
    middle: int,
    gradients: dict[str, list[float]],
    stay: tuple[float, float],
) -> dict[str, Any]:
    watched = trained.watched
    moments = [0, middle, len(trained.steps) - 1]
    return {
        "symbols": settings["symbols"],
        "levels": _levels(settings).round(5).tolist(),
        "steps": trained.steps.tolist(),
        "loss": watched["loss"].round(5).tolist(),
        "gradient": watched["gradient"].round(6).tolist(),
        "apart": watched["apart"].round(5).tolist(),
        "stay": list(stay),
        "moments": trained.steps[moments].tolist(),
        "lags": watched["lags"][moments].round(2).tolist(),
        "matching": watched["matching"][moments].round(2).tolist(),
        "lengths": list(settings["lengths"]),
        "gradients": {name: np.round(each, 6).tolist() for name, each in gradients.items()},
    }
