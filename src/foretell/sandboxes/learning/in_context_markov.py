"""How well counting in context can do on Markov chains, by the size of the context counted.

What: Every word comes from a chain of its own: order n-1 on S symbols, its rows drawn from a
    prior. Who reads the word must learn the chain while reading. A k-gram looks up what followed
    earlier copies of the last k-1 symbols. How low its loss gets is a level that needs no
    training to know, and these levels are the plateaus and floors of the training runs in
    `stagewise-induction` and `sub-n-gram-plateaus`.
Definition: The k-gram says P(x) = #(copies of the context followed by x) / #(copies), which is
    undefined before the first copy; with alpha added to every count it is Bayes' answer if rows
    are Dirichlet(alpha) and k = n. For an endless word its loss is L_k, the mean over chains of
    the entropy of a symbol given the k-1 before it. Contexts occur by the chain's own stationary
    law, which prefers rows that lead to themselves, and those are surer ones: L_n lies below the
    mean entropy of a row, ψ(Sα+1) - ψ(α+1), which is the level only if contexts are drawn
    independently of the chain. For S = 2 both levels are double integrals. After T symbols the
    k-gram is above L_k by S^(k-1)·(S-1)/(2T): so many chances to estimate, 1/(2T) nats each. For
    k < n neighbouring symbols are correlated; that makes the counts vary more, but what they err
    by is also in the symbol to come, and the two cancel.
Example:
    >>> sandbox = InContextMarkov()
    >>> claims = {c.quantity: c for c in sandbox.claims(sandbox.settings(Budget.SMOKE))}
    >>> round(claims["S=2, n=2: 1-gram level"].predicted, 5)
    0.56383

Known limits: Levels are means over chains: single chains differ far more than the levels do. The
    cost of a finite word is the first term of a series and needs T far above S^k; it is claimed
    from ten times that on, and for S = 3, n = 3 it is still a quarter too large at T = 100.
    Adding alpha is exactly Bayes only if the first context says nothing of the chain (uniform
    start); a stationary start says a little. Means over chains that are themselves sampled (all
    but S = 2, n = 2) carry an error of about 0.001.
Sources: Evolution of Statistical Induction Heads (Edelman and others, 2024); How Transformers
    Learn Causal Structure (Nichani and others, 2024); the tutorial Sandbox for the Blackbox,
    part II
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key
from scipy.special import gammaln

from foretell.numerics.keys import key_for, root_key
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.chains import (
    Prior,
    contexts_of,
    every_word,
    sample_rows,
    sample_words,
    stationary,
)
from foretell.worlds.n_grams import (
    binary_levels,
    counts,
    cross_entropy,
    finite_level,
    independent_level,
    sampled_levels,
    smoothed,
)

NEAR = 0.01  # what a sampled level may be off
EXACT = 1e-8
TABLE = ((2, 2), (3, 2), (10, 2), (2, 3), (3, 3), (5, 3), (2, 4), (3, 4))
DRAWN = ((2, 2), (3, 2), (3, 3))  # followed position by position
ENOUGH = 10  # symbols read for each chance to estimate, before the cost has a formula
AT_ONCE = 256


@final
class InContextMarkov(Sandbox):
    """Levels from formulas beside losses on sampled words, and Bayes by enumeration."""

    name = "in-context-markov"
    title = "Markov chains in context: what counting can reach"
    lesson = (
        "The loss of counting estimators while a word is read, averaged over chains. Dashed: the "
        "level for an endless word; dotted: with what a finite word costs. A longer context ends "
        "lower but starts later; one symbol more than the chain's order only costs."
    )
    caveat = "Nothing is trained: these are the levels that training can reach, not that it does."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """All cells of the table; `enumerated` is the length of the words that are all listed."""
        shared = {"seed": 0, "alpha": 1.0, "levels_from": 20_000, "priors": True}
        if budget is Budget.SMOKE:
            few = {"chains": 64, "length": 16, "enumerated": 5, "levels_from": 500}
            return shared | few | {"table": [[2, 2]], "drawn": [[2, 2]], "priors": False}
        gpu = budget is Budget.GPU
        return shared | {
            "table": [list(cell) for cell in TABLE],
            "drawn": [list(cell) for cell in DRAWN],
            "chains": 65_536 if gpu else 8_192,
            "length": 400 if gpu else 100,
            "enumerated": 14 if gpu else 10,
        }

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Integrals, digamma functions, and means over chains whose levels are exact."""
        levels = [
            claim
            for symbols, size in settings["table"]
            for claim in _level_claims(symbols, size, settings)
        ]
        listed = _enumeration_claims(settings["enumerated"], settings["alpha"])
        return (*levels, *(_prior_claims() if settings["priors"] else ()), *listed)

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Words of sampled chains; then all words of a short length."""
        root, prior = root_key(settings["seed"]), Prior(alpha=settings["alpha"])
        values: dict[str, float] = {}
        curves: dict[str, list[Any]] = {"table": [], "drawn": []}
        for symbols, size in settings["table"]:
            followed = [symbols, size] in [list(cell) for cell in settings["drawn"]]
            found = _observe(
                key_for(root, "chains", symbols, size),
                (symbols, size - 1, prior, settings["length"], followed),
                settings["chains"],
            )
            label, said = _label(symbols, size), np.round(found.levels, 5).tolist()
            values |= {f"{label}: {k + 1}-gram level": level for k, level in enumerate(said)}
            values[f"{label}: mean entropy of a row"] = found.row
            levels = predicted_levels(symbols, size - 1, prior, settings["levels_from"])
            cell = {"symbols": symbols, "size": size, "levels": levels.round(5).tolist()}
            curves["table"].append(cell | {"measured": said})
            if followed:
                last = found.losses[:size, -1].tolist()
                values |= {_end(symbols, size, k + 1): loss for k, loss in enumerate(last)}
                curves["drawn"].append(cell | {"losses": found.losses.round(5).tolist()})
        if settings["priors"]:
            values |= _measure_priors(key_for(root, "priors"), settings)
        values |= enumerate_losses(settings["enumerated"], settings["alpha"])
        return Findings(values, curves)


class Observed(NamedTuple):
    """Of one chain, or the means over many."""

    levels: Any  # by size of context, on the word that was read
    row: Any  # mean entropy of a row, every context the same weight
    losses: Any  # of the smoothed estimators, by size of context and position


def predicted_levels(
    symbols: int, order: int, prior: Prior, chains: int
) -> Float[np.ndarray, " size"]:
    """By quadrature where there is an integral, else the mean over many chains."""
    if (symbols, order) == (2, 1) and prior == Prior(alpha=prior.alpha):
        return binary_levels(prior.alpha)
    return sampled_levels(order, symbols, prior, chains).mean


def _label(symbols: int, size: int) -> str:
    return f"S={symbols}, n={size}"


def _end(symbols: int, size: int, k: int) -> str:
    return f"{_label(symbols, size)}: loss of the {k}-gram at the end"


def _level_claims(symbols: int, size: int, settings: Mapping[str, Any]) -> list[Claim]:
    alpha, label = settings["alpha"], _label(symbols, size)
    levels = predicted_levels(symbols, size - 1, Prior(alpha=alpha), settings["levels_from"])
    row = independent_level(symbols, alpha)
    found = [
        Claim(f"{label}: {k + 1}-gram level", float(level), "=", NEAR, "numeric")
        for k, level in enumerate(levels)
    ]
    found.append(Claim(f"{label}: mean entropy of a row", row, "=", NEAR, "derived"))
    drawn = [symbols, size] in [list(cell) for cell in settings["drawn"]]
    if drawn and settings["length"] >= ENOUGH * symbols**size:
        found += [
            Claim(
                _end(symbols, size, k + 1),
                finite_level(float(level), k, symbols, settings["length"]),
                "=",
                NEAR,
                "derived",
            )
            for k, level in enumerate(levels)
        ]
    return found


def _observe(key: Key[Array, ""], cell: tuple[Any, ...], chains: int) -> Observed:
    """Means over chains, few of them in memory at a time."""

    def one(key: Key[Array, ""]) -> Observed:
        return _observe_one(key, *cell)

    @jax.jit
    def many(key: Key[Array, ""]) -> Observed:
        found = jax.lax.map(one, jax.random.split(key, chains), batch_size=min(AT_ONCE, chains))
        return jax.tree.map(lambda each: each.mean(axis=0), found)

    levels, row, losses = many(key)
    return Observed(np.asarray(levels), float(row), np.asarray(losses))


def _observe_one(
    key: Key[Array, ""], symbols: int, order: int, prior: Prior, length: int, followed: bool
) -> Observed:
    """One chain and one word of it, from the stationary start."""
    rows_key, word_key = jax.random.split(key)
    rows = sample_rows(rows_key, order, symbols, prior)
    word = sample_words(word_key, rows, length, symbols, "stationary")
    joint, levels = stationary(rows)[:, None] * rows, []
    for context in range(order + 1):
        pair = joint.reshape(-1, symbols**context, symbols).sum(axis=0)
        told = jnp.log(pair / pair.sum(axis=1, keepdims=True))
        levels.append(-told[contexts_of(word, context, symbols)[order:-1], word[order + 1 :]])
    row = rows[contexts_of(word, order, symbols)]
    losses = [
        cross_entropy(row, smoothed(counts(word, context, symbols), prior.alpha))[order - 1 :]
        for context in range(order + 2 if followed else 1)
    ]
    means = jnp.stack([level.mean() for level in levels])
    return Observed(means, cross_entropy(rows, rows).mean(), jnp.asarray(losses))


def _prior_claims() -> list[Claim]:
    """What holds whatever the chains are."""
    return [
        Claim("doubly stochastic, S=3: 1-gram level", math.log(3), "=", NEAR, "theorem"),
        Claim("identical rows, S=3: gain of the 2-gram", 0.0, "=", NEAR, "theorem"),
        Claim("alpha=0.1, S=10: mean entropy of a row", independent_level(10, 0.1), "=", NEAR),
    ]


def _measure_priors(key: Key[Array, ""], settings: Mapping[str, Any]) -> dict[str, float]:
    def see(symbols: int, prior: Prior) -> Observed:
        cell = (symbols, 1, prior, settings["length"], False)
        return _observe(key_for(key, prior.kind, symbols), cell, settings["chains"])

    balanced, same = see(3, Prior("doubly-stochastic")), see(3, Prior("unigram"))
    return {
        "doubly stochastic, S=3: 1-gram level": float(balanced.levels[0]),
        "identical rows, S=3: gain of the 2-gram": float(same.levels[0] - same.levels[1]),
        "alpha=0.1, S=10: mean entropy of a row": see(10, Prior(alpha=0.1)).row,
    }


def word_law(words: Int[np.ndarray, "batch length"], alpha: float) -> Float[np.ndarray, " batch"]:
    """Chance of binary words whose chain of order 1 is not known: urns, one for each context.

    The first symbol is uniform.
    """
    moves = np.stack(
        [((words[:, :-1] == a) & (words[:, 1:] == b)).sum(axis=1) for a in (0, 1) for b in (0, 1)],
        axis=1,
    ).reshape(-1, 2, 2)
    urns = gammaln(2 * alpha) - gammaln(2 * alpha + moves.sum(axis=2))
    letters = gammaln(alpha + moves) - gammaln(alpha)
    return np.exp(urns.sum(axis=1) + letters.sum(axis=(1, 2))) / 2


def _enumeration_claims(length: int, alpha: float) -> list[Claim]:
    law = word_law(every_word(2, length), alpha)
    entropy = float(-law @ np.log(law)) - math.log(2)
    return [
        Claim(f"all {length}-symbol words: sum of Bayes' losses", entropy, "=", EXACT, "theorem"),
        Claim(f"all {length}-symbol words: least lead of Bayes", 0.0, ">=", EXACT, "theorem"),
    ]


def enumerate_losses(length: int, alpha: float) -> dict[str, float]:
    """Every estimator on every word: no sampling error."""
    words = every_word(2, length)
    law = word_law(words, alpha)
    read = jnp.asarray(words[:, :-1])

    @functools.partial(jax.jit, static_argnums=1)
    def counted(read: Array, context: int) -> Array:
        return jax.vmap(lambda word: counts(word, context, 2))(read)

    def losses(context: int, added: float) -> np.ndarray:
        said = smoothed(np.asarray(counted(read, context), float), added)
        hit = np.take_along_axis(np.asarray(said), words[:, 1:, None], axis=2)[..., 0]
        return -law @ np.log(hit)

    bayes = losses(1, alpha)
    rivals = [
        losses(context, factor * alpha)
        for context in range(4)
        for factor in (0.5, 1.0, 2.0)
        if (context, factor) != (1, 1.0)
    ]
    return {
        f"all {length}-symbol words: sum of Bayes' losses": float(bayes.sum()),
        f"all {length}-symbol words: least lead of Bayes": float((np.stack(rivals) - bayes).min()),
    }
