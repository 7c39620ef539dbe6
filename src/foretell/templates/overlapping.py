"""Is there a string that two templates both match? An exact decision, with the string.

Walk along both templates and note which symbols must stand for the same token. There is a common
string unless that joins two wildcards of one template, two different regular tokens, or a wildcard
with a regular token of its own template. Symbols that nothing joins can be different, so one string
with as many different tokens as possible is found whenever there is any.
"""

from __future__ import annotations

import itertools
import string
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

from foretell.templates.matching import Substitution
from foretell.templates.notation import Wildcard
from foretell.templates.template import Template


@final
@dataclass(frozen=True)
class Overlap:
    """A string of two templates, and how each of them gives it."""

    word: tuple[str, ...]
    left: Substitution
    right: Substitution


class _Placed(NamedTuple):
    """A wildcard of one of the two templates."""

    side: int
    wildcard: Wildcard


def overlap(left: Template, right: Template, avoid: Collection[str] = ()) -> Overlap | None:
    """A string that matches both, or nothing if the templates are disjoint.

    Tokens that the templates do not fix are new ones, none of `avoid`; the supply is unlimited.

    >>> overlap(Template.parse("aS"), Template.parse("ab")).word
    ('A', 'S')
    >>> overlap(Template.parse("aS"), Template.parse("Sb")) is None
    True
    """
    if len(left) != len(right):
        return None
    group = _groups(left, right)
    taken = {*left.tokens, *right.tokens, *avoid}
    fresh = (token for token in _names() if token not in taken)
    token_of: dict[_Placed | str, str] = {}
    for root in dict.fromkeys(group.values()):
        members = [node for node, its in group.items() if its == root]
        fixed = [node for node in members if isinstance(node, str)]
        sides = [node.side for node in members if isinstance(node, _Placed)]
        if len(fixed) > 1 or len(set(sides)) < len(sides):
            return None
        if fixed and any(fixed[0] in (left, right)[side].tokens for side in sides):
            return None
        token_of[root] = fixed[0] if fixed else next(fresh)
    found = tuple(
        Substitution(tuple((w, token_of[group[_Placed(side, w)]]) for w in template.wildcards))
        for side, template in enumerate((left, right))
    )
    return Overlap(left.substitute(found[0].tokens), *found)


def _groups(left: Template, right: Template) -> dict[_Placed | str, _Placed | str]:
    """A representative for each symbol, the same for symbols that must be one token."""
    parent: dict[_Placed | str, _Placed | str] = {}

    def root(node: _Placed | str) -> _Placed | str:
        parent.setdefault(node, node)
        while parent[node] != node:
            node = parent[node]
        return node

    for pair in zip(left.symbols, right.symbols, strict=True):
        first, second = (
            root(_Placed(side, symbol) if isinstance(symbol, Wildcard) else symbol)
            for side, symbol in enumerate(pair)
        )
        parent[first] = second
    return {node: root(node) for node in list(parent)}


def _names() -> Iterator[str]:
    """A, B, …, Z, A1, B1, …"""
    yield from string.ascii_uppercase
    for number in itertools.count(1):
        yield from (f"{letter}{number}" for letter in string.ascii_uppercase)


def overlapping(
    templates: Sequence[Template], avoid: Collection[str] = ()
) -> Iterator[tuple[int, int, Overlap]]:
    """Every pair of templates that have a string in common, with one.

    Templates with wildcards at the same places overlap only if they are equivalent, so those are
    found by their form, and only pairs with other places are walked through.

    >>> [pair[:2] for pair in overlapping([Template.parse(t) for t in ("aa", "ab", "cS", "bb")])]
    [(0, 3), (1, 2)]
    """
    by_form: dict[tuple[int | str, ...], list[int]] = {}
    by_mask: dict[tuple[bool, ...], list[int]] = {}
    for number, template in enumerate(templates):
        by_form.setdefault(template.form, []).append(number)
        by_mask.setdefault(template.mask, []).append(number)
    alike = (itertools.combinations(numbers, 2) for numbers in by_form.values())
    other = (
        sorted(pair)
        for one, two in itertools.combinations(by_mask.values(), 2)
        for pair in itertools.product(one, two)
    )
    for first, second in itertools.chain(*alike, other):
        found = overlap(templates[first], templates[second], avoid)
        if found is not None:
            yield first, second, found
