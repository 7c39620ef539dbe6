"""Transformers, written down by hand, that count which symbol followed the last k.

What: To predict the next symbol of a chain of order k in context, find where the last k symbols
    occurred before and see what followed. Four transformers do it with nothing left to train: two
    layers with k heads; one head and about log k layers; one head, three layers and a norm; one
    head, two layers, a norm and an MLP. What is saved in heads and layers is paid in sharpness of
    the last attention. For k = 1 the first has one head: the induction head.
Definition: The target is P(x) = #{i ≤ t: x_i = x, the k before i are the last k}/#{the same, any
    x_i}. In all four the last layer attends to i with weight exp(κ·score), where the score is
    highest exactly if the context matches. The rest, at most T positions, lose at least the gap
    each, so the error is at most T·exp(-κ·gap), and κ = ln(T/ε)/gap makes it at most ε. With
    copies side by side (k heads by lag, or doubling, ⌈log₂(k+1)⌉ + 1 layers in all) the score
    counts agreements and the gap is 1. With codes the symbols are added up with weights 1, 1/b,
    1/b², ... and compared by cosine; the closest two codes are a repeated symbol and the same with
    another at the smallest weight, so the gap is 1 - 1/√(1 + 1/(w-1)²), w = (b^k - 1)/(b - 1):
    about 4^-k/2 for three layers (b = 2), 2·9^-k for two (b = 3). Two layers work because the
    oldest of k symbols outweighs all newer ones together: a ReLU with a threshold between isolates
    it, and taking it away turns the code before a position into the code at it. Without norm
    and MLP, heads at fixed lags know at most Π(H_l + 1) symbols at a position, the product over all
    layers but the last: they reach order Π - 1, and orders from Π + 2 on are impossible if
    attention below depends on positions only (2 layers, 1 head: k ≥ 4; 3 layers: k ≥ 6).
Example:
    >>> from foretell.constructions.k_gram_codes import code_gap, sharpness_needed
    >>> [round(code_gap(order, 2.0), 5) for order in (1, 2, 3, 4, 5)]
    [1.0, 0.10557, 0.01361, 0.00254, 0.00056]
    >>> round(sharpness_needed(128, 1e-3, code_gap(3, 2.0)))
    864

Known limits: The count is raw: where the context has not occurred before nothing is defined, and
    such positions are left out. Attention by lag in the lower layers is exactly hard (its scores
    are 1,000 apart), so only the last attention's sharpness is studied. A norm divides one slot
    by its length, as on the slide, not the whole stream. The words are uniform noise, in which
    all contexts occur. That a network exists does not say that training finds it. With tripled
    weights rounding times κ is what remains: 1e-8 at κ = 1e8, in float64.
Sources: Transformers on Markov data: constant depth suffices (Rajaraman and others, 2024); What
    one cannot, two can (Ekbote and others, 2025); the tutorial Sandbox for the Blackbox, part II
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, final

import jax
import numpy as np
from jaxtyping import Float, Int

from foretell.constructions.k_gram_codes import (
    HALVING,
    TRIPLING,
    code_gap,
    enumerated_gap,
    sharpness_needed,
    three_layers,
    two_layers,
)
from foretell.constructions.k_gram_copies import (
    COPY_GAP,
    layers_with_one_head,
    many_heads,
    many_layers,
)
from foretell.constructions.k_gram_layers import Network, next_symbol, with_sharpness
from foretell.constructions.k_gram_reach import built_up_to, impossible_from, searched_order
from foretell.numerics.stages import crossing
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.n_grams import counts

ERROR = 1e-3
CASES = ((2, 1, 64), (2, 3, 128), (3, 2, 128), (2, 6, 256), (3, 4, 256))
STACKS = ((1, 1), (3, 1), (1, 1, 1), (2, 1, 1))
SHARES = np.geomspace(1 / 64, 2, 29)  # of the sharpness predicted, along a curve
EXACT = 1e-9


class Construction(NamedTuple):
    """How it is built, and what the papers say of it."""

    build: Callable[[int, int, int], Network]
    gap: Callable[[int], float]
    layers: Callable[[int], int]
    width: Callable[[int, int], int] | None  # of the order and the symbols, at most


CONSTRUCTIONS = {
    "2 layers, k heads": Construction(
        many_heads, lambda k: COPY_GAP, lambda k: 2, lambda k, s: (k + 2) * s + k + 1
    ),
    "log k layers, 1 head": Construction(
        many_layers, lambda k: COPY_GAP, layers_with_one_head, lambda k, s: 2 * k * (s + 1) + s
    ),
    "3 layers, 1 head, norm": Construction(
        three_layers, lambda k: code_gap(k, HALVING), lambda k: 3, None
    ),
    "2 layers, 1 head, norm and MLP": Construction(
        two_layers, lambda k: code_gap(k, TRIPLING), lambda k: 2, lambda k, s: 6 * s + 3
    ),
}
AT, EIGHTH = "largest error at the sharpness predicted", "largest error at an eighth of it"
ABOVE, WIDER = "error above T·exp(-κ·gap), at any sharpness", "coordinates beyond the paper's"


@final
class KGramConstructions(Sandbox):
    """Errors of the four constructions against sharpness, by running them."""

    name = "k-gram-constructions"
    title = "Counting after the last k symbols, with heads, with layers, or with sharpness"
    lesson = (
        "The largest error falls below one in a thousand at the sharpness predicted (dashed) and "
        "not at an eighth of it. Copies need the same sharpness for every k; codes, which do with "
        "one head in two or three layers, need 4 or 9 times more for every further symbol."
    )
    caveat = "It shows what weights can do, not what training finds."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Exact and quick: longer words and higher orders on an accelerator."""
        small = budget is Budget.SMOKE
        more = ((2, 8, 512), (3, 5, 512)) if budget is Budget.GPU else ()
        return {
            "cases": [list(case) for case in (((2, 2, 16),) if small else CASES + more)],
            "words": 4,
            "curves": {"symbols": 2, "length": 16, "orders": [2]}
            if small
            else {"symbols": 2, "length": 64, "orders": [1, 2, 3, 4]},
            "gaps": {"symbols": [2, 3], "halving": [2, 3, 5, 7], "tripling": [2, 3, 5]},
            "stacks": [list(stack) for stack in STACKS],
            "seed": 0,
        }

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """The bound, the gaps' closed form, and what the papers say of layers and widths."""
        order = max(case[1] for case in settings["cases"])
        claims = []
        for name, made in CONSTRUCTIONS.items():
            claims += [
                Claim(f"{name}: {AT}", ERROR, "<=", 0.0, "derived"),
                Claim(f"{name}: {EIGHTH}", 1e-2, ">=", 0.0, "numeric"),
                Claim(f"{name}: {ABOVE}", 0.0, "<=", 1e-12, "derived"),
                Claim(f"{name}: layers at k = {order}", float(made.layers(order))),
            ]
            if made.width is not None:
                claims.append(Claim(f"{name}: {WIDER}", 0.0, "<="))
        for quantity, order, base in _gaps(settings):
            claims.append(Claim(quantity, code_gap(order, base), "=", EXACT, "derived"))
        for heads in settings["stacks"]:
            claims.append(Claim(_reached(heads), float(built_up_to(heads)), evidence="derived"))
        return tuple(claims)

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Run every network on words, and compare with counting."""
        values: dict[str, float] = {}
        curves = []
        for name, made in CONSTRUCTIONS.items():
            found = [_case(made, case, settings) for case in settings["cases"]]
            along = _along(made, settings)
            curves.append({"name": name, "orders": along})
            values |= {f"{name}: {key}": value for key, value in _worst(found, along).items()}
            _, order, length = max(settings["cases"], key=lambda case: case[1])
            depth = len(made.build(order, 2, length).layers)
            values[f"{name}: layers at k = {order}"] = float(depth)
        for quantity, order, base in _gaps(settings):
            values[quantity] = min(
                enumerated_gap(order, symbols, base) for symbols in settings["gaps"]["symbols"]
            )
        for heads in settings["stacks"]:
            values[_reached(heads)] = float(searched_order(heads))
        return Findings(values, {"error": ERROR, "constructions": curves, "reach": _reach()})


def uniform_words(
    count: int, length: int, symbols: int, seed: int
) -> Int[np.ndarray, "batch length"]:
    """Noise, in which every context occurs sooner or later."""
    return np.random.default_rng(seed).integers(0, symbols, (count, length))


def counted(
    words: Int[np.ndarray, "batch length"], order: int, symbols: int
) -> Float[np.ndarray, "batch length letter"]:
    """The raw k-gram at every position; not a number where the context is new."""
    exact = np.asarray(_counting(order, symbols)(words), float)
    total = exact.sum(axis=-1, keepdims=True)
    return np.where(total > 0, exact / np.maximum(total, 1), np.nan)


@functools.cache
def _counting(order: int, symbols: int) -> Any:
    return jax.jit(jax.vmap(lambda word: counts(word, order, symbols)))


def largest_error(
    network: Network,
    words: Int[np.ndarray, "batch length"],
    truth: Float[np.ndarray, "batch length letter"],
    sharpness: float,
) -> float:
    """Over all words, positions and symbols where the count is defined."""
    said = next_symbol(with_sharpness(network, sharpness), words)
    return float(np.nanmax(np.abs(said - truth)))


def _case(made: Construction, case: Sequence[int], settings: Mapping[str, Any]) -> dict[str, float]:
    symbols, order, length = case
    words = uniform_words(settings["words"], length, symbols, settings["seed"])
    truth, network = counted(words, order, symbols), made.build(order, symbols, length)
    needed = sharpness_needed(length, ERROR, made.gap(order))
    found = {
        AT: largest_error(network, words, truth, needed),
        EIGHTH: largest_error(network, words, truth, needed / 8),
    }
    if made.width is not None:
        found[WIDER] = float(network.width - made.width(order, symbols))
    return found


def _along(made: Construction, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Error against sharpness, order by order, with the bound and where the error crosses ε."""
    symbols, length = settings["curves"]["symbols"], settings["curves"]["length"]
    words = uniform_words(settings["words"], length, symbols, settings["seed"])
    curves = []
    for order in settings["curves"]["orders"]:
        truth, network = counted(words, order, symbols), made.build(order, symbols, length)
        needed, gap = sharpness_needed(length, ERROR, made.gap(order)), made.gap(order)
        sharpness = needed * SHARES
        errors = np.array([largest_error(network, words, truth, each) for each in sharpness])
        bound = length * np.exp(-sharpness * gap)
        enough = crossing(np.log(sharpness), np.log(errors + 1e-300), float(np.log(ERROR)))
        curves.append(
            {
                "order": order,
                "predicted": needed,
                "measured": None if enough is None else float(np.exp(enough)),
                "sharpness": [float(f"{each:.5g}") for each in sharpness],
                "errors": [float(f"{each:.4g}") for each in errors],
                "bound": [float(f"{each:.4g}") for each in bound],
                "above": float(np.max(errors - bound)),
            }
        )
    return curves


def _worst(found: list[dict[str, float]], along: list[dict[str, Any]]) -> dict[str, float]:
    """Over the cases: the least that is claimed must hold in each."""
    worst = {AT: max(each[AT] for each in found), EIGHTH: min(each[EIGHTH] for each in found)}
    if WIDER in found[0]:
        worst[WIDER] = max(each[WIDER] for each in found)
    return worst | {ABOVE: max(each["above"] for each in along)}


def _gaps(settings: Mapping[str, Any]) -> list[tuple[str, int, float]]:
    return [
        (f"gap of the closest codes, weights {name}, k = {order}", order, base)
        for name, base in (("halving", HALVING), ("tripling", TRIPLING))
        for order in settings["gaps"][name]
    ]


def _reached(heads: Sequence[int]) -> str:
    return f"highest order that any lags reach, heads {'-'.join(map(str, heads))}"


def _reach() -> list[dict[str, int]]:
    """The table: without norm and MLP, built up to one order and impossible from another."""
    return [
        {
            "layers": layers,
            "heads": heads,
            "built": built_up_to([heads] * layers),
            "impossible": impossible_from([heads] * layers),
        }
        for layers in (2, 3, 4)
        for heads in (1, 2, 3, 4)
    ]
