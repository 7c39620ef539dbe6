"""A memory of facts learns what a relation's answers are before it learns whose answer is which.

What: Facts "subject, relation: answer" stand in a context full of noise; every relation has D
    answers of its own. Linear attention from the end of the context has to find both words and
    add up what their values say. It first finds the relation and then, for a long while, draws
    from the relation's answers without looking at the subject: asked for a capital, it names some
    capital. Only later does the subject count. When the subject's signal is the stronger one, the
    order is turned round and there is no such stage.
Definition: With c_z occurrences of token z the logits are Σ_z c_z w_z V_z, w_z the attention that
    the end pays to z. All weights begin at α and descend the loss at rate η. Around that start
    the loss is a product of w_z and V_z, so both grow like α·cosh(g η t), with
    g = chance of z times length of (law of answers given z - uniform law):
    g_r = √((1-1/R)/D) / R for a relation, g_s = √((1-1/D)/R) / S for a subject. Half of either
    part of the loss is gone near t = ln(2/α) / (η g). The loss steps from ln(RD) to ln D, where
    the model says p(answer | relation), to 0. There is such a step if and only if g_r > g_s; it
    lasts t_s - t_r. Under gradient flow w_z² - |V_z|² never changes.
Example:
    >>> relation, subject = half_times(subjects=16, relations=4, answers=8, start=1e-5, rate=0.1)
    >>> round(relation), round(subject)
    (1595, 4176)

Known limits: One-hot tokens, attention without softmax, every fact equally often, and a dictionary
    in which subject and relation choose independently of each other; the measured times lag by 3
    to 9 per cent, since growth slows down before the halves are done. The descent on the exact
    population uses mean counts of noise, so that noise never pulls; the largest budget draws it.
Sources: Understanding factual recall in transformers via associative memories (Nichani, Lee,
    Bietti, 2024); the tutorial Sandbox for the Blackbox, part II
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, final

import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Key

from foretell.numerics.keys import key_for, root_key
from foretell.numerics.stages import half_time
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.descent import Trained, descend
from foretell.worlds.memory_facts import Attention, draw, facts_of, log_chances, stages

PARTS = ("relation", "subject")
LATE, LEVEL_OFF, SAME_LAW = 0.12, 0.02, 0.02  # how far off times, levels and laws still agree
SMALLEST = {"subjects": 8, "relations": 2, "answers": 4, "start": 1e-3, "steps": 1500}


def _world(subjects: int, relations: int, answers: int, start: float, steps: int) -> dict[str, Any]:
    sizes = {"subjects": subjects, "relations": relations, "answers": answers}
    return {**sizes, "start": start, "steps": steps}


WORLDS = (
    _world(16, 4, 8, 1e-5, 8192),
    _world(16, 4, 8, 1e-3, 6000),
    _world(32, 4, 8, 1e-5, 12000),
    _world(16, 8, 4, 1e-5, 9600),
    _world(8, 2, 4, 1e-5, 4000),
    _world(2, 16, 2, 1e-5, 6000),
    _world(4, 16, 4, 1e-5, 8000),
)


@final
class HallucinationStage(Sandbox):
    """Gradient descent on the exact population of facts, one world after the other."""

    name = "hallucination-stage"
    title = "Learning facts: first the relation, then the subject"
    lesson = (
        "Between the two predicted times the model knows which answers the relation has and draws "
        "one of them, whoever is asked about: the loss rests at ln D. In a world where subjects "
        "pull harder the order is turned round and the stage is missing."
    )
    caveat = (
        "It shows one layer with one-hot tokens and linear attention. That large models invent "
        "answers for the same reason is not shown."
    )

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Exact populations; the largest budget draws batches with noise, as was published."""
        worlds = [SMALLEST] if budget is Budget.SMOKE else [*WORLDS]
        batch = 1024 if budget is Budget.GPU else None
        return {
            "worlds": [dict(world) for world in worlds],
            "rate": 0.1,
            "every": 20,
            "batch": batch,
            "seed": 0,
        }

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Growth rates around the start, and the levels between."""
        rate = settings["rate"]
        return tuple(claim for world in settings["worlds"] for claim in _claims(world, rate))

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Descend in every world; read off times, levels, laws and what is conserved."""
        values: dict[str, Any] = {}
        curves = []
        for number, world in enumerate(settings["worlds"]):
            trained = _train(world, settings, number, show)
            values |= _read(world, trained)
            times = half_times(**_sizes(world), start=world["start"], rate=settings["rate"])
            curves.append(_curve(world, trained, times))
        return Findings(values, {"worlds": curves})


def growth_rates(subjects: int, relations: int, answers: int) -> tuple[float, float]:
    """How fast relations and subjects grow around the start, per unit of flow time."""
    of_relation = math.sqrt((1 - 1 / relations) / answers) / relations
    of_subject = math.sqrt((1 - 1 / answers) / relations) / subjects
    return of_relation, of_subject


