"""An induction head learnt in two stages: first where to look back, then how firmly to match.

What: Every word comes from a Markov chain of its own, and a last symbol is put behind it at
    random: what would follow? Two layers reduced to what matters, one score for every lag and one
    strength of matching, are trained one after the other. With a weak matching the lag scores
    already feel a pull, strongest towards lag 1, and attention of the first layer closes in on the
    symbol before. Then the strength grows until the second layer counts what followed that symbol
    earlier. The loss ends the nearer to the best possible, the longer the words.
Definition: Layer 1 gives position n the vector v_n = Σ_l softmax(p)_l e(x_{n-l}); layer 2 attends
    from the last symbol u with weights ∝ exp(a <v_n, e(u)>) and what it says is Σ_n att_n e(x_n).
    Loss is -Σ π(x|u) log(said(x) + 0.001), π the true row. Stage 1 descends in p with a fixed,
    stage 2 in a with p fixed. To first order in a the pull on p_l is that of
    E Σ_x π(x|u) π^l(x|u) / μ(x) - 1, a χ² information that is largest at l = 1, so
    softmax(p)_1 → 1. The best loss is L* = E (1/S) Σ_s h(π(·|s)) = ψ(S+1) - ψ(2) for uniform
    rows, and L - L* is at most of the order log(T+1) / (T+1)^c for some c > 0. Counting bigrams
    is a = ∞, so stage 2 does not end above that.
Example:
    >>> sandbox = TwoStageDescent()
    >>> sandbox.claims(sandbox.settings(Budget.SMOKE))[0].predicted
    ('lag 1',)

Known limits: Chains of order one, and a model that was reduced on purpose: no embeddings, no value
    matrices, no second head. The theorem's c is not known; that the excess falls with the length
    is all that is asked. After short words a stays small: to count firmly would overrate a single
    occurrence.
Sources: What One Cannot, Two Can (Ekbote and others, 2025); How Transformers Learn Causal Structure
    with Gradient Descent (Nichani and others, 2024); the tutorial Sandbox for the Blackbox, part II
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key

from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show, Value
from foretell.worlds.chains import Prior, sample_rows, sample_words
from foretell.worlds.descent import Trained, descend
from foretell.worlds.n_gram_model import FIRM, attention_of, loss_of
from foretell.worlds.n_grams import independent_level

PRIOR = Prior()
ATTENTION, SAMPLING = 0.05, 0.01  # how far attention and losses may be off
STEEPEST, ORDER = "lag with the strongest pull at the start", "excess loss, most first"
EXPONENT = "exponent of the excess loss in T"
SHOWN = 8  # lags in the figure


class Reduced(NamedTuple):
    """Scores by lag and the strength of matching; with a leading axis a member each length."""

    lags: Float[Array, "*member length"]
    strength: Float[Array, "*member"]


class Example(NamedTuple):
    """A word, the symbol put behind it, and the law of what would follow."""

    word: Int[Array, "*batch length"]
    last: Int[Array, "*batch"]
    row: Float[Array, "*batch letter"]


@final
class TwoStageDescent(Sandbox):
    """All lengths trained side by side, lag scores first."""

    name = "two-stage-descent"
    essential = False
    title = "An induction head in two stages: where to look, then how firmly"
    lesson = (
        "First attention closes in on the symbol before, where the pull was strongest; then the "
        "matching grows and the loss drops towards the best possible (dashed). What is left falls "
        "with the length of the words."
    )
    caveat = "It shows a model with one number a lag; why a full model takes the same path is open."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Lengths, steps of either stage, and rates."""
        lengths, steps, batch, watched = {
            Budget.SMOKE: ([4, 6], 4, 8, 64),
            Budget.CPU: ([16, 32, 64], 60, 256, 4096),
            Budget.GPU: ([16, 32, 64, 128, 256, 512], 2000, 1024, 65_536),
        }[budget]
        return {
            "symbols": 3,
            "lengths": lengths,
            "steps": steps,  # of either stage
            "batch": batch,
            "watched": watched,
            "start": 1.0,
            "rates": [100.0, 5.0],
            "seed": 0,
        }

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Lag 1, all of the attention, and an excess that falls."""
        found = [Claim(STEEPEST, ("lag 1",), "order", 0.0, "theorem")]
        for length in _lengths(settings):
            found += [
                Claim(f"T={length}: attention on lag 1", 1.0, "=", ATTENTION, "theorem"),
                Claim(f"T={length}: loss above counting", 0.0, "<=", SAMPLING, "derived"),
            ]
        order = tuple(f"T={length}" for length in _lengths(settings))
        return (
            *found,
            Claim(ORDER, order, "order", 0.0, "theorem"),
            Claim(EXPONENT, 0.0, "<=", 0.0, "theorem"),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """One run for all lengths, read off at the end of each stage."""
        lengths, best = _lengths(settings), independent_level(settings["symbols"], PRIOR.alpha)
        trained = _train(settings, show)
        looks, losses = trained.watched["looks"], trained.watched["loss"].astype(float)
        pull = trained.watched["pull"][0, -1]
        excess = losses[-1] - best
        values: dict[str, Value] = {STEEPEST: (f"lag {int(pull.argmax())}",)}
        for member, length in enumerate(lengths):
            counting = float(trained.watched["counting"][-1, member])
            values[f"T={length}: attention on lag 1"] = float(looks[-1, member, 1])
            values[f"T={length}: loss above counting"] = float(losses[-1, member]) - counting
        values[ORDER] = tuple(f"T={lengths[member]}" for member in np.argsort(-excess))
        slope = np.polyfit(np.log(lengths), np.log(np.maximum(excess, 1e-9)), 1)[0]
        values[EXPONENT] = float(slope)
        curves = {
            "lengths": lengths,
            "best": best,
            "between": settings["steps"],
            "steps": trained.steps.tolist(),
            "loss": losses.round(5).tolist(),
            "strength": trained.watched["strength"].round(3).tolist(),
            "looks": looks[:, -1, :SHOWN].round(4).tolist(),
            "pull": pull[:SHOWN].round(6).tolist(),
            "counting": trained.watched["counting"][-1].round(5).tolist(),
        }
        return Findings(values, curves)


def _lengths(settings: Mapping[str, Any]) -> list[int]:
    lengths: list[int] = settings["lengths"]
    if len(lengths) < 2 or sorted(set(lengths)) != lengths or lengths[0] < 3:
        raise BadInput(
            "the lengths of words must grow",
            seen=lengths,
            why="the loss is compared between them, and lag 2 must be there",
            hint="[16, 32, 64]",
        )
    return lengths


def sample_example(key: Key[Array, ""], symbols: int, length: int) -> Example:
    """A chain, a word of it, and a last symbol that does not depend on the word."""
    rows = sample_rows(key_for(key, "rows"), 1, symbols, PRIOR)
    word = sample_words(key_for(key, "word"), rows, length, symbols)
    last = jax.random.randint(key_for(key, "last"), (), 0, symbols)
    return Example(word, last, rows[last])


def said_by(
    model: Reduced, example: Example, length: int | Int[Array, ""]
) -> Float[Array, " letter"]:
    """The law of what follows the last symbol, from the first `length` symbols of the word."""
    letters = jax.nn.one_hot(example.word, example.row.shape[0])
    seen = attention_of(model.lags) @ letters
    there = jnp.arange(len(letters)) < length
    scores = jnp.where(there, model.strength * seen[:, example.last], -jnp.inf)
    return jax.nn.softmax(scores) @ letters


def _mean_loss(model: Reduced, examples: Example, length: Int[Array, ""]) -> Float[Array, ""]:
    said = jax.vmap(lambda example: said_by(model, example, length))(examples)
    return loss_of(said, examples.row).mean()


def _optimizer(settings: Mapping[str, Any]) -> optax.GradientTransformation:
    """Plain descent: in the lag scores during the first half, in the strength during the second."""
    first, second = settings["rates"]
    turn = {settings["steps"]: 0.0}
    return optax.multi_transform(
        {
            "lags": optax.sgd(optax.piecewise_constant_schedule(first, turn)),
            "strength": optax.sgd(lambda step: jnp.where(step < settings["steps"], 0.0, second)),
        },
        Reduced("lags", "strength"),  # type: ignore[arg-type]
    )


def _train(settings: Mapping[str, Any], show: Show) -> Trained:
    """Members differ in how much of a word they read; the longest reads all."""
    lengths, symbols = jnp.asarray(_lengths(settings)), settings["symbols"]
    most, members = max(settings["lengths"]), len(settings["lengths"])
    over = jax.vmap(_mean_loss, (0, None, 0))
    count = Reduced(jnp.tile(FIRM * jax.nn.one_hot(1, most), (members, 1)), jnp.full(members, FIRM))

    def examples(key: Key[Array, ""], number: int) -> Example:
        keys = jax.random.split(key, number)
        return jax.vmap(lambda each: sample_example(each, symbols, most))(keys)

    def loss(model: Reduced, key: Key[Array, ""]) -> Float[Array, ""]:
        return jnp.sum(over(model, examples(key, settings["batch"]), lengths))

    def watch(model: Reduced, key: Key[Array, ""]) -> dict[str, Array]:
        drawn = examples(key, settings["watched"])
        losses, slope = jax.vmap(jax.value_and_grad(_mean_loss), (0, None, 0))(
            model, drawn, lengths
        )
        there = jnp.arange(most) < lengths[:, None]
        return {
            "loss": losses,
            "pull": -slope.lags,
            "looks": jax.nn.softmax(jnp.where(there, model.lags, -jnp.inf)),
            "strength": model.strength,
            "counting": over(count, drawn, lengths),
        }

    return descend(
        loss,
        Reduced(jnp.zeros((members, most)), jnp.full(members, settings["start"])),
        _optimizer(settings),
        steps=2 * settings["steps"],
        key=key_for(root_key(settings["seed"]), "two-stage-descent"),
        every=max(1, settings["steps"] // 15),
        watch=watch,
        show=show,
    )
