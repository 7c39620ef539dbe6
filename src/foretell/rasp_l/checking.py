"""What may be done with what: the rules that make a program work alike at every length.

Tokens are bounded, so anything may be computed from them. Indices and widths grow with the length.
Doubling an index, or asking whether a width is odd, is easy to write and nothing that attention
does at every length; so they are compared and moved by one only. A width that is compared between
positions would be an index again (the third of these is the third of those), so it is not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NoReturn, final

from foretell.plain.errors import BadInput
from foretell.rasp_l.printing import find, listing
from foretell.rasp_l.steps import ARITHMETIC, COMPARISONS, PARTS, Step

RULES = {
    "index": "rule 1: an index is only compared with an index or a fixed number, or moved by 1",
    "width": "rule 2: a width is only compared with a width at the same position or a fixed "
    "number, or moved by 1",
    "predicate": "rule 3: a predicate reads nothing but its key and its query",
    "sort": "rule 4: numbers are for arithmetic and order, truths for & | ~ and conditions",
    "divisor": "rule 5: only a fixed number other than 0 may divide",
}
GROWING = ("index", "width")
HINTS = {
    "index": "+ 1 or - 1, ==, <, … with indices, or the largest or smallest index",
    "width": "compare two widths where they are, or take the largest",
}


@final
@dataclass(frozen=True)
class Kind:
    """The sort of a value: token, truth, index, width or selector.

    A `pair` value is one for every key and query; a `literal` goes with any sort of number, and
    `number` is the one written there, if it is no more than that.
    """

    sort: str
    pair: bool = False
    literal: bool = False
    number: int | None = None

    @property
    def noun(self) -> str:
        """As messages call it."""
        return {"index": "an index", "token": "a token"}.get(self.sort, f"a {self.sort}")


def check(steps: tuple[Step, ...]) -> tuple[Kind, ...]:
    """The kind of every step; a program that breaks a rule is refused, with the place."""
    kinds: list[Kind] = []
    if not steps:
        raise BadInput("a program has at least one step")
    for place, step in enumerate(steps):
        if PARTS.get(step.word) != len(step.parts) or not all(0 <= p < place for p in step.parts):
            raise BadInput(
                "no step of the language", seen=step, hint="Program.of(value) makes them"
            )
        found = _kind(step, [kinds[part] for part in step.parts])
        if isinstance(found, _Broken):
            _refuse(steps, place, found)
        kinds.append(found)
    if kinds[-1].pair or kinds[-1].sort == "selector":
        _refuse(steps, len(steps) - 1, _Broken("predicate", "the output is no sequence"))
    return tuple(kinds)


@final
@dataclass(frozen=True)
class _Broken:
    """Which rule, and what happened."""

    rule: str
    what: str


def _refuse(steps: tuple[Step, ...], place: int, broken: _Broken) -> NoReturn:
    number, column, piece = find(steps, place)
    line = listing(steps)[number - 1]
    carets = " " * column + "^" * max(1, len(piece))
    raise BadInput(
        broken.what,
        seen=f"line {number}, column {column + 1}\n        {line}\n        {carets}",
        why=RULES[broken.rule],
        hint=HINTS.get(broken.rule),
    )


def _kind(step: Step, parts: list[Kind]) -> Kind | _Broken:
    if step.word == "tokens":
        return Kind("token")
    if step.word == "number":
        return Kind("token", literal=True, number=step.data[0])
    if step.word == "truth":
        return Kind("truth", literal=True)
    if step.word == "indices":
        return Kind("index")
    if step.word in ("key", "query"):
        return _placed(step, parts[0])
    if step.word in ("select", "width", "aggregate"):
        return _attention(step, parts)
    return _elementwise(step, parts)


def _placed(step: Step, part: Kind) -> Kind | _Broken:
    if part.pair or part.sort == "selector":
        return _Broken("predicate", f"a {step.word} must be a sequence")
    if part.sort == "width":
        return _Broken("width", f"a width is a {step.word}: it is compared between positions")
    return replace(part, pair=True)


def _attention(step: Step, parts: list[Kind]) -> Kind | _Broken:
    first = parts[0]
    if step.word == "select":
        if first.sort != "truth":
            return _Broken("sort", f"a predicate gives {first.noun} instead of a truth")
        if not (first.pair or first.literal):
            return _Broken("predicate", "a predicate compares no key with a query")
        return Kind("selector")
    if first.sort != "selector":
        return _Broken("sort", f"{first.noun} selects nothing: select(keys, queries, …) does")
    if step.word == "width":
        return Kind("width")
    values, how = parts[1], step.data[0]
    if values.pair or values.sort in ("selector", "truth"):
        return _Broken("sort", f"{values.noun} cannot be aggregated: where({values.sort}, 1, 0)")
    if how == "mean" and values.sort in GROWING:
        return _Broken(values.sort, f"a mean adds and divides, and this is {values.noun}")
    return Kind(values.sort)


def _elementwise(step: Step, parts: list[Kind]) -> Kind | _Broken:
    if any(part.sort == "selector" for part in parts):
        return _Broken("sort", "a selector is only counted or aggregated over")
    pair = any(part.pair for part in parts)
    if pair and any(not part.pair and not part.literal for part in parts):
        return _Broken("predicate", "a predicate uses a sequence that is neither key nor query")
    literal = all(part.literal for part in parts)
    if step.word in ("and", "or", "not"):
        if any(part.sort != "truth" for part in parts):
            return _Broken("sort", f"{step.word!r} joins truths only")
        return Kind("truth", pair, literal)
    if step.word == "where" and parts[0].sort != "truth":
        return _Broken("sort", f"the condition is {parts[0].noun} instead of a truth")
    if step.word == "lookup":
        return _looked_up(parts[0])
    found = _numbers(step, parts[1:] if step.word == "where" else parts)
    return found if isinstance(found, _Broken) else Kind(found, pair, literal)


def _looked_up(part: Kind) -> Kind | _Broken:
    if part.sort in GROWING:
        return _Broken(part.sort, f"{part.noun} is looked up in a table")
    if part.sort != "token":
        return _Broken("sort", "only tokens are looked up in a table")
    return Kind("token", part.pair)


def _numbers(step: Step, parts: list[Kind]) -> str | _Broken:
    """The sort that two numbers give, or two truths that are compared or chosen between."""
    sorts = {part.sort for part in parts if not part.literal or part.sort == "truth"}
    growing = next((sort for sort in GROWING if sort in sorts), None)
    if len(sorts) > 1:
        nouns = " with ".join(part.noun for part in parts)
        return _Broken(growing or "sort", f"{step.word!r} goes from one sort to another: {nouns}")
    if "truth" in sorts and any(part.sort != "truth" for part in parts):
        return _Broken("sort", f"{step.word!r} mixes a number with a truth")
    if step.word in COMPARISONS:
        if "truth" in sorts and step.word not in ("==", "!="):
            return _Broken("sort", "truths have no order")
        return "truth"
    sort = next(iter(sorts), "token")
    if step.word in ARITHMETIC:
        return _arithmetic(step, parts, sort)
    return sort


def _arithmetic(step: Step, parts: list[Kind], sort: str) -> str | _Broken:
    if sort == "truth":
        return _Broken("sort", f"{step.word!r} of truths")
    if step.word in ("//", "%") and not parts[1].number:
        return _Broken("divisor", "the divisor may be 0, or differ from place to place")
    if sort in GROWING and step.word not in ("max", "min") and not _moved(step.word, *parts):
        return _Broken(sort, f"{step.word!r} computes with {Kind(sort).noun}")
    return sort


def _moved(sign: str, left: Kind, right: Kind) -> bool:
    """By one, forwards or backwards."""
    moves = (right.number,) if sign == "-" else (left.number, right.number)
    return sign in ("+", "-") and bool({1, -1} & set(moves))
