"""Two facts must be joined to answer: training guesses among the ends, then gets it at once.

What: A context lists K chains, each as two facts, a → b and b → c, all facts shuffled. The query
    is one a, the answer its c. Three layers of attention can do it: look one step back, go from
    the a to its b, and from that b to its c. Before training finds this, it finds what is easy:
    that the answer is one of the K ends in the context. There it stays, with loss ln K and one
    answer in K right, and then drops to almost none within a short time.
Definition: A word is 2K facts of two symbols each and the query, 4K + 1 in all. Sources, bridges
    and ends have symbols of their own, V of each, of which K are drawn for each word and joined at
    random. The loss is that of the answer after the query. With all facts shuffled, and without
    joining them, all K ends in the context are equally likely: the least loss is then ln K and
    the best accuracy 1/K. The stay is the longest run of recorded steps with a loss within 0.05
    of ln K; the drop lasts from nine tenths of ln K to one tenth.
Example:
    >>> import jax
    >>> question = sample_two_hop(jax.random.key(0), 3, 5)
    >>> question.word.shape, int(question.answer) == int(question.ends[0])
    ((13,), True)

Known limits: The symbols say which role they have; with one shared set of symbols the model must
    also find out who is an end, which takes longer. The loss is on the last symbol only. When the
    drop comes depends on the seed; that it comes, and from which level, does not. Attention
    only, one head a layer; no claim is made for larger models.
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
SMALL = {"chains": 3, "names": 5, "width": 32, "batch": 128, "rate": 2e-3}
LARGE = {"chains": 5, "names": 20, "width": 256, "batch": 512, "rate": 3e-4}


class Question(NamedTuple):
    """The facts and the query, the answer, and all ends in the context, the answer first."""

    word: Int[Array, " length"]
    answer: Int[Array, ""]
    ends: Int[Array, " label"]


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
        steps = {Budget.SMOKE: 4, Budget.CPU: 4000, Budget.GPU: 20_000}[budget]
        chosen = {**(LARGE if budget is Budget.GPU else SMALL)}
        return chosen | {
            "batch": 4 if budget is Budget.SMOKE else chosen["batch"],
            "eval_words": 8 if budget is Budget.SMOKE else 512,
            "layers": 3,
            "steps": steps,
            "every": max(1, steps // 160),
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
            "names": settings["names"],
            "steps": trained.steps.tolist(),
            **{name: np.round(each, 4).tolist() for name, each in trained.watched.items()},
            "stay": [stay.first, stay.last] if stay else None,
            "word": np.asarray(question.word).tolist(),
            "attention": np.round(seen(trained.weights, question.word), 3).tolist(),
        }
        return Findings(values, curves)


def two_hop_shape(settings: Mapping[str, Any]) -> Shape:
    """Attention only, one head a layer."""
    return Shape(
        tokens=3 * settings["names"],
        length=4 * settings["chains"] + 1,
        width=settings["width"],
        layers=settings["layers"],
    )


def sample_two_hop(key: Key[Array, ""], chains: int, names: int) -> Question:
    """K chains over fresh names; the first one is asked for."""
    if not 1 <= chains <= names:
        raise BadInput(
            "too few names for the chains",
            seen=f"{chains} chains, {names} names a role",
            why="in one word every name stands in one chain only",
        )
    drawing, shuffling = jax.random.split(key)
    # The order of random numbers is a random order, and cheaper than three permutations.
    order = jnp.argsort(jax.random.uniform(drawing, (3, names)), axis=1)[:, :chains]
    sources, bridges, ends = order + names * jnp.arange(3)[:, None]
    facts = jnp.concatenate(
        [jnp.stack([sources, bridges], axis=1), jnp.stack([bridges, ends], axis=1)]
    )
    facts = facts[jnp.argsort(jax.random.uniform(shuffling, (2 * chains,)))]
    return Question(jnp.concatenate([facts.ravel(), sources[:1]]), ends[0], ends)


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
        return optax.softmax_cross_entropy_with_integer_labels(said, questions.answer).mean()

    def watch(weights: Decoder, key: Key[Array, ""]) -> dict[str, Array]:
        questions, said = answered(weights, key, settings["eval_words"])
        chances = jnp.take_along_axis(jax.nn.softmax(said), questions.ends, axis=1)
        return {
            "loss": -jnp.log(chances[:, 0]).mean(),
            "accuracy": (said.argmax(axis=1) == questions.answer).mean(),
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
