"""Why attention cannot keep a bit for ever: the margins of one soft look at the last write.

What: A flip-flop stores one bit: write sets it, read asks for it, ignore comes with a bit that must
    not be believed. One attention head can read it by scoring writes higher than the rest and late
    pairs higher than early ones. Two things pull its share away from the last write. Earlier
    writes do if there are many of them: the preference for late pairs must be steep. Bits that
    were ignored since do if there are many of those: the same steepness then works for them, and
    writes must be scored higher by as much as it adds over the longest wait. So scores must grow
    with the length, and with bounded weights long words break the head.
Definition: Of n pairs the last is the read; pair j before it has score κ·[write] + c·j and the head
    says the sign of Σ α_j·(±1 by its bit). If the last write is g pairs back, its share is
    at least α(g) = 1/(1 + Σ_{k≥1} e^{-ck} + e^{-κ} Σ_{0<k<g} e^{ck}). Some word is read wrongly
    exactly if a share is below ½, so all n-pair words are right if and only if c > ln 2 (nearly:
    the sum ends after n-2) and κ > c·n + O(1). On random words with ignores of chance p, let
    Y be the head's sum times the stored sign, in units of an unmarked pair at the end: it starts at
    e^κ, and a pair makes it e^{-c}·Y + 1 (read), e^{-c}·Y ± 1 (ignore), ±e^{-c}·Y + e^κ (write),
    signs at random. The chance of a wrong answer is that of Y < 0.
Example:
    >>> round(error_of(kappa=8.0, steepness=0.2, ignoring=0.98, pairs=256), 3)
    0.324
    >>> round(worst_share(kappa=300.0, steepness=1.2, pairs=256)[0], 4)
    0.0057

Known limits: One head of one chosen form; a trained model mixes several, scores reads too, and has
    an MLP after them, so that a share below ½ need not be fatal, nor one above it safe. The chance
    of an error is computed on a grid of values of Y: good to 0.0002 on 256 pairs, to 0.003 on six.
    That weights could grow with the length does not say that training finds such.
Sources: Exposing Attention Glitches with Flip-Flop Language Modeling (Liu and others, 2023); the
    tutorial Sandbox for the Blackbox, part III
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from typing import Any, final

import jax
import numpy as np
from jaxtyping import Float
from scipy import optimize

from foretell.numerics.keys import key_for, root_key
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show, require_growing
from foretell.worlds.flip_flop_attention import BATCH, last_of, last_share, misread, waits
from foretell.worlds.flip_flop_head import (
    branched_error,
    error_of,
    needed_kappa,
    share_bound,
    worst_share,
)
from foretell.worlds.flip_flops import (
    IGNORE,
    READ,
    WRITE,
    Word,
    all_words,
    require_enumerable,
    require_law,
    sample,
)

HEADS = ((8.0, 0.2), (12.0, 1.0))  # κ and c of the heads that random words are read with
WEAK = ((8.0, 0.2), (4.0, 1.0))  # of those that every short word is read with: both err there
STRAINED = ((300.0, 1.0), (300.0, 1.2), (60.0, 1.0))  # and those that the worst word is read with
LAWS = (0.1, 0.8, 0.98)
STEEP, FLAT, ENOUGH = 1.0, 0.6, 5000.0  # above ln 2, below it; a κ that nothing outweighs
EXACT, SAMPLED = 1e-12, 0.01


@final
class FlipFlopMargins(Sandbox):
    """Shares and errors of one head: formulas against attention itself."""

    name = "flip-flop-margins"
    title = "Flip-flops: how sharp must attention be?"
    lesson = (
        "How often one head reads the wrong bit, by how much it prefers writes (κ) and late pairs "
        "(c), on words with few ignores, some, and many: none here is right on all three. Below: "
        "the least share of the last write by its gap, and the κ that n pairs need."
    )
    caveat = "One head of a chosen form; what training finds is in `flip-flop-training`."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Exact but for the sampled errors."""
        small = budget is Budget.SMOKE
        return {
            "pairs": 32 if small else 256,
            "words": {Budget.SMOKE: 1000, Budget.CPU: 40000, Budget.GPU: 100000}[budget],
            "enumerated": 6 if small else 10,
            "lengths": [8, 16] if small else [16, 32, 64, 128, 256],
            "cells": 6 if small else 25,
            "heads": [list(head) for head in HEADS],
            "weak": [list(head) for head in WEAK],
            "strained": [list(head) for head in STRAINED],
            "laws": list(LAWS),
            "seed": 0,
        }

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse too many words, and one length alone, from which nothing grows."""
        require_enumerable(settings["enumerated"])
        require_growing("lengths", settings["lengths"])

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Closed forms, and the law of one number from pair to pair."""
        pairs, few = settings["pairs"], settings["enumerated"]
        claims = [
            Claim(_error(k, c, p), error_of(k, c, p, pairs), "=", SAMPLED, "derived")
            for (k, c), p in itertools.product(settings["heads"], settings["laws"])
        ]
        claims += [
            Claim(_few(few, k, c, p), branched_error(k, c, p, few), "=", EXACT, "derived")
            for (k, c), p in itertools.product(settings["weak"], settings["laws"])
        ]
        claims += [
            Claim(_worst(k, c), worst_share(k, c, pairs)[0], "=", EXACT, "derived")
            for k, c in settings["strained"]
        ]
        flat = 1 / (1 + np.exp(-FLAT * np.arange(1, pairs - 1)).sum())
        return (
            *claims,
            Claim(f"{few} pairs: least of share minus its bound", 0.0, ">=", EXACT, "derived"),
            Claim(f"c={FLAT:g}, unlimited κ: least share", float(flat), "=", 1e-9, "derived"),
            *(
                Claim(_needed(n), needed_kappa(STEEP, n), "=", 1e-6, "derived")
                for n in settings["lengths"]
            ),
            Claim(f"c={STEEP:g}: growth of that κ a pair", STEEP, "=", 0.01, "derived"),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Attention itself, on sampled words, all words, and the worst ones."""
        pairs = settings["pairs"]
        words = {p: draw(p, pairs, settings["words"], settings["seed"]) for p in settings["laws"]}
        values = {
            _error(k, c, p): float(misread(word, k, c).mean())
            for (k, c), (p, word) in itertools.product(settings["heads"], words.items())
        }
        values |= _enumerated(settings)
        sampled = np.concatenate([each.instructions[:BATCH, :-1] for each in words.values()])
        for head in settings["strained"]:
            tried = (waits(pairs), sampled == WRITE)
            values[_worst(*head)] = float(min(last_share(each, *head).min() for each in tried))
        flat = float(last_share(waits(pairs), ENOUGH, FLAT).min())
        values[f"c={FLAT:g}, unlimited κ: least share"] = flat
        found = [_searched(STEEP, n) for n in settings["lengths"]]
        values |= {_needed(n): kappa for n, kappa in zip(settings["lengths"], found, strict=True)}
        growth = (found[-1] - found[-2]) / (settings["lengths"][-1] - settings["lengths"][-2])
        values[f"c={STEEP:g}: growth of that κ a pair"] = growth
        return Findings(values, _curves(settings, words, found))


def _error(kappa: float, steepness: float, ignoring: float) -> str:
    return f"κ={kappa:g}, c={steepness:g}, ignores {ignoring:g}: error"


def _few(pairs: int, kappa: float, steepness: float, ignoring: float) -> str:
    return f"{pairs} pairs, {_error(kappa, steepness, ignoring)}"


def _worst(kappa: float, steepness: float) -> str:
    return f"κ={kappa:g}, c={steepness:g}: least share of the last write"


def _needed(pairs: int) -> str:
    return f"c={STEEP:g}, {pairs} pairs: least κ with every share above ½"


def draw(ignoring: float, pairs: int, count: int, seed: int) -> Word:
    """Random words as NumPy arrays."""
    require_law(ignoring, pairs)
    keys = jax.random.split(key_for(root_key(seed), "words", f"{ignoring:g}"), count)
    return Word(*map(np.asarray, _sampler(pairs)(keys, ignoring)))


@functools.cache
def _sampler(pairs: int) -> Any:
    return jax.jit(jax.vmap(lambda key, ignoring: sample(key, ignoring, pairs), (0, None)))


def _enumerated(settings: Mapping[str, Any]) -> dict[str, float]:
    """All words weighed by their chance, and all places where writes can be."""
    pairs = settings["enumerated"]
    words = all_words(pairs)
    counts = [(words.instructions[:, 1:-1] == kind).sum(axis=1) for kind in (WRITE, READ, IGNORE)]
    values = {}
    for kappa, steepness in settings["weak"]:
        wrong = misread(words, kappa, steepness)
        for p in settings["laws"]:
            share = (1 - p) / 2  # of a write, half of it for each bit, and of a read
            chances = (share / 2) ** counts[0] * share ** counts[1] * (p / 2) ** counts[2] / 2
            values[_few(pairs, kappa, steepness, p)] = float(chances @ wrong)
    writes = np.array(list(itertools.product((True,), *[(False, True)] * (pairs - 2))))
    gaps = pairs - 1 - last_of(writes)
    spare = [
        last_share(writes, k, c) - np.array([share_bound(k, c, int(gap)) for gap in gaps])
        for k, c in (*settings["heads"], *settings["strained"])
    ]
    return values | {f"{pairs} pairs: least of share minus its bound": float(np.min(spare))}


def _searched(steepness: float, pairs: int) -> float:
    """The κ at which attention itself gives the last write half, in the hardest of all words."""
    words = waits(pairs)
    top = 2 * steepness * pairs + 10

    def spare(kappa: float) -> float:
        return float(last_share(words, kappa, steepness).min()) - 0.5

    return float(optimize.bisect(spare, 0.0, top, xtol=1e-9))


def _curves(
    settings: Mapping[str, Any], words: Mapping[float, Word], needed: list[float]
) -> dict[str, Any]:
    count, pairs = settings["cells"], settings["pairs"]
    kappas, steeps = np.linspace(0, 48, count), np.linspace(0.02, 2, count)
    gaps, writes = np.arange(1, pairs, max(1, pairs // 128)), waits(pairs)
    maps = [
        {
            "ignoring": p,
            "errors": _map(word, kappas, steeps).round(4).tolist(),
            **_long_gap(p, pairs),
        }
        for p, word in words.items()
    ]
    shares = [
        {
            "head": [k, c],
            "measured": last_share(writes[gaps - 1], k, c).round(6).tolist(),
            "bound": [round(share_bound(k, c, int(gap)), 6) for gap in gaps],
        }
        for k, c in (*settings["heads"], *settings["strained"])
    ]
    return {
        "kappas": kappas.round(4).tolist(),
        "steeps": steeps.round(4).tolist(),
        "maps": maps,
        "gaps": gaps.tolist(),
        "shares": shares,
        "lengths": settings["lengths"],
        "needed": [round(each, 4) for each in needed],
        "predicted": [round(needed_kappa(STEEP, n), 4) for n in settings["lengths"]],
        "steepness": STEEP,
    }


def _long_gap(ignoring: float, pairs: int) -> dict[str, Any]:
    """A gap that few reads have, or the longest if that is shorter."""
    rare = float(np.log(0.01) / np.log1p(-(1 - ignoring) / 2))
    if rare < pairs - 1:
        return {"long_gap": rare, "gap": "one gap in 100 is longer"}
    return {"long_gap": pairs - 1, "gap": "the longest gap"}


def _map(
    words: Word, kappas: Float[np.ndarray, " size"], steeps: Float[np.ndarray, " size"]
) -> Float[np.ndarray, "size size"]:
    """Errors by steepness and κ: writes and the rest add up apart, so κ comes last."""
    signs = 2.0 * words.bits[:BATCH] - 1
    signs *= signs[:, -1:]
    writes = (words.instructions == WRITE)[:BATCH, :-1]
    back = np.arange(writes.shape[1])[::-1, None] * -steeps
    marked = (writes * signs[:, :-1]) @ np.exp(back)
    plain = (~writes * signs[:, :-1]) @ np.exp(back)
    said = marked[:, :, None] * np.exp(kappas) + plain[:, :, None]
    return ((said < 0) + (said == 0) / 2).mean(axis=0)
