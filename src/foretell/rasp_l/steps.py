"""A program as a list of steps, each different from the others and using only earlier ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from foretell.rasp_l.values import Value

ARITHMETIC = ("+", "-", "*", "//", "%", "max", "min")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
HEADS = ("width", "aggregate")
PARTS = dict.fromkeys((*ARITHMETIC, *COMPARISONS, "and", "or", "aggregate"), 2)
PARTS |= dict.fromkeys(("not", "lookup", "key", "query", "select", "width"), 1)
PARTS |= dict.fromkeys(("tokens", "indices", "number", "truth"), 0) | {"where": 3}


@final
@dataclass(frozen=True)
class Step:
    """One operation; `parts` are places of earlier steps."""

    word: str
    parts: tuple[int, ...] = ()
    data: tuple[Any, ...] = ()


def flatten(output: Value) -> tuple[Step, ...]:
    """All that the output needs, each once, the output last: library functions are inlined here.

    >>> from foretell.rasp_l.values import tokens
    >>> len(flatten((tokens + 1) * (tokens + 1)))
    4
    """
    places: dict[Step, int] = {}
    done: dict[int, int] = {}  # by identity: a value used many times is walked once
    waiting = [(output, False)]
    while waiting:
        value, ready = waiting.pop()
        if id(value) in done:
            continue
        if not ready:
            waiting.append((value, True))
            waiting += [(part, False) for part in reversed(value.parts)]
            continue
        step = Step(value.word, tuple(done[id(part)] for part in value.parts), value.data)
        done[id(value)] = places.setdefault(step, len(places))
    return tuple(places)


def last_uses(steps: tuple[Step, ...]) -> dict[int, int]:
    """For every step, the place that reads it last; the output is kept."""
    last = {place: place for place in range(len(steps))}
    for place, step in enumerate(steps):
        for part in step.parts:
            last[part] = place
    return last