def half_times(
    subjects: int, relations: int, answers: int, start: float, rate: float
) -> tuple[float, float]:
    """Steps after which half of the relation's and of the subject's part of the loss is gone."""
    first, second = growth_rates(subjects, relations, answers)
    grown = math.log(2 / start) / rate
    return grown / first, grown / second


def _sizes(world: Mapping[str, Any]) -> dict[str, int]:
    return {name: world[name] for name in ("subjects", "relations", "answers")}


def _label(world: Mapping[str, Any]) -> str:
    return "S={subjects}, R={relations}, D={answers}, α={start:g}".format(**world)


def _claims(world: Mapping[str, Any], rate: float) -> list[Claim]:
    facts_of(**_sizes(world))  # refuses what cannot be
    label, sizes = _label(world), _sizes(world)
    times = half_times(**sizes, start=world["start"], rate=rate)
    order = tuple(name for _, name in sorted(zip(times, PARTS, strict=True)))

    def time(quantity: str, value: float) -> Claim:
        return Claim(f"{label}: {quantity}", value, "=", LATE * abs(value), "derived")

    found = [
        *(time(f"{name} half learnt", at) for name, at in zip(PARTS, times, strict=True)),
        Claim(f"{label}: order", order, "order", evidence="derived"),
        Claim(f"{label}: drift of w² - |V|², a share of w²", 0.0, "=", 1e-2, "theorem"),
        Claim(f"{label}: loss at the end", 0.0, "<=", 0.05, "theorem"),
    ]
    least = f"{label}: least distance from p(answer | relation)"
    if order[0] == "subject":
        return [*found, Claim(least, SAME_LAW, ">=", evidence="derived")]
    return [
        *found,
        Claim(least, SAME_LAW, "<=", evidence="theorem"),
        Claim(f"{label}: loss in between", math.log(sizes["answers"]), "=", LEVEL_OFF, "theorem"),
        time("length of the stage", times[1] - times[0]),
    ]


def _train(
    world: Mapping[str, Any], settings: Mapping[str, Any], number: int, show: Show
) -> Trained:
    facts = facts_of(**_sizes(world))
    shape = (facts.counts.shape[1], facts.of_relation.shape[1])
    start = Attention(jnp.full(shape[:1], world["start"]), jnp.full(shape, world["start"]))

    def loss(model: Attention, key: Key[Array, ""]) -> Float[Array, ""]:
        counts, answers = jnp.asarray(facts.counts), jnp.asarray(facts.answers)
        if settings["batch"] is not None:
            counts, answers = draw(facts, settings["batch"], key)
        said = log_chances(model, counts)
        return -jnp.mean(jnp.take_along_axis(said, answers[:, None], axis=1))

    return descend(
        loss,
        start,
        optax.sgd(settings["rate"]),
        steps=world["steps"],
        key=key_for(root_key(settings["seed"]), "hallucination-stage", number),
        every=settings["every"],
        watch=lambda model, key: stages(model, facts),
        show=show,
        phase=_label(world),
    )


def _read(world: Mapping[str, Any], trained: Trained) -> dict[str, Any]:
    label, seen = _label(world), trained.watched
    steps, loss, relation = trained.steps.astype(float), seen["loss"], seen["relation"]
    parts = {"relation": relation, "subject": loss - relation}
    times = {name: _or_never(half_time(steps, part, 0.0)) for name, part in parts.items()}
    first, last = sorted(times.values())
    between = (steps >= first) & (steps <= last)
    resting = np.where(between, np.abs(np.gradient(loss, steps)), np.inf).argmin()
    drift = np.abs(seen["balance"] - seen["balance"][0]).max()
    found = {
        **{f"{name} half learnt": at for name, at in times.items()},
        "order": tuple(
            sorted((name for name in times if times[name] < math.inf), key=times.__getitem__)
        ),
        "loss in between": float(loss[resting]),
        "least distance from p(answer | relation)": float(seen["distance"].min()),
        "drift of w² - |V|², a share of w²": float(drift / np.square(seen["looks"]).max()),
        "loss at the end": float(loss[-1]),
        "length of the stage": times["subject"] - times["relation"],
    }
    return {f"{label}: {name}": value for name, value in found.items()}


def _or_never(time: float | None) -> float:
    return math.inf if time is None else time


def _curve(
    world: Mapping[str, Any], trained: Trained, times: tuple[float, float]
) -> dict[str, Any]:
    """About 140 points of each curve, with the predicted times and levels."""
    thin = max(1, len(trained.steps) // 140)
    seen = trained.watched
    parts = {
        "loss": seen["loss"],
        "relation": seen["relation"],
        "subject": seen["loss"] - seen["relation"],
        "distance": seen["distance"],
    }
    measured = [_read(world, trained)[f"{_label(world)}: {name} half learnt"] for name in PARTS]
    return {
        **_sizes(world),
        "start": world["start"],
        "steps": trained.steps[::thin].tolist(),
        **{name: values[::thin].round(4).tolist() for name, values in parts.items()},
        "predicted": [round(at, 1) for at in times],
        "measured": [round(at, 1) if math.isfinite(at) else None for at in measured],
    }
