"""Two facts must be joined to answer: training guesses among the ends, then gets it at once.

What: A context lists K chains, each as two facts, a → b and b → c, all facts shuffled. The query
    is one a, the answer its c. Three layers of attention can do it: look one step back, go from
    the a to its b, and from that b to its c. Before training finds this, it finds what is easy:
    that the answer is one of the K ends in the context. There it stays, with loss ln K and one
    answer in K right, and then drops to almost none within a short time.
Definition: A word is 2K facts of two symbols each and the query, 4K + 1 in all. Every
    word draws its 3K symbols afresh from the same set, so that which are ends must be seen in
    context too. The loss is that of the answer after the query. With all facts shuffled, and
    without joining them, all K ends are equally likely: the least loss is then ln K and the best
    accuracy 1/K. The stay is the longest run of recorded steps with a loss within 0.05
    of ln K; the drop lasts from nine tenths of ln K to one tenth.
Example:
    >>> import jax
    >>> question = sample_two_hop(jax.random.key(0), 3, 12)
    >>> question.word.shape, int(question.word[-1]) == int(question.chains[0, 0])
    ((13,), True)

Known limits: The loss is on the last symbol only; attention only, one head a layer, and scores by
    lag. When the drop comes depends on seed and width; from which level does not. With positions
    added to the symbols, or with separate sets of symbols for sources, bridges and ends, small
    models were still on the plateau after 5,000 steps.
Sources: How do large language models perform two-hop reasoning in context (Guo and others, 2025);
    the tutorial Sandbox for the Blackbox, part II
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key

from foretell.models.small_decoder import Decoder, Shape, create, logits, look
from foretell.numerics.keys import key_for, root_key
from foretell.numerics.stages import crossing, longest_dwell
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.sandboxes.descent import Trained, descend

NEAR = 0.05  # of ln K
STAY, END = "longest stay at ln K, in steps", "accuracy at the end"
GUESS, DROP = "accuracy during the stay", "length of the drop over length of the stay"
SMALL = {"chains": 3, "names": 12, "width": 32, "batch": 128, "rate": 1e-3}
LARGE = {"chains": 5, "names": 30, "width": 256, "batch": 512, "rate": 3e-4}


class Question(NamedTuple):
    """The facts and the query, and the chains in the context; the first is asked for."""

    word: Int[Array, " length"]
    chains: Int[Array, "label part"]


@final
class TwoHop(Sandbox):
    """Three layers of attention on shuffled facts."""

    name = "two-hop"
    title = "Joining two facts: a plateau of guessing, then a sudden drop"
    lesson = (
        "The loss stays at ln K (dashed), where the ends in the context are all equally likely "
        "and one answer in K is right, and then falls to almost nothing within a short time."
    )
    caveat = "It shows that the stage exists and its level, not when it ends."
    essential = False

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Three chains on a CPU, five on an accelerator."""
        steps = {Budget.SMOKE: 4, Budget.CPU: 5000, Budget.GPU: 20_000}[budget]
        chosen = {**(LARGE if budget is Budget.GPU else SMALL)}
        return chosen | {
            "batch": 4 if budget is Budget.SMOKE else chosen["batch"],
            "eval_words": 8 if budget is Budget.SMOKE else 512,
            "layers": 3,
            "steps": steps,
            "every": max(1, steps // 200),
            "seed": 0,
        }

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Guessing among K; how long and how suddenly is what others saw."""
        return (
            Claim(STAY, 100.0, ">=", 0.0, "empirical"),
            Claim(GUESS, 1 / settings["chains"], "=", NEAR, "derived"),
            Claim(DROP, 1.0, "<=", 0.0, "empirical"),
            Claim(END, 0.95, ">=", 0.0, "empirical"),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Train, and read the stages off the loss on fixed words."""
        root, shape = root_key(settings["seed"]), two_hop_shape(settings)
        trained = _trained(shape, root, settings, show)
        steps, level = trained.steps.astype(float), math.log(settings["chains"])
        loss, accuracy = (trained.watched[name].astype(float) for name in ("loss", "accuracy"))
        stay = longest_dwell(steps, loss, level, NEAR)
        begun, done = (crossing(steps, loss, share * level) for share in (0.9, 0.1))
        within = (steps >= stay.first) & (steps <= stay.last) if stay else steps < 0
        fell = math.inf if begun is None or done is None else done - begun
        values = {
            STAY: stay.length if stay else 0.0,
            GUESS: float(accuracy[within].mean()) if stay else math.nan,
            DROP: fell / stay.length if stay and stay.length else math.inf,
            END: float(accuracy[-1]),
        }
        question = sample_two_hop(key_for(root, "shown"), settings["chains"], settings["names"])
        seen = jax.jit(lambda weights, word: look(shape, weights, word).attention[:, 0])
        curves = {
            "chains": settings["chains"],
            "steps": trained.steps.tolist(),
            **{name: np.round(each, 4).tolist() for name, each in trained.watched.items()},
            "stay": [stay.first, stay.last] if stay else None,
            "word": _labels(question),
            "attention": np.round(seen(trained.weights, question.word), 3).tolist(),
        }
        return Findings(values, curves)


def two_hop_shape(settings: Mapping[str, Any]) -> Shape:
    """Attention only, one head a layer."""
    return Shape(
        tokens=settings["names"],
        length=4 * settings["chains"] + 1,
        width=settings["width"],
        layers=settings["layers"],
        positions="relative",
    )


def sample_two_hop(key: Key[Array, ""], chains: int, names: int) -> Question:
    """K chains of fresh symbols; the first one is asked for."""
    if chains < 1 or 3 * chains > names:
        raise BadInput(
            "too few symbols for the chains",
            seen=f"{chains} chains, {names} symbols",
            why="every chain has three symbols, and no two share one",
        )
    drawing, shuffling = jax.random.split(key)
    # The order of random numbers is a random order, and cheaper than a permutation.
    drawn = jnp.argsort(jax.random.uniform(drawing, (names,)))[: 3 * chains].reshape(chains, 3)
    facts = jnp.concatenate([drawn[:, :2], drawn[:, 1:]])
    facts = facts[jnp.argsort(jax.random.uniform(shuffling, (2 * chains,)))]
    return Question(jnp.concatenate([facts.ravel(), drawn[0, :1]]), drawn)


def _labels(question: Question) -> list[str]:
    """Which symbol of which chain stands where: a1 leads to b1, and that to c1."""
    places = np.asarray(question.chains) == np.asarray(question.word)[:, None, None]
    return ["abc"[role] + str(chain + 1) for _, chain, role in np.argwhere(places)]


def _trained(
    shape: Shape, root: Key[Array, ""], settings: Mapping[str, Any], show: Show
) -> Trained:
    def answered(
        weights: Decoder, key: Key[Array, ""], count: int
    ) -> tuple[Question, Float[Array, "batch token"]]:
        drawn = jax.vmap(lambda each: sample_two_hop(each, settings["chains"], settings["names"]))
        questions = drawn(jax.random.split(key, count))
        said = jax.vmap(lambda word: logits(shape, weights, word)[-1])(questions.word)
        return questions, said

    def loss(weights: Decoder, key: Key[Array, ""]) -> Float[Array, ""]:
        questions, said = answered(weights, key, settings["batch"])
        return optax.softmax_cross_entropy_with_integer_labels(
            said, questions.chains[:, 0, 2]
        ).mean()

    def watch(weights: Decoder, key: Key[Array, ""]) -> dict[str, Array]:
        questions, said = answered(weights, key, settings["eval_words"])
        chances = jnp.take_along_axis(jax.nn.softmax(said), questions.chains[:, :, 2], axis=1)
        return {
            "loss": -jnp.log(chances[:, 0]).mean(),
            "accuracy": (said.argmax(axis=1) == questions.chains[:, 0, 2]).mean(),
            "ends": chances.sum(axis=1).mean(),
        }

    return descend(
        loss,
        create(shape, key_for(root, "weights")),
        optax.adam(settings["rate"]),
        steps=settings["steps"],
        key=key_for(root, "train"),
        every=settings["every"],
        watch=watch,
        show=show,
    )
