"""Small Boolean expressions, and a collection of definitions that uses each only once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, final

from foretell.crasp import tree
from foretell.crasp.program import Program
from foretell.crasp.raw import DEEPEST

Formula = tree.Expression | bool
MOST_DEFINITIONS = 5_000
DEEP = DEEPEST // 2  # parts this deep get names of their own: what is written must be readable


class TooLargeError(Exception):
    """A program would have too many definitions to be written out."""


def negate(part: Formula) -> Formula:
    """Not; two of them cancel."""
    if isinstance(part, bool):
        return not part
    return part.body if isinstance(part, tree.Not) else tree.Not(part)


def conjoin(*parts: Formula) -> Formula:
    """And, without what is true anyway and without repetitions."""
    return _joined("and", parts, False)


def disjoin(*parts: Formula) -> Formula:
    """Or, without what is false anyway and without repetitions."""
    return _joined("or", parts, True)


def _joined(word: str, parts: Sequence[Formula], decisive: bool) -> Formula:
    found: dict[tree.Expression, None] = {}
    for part in parts:
        if isinstance(part, bool):
            if part is decisive:
                return decisive
        elif isinstance(part, tree.Junction) and part.word == word:
            found.update(dict.fromkeys(part.parts))
        else:
            found[part] = None
    if not found:
        return not decisive
    return next(iter(found)) if len(found) == 1 else tree.Junction(word, tuple(found))


def in_past(part: Formula, strict: bool) -> Formula:
    """The part held at some earlier position, or also here when not `strict`."""
    if part is False or (part is True and not strict):
        return part
    event = tree.Truth(True) if isinstance(part, bool) else part
    if not strict:
        return tree.ExistsPast(event)
    earlier = tree.Count(tree.Window(None, 1), event)
    return tree.Comparison(">=", earlier, tree.Number(1))


def within(height: tree.Expression, wanted: set[int], possible: set[int]) -> Formula:
    """The height is one of `wanted`, when it is known to be one of `possible`."""
    values = sorted(possible)
    runs: list[list[int]] = []  # first and last place of each stretch of wanted values
    for place, value in enumerate(values):
        if value not in wanted:
            continue
        if runs and runs[-1][1] == place - 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    if len(runs) > 1 and runs[0][0] == 0 and runs[-1][1] == len(values) - 1:
        return negate(within(height, possible - wanted, possible))
    return disjoin(*(_run(height, values, first, last) for first, last in runs))


def _run(height: tree.Expression, values: list[int], first: int, last: int) -> Formula:
    if first == last and 0 < first < len(values) - 1:
        return tree.Comparison("==", height, tree.Number(values[first]))
    low: Formula = True
    high: Formula = True
    if first > 0:
        low = _threshold(height, values[first - 1], values[first], (">", ">="))
    if last < len(values) - 1:
        high = _threshold(height, values[last], values[last + 1], ("<=", "<"))
    return conjoin(low, high)


def _threshold(height: tree.Expression, below: int, above: int, signs: tuple[str, str]) -> Formula:
    """Which side of a gap the height is on, by the number that is cheapest to write."""
    nearest = min(range(below, above + 1), key=lambda number: (abs(number), number < 0))
    return tree.Comparison(signs[nearest > below], height, tree.Number(nearest))


@final
@dataclass
class Definitions:
    """Definitions in order; the same expression is never defined twice."""

    letters: tuple[str, ...]
    bodies: dict[str, tree.Expression] = field(default_factory=dict)
    _names: dict[tree.Expression, str] = field(default_factory=dict)

    def define(self, name: str, body: Formula) -> Formula:
        """A reference to that expression under that name, or under the one it already has."""
        if isinstance(body, bool | tree.Reference | tree.Letter):
            return body
        if isinstance(body, tree.Not) and isinstance(body.body, tree.Reference | tree.Letter):
            return body
        if body not in self._names:
            self._keep(name, body, self._shallow(body, name)[0])
        return tree.Reference(self._names[body])

    def program(self, accept: Formula, empty: bool) -> Program:
        """The program that answers with this formula, without definitions it does not need."""
        answer: tree.Expression = tree.Truth(accept) if isinstance(accept, bool) else accept
        answer, _ = self._shallow(answer, "accept")
        needed = set(_mentioned(answer))
        kept = []
        for name in reversed(self.bodies):
            if name in needed:
                needed.update(_mentioned(self.bodies[name]))
                kept.append(tree.Definition(name, self.bodies[name]))
        statements: list[tree.Statement] = [*reversed(kept), tree.Definition("accept", answer)]
        if empty:
            statements.append(tree.Empty("accept"))
        return Program(self.letters, tuple(statements))

    def _keep(self, name: str, body: tree.Expression, written: tree.Expression) -> None:
        """`written` is what `body` comes to."""
        known = self._free(name)
        self._names[body] = known
        self.bodies[known] = written
        if len(self.bodies) > MOST_DEFINITIONS:
            raise TooLargeError(f"more than {MOST_DEFINITIONS:,} definitions")

    def _shallow(self, body: tree.Expression, name: str) -> tuple[tree.Expression, int]:
        """The same with parts that are too deep defined apart, and how deep it is then."""
        kind: Any = type(body)
        deepest, changed = 0, {}
        for slot in _parts_of(kind):
            changed[slot], depth = self._shallow_parts(getattr(body, slot), name)
            deepest = max(deepest, depth)
        return replace(body, **changed) if deepest else body, deepest + 1

    def _shallow_parts(self, item: Any, name: str) -> tuple[Any, int]:
        if isinstance(item, tuple):
            found = [self._shallow_parts(part, name) for part in item]
            return tuple(part for part, _ in found), max((depth for _, depth in found), default=0)
        if not isinstance(item, tree.Expression):
            return item, 0
        part, depth = self._shallow(item, name)
        if depth < DEEP:
            return part, depth
        if part not in self._names:
            self._keep(f"{name}_part", part, part)
        return tree.Reference(self._names[part]), 1

    def _free(self, name: str) -> str:
        found, count = name, 1
        while found in self.bodies:
            count += 1
            found = f"{name}_{count}"
        return found


def plain_name(symbol: str, number: int) -> str:
    """A symbol as part of a name."""
    return symbol if re.fullmatch(r"[A-Za-z0-9]+", symbol) else f"letter{number}"


def _mentioned(item: object) -> Iterator[str]:
    """Names that an expression refers to."""
    if isinstance(item, tree.Reference):
        yield item.name
    elif isinstance(item, tuple):
        for part in item:
            yield from _mentioned(part)
    elif isinstance(item, tree.Node):
        kind: Any = type(item)
        for name in _parts_of(kind):
            yield from _mentioned(getattr(item, name))


@cache
def _parts_of(kind: Any) -> tuple[str, ...]:
    """Fields of a node that can hold expressions."""
    plain = ("place", "name", "word", "sign", "value", "window", "factor")
    return tuple(item.name for item in fields(kind) if item.name not in plain)
