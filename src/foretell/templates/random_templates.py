"""Templates drawn at random, with random labels."""

from __future__ import annotations

import string

import numpy as np
from jaxtyping import Int

from foretell.plain.errors import BadInput
from foretell.templates.checking import MOST_TEMPLATES
from foretell.templates.notation import LETTERS
from foretell.templates.template import LONGEST, template_of
from foretell.templates.template_set import TemplateSet

AT_ONCE = 1 << 12  # strings drawn at a time
MOST_DRAWS = 1 << 20
_MOST_NUMBERS = 1 << 24  # compared at a time, place by place


def random_templates(
    templates: int, wildcards: int, regular: int, length: int, seed: int = 0
) -> TemplateSet:
    """Uniform strings of wildcards and regular tokens, one after the other, none equivalent.

    A string that is equivalent to an earlier one is drawn again. Labels are normal draws, centred
    and scaled so that the best constant is wrong by a mean square of 1. Templates may overlap where
    a wildcard could stand for a regular token of another one, so wildcards keep apart from tokens.

    >>> drawn = random_templates(5, wildcards=4, regular=1, length=6, seed=0)
    >>> len({template.form for template in drawn.templates}), abs(sum(drawn.labels)) < 1e-9
    (5, True)
    """
    _check(templates, wildcards, regular, length)
    generator = np.random.default_rng(seed)
    forms: dict[bytes, Int[np.ndarray, " length"]] = {}
    at_once = max(1, min(AT_ONCE, _MOST_NUMBERS // length**2))
    for _ in range(-(-MOST_DRAWS // at_once)):
        drawn = generator.integers(0, wildcards + regular, (at_once, length))
        for form in canonical(drawn, wildcards):
            forms.setdefault(form.tobytes(), form)
        if len(forms) >= templates:
            break
    else:
        raise BadInput(
            "so many templates that are not equivalent were not found",
            seen=f"{templates:,} wanted, {len(forms):,} found among {MOST_DRAWS:,} strings",
            why="some forms are so rare that waiting for them would take too long",
        )
    labels = generator.standard_normal(templates)
    labels -= labels.mean()
    labels /= np.sqrt(np.mean(labels**2))
    labels = np.round(labels, 12)  # so that they can be read
    found = [_read(form) for form in list(forms.values())[:templates]]
    return TemplateSet(
        templates=tuple(map(template_of, found)), labels=tuple(labels.tolist()), apart=regular > 0
    )


def canonical(
    strings: Int[np.ndarray, "batch length"], wildcards: int
) -> Int[np.ndarray, "batch length"]:
    """Wildcards (numbers below `wildcards`) by order of first occurrence, ~t for the token t.

    >>> canonical(np.array([[1, 3, 0, 1, 4]]), wildcards=3).tolist()
    [[0, -1, 1, 0, -2]]
    """
    wild = strings < wildcards
    first = np.argmax(strings[:, :, None] == strings[:, None, :], axis=2)  # where it first occurs
    opens = wild & (first == np.arange(strings.shape[1]))
    numbers = np.cumsum(opens, axis=1) - 1
    return np.where(wild, np.take_along_axis(numbers, first, axis=1), wildcards - 1 - strings)


def forms_of(wildcards: int, regular: int, length: int) -> int:
    """How many templates there are, up to equivalence.

    >>> forms_of(3, 0, 3), forms_of(2, 0, 4), forms_of(2, 1, 2)
    (5, 8, 5)
    """
    partitions = [1] + [0] * wildcards  # of the places before, by the number of wildcards so far
    for _ in range(length):
        partitions = [
            partitions[used] * (used + regular) + (partitions[used - 1] if used else 0)
            for used in range(wildcards + 1)
        ]
    return sum(partitions)


def _read(form: Int[np.ndarray, " length"]) -> tuple[int | str, ...]:
    return tuple(code if code >= 0 else string.ascii_uppercase[~code] for code in form.tolist())


def _check(templates: int, wildcards: int, regular: int, length: int) -> None:
    ranges = {
        "templates": (templates, 2, MOST_TEMPLATES),
        "wildcards": (wildcards, 0 if regular else 1, len(LETTERS)),
        "regular": (regular, 0, len(string.ascii_uppercase)),
        "length": (length, 1, LONGEST),
    }
    for name, (value, low, high) in ranges.items():
        if not low <= value <= high:
            why = f"it goes from {low} to {high:,}"
            raise BadInput("random templates cannot be drawn", seen=f"{name}={value}", why=why)
    many = forms_of(wildcards, regular, length)
    if many < templates:
        raise BadInput(
            "there are not so many templates that are not equivalent",
            seen=f"templates={templates}",
            why=f"{wildcards} wildcards and {regular} tokens make {many} at length {length}",
            hint=f"templates={many}, or longer ones" if many > 1 else "longer templates",
        )
