"""When each step happens: as soon as what it reads is there.

A layer is attention and then an MLP. Attention of layer l reads what earlier layers left; the MLP
reads that and what the attention of its own layer brought. So time runs in half layers: attention
happens at odd times, MLPs at even ones.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from foretell.compiler.forms import SOS, TRUE, Form
from foretell.compiler.network import Gather, Layer, Network, Unit, letter_direction
from foretell.compiler.planning import Definition, Plan


def sweep(plan: Plan, answers: Iterable[Form]) -> Plan:
    """The plan without definitions that no answer depends on."""
    used = {name for form in answers for name in form.directions}
    kept: list[Definition] = []
    for definition in reversed(plan.definitions):
        if definition.direction in used:
            kept.append(definition)
            used.update(definition.reads)
    places = tuple(place for place in plan.places if place.direction in used)
    return dataclasses.replace(plan, places=places, definitions=tuple(reversed(kept)))


def schedule(plan: Plan, labels: tuple[str, ...], answers: tuple[Form, ...]) -> Network:
    """Steps in layers; at least one layer, for a transformer has one."""
    times = ready_times(plan)
    gathers: dict[int, list[Gather]] = {}
    units: dict[int, list[Unit]] = {}
    for definition in plan.definitions:
        layer = (times[definition.direction] + 1) // 2
        for step in definition.steps:
            if isinstance(step, Gather):
                gathers.setdefault(layer, []).append(step)
            else:
                units.setdefault(layer, []).append(step)
    layers = tuple(
        Layer(tuple(gathers.get(at, ())), tuple(units.get(at, ())))
        for at in range(1, max([1, *gathers, *units]) + 1)
    )
    directions = _directions(plan, answers)
    sizes = tuple(plan.sizes[name] for name in directions)
    return Network(plan.letters, directions, sizes, plan.places, layers, labels, answers)


def ready_times(plan: Plan) -> dict[str, int]:
    """When each direction is complete, in half layers; 0 is the embedding."""
    times: dict[str, int] = {}
    for definition in plan.definitions:
        after = max((times.get(name, 0) for name in definition.reads), default=0)
        parity = 1 if isinstance(definition.steps[0], Gather) else 0
        time = after + 1
        times[definition.direction] = time if time % 2 == parity else time + 1
    return times


def _directions(plan: Plan, answers: tuple[Form, ...]) -> tuple[str, ...]:
    """What is used of the embedding, then everything defined."""
    used = {name for form in answers for name in form.directions}
    used.update(name for definition in plan.definitions for name in definition.reads)
    tokens = [SOS, TRUE, *map(letter_direction, plan.letters)]
    named = [name for name in tokens if name in used]
    named += [place.direction for place in plan.places]
    return (*named, *(definition.direction for definition in plan.definitions))
