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
    from the true row P(x_{T+1-k}, ·). Trained: disentangled transformers with 1, K and 1 heads, and
    the same without the third layer, by Adam from small random weights on the divergence at the
    end of words; a gain is how far that falls below the even mixture of all lags.
Example:
    >>> table = np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> word = np.array([[0, 1, 0, 1, 0, 1, 0, 1]])  # changes all the time: not lag 1
    >>> averaged_shares(chances_of(word, table, (1, 2)), 10.0).round(3).tolist()
    [[0.0, 1.0]]

Known limits: β = 100 is one choice; the best one depends on the table and on the length. The table
    has no zeros. The construction's way of keeping lags apart is ours and not what training finds.
    What the paper saw, three layers near Bayes and two behind, does not show on a CPU: training
    is cut short well above Bayes, where neither depth is ahead for good, and both rows about it
    differ. That says little about what either could learn in the end. In trials of other models,
    as short, more heads in the first layer helped two layers more than a third layer did. The
    GPU's preset, with the paper's sizes, has not been run.
Sources: Selective Induction Heads (D'Angelo and others, 2025); the tutorial Sandbox for the
    Blackbox, part II
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from foretell.constructions.lag_selection import require_lags, select_lag
from foretell.models.disentangled import Disentangled, answer, patterns
from foretell.numerics.keys import key_for, root_key
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show, require_growing
from foretell.worlds.graph_lags import (
    averaged_models,
    averaged_shares,
    chances_of,
    predicted,
    weave,
)
from foretell.worlds.lag_training import DEPTHS, LagRun, Recipe, train_lags

WAYS = ("Bayes", "shares")
CLAIMED = 16  # from this length on
FLOOR = 0.005  # of every row, spread evenly, so that no chance is 0
THREE, TWO = DEPTHS
TRAINED = ("tables", "length", "batch", "rate", "steps", "tests")
TRAINING = {
    Budget.SMOKE: (1, 8, 8, 0.03, 10, 32),
    # short words, sharp tables and a high rate: what some lags can be learnt from in a minute
    Budget.CPU: (2, 24, 64, 0.03, 1_500, 1_000),
    Budget.GPU: (2, 128, 256, 0.001, 20_000, 2_000),
}


@final
class InterleavedLags(Sandbox):
    """Two ways to weigh lags on sampled words, and one of them as a transformer."""

    name = "interleaved-lags"
    title = "Interleaved chains: how far back to look"
    lesson = (
        "Averaged shares, which three layers of attention can compute, against Bayes' products: "
        "both find the lag as words grow. Right, the constructed layers on one word: candidates "
        "at every place, one average per class of places, and a choice at the end. Below, the same "
        "kind of model trained, with three layers and with two, between an even mixture of all "
        "lags and Bayes; and what its three layers look at."
    )
    caveat = (
        "One table serves for all words. Trained for a minute, both depths remain well above Bayes "
        "and near each other: what three layers learn in the end, and two cannot, is not shown."
    )
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
        training = dict(zip(TRAINED, TRAINING[budget], strict=True))
        training |= {"alpha": 0.2, "deviation": 0.01}
        return {**data, **sizes, **built, "training": training, "seed": 0}

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse what does not go together."""
        require_lags(settings["lags"])
        lengths = settings["lengths"]
        others = settings["built_length"], settings["training"]["length"]
        shortest = min(*lengths, *others)
        require_growing("lengths", lengths)
        if lengths[-1] < CLAIMED or shortest <= max(settings["lags"]):
            raise BadInput(
                "these lengths cannot be compared",
                seen=f"{lengths}, built and trained for {others}, lags {settings['lags']}",
                why=f"they reach {CLAIMED}, and are longer than every lag",
            )

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """That averaging loses little, that lags are found, that attention can and does do it."""
        lengths = [length for length in settings["lengths"] if length >= CLAIMED]
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
            Claim(f"trained: share of Bayes' gain, {THREE}", 1.0, ">=", 0.1, "empirical"),
            Claim(f"trained: share of {THREE} above {TWO}", 0.0, ">=", 0.0, "empirical"),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Words of several tables, the constructed layers on some of them, and a training."""
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
        gains, trained = _trained(settings, show)
        values[f"trained: share of Bayes' gain, {THREE}"] = gains[0]
        values[f"trained: share of {THREE} above {TWO}"] = gains[0] - gains[1]
        curves = {
            "lengths": list(settings["lengths"]),
            "divergence": dict(zip(WAYS, scores[:, 0].T.round(7).tolist(), strict=True)),
            "found": dict(zip(WAYS, scores[:, 1].T.round(5).tolist(), strict=True)),
            "layers": shown,
            "trained": trained,
        }
        return Findings(values, curves)


def _data(settings: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tables, their words at full length, and the words' lags."""
    lags, count = require_lags(settings["lags"]), settings["words"]
    drawn = np.random.default_rng(settings["seed"])
    tables = _tables(drawn, settings["tables"], settings["symbols"], settings["alpha"])
    chosen = drawn.choice(lags, (len(tables), count))
    length = max(*settings["lengths"], settings["built_length"])
    keys = jax.random.split(key_for(root_key(settings["seed"]), "words"), chosen.shape)

    def one(key: Any, table: Any, lag: Any) -> Any:
        return weave(key, table, lag, max(lags), length)

    grow = jax.jit(jax.vmap(jax.vmap(one, (0, None, 0))))
    words = grow(keys, jnp.asarray(tables, jnp.float32), jnp.asarray(chosen))
    return tables, np.asarray(words), chosen


def _tables(
    drawn: np.random.Generator, count: int, symbols: int, alpha: float
) -> Float[np.ndarray, "member token label"]:
    """Rows from a Dirichlet law, none with a chance of 0."""
    return FLOOR / symbols + (1 - FLOOR) * drawn.dirichlet([alpha] * symbols, (count, symbols))


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
        shown = _looks(model, some[one], int(chosen[one]), lags)
    return float(np.abs(said - formula).max()), shown


def _looks(
    model: Disentangled, word: Int[np.ndarray, " length"], lag: int, lags: Sequence[int]
) -> dict[str, Any]:
    """Attention on one word: all of layer 1, and the last place's in the others."""
    first, second, third = jax.jit(lambda each: patterns(model, each))(jnp.asarray(word))
    return {
        "first": np.asarray(first[0]).round(4).tolist(),
        "second": np.asarray(second[:, -1]).round(4).tolist(),
        "third": np.asarray(third[0, -1]).round(4).tolist(),
        "lags": list(lags),
        "lag": lag,
    }


def _trained(settings: Mapping[str, Any], show: Show) -> tuple[list[float], dict[str, Any]]:
    """Mean gains of both depths, and their way there between the even mixture and Bayes."""
    own, lags = settings["training"], settings["lags"]
    drawn = np.random.default_rng([settings["seed"], 1])
    tables = _tables(drawn, own["tables"], settings["symbols"], own["alpha"])
    names = ("length", "batch", "rate", "steps", "deviation", "tests")
    recipe = Recipe(lags=tuple(lags), seed=settings["seed"], **{name: own[name] for name in names})
    run = train_lags(tables, recipe, show)
    levels = np.array([_levels(table, run, place, settings) for place, table in enumerate(tables)])
    even, bayes = levels[:, :1], levels[:, 2:]
    gains = (even - run.divergences) / (even - bayes)  # step × table × depth
    one = int(np.argmax(np.asarray(run.tests.lags[0]) == lags[len(lags) // 2]))
    word, lag = np.asarray(run.tests.words[0, one]), int(run.tests.lags[0, one])
    shown = {
        "steps": run.steps.tolist(),
        "divergence": {
            depth: run.divergences[:, :, place].T.astype(float).round(5).tolist()
            for place, depth in enumerate(DEPTHS)
        },
        "levels": dict(zip(("even", "shares", "Bayes"), levels.T.round(5).tolist(), strict=True)),
        "layers": _looks(run.model(0, THREE), word, lag, lags),
    }
    return gains[-1].mean(axis=0).tolist(), shown


def _levels(
    table: Float[np.ndarray, "token label"], run: LagRun, member: int, settings: Mapping[str, Any]
) -> list[float]:
    """Divergence on the tests of one table: lags mixed evenly, averaged shares, Bayes."""
    words, truth = np.asarray(run.tests.words[member]), np.asarray(run.tests.rows[member])
    chances = chances_of(words, table, settings["lags"])
    ways = (
        np.full((len(words), len(settings["lags"])), 1 / len(settings["lags"])),
        averaged_shares(chances, settings["sharpness"]),
        averaged_models(chances),
    )
    said = (predicted(words, table, settings["lags"], weights) for weights in ways)
    return [float(np.sum(truth * np.log(truth / each), axis=1).mean()) for each in said]
