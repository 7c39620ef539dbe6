"""What size means for parity: how many ones there are, or how long the word is.

What: A model trained on short words is asked about larger ones. Larger in which sense? For parity,
    attention can compare the number of ones with a fixed thing such as the token at the start,
    and zeros need not matter. Such a model knows the numbers of ones that it was trained on and
    no others: more zeros do little harm, one more one than ever seen does. A recurrent state that
    flips with every one knows no such border. So the grid of accuracies, length by number of ones,
    falls off along one axis only, and for recurrent models along none.
Definition: A word of T bits has k ones at random places; training has T up to 20 and k up to 10,
    both uniform, and asks for the parity of every prefix. The test grid has T from 10 to 60 and
    k up to 30 (on a processor training has k up to 6). The transformer has two layers and no
    positions; a token marks the start. Attention to it and to k ones alike gives it the share
    1/(k+1), which differs by about 1/k² from k to k+1 whatever T is; a flipped bit changes the
    label always, but a mean over T tokens by 1/T only.
    Accuracies, averaged over k = 2m-1 and 2m so that a constant answer gets one half, are fitted
    by effects of T and of k that add up; a factor's share of the variance is what the fit loses
    without it. Predicted: the share of k at least twice that of T, and recurrent models (a
    GRU; a state space with gates in [-1, 1]) right on 99 % of the grid.
Example:
    >>> grid = np.array([[1.0, 1.0, 0.5], [1.0, 0.9, 0.5]])  # by length, by number of ones
    >>> length, ones = explained(grid)
    >>> ones > 2 * length
    True

Known limits: One small transformer on a processor, without positions: with learned ones length
    would matter at once, since places never trained have no meaning. The share of variance depends
    on where the grid ends. Length is not innocent: attention to a zero is small, not nothing, and
    on words more than twice as long as in training even few ones are miscounted. That the
    transformer fits its training range is claimed too, for otherwise its border means nothing.
Sources: the tutorial Sandbox for the Blackbox, part III; Exploring Length Generalization in Large
    Language Models (Anil and others, 2022); for gates in [-1, 1], Unlocking State-Tracking in
    Linear RNNs Through Negative Eigenvalues (Grazzi and others, 2024)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, Key

from foretell.models import small_decoder
from foretell.models.small_decoder import Shape
from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show, require_among
from foretell.worlds import recurrent_reader
from foretell.worlds.descent import descend
from foretell.worlds.parity_grid import (
    draw_sizes,
    explained,
    paired,
    place_ones,
    require_sizes,
)
from foretell.worlds.recurrent_reader import fresh_recurrent, said_after

START, TOKENS = 2, 3  # the token before the bits; how many tokens there are
ATTENTION = "transformer"
KINDS = (ATTENTION, "gru", "ssm-signed")  # the one that attends comes first
FIRM, TWICE = 0.99, 2.0
LONG, MANY = "longer, no more ones", "no longer, more ones"
TIED = (MANY, LONG)  # as is a tie, and a grid that lacks one of the two
Speak = Callable[[Any, Int[Array, "batch length"]], Float[Array, "batch length"]]


@final
class ParitySize(Sandbox):
    """Trains three kinds of models on short words and tests them on a grid of sizes."""

    name = "parity-size"
    title = "What size means for parity"
    essential = False
    lesson = (
        "Accuracy by length and number of ones, the range of training framed; one half is "
        "guessing. With more ones than in training the transformer guesses at every length; with "
        "no more it holds on words up to about twice as long. Recurrent models fail nowhere."
    )
    caveat = "A trained model's borders are a finding; that no transformer can do better is not."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """`trained` is the longest word and the most ones in training."""
        run: dict[str, Any] = {"trained": [20, 6], "lengths": [10, 20, 30, 40, 50, 60], "ones": 30}
        run |= {"width": 32, "heads": 4, "rate": 0.001, "steps": 3000, "batch": 64, "hidden": 32}
        run |= {"cell_rate": 0.003, "cell_steps": 1500, "words": 64, "seeds": 1, "seed": 0}
        run |= {"kinds": list(KINDS)}
        if budget is Budget.SMOKE:
            run |= {"trained": [3, 2], "lengths": [3, 4, 5], "ones": 4, "words": 4, "batch": 2}
            run |= {"width": 4, "heads": 1, "hidden": 4, "steps": 2, "cell_steps": 2}
            run |= {"kinds": list(KINDS[:2])}
        elif budget is Budget.GPU:
            run |= {
                "trained": [20, 10],
                "width": 64,
                "steps": 30000,
                "batch": 256,
                "seeds": 3,
                "words": 256,
            }
            run |= {"cell_steps": 5000, "hidden": 64, "lengths": list(range(10, 61, 5))}
        return run

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse what does not go together."""
        kinds, (longest, most) = settings["kinds"], require_sizes(*settings["trained"])
        require_among("kind of model", kinds, (ATTENTION, *recurrent_reader.KINDS))
        if kinds[0] != ATTENTION:
            raise BadInput(f"the {ATTENTION} comes first", seen=kinds, why="claims are about it")
        _speaker(settings, ATTENTION)
        lengths = settings["lengths"]
        if not min(lengths) <= longest < max(lengths) or settings["ones"] <= most:
            raise BadInput(
                "the test has to go beyond the training, from inside it",
                seen=f"trained to {longest} places and {most} ones, "
                f"tested on {lengths} and {settings['ones']} ones",
            )

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Which size matters, and for whom."""
        require_sizes(*settings["trained"])
        return (
            Claim("transformer: right where trained", 0.95, ">=", 0.0, "empirical"),
            Claim("transformer: variance by ones over length", TWICE, ">=", 0.0, "empirical"),
            Claim("transformer: better to worse", (LONG, MANY), "order", 0.0, "empirical"),
            *(
                Claim(f"{kind}: right on the grid", FIRM, ">=", 0.0, "empirical")
                for kind in settings["kinds"][1:]
            ),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """All seeds of a kind as one program; the grid is their mean."""
        grids = {kind: _grid(settings, kind, show) for kind in settings["kinds"]}
        grid, (longest, most) = grids[ATTENTION], settings["trained"]
        lengths, ones = np.array(settings["lengths"])[:, None], np.arange(settings["ones"] + 1)
        by_length, by_ones = explained(paired(grid))
        parts = {
            LONG: _mean(grid, (lengths > longest) & (ones <= most)),
            MANY: _mean(grid, (lengths <= longest) & (ones > most)),
        }
        values: dict[str, Any] = {
            "transformer: right where trained": _mean(grid, (lengths <= longest) & (ones <= most)),
            "transformer: variance by ones over length": by_ones / max(by_length, 1e-9),
            "transformer: better to worse": (LONG, MANY) if parts[LONG] > parts[MANY] else TIED,
        }
        values |= {
            f"{kind}: right on the grid": _mean(grids[kind]) for kind in settings["kinds"][1:]
        }
        curves = {
            "trained": settings["trained"],
            "lengths": settings["lengths"],
            "grids": {kind: _plain(each) for kind, each in grids.items()},
            "variances": {kind: _variances(each) for kind, each in grids.items()},
            "parts": parts,
        }
        return Findings(values, curves)


def _mean(
    grid: Float[np.ndarray, "size bit"], where: Bool[np.ndarray, "size bit"] | None = None
) -> float:
    """Of cells that exist."""
    chosen = grid if where is None else np.where(where, grid, np.nan)
    return float(np.nanmean(chosen)) if np.isfinite(chosen).any() else float("nan")


def _variances(grid: Float[np.ndarray, "size bit"]) -> list[float]:
    """What length and the number of ones explain, not as shares: a flat grid has nothing."""
    pairs = paired(grid)
    return [round(share * float(np.nanvar(pairs)), 6) for share in explained(pairs)]


def _plain(grid: Float[np.ndarray, "size bit"]) -> list[list[float | None]]:
    return [[round(float(x), 4) if np.isfinite(x) else None for x in row] for row in grid]


def _speaker(settings: Mapping[str, Any], kind: str) -> tuple[Speak, Callable[[Any], Any]]:
    """What a kind says after each bit, positive for odd, and how its weights begin."""
    if kind != ATTENTION:

        def recurrent(weights: Any, words: Int[Array, "batch length"]) -> Array:
            return said_after(weights, words)[:, 1:]

        return recurrent, lambda key: fresh_recurrent(kind, TOKENS, settings["hidden"], key)
    width = settings["width"]
    shape = Shape(
        tokens=TOKENS,
        length=1 + max(settings["lengths"]),
        width=width,
        heads=settings["heads"],
        layers=2,
        hidden=4 * width,
        positions="none",
    )

    def attention(weights: Any, words: Int[Array, "batch length"]) -> Array:
        said = jax.vmap(lambda word: small_decoder.logits(shape, weights, word))(words)
        return said[:, 1:, 1] - said[:, 1:, 0]

    return attention, lambda key: small_decoder.create(shape, key)


def _started(bits: Int[Array, "batch length"]) -> Int[Array, "batch length"]:
    return jnp.pad(bits, ((0, 0), (1, 0)), constant_values=START)


def _trained(settings: Mapping[str, Any], kind: str, show: Show) -> tuple[Speak, Any]:
    """Members differ in seed alone."""
    speak, fresh = _speaker(settings, kind)
    longest, most = require_sizes(*settings["trained"])
    root, seeds = (
        key_for(root_key(settings["seed"]), kind),
        np.arange(settings["seeds"], dtype=np.int32),
    )

    def example(key: Key[Array, ""]) -> tuple[Array, Array]:
        length, ones = draw_sizes(key_for(key, "sizes"), longest, most)
        return place_ones(key_for(key, "places"), length, ones, longest), length

    def member_loss(weights: Any, key: Key[Array, ""]) -> Float[Array, ""]:
        bits, length = jax.vmap(example)(jax.random.split(key, settings["batch"]))
        said, odd = speak(weights, _started(bits)), jnp.cumsum(bits, axis=1) % 2 == 1
        losses = jax.nn.softplus(jnp.where(odd, -said, said))
        asked = jnp.arange(longest) < length[:, None]
        return jnp.sum(losses * asked) / jnp.sum(asked)

    def loss(weights: Any, key: Key[Array, ""]) -> Float[Array, ""]:
        keys = jax.vmap(lambda seed: jax.random.fold_in(key, seed))(seeds)
        return jax.vmap(member_loss)(weights, keys).sum()

    start = jax.jit(jax.vmap(lambda seed: fresh(key_for(root, "weights", seed))))(seeds)
    prefix = "" if kind == ATTENTION else "cell_"
    steps, rate = settings[f"{prefix}steps"], settings[f"{prefix}rate"]
    schedule = optax.warmup_cosine_decay_schedule(0.0, rate, max(1, steps // 40), steps)
    trained = descend(
        loss,
        start,
        optax.adam(schedule),
        steps=steps,
        key=key_for(root, "train"),
        every=max(1, steps // 10),
        watch=lambda weights, key: {},
        show=show,
        phase=kind,
    )
    return speak, trained.weights


def _grid(settings: Mapping[str, Any], kind: str, show: Show) -> Float[np.ndarray, "size bit"]:
    """Accuracy by length and number of ones, over seeds and words; NaN where ones have no room."""
    speak, weights = _trained(settings, kind, show)
    lengths, room = settings["lengths"], max(settings["lengths"])
    sizes = np.array([[T, k] for T in lengths for k in range(settings["ones"] + 1)], np.int32)
    root = root_key(settings["seed"])

    def cell(weights: Any, size: Int[Array, " bit"]) -> Float[Array, ""]:
        length, ones = size
        keys = jax.random.split(key_for(root, "grid", length, ones), settings["words"])
        bits = jax.vmap(lambda key: place_ones(key, length, ones, room))(keys)
        said = jax.vmap(lambda member: speak(member, _started(bits)))(weights)[..., length - 1]
        return jnp.mean((said > 0) == (ones % 2 == 1))

    run = jax.jit(lambda weights: jax.lax.map(lambda size: cell(weights, size), jnp.asarray(sizes)))
    found = np.asarray(run(weights), float).reshape(len(lengths), -1)
    fits = np.arange(found.shape[1]) <= np.array(lengths)[:, None]
    return np.where(fits, found, np.nan)
