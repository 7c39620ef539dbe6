"""Templates of two wildcards that ask for a majority."""

from __future__ import annotations

import itertools

from foretell.plain.errors import BadInput
from foretell.templates.notation import Wildcard
from foretell.templates.template import template_of
from foretell.templates.template_set import TemplateSet

LONGEST_MAJORITY = 15  # 2^14 templates


def majority(length: int) -> TemplateSet:
    """All 2^(length - 1) strings of a and b that begin with a: is a in the majority?

    With an even length the other letters are counted, with an odd one the whole string, so that
    there is never a tie.

    >>> print(majority(2), majority(3), sep=" | ")
    aa -> +1; ab -> -1 | aaa -> +1; aab -> +1; aba -> +1; abb -> -1
    """
    _check(length, 2)
    forms = [(0, *rest) for rest in itertools.product((0, 1), repeat=length - 1)]
    counted = [form[1:] if length % 2 == 0 else form for form in forms]
    return TemplateSet(
        templates=tuple(map(template_of, forms)),
        labels=tuple(1.0 if 2 * sum(form) < len(form) else -1.0 for form in counted),
    )


def symbolic_majority(length: int) -> TemplateSet:
    """All 2^(length - 1) strings in which a is in the majority over b: say a.

    >>> print(symbolic_majority(3))
    aaa -> a; aab -> a; aba -> a; baa -> a
    """
    _check(length, 1)
    if length % 2 == 0:
        raise BadInput(
            "a majority that is always there needs an odd length",
            seen=f"length={length}",
            why="two wildcards can be equally frequent",
            hint=f"length={length + 1}",
        )
    every = itertools.product("ab", repeat=length)
    forms = [form for form in every if 2 * form.count("a") > length]
    templates = tuple(template_of(tuple("ab".index(s) for s in form)) for form in forms)
    return TemplateSet(templates=templates, labels=(Wildcard("a"),) * len(templates))


def _check(length: int, shortest: int) -> None:
    if not shortest <= length <= LONGEST_MAJORITY:
        raise BadInput(
            "a majority of that length is not built in",
            seen=f"length={length}",
            why=f"there are 2^(length - 1) templates; it goes from {shortest} to "
            f"{LONGEST_MAJORITY}",
        )
