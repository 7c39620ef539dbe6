"""An induction head in two layers, and in one.

What: Which symbol followed the last one when it came up before? Two layers of attention answer
    with a width that does not depend on the length: the first keeps the previous symbol, the
    second looks for the position that has kept the symbol asked for. One layer has to pass
    everything through sums over positions, and these must hold a bit for every second position.
    Built by hand the two layers are exact; trained, two layers find it and one layer of the same
    width does not, though it gets better with width.
Definition: Words x of T symbols, uniform over V. The answer at a position is the symbol after the
    latest earlier place of the same symbol, and that there is none where it is new. Built: layer 1
    copies the symbol one step back, layer 2 scores position j with κ·[x_{j-1} = x_T] + c·j, c = 2,
    κ = 2(cT + 20), and the start symbol in front with κ/2. Then the right place wins against every
    miss, a match wins against the start, and of several matches the latest has at least 1 - e^-c
    of the weight. Weights are whole numbers of ⌊log₂ κ⌋ + 1 bits: about log₂ T + 2. One layer: H(m
    + 1)p ≥ (T - 1)/2 for H heads of width m with p bits a number (`communication-bounds`).
Example:
    >>> from foretell.constructions.induction_head import induction_head, one_hot_codes, said
    >>> network = induction_head(7, one_hot_codes(4))
    >>> index_words(np.array([[0, 1, 1]]), np.array([1])).tolist()
    [[2, 0, 3, 1, 2, 1, 3]]
    >>> said(network, index_words(np.array([[0, 1, 1]]), np.array([1]))).tolist()
    [1]

Known limits: The bound is about bits: with the 32 of a float it asks for almost nothing at T = 32,
    and one layer fails long before, for reasons of training and of what softmax can do. The share
    right is taken over all positions of random words where the symbol has come up before, as the
    loss is; one layer does better early, where few positions can be meant. Trained models say
    nothing where there is no match.
Sources: One-layer transformers fail to solve the induction heads task (Sanford, Hsu, Telgarsky,
    2024); Birth of a transformer (Bietti and others, 2023); In-context learning and induction
    heads (Olsson and others, 2022); the tutorial Sandbox for the Blackbox, part I
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key

from foretell.constructions.flat_error import all_inputs
from foretell.constructions.induction_head import (
    RECENCY,
    induction_head,
    one_hot_codes,
    said,
    score_bits,
    sign_codes,
)
from foretell.constructions.k_gram_layers import Network, next_symbol
from foretell.models.small_decoder import Decoder, Shape, create, logits
from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput
from foretell.plain.wording import counted
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.communication import Size, attention_message, fewest, induction_bits
from foretell.worlds.descent import descend
from foretell.worlds.induction_words import follower, index_words, mixed_words, targets

CODES = {"one-hot": one_hot_codes, "signs": sign_codes}
SOLVED, UNSOLVED, WIDEST = 0.97, 0.7, 64
HIDDEN_BITS = 7  # of the hard instances, all of which are run
BLOCK = 8  # long words at a time


@final
class InductionDepth(Sandbox):
    """A construction run on random and hard words, and decoders trained at several widths."""

    name = "induction-depth"
    title = "Induction heads: two layers of any length, or one layer of growing width"
    lesson = (
        "Share of right answers against width. Two layers find the induction head; one layer does "
        "not at these widths. Left of the dashed lines the bound excludes one layer of so many "
        "bits a number."
    )
    caveat = "It shows one length and few widths: the bound is about all lengths, and about bits."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Lengths that are built, and decoders (layers, width) that are trained."""
        small, large = budget is Budget.SMOKE, budget is Budget.GPU
        widths = (8, 16, 32, 64, 128)
        return {
            "built": [16] if small else [32, 128, 512],
            "words": 20 if small else 300,
            "symbols": 4 if small else 16,
            "trained": {
                "decoders": [[2, 4]]
                if small
                else [[depth, width] for depth in (1, 2) for width in widths]
                if large
                else [[1, 8], [1, 32], [2, 32]],
                "lengths": [8] if small else [32, 128, 512] if large else [32],
                "heads": 2,
                "batch": 4 if small else 64,
                "steps": 2 if small else 5000 if large else 1200,
                "rate": 0.003,
                "tested": 64 if small else 32768,  # positions
            },
            "seed": 0,
        }

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """What was proved, what the bound says, and what training was seen to do."""
        _require(settings)
        built = [
            claim
            for length in settings["built"]
            for claim in (
                *(
                    Claim(f"built, T = {length}, {code}: share right", 1.0, evidence="theorem")
                    for code in CODES
                ),
                Claim(
                    f"built, T = {length}: least weight of the right answer",
                    1 - math.exp(-RECENCY),
                    ">=",
                    1e-6,
                    "derived",
                ),
                Claim(f"built, T = {length}: bits of a weight", float(score_bits(length))),
            )
        ]
        return (
            *built,
            Claim("built: share of the hidden indices right", 1.0),
            *_trained_claims(settings["trained"]),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Run the construction, then train every decoder at every length."""
        _require(settings)
        values = _built(settings)
        own, trained = settings["trained"], []
        for length in own["lengths"]:
            for layers, width in own["decoders"]:
                shape = _shape(settings, layers, width, length)
                trained.append(_train(shape, settings, show) | {"length": length})
                values[_right(length, layers, width)] = trained[-1]["right"]
        values |= _ordered(trained, settings)
        bounds = [
            {"length": length, "bits": bits, "width": _least_width(length, own["heads"], bits)}
            for length in own["lengths"]
            for bits in (1, max(1, math.ceil(math.log2(length))))
        ]
        chance = 1 / settings["symbols"]
        return Findings(values, {"trained": trained, "bounds": bounds, "chance": chance})


def _require(settings: Mapping[str, Any]) -> None:
    """Something to tell apart, and a word in which something can come up twice."""
    lengths = (*settings["built"], *settings["trained"]["lengths"])
    if settings["symbols"] < 2 or min(lengths) < 2:
        raise BadInput(
            "no induction head in such words",
            seen=f"{settings['symbols']} symbols, length {min(lengths)}",
            why="at least two symbols, and at least two positions",
        )


def _shape(settings: Mapping[str, Any], layers: int, width: int, length: int) -> Shape:
    heads, symbols = settings["trained"]["heads"], settings["symbols"]
    return Shape(symbols, length, width, heads, layers, hidden=2 * width)


def _right(length: int, layers: int, width: int) -> str:
    return f"trained, T = {length}, {counted(layers, 'layer')}, width {width}: share right"


def _order(length: int) -> str:
    return f"trained, T = {length}, 1 layer: widths, worst first"


def _trained_claims(own: Mapping[str, Any]) -> list[Claim]:
    """Two layers solve it from a width of 32 on; one layer of at most 64 does not."""
    found = []
    for length in own["lengths"]:
        for layers, width in own["decoders"]:
            name = _right(length, layers, width)
            if layers == 2 and width >= 32:
                found.append(Claim(name, SOLVED, ">=", 0.0, "empirical"))
            if layers == 1 and width <= WIDEST:
                found.append(Claim(name, UNSOLVED, "<=", 0.0, "empirical"))
        narrow = sorted(width for layers, width in own["decoders"] if layers == 1)
        order = tuple(str(width) for width in narrow if width <= WIDEST)
        if len(order) > 1:
            found.append(Claim(_order(length), order, "order", 0.0, "empirical"))
    return found


def _ordered(trained: list[dict[str, Any]], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Widths of one layer in the order of what they get right."""
    found: dict[str, Any] = {}
    single = [one for one in trained if one["layers"] == 1 and one["width"] <= WIDEST]
    for length in settings["trained"]["lengths"]:
        narrow = [one for one in single if one["length"] == length]
        ranked = sorted(narrow, key=lambda one: (one["right"], -one["width"]))
        found[_order(length)] = tuple(str(one["width"]) for one in ranked)
    return found


def _least_width(length: int, heads: int, bits: int) -> int:
    """Of all heads together, as a decoder counts it."""
    size = Size(heads=heads, precision=bits)
    return heads * fewest(attention_message, "width", induction_bits(max(3, length)), size)


def _built(settings: Mapping[str, Any]) -> dict[str, float]:
    """Answers of the construction against the plain oracle."""
    values, symbols = {}, settings["symbols"]
    for length in settings["built"]:
        words = mixed_words(symbols, length, settings["words"], settings["seed"])
        truth = follower(words, none=symbols)
        for name, code in CODES.items():
            outputs = _answers(induction_head(length, code(symbols)), words)
            share = np.mean(outputs.argmax(axis=-1) == truth)
            values[f"built, T = {length}, {name}: share right"] = float(share)
            if name == "one-hot":  # what it says is then the weight on each symbol
                least = np.take_along_axis(outputs, truth[:, None], axis=1).min()
                values[f"built, T = {length}: least weight of the right answer"] = float(least)
        weights = _whole_weights(induction_head(length, one_hot_codes(symbols)))
        bits = int(weights.max()).bit_length()
        values[f"built, T = {length}: bits of a weight"] = float(bits)
    hidden = all_inputs(HIDDEN_BITS)
    asked = np.tile(np.arange(HIDDEN_BITS), len(hidden))
    words = index_words(np.repeat(hidden, HIDDEN_BITS, axis=0), asked)
    found = said(induction_head(words.shape[1], one_hot_codes(4)), words)
    values["built: share of the hidden indices right"] = float(np.mean(found == hidden.ravel()))
    return values


def _answers(
    network: Network, words: Int[np.ndarray, "batch length"]
) -> Float[np.ndarray, "batch letter"]:
    """At the end of every word, a few words at a time: long words have large attention maps."""
    parts = np.array_split(words, math.ceil(len(words) / BLOCK))
    return np.concatenate([next_symbol(network, part)[:, -1] for part in parts])


def _whole_weights(network: Network) -> Int[np.ndarray, " parameter"]:
    """The weights of layer 2's scores, which are whole numbers; if not, that is a mistake."""
    match = network.layers[-1]
    weights = np.abs(np.concatenate([match.query_key.ravel(), match.lag_scores.ravel()]))
    if not np.array_equal(weights, weights.round()):
        raise ValueError("weights of the construction are not whole numbers")
    return weights.astype(int)


def _train(shape: Shape, settings: Mapping[str, Any], show: Show) -> dict[str, Any]:
    own, steps = settings["trained"], settings["trained"]["steps"]
    key = key_for(root_key(settings["seed"]), "induction", shape.layers, shape.width, shape.length)

    def read(weights: Decoder, key: Key[Array, ""], count: int) -> tuple[Array, Array, Array]:
        words = jax.random.randint(key, (count, shape.length), 0, shape.tokens)
        answers, matched = jax.vmap(targets)(words)
        heard = jax.vmap(lambda word: logits(shape, weights, word))(words)
        losses = optax.softmax_cross_entropy_with_integer_labels(heard, answers)
        right = (heard.argmax(axis=-1) == answers) & matched
        return jnp.sum(losses * matched) / matched.sum(), right.sum(axis=0), matched.sum(axis=0)

    def watch(weights: Decoder, key: Key[Array, ""]) -> dict[str, Array]:
        loss, right, matched = read(weights, key, max(own["batch"], own["tested"] // shape.length))
        return {"loss": loss, "right": right, "matched": matched}

    trained = descend(
        lambda weights, key: read(weights, key, own["batch"])[0],
        jax.jit(lambda key: create(shape, key))(key_for(key, "start")),
        optax.adam(optax.linear_schedule(own["rate"], 0.0, steps)),
        steps=steps,
        key=key_for(key, "words"),
        every=max(1, steps // 20),
        watch=watch,
        show=show,
        phase=f"{counted(shape.layers, 'layer')}, width {shape.width}, length {shape.length}",
    )
    right, matched = trained.watched["right"], trained.watched["matched"]
    shares = right.sum(axis=1) / matched.sum(axis=1)
    places = np.arange(1, shape.length, max(1, shape.length // 64))  # nothing matches at place 0
    by_place = right[-1, places] / np.maximum(matched[-1, places], 1)
    return {
        "layers": shape.layers,
        "width": shape.width,
        "right": float(shares[-1]),
        "steps": trained.steps.tolist(),
        "shares": shares.round(4).tolist(),
        "places": (1 + places).tolist(),
        "by_place": by_place.round(3).tolist(),
    }
