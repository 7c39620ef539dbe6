"""A symbol with several parents needs several heads, and each head takes one of them.

What: Each symbol is drawn from a row chosen by k earlier symbols at fixed lags, the same lags in
    every word, the rows new in every word. k-grams are the case of lags 1, ..., k. To answer, one
    counts what stood where all k parents equalled the present ones, so all k have to be copied
    to each place. One head can copy one symbol. With k heads, training starts from heads that
    look almost alike and ends with each of them at another parent.
Definition: Head h copies Σ_l softmax(r_h)_l x_{i-l} over a window of lags; the copies of all heads
    stand side by side in v_i. The second layer weighs place i by exp(v_Tᵀ A v_i), with v_T the
    copies at the place after the end, and reads x_i; what it reads is the answer, a law. It is the
    disentangled transformer with a first layer that sees lags alone. Prediction: the heads'
    favourite lags, argmax_l r_h, are different from each other, and are the parents; or, without
    naming the parents, the set S of lags within the window with the most damped information
    E Σ_Z μ(Z)²(Σ_e μ(e|Z)²/μ(e) - 1), Z the symbols at those lags, e the next one, μ the
    stationary law, E over tables. A set that lacks a parent knows less, and one with a lag too
    many divides its words among more contexts.
Example:
    >>> heads = LagHeads(jnp.array([[9.0, 0, 0], [0, 9.0, 0]]), 20 * jnp.eye(4))
    >>> law = chances(heads, jnp.array([0, 0, 1, 0, 1, 1, 0, 0, 1]), 2)  # 0 then 1: a 0 came, a 1
    >>> law.round(1).tolist()
    [0.5, 0.5]

Known limits: The first layer sees lags only, not places or symbols, which makes learning quick and
    forces the same lags everywhere; with free places, 1500 steps on words of 16 symbols did not
    separate the heads. Heads may share a parent for hundreds of steps before one moves on, and a
    seed can still be on that plateau when training ends. The heads must start apart by a little
    noise: equal heads get equal gradients forever. The damped information is written down as it
    is remembered from the source and was not checked against it, so its rows are conjectures; it
    is computed for endless words, and held against where training ends, not against the stages
    on the way. There are as many heads as parents, so training could not find a larger set.
Sources: How Transformers Learn Causal Structure with Gradient Descent (Nichani, Damian and Lee,
    2024); Unveiling Induction Heads (Chen and others, 2024); the tutorial Sandbox for the Blackbox,
    part II
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int

from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.descent import Trained, descend
from foretell.worlds.graph_parents import (
    Asked,
    counted_family,
    require_parent_lags,
    sample_families,
)
from foretell.worlds.graph_sets import most_informative

FLOOR, NOISE, ROWS = 0.01, 0.1, 60


class LagHeads(NamedTuple):
    """What each head makes of each lag, and how the copies are compared."""

    lags: Float[Array, "head key"]
    matching: Float[Array, "width width"]


def chances(heads: LagHeads, word: Int[Array, " length"], symbols: int) -> Float[Array, " label"]:
    """The law of the symbol after one word, read off by the second layer."""
    count, window = heads.lags.shape
    shown = jax.nn.one_hot(word, symbols, dtype=heads.lags.dtype)
    places = jnp.arange(window, word.shape[0] + 1)  # those with a full window, and the question
    behind = shown[places[:, None] - jnp.arange(1, window + 1)]
    copies = jnp.einsum("hk,iks->ihs", jax.nn.softmax(heads.lags), behind)
    copies = copies.reshape(-1, count * symbols)
    weights = jax.nn.softmax(copies[:-1] @ heads.matching.T @ copies[-1])
    return weights @ shown[window:]


@final
class SeveralParents(Sandbox):
    """Two or three parents, as many heads, several sets of lags and seeds at once."""

    name = "several-parents"
    title = "Several parents: each head takes one"
    lesson = (
        "One column a set of parents (squares). After training, the heads' attention by lag: each "
        "head has settled on another parent, and the loss is near that of counting (dashed)."
    )
    caveat = "Parents at fixed lags, as many heads as parents, and heads that see lags only."
    essential = False

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Two parents of two symbols; on an accelerator three parents of three."""
        sizes: dict[str, Any] = {
            Budget.SMOKE: {"sets": [[1, 2]], "seeds": 1, "steps": 4, "batch": 8, "tests": 64}
            | {"tables": 50},
            Budget.CPU: {"sets": [[1, 2], [1, 3], [2, 4]], "seeds": 3, "steps": 1500, "batch": 128}
            | {"tests": 4096, "tables": 2000},
            Budget.GPU: {"sets": [[1, 2, 3], [1, 3, 5], [2, 3, 4]], "seeds": 5, "steps": 10_000}
            | {"batch": 512, "tests": 2**14, "tables": 500},
        }[budget]
        full = budget is Budget.GPU
        data = {
            "symbols": 3 if full else 2,
            "length": 128 if full else 32,
            "window": 5,
            "rate": 0.03,
        }
        return {**data, **sizes, "missed": 0 if full else 1, "seed": 0}

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse what does not go together."""
        require_parent_lags(settings["sets"], settings["window"])
        if settings["length"] <= settings["window"] + 1:
            raise BadInput(
                "the context is longer than the sequence",
                seen=f"a window of {settings['window']}, {settings['length']} symbols",
            )

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """How many of the parents are some head's favourite lag, in the worst of the seeds."""
        sets = require_parent_lags(settings["sets"], settings["window"])
        least = float(sets.shape[1] - settings["missed"])
        found = [
            Claim(f"{_name(lags)}: parents found by some head", least, ">=", 0.0, "empirical")
            for lags in sets.tolist()
        ]
        return (
            *found,
            *(
                Claim(
                    _taken(lags), _named(_information(lags, settings)), "order", 0.0, "conjecture"
                )
                for lags in sets.tolist()
            ),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """All sets and seeds as members of one program."""
        sets = require_parent_lags(settings["sets"], settings["window"])
        members = np.repeat(sets, settings["seeds"], axis=0)
        trained, counting = _train(members, settings, show)
        looks = np.asarray(jax.nn.softmax(trained.weights.lags)).astype(float)
        favourites = looks.argmax(axis=-1) + 1
        found = [len({*lags} & {*best}) for lags, best in zip(members, favourites, strict=True)]
        values: dict[str, Any] = {}
        rows = []
        for number, lags in enumerate(sets.tolist()):
            part = slice(number * settings["seeds"], (number + 1) * settings["seeds"])
            values[f"{_name(lags)}: parents found by some head"] = float(min(found[part]))
            seeds = Counter(tuple(sorted({*best})) for best in favourites[part].tolist())
            values[_taken(lags)] = _named(seeds.most_common(1)[0][0])
            rows.append(
                {
                    "lags": lags,
                    "heads": looks[part][0].round(4).tolist(),
                    "losses": trained.watched["loss"][:, part].astype(float).round(5).T.tolist(),
                    "counting": round(float(counting[part][0]), 5),
                }
            )
        return Findings(values, {"sets": rows, "steps": trained.steps.tolist()})


def _name(lags: list[int]) -> str:
    return "lags " + ", ".join(map(str, lags))


def _taken(lags: list[int]) -> str:
    return f"{_name(lags)}: set of most information, lags taken by most seeds"


def _named(lags: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(f"lag {lag}" for lag in lags)


def _information(lags: list[int], settings: Mapping[str, Any]) -> tuple[int, ...]:
    """From the formula alone, for the tables that words are drawn from."""
    return most_informative(
        tuple(lags), settings["symbols"], settings["window"], settings["tables"], settings["seed"]
    )


def _loss(heads: LagHeads, asked: Asked) -> Float[Array, ""]:
    """Cross-entropy, with a little of every answer mixed in so that none has chance 0."""
    symbols = asked.row.shape[-1]
    said = jax.vmap(lambda word: chances(heads, word, symbols))(asked.word)
    mixed = (said + FLOOR) / (1 + symbols * FLOOR)
    return -jnp.mean(jnp.sum(asked.row * jnp.log(mixed), axis=-1))


def _train(
    members: Int[np.ndarray, "member size"], settings: Mapping[str, Any], show: Show
) -> tuple[Trained, Float[np.ndarray, " member"]]:
    """Heads that differ by noise, a matching of zeros; and what counting gets on the tests."""
    count, parents = members.shape
    symbols, window, root = settings["symbols"], settings["window"], root_key(settings["seed"])
    sets = jnp.asarray(members)

    def draw(key: Array, batch: int) -> Asked:
        return sample_families(key, sets, batch, symbols, settings["length"], window)

    noise = np.random.default_rng(settings["seed"]).normal(size=(count, parents, window))
    width = parents * symbols
    start = LagHeads(
        jnp.asarray(NOISE * noise, jnp.float32),
        jnp.asarray(np.zeros((count, width, width)), jnp.float32),
    )
    tests = jax.jit(lambda: draw(key_for(root, "tests"), settings["tests"]))()
    trained = descend(
        lambda heads, key: jnp.sum(jax.vmap(_loss)(heads, draw(key, settings["batch"]))),
        start,
        optax.adam(optax.cosine_decay_schedule(settings["rate"], settings["steps"])),
        steps=settings["steps"],
        key=key_for(root, "train"),
        every=max(1, settings["steps"] // ROWS),
        watch=lambda heads, key: {"loss": jax.vmap(_loss)(heads, tests)},
        show=show,
    )
    counting = [
        -np.sum(row * np.log(counted_family(word, lags, symbols, window)), axis=1).mean()
        for word, row, lags in zip(*map(np.asarray, tests), members.tolist(), strict=True)
    ]
    return trained, np.array(counting)
