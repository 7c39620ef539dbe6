"""Interleaved chains: three layers of attention find out how far back to look.

What: One table of rows P is known, and each word has a lag k of its own: symbol t is drawn from the
    row of symbol t-k, so the word is k chains dealt out in turn. Whoever predicts it must first
    find k. Bayes multiplies, for each lag, the chances of all moves. Attention cannot multiply
    over the whole word, but it can average: each place says which share of the moves' chances
    each lag has, and the lag with the highest mean share wins. Both find the lag as words grow,
    and the second loses little on the way.
Definition: With c_{t,k} = P(x_{t-k}, x_t), t beyond the longest lag, Bayes weighs lag k by
    Π_t c_{t,k} and three layers by exp(β · mean_t c_{t,k}/Σ_l c_{t,l}); either then says
    Σ_k w_k P(x_{T+1-k}, ·). Layer 1 weighs all lags at once by c, layer 2 averages with one head
    for each class of places modulo the number of lags (so that no two lags mix), layer 3 looks
    from the end at the symbol of each lag, by β times its mean. What is lost is the divergence
    from the true row P(x_{T+1-k}, ·).
Example:
    >>> table = np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> word = np.array([[0, 1, 0, 1, 0, 1, 0, 1]])  # changes all the time: not lag 1
    >>> averaged_shares(chances_of(word, table, (1, 2)), 10.0).round(3).tolist()
    [[0.0, 1.0]]

Known limits: The transformer is constructed, not trained: that training finds it, and that two
    layers of attention do not, is an observation of the paper that is not repeated here. β = 100
    is one choice; the best one depends on the table and on the length. The table has no zeros.
    The construction's way of keeping lags apart is ours and may not be what training finds.
Sources: Selective Induction Heads (D'Angelo and others, 2025); the tutorial Sandbox for the
    Blackbox, part II
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from foretell.constructions.lag_selection import require_lags, select_lag
from foretell.models.disentangled import answer, patterns
from foretell.numerics.keys import key_for, root_key
from foretell.numerics.precision import double_precision
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.graph_lags import (
    averaged_models,
    averaged_shares,
    chances_of,
    predicted,
    weave,
)

WAYS = ("Bayes", "shares")
FLOOR = 0.005  # of every row, spread evenly, so that no chance is 0


@final
class InterleavedLags(Sandbox):
    """Two ways to weigh lags on sampled words, and one of them as a transformer."""

    name = "interleaved-lags"
    title = "Interleaved chains: how far back to look"
    lesson = (
        "Averaged shares, which three layers of attention can compute, against Bayes' products: "
        "both find the lag as words grow. Right, the constructed layers on one word: candidates "
        "at every place, one average per class of places, and a choice at the end."
    )
    caveat = "The weights are written down, not learnt, and one table serves for all words."
    essential = False

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Lengths are prefixes of the same words."""
        tables, words, lengths = {
            Budget.SMOKE: (1, 64, [8, 16]),
            Budget.CPU: (8, 4000, [8, 12, 16, 24, 32, 48, 64]),
            Budget.GPU: (32, 8000, [8, 16, 32, 64, 128]),
        }[budget]
        sizes = {"tables": tables, "words": words, "lengths": lengths}
        built = {"built_length": 16, "built_words": 8 if budget is Budget.SMOKE else 256}
        data = {"symbols": 5, "lags": [1, 2, 3], "alpha": 0.5, "sharpness": 100.0}
        return {**data, **sizes, **built, "seed": 0}

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """That averaging loses little, that lags are found, that attention can do it."""
        lengths = [length for length in settings["lengths"] if length >= 16]
        found = [
            Claim(f"T={length}: divergence of shares above Bayes", 0.0, "<=", 0.01, "numeric")
            for length in lengths
        ]
        found += [
            Claim(f"T={lengths[-1]}: share of lags found by {way}", 1.0, ">=", 0.01, "theorem")
            for way in WAYS
        ]
        order = tuple(f"T={length}" for length in reversed(settings["lengths"]))
        return (
            *found,
            Claim("shares, least divergence first", order, "order", 0.0, "theorem"),
            Claim("layers: largest difference from the formula", 0.0, "=", 1e-6, "theorem"),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Words of several tables, then the constructed layers on some of them."""
        tables, words, lags = _data(settings)
        scores = np.array(
            [
                [_scores(table, word, lag, settings, length) for length in settings["lengths"]]
                for table, word, lag in zip(tables, words, lags, strict=True)
            ]
        ).mean(axis=0)  # length × (divergence, found) × way
        values: dict[str, Any] = {}
        for length, (divergence, found) in zip(settings["lengths"], scores, strict=True):
            values[f"T={length}: divergence of shares above Bayes"] = divergence[1] - divergence[0]
            values |= {
                f"T={length}: share of lags found by {way}": float(share)
                for way, share in zip(WAYS, found, strict=True)
            }
        ranked = np.argsort(scores[:, 0, 1])
        values["shares, least divergence first"] = tuple(
            f"T={settings['lengths'][place]}" for place in ranked
        )
        difference, shown = _constructed(tables[0], words[0], lags[0], settings)
        values["layers: largest difference from the formula"] = difference
        curves = {
            "lengths": list(settings["lengths"]),
            "divergence": dict(zip(WAYS, scores[:, 0].T.round(7).tolist(), strict=True)),
            "found": dict(zip(WAYS, scores[:, 1].T.round(5).tolist(), strict=True)),
            "layers": shown,
        }
        return Findings(values, curves)


def _data(settings: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tables, their words at full length, and the words' lags."""
    lags, count = require_lags(settings["lags"]), settings["words"]
    drawn, symbols = np.random.default_rng(settings["seed"]), settings["symbols"]
    shape = (settings["tables"], symbols)
    tables = drawn.dirichlet(np.full(symbols, settings["alpha"]), shape)
    tables = FLOOR / symbols + (1 - FLOOR) * tables
    chosen = drawn.choice(lags, (len(tables), count))
    length = max(*settings["lengths"], settings["built_length"])
    keys = jax.random.split(key_for(root_key(settings["seed"]), "words"), chosen.shape)

    def one(key: Any, table: Any, lag: Any) -> Any:
        return weave(key, table, lag, max(lags), length)

    grow = jax.jit(jax.vmap(jax.vmap(one, (0, None, 0))))
    words = grow(keys, jnp.asarray(tables, jnp.float32), jnp.asarray(chosen))
    return tables, np.asarray(words), chosen


def _scores(
    table: Float[np.ndarray, "token label"],
    words: Int[np.ndarray, "batch length"],
    chosen: Int[np.ndarray, " batch"],
    settings: Mapping[str, Any],
    length: int,
) -> list[list[float]]:
    """Divergence from the truth, and the share of lags found, of both ways."""
    lags, words = np.array(settings["lags"]), words[:, :length]
    chances = chances_of(words, table, tuple(settings["lags"]))
    truth = table[words[np.arange(len(words)), length - chosen]]
    divergence, found = [], []
    for weights in (averaged_models(chances), averaged_shares(chances, settings["sharpness"])):
        said = predicted(words, table, settings["lags"], weights)
        divergence.append(float(np.sum(truth * np.log(truth / said), axis=1).mean()))
        found.append(float(np.mean(lags[weights.argmax(axis=1)] == chosen)))
    return [divergence, found]


def _constructed(
    table: Float[np.ndarray, "token label"],
    words: Int[np.ndarray, "batch length"],
    chosen: Int[np.ndarray, " batch"],
    settings: Mapping[str, Any],
) -> tuple[float, dict[str, Any]]:
    """The layers against the formula on some words, and their attention on one of a middle lag."""
    lags, length = settings["lags"], settings["built_length"]
    some = words[: settings["built_words"], :length]
    one = int(np.argmax(chosen[: len(some)] == lags[len(lags) // 2]))
    weights = averaged_shares(chances_of(some, table, lags), settings["sharpness"])
    formula = predicted(some, table, lags, weights)
    with double_precision():
        model = select_lag(table, lags, length, settings["sharpness"])
        look = jax.jit(lambda words: jax.vmap(lambda word: answer(model, word))(words))
        said = np.asarray(look(jnp.asarray(some)))
        first, second, third = jax.jit(lambda word: patterns(model, word))(jnp.asarray(some[one]))
    shown = {
        "first": np.asarray(first[0]).round(4).tolist(),
        "second": np.asarray(second[:, -1]).round(4).tolist(),
        "third": np.asarray(third[0, -1]).round(4).tolist(),
        "lags": list(lags),
        "lag": int(chosen[one]),
    }
    return float(np.abs(said - formula).max()), shown
