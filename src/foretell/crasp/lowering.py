"""From a tree to the core: names resolved, sorts checked, sugar removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from foretell.crasp import tree
from foretell.crasp.builder import Builder
from foretell.crasp.naming import EOS, Key, Names, index
from foretell.crasp.operations import BOOLEAN, Core
from foretell.crasp.printing import write
from foretell.crasp.tree import Expression
from foretell.plain.errors import BadInput

DEEPEST = 100  # expressions inside expressions, macros followed
TOO_DEEP = f"expressions, with the macros they use, are nested more than {DEEPEST} deep"
FLATTER = "definitions in place of macros that use macros"
LARGEST_MODULUS = 10_000
Scope = Mapping[str, str]  # which letter a macro's parameter stands for


def lower(
    letters: tuple[str, ...],
    statements: tuple[tree.Statement, ...],
    source: str = "",
    values: Mapping[str, int] | None = None,
) -> Core:
    """The core form, or the first thing that is wrong; `values` replaces parameters."""
    names = Names(letters, statements, source, dict(values or {}))
    try:
        return _Lowering(names, Builder(letters)).lower()
    except RecursionError:  # somebody else's frames left too little room
        raise BadInput(TOO_DEEP, hint=FLATTER) from None


@dataclass
class _Lowering:
    names: Names
    build: Builder
    active: list[Key] = field(default_factory=list)  # macros being expanded
    depth: int = 0

    def lower(self) -> Core:
        last: int | None = None
        empty: dict[bool, tree.Empty] = {}  # about symbols, or about acceptance
        for item in self.names.statements:
            if isinstance(item, tree.Macro):
                self._macro(item)
            elif isinstance(item, tree.Definition):
                place = self._definition(item)
                last = place if self._boolean(place) and not item.letters else last
            elif isinstance(item, tree.Empty):
                if (item.word == "next") in empty:
                    self.names.fail(item, "the empty word is settled twice")
                empty[item.word == "next"] = item
        return self._finish(last, empty.get(False), empty.get(True))

    def _macro(self, item: tree.Macro) -> None:
        self.names.check_new(item)
        self.names.macros[item.name] = item
        if item.name != "next":
            # a macro nobody uses is checked all the same, for one choice of letters
            self._expand(item, (self.names.letters[0],) * len(item.parameters), item)

    def _definition(self, item: tree.Definition) -> int:
        self.names.check_new(item)
        place = self._lower(item.body, {})
        if item.name in ("accept", "next") and not self._boolean(place):
            self._mismatch(item.body, "a Boolean", f"{item.name} answers yes or no")
        self.names.define(item, place)
        return place

    def _finish(
        self, last: int | None, empty: tree.Empty | None, empty_next: tree.Empty | None
    ) -> Core:
        names = self.names
        following = self._following()
        accept = names.defined.get(("accept", ()), None if following else last)
        if accept is None and not following:
            raise BadInput(
                "the program has no accepting operation",
                seen=", ".join(name for name, _ in names.defined) or "no definitions",
                why="none of its definitions is Boolean, so nothing says yes or no",
                hint="accept(i) := …",
            )
        if empty_next is not None:
            if not following:
                names.fail(
                    empty_next,
                    "the program does not predict symbols",
                    "it has no next[…], so nothing is predicted after the empty word either",
                    "empty accept, or empty reject",
                )
            for symbol in empty_next.letters:
                names.check_symbol(empty_next, symbol)
        order = {symbol: place for place, symbol in enumerate((*names.letters, EOS))}
        return Core(
            names.letters,
            tuple(self.build.operations),
            tuple((name + index(letters), at) for (name, letters), at in names.defined.items()),
            accept,
            tuple(sorted(following.items(), key=lambda pair: order[pair[0]])),
            empty is not None and empty.word == "accept",
            frozenset(empty_next.letters) if empty_next is not None else frozenset(),
        )

    def _following(self) -> dict[str, int]:
        named = self.names.defined.items()
        found = {letters[0]: place for (name, letters), place in named if name == "next"}
        family = self.names.macros.get("next")
        if family is not None:
            for letter in self.names.letters:
                if letter not in found:
                    found[letter] = self._expand(family, (letter,), family)
                    if not self._boolean(found[letter]):
                        self._mismatch(family.body, "a Boolean", "next answers yes or no")
        return found

    def _expand(self, macro: tree.Macro, letters: tuple[str, ...], at: tree.Node) -> int:
        if len(letters) != len(macro.parameters):
            wanted, number = ", ".join(macro.parameters), len(macro.parameters)
            self.names.fail(
                at,
                f"{macro.name} takes {number} letter{'s' * (number > 1)}, not {len(letters)}",
                f"its parameters are [{wanted}]",
            )
        key = (macro.name, letters)
        if key in self.active:
            self.names.fail(at, f"{macro.name} is defined by itself", "programs have no recursion")
        if key in self.names.defined:
            return self.names.defined[key]
        self.active.append(key)
        place = self._lower(macro.body, dict(zip(macro.parameters, letters, strict=True)))
        self.active.pop()
        if macro.name != "next":  # those are collected at the end
            self.names.defined[key] = place
        return place

    def _lower(self, item: Expression, scope: Scope) -> int:
        self.depth += 1
        if self.depth > DEEPEST:
            self.names.fail(item, TOO_DEEP, hint=FLATTER)
        place = self._dispatch(item, scope)
        self.depth -= 1
        return place

    def _dispatch(self, item: Expression, scope: Scope) -> int:
        build = self.build
        match item:  # the most frequent first
            case tree.Reference():
                return self._reference(item, scope)
            case tree.Letter(name):
                return build.letter(self.names.letter(item, name, scope))
            case tree.Truth(value):
                return build.truth(value)
            case tree.Residue():
                return self._residue(item)
            case tree.Not(body):
                return build.negate(self._truth_of(body, scope, "not"))
            case tree.Junction(word, parts):
                return self._junction(word, [self._truth_of(part, scope, word) for part in parts])
            case tree.Comparison(sign, left, right):
                sides = (self._count_of(left, scope, sign), self._count_of(right, scope, sign))
                return self._compare(sign, *sides)
            case tree.ExistsPast(body):
                return build.exists(self._truth_of(body, scope, "exists_past"))
            case tree.Count(window, body):
                counted = self._truth_of(body, scope, "#[…]")
                return build.count(counted, window.offsets, window.start)
            case tree.Number(value):
                return build.number(self.names.number(item, value))
            case tree.Sum(terms):
                return self._sum(terms, scope)
            case tree.Product(factor, body):
                times = self.names.number(item, factor)
                return build.times(times, self._count_of(body, scope, "*"))
            case tree.Choice(condition, then, otherwise):
                return build.choose(
                    self._truth_of(condition, scope, "?"),
                    self._count_of(then, scope, "? :"),
                    self._count_of(otherwise, scope, "? :"),
                )
            case tree.Function(word, parts):
                return self._fold(word)(*(self._count_of(part, scope, word) for part in parts))
            case tree.Each():
                return self._each(item, scope)

    def _junction(self, word: str, parts: list[int]) -> int:
        build = self.build
        match word:
            case "and":
                return build.both(*parts)
            case "or":
                return build.either(*parts)
            case "implies":
                return build.negate(build.both(parts[0], build.negate(parts[1])))
            case "iff":
                return build.negate(build.differ(*parts))
        found = parts[0]
        for part in parts[1:]:
            found = build.differ(found, part)
        return found

    def _compare(self, sign: str, left: int, right: int) -> int:
        build = self.build
        match sign:
            case "<=":
                return build.at_most(left, right)
            case ">=":
                return build.at_most(right, left)
            case "<":
                return build.negate(build.at_most(right, left))
            case ">":
                return build.negate(build.at_most(left, right))
            case "==":
                return build.equal(left, right)
        return build.negate(build.equal(left, right))

    def _sum(self, terms: tuple[tuple[bool, Expression], ...], scope: Scope) -> int:
        found = self._count_of(terms[0][1], scope, "+")
        for plus, term in terms[1:]:
            part = self._count_of(term, scope, "+" if plus else "-")
            found = self.build.add(found, part) if plus else self.build.subtract(found, part)
        return found

    def _fold(self, word: str) -> Callable[..., int]:
        build = self.build
        folds: dict[str, Callable[..., int]] = {
            "any": build.either,
            "all": build.both,
            "sum": build.add,
            "max": build.largest,
            "min": build.smallest,
            "abs": build.magnitude,
        }
        return folds[word]

    def _residue(self, item: tree.Residue) -> int:
        modulus = self.names.number(item, item.modulus)
        if not 1 <= modulus <= LARGEST_MODULUS:
            self.names.fail(
                item,
                f"a modulus is a number from 1 to {LARGEST_MODULUS:,}",
                f"this one is {modulus}",
            )
        wanted = tuple(self.names.number(item, residue) for residue in item.residues)
        for residue in wanted:
            if not 0 <= residue < modulus:
                self.names.fail(
                    item,
                    f"{residue} is no residue modulo {modulus}",
                    f"residues are 0 to {modulus - 1}",
                )
        return self.build.periodic(modulus, wanted)

    def _each(self, item: tree.Each, scope: Scope) -> int:
        want = self._truth_of if item.word in ("any", "all") else self._count_of
        fold = self._fold(item.word)
        runs = [
            fold(*(want(item.body, {**scope, item.variable: x}, item.word) for x in run))
            for run in self.names.runs(item.range, scope)
        ]
        if not runs and item.word in ("max", "min"):
            self.names.fail(item, f"{item.word} over no letters has no value")
        return fold(*runs)

    def _reference(self, item: tree.Reference, scope: Scope) -> int:
        letters = tuple(
            EOS if name == EOS else self.names.letter(item, name, scope) for name in item.letters
        )
        if (item.name, letters) in self.names.defined:
            return self.names.defined[item.name, letters]
        if item.name in self.names.macros and letters:
            return self._expand(self.names.macros[item.name], letters, item)
        raise self.names.unknown(item, letters)

    def _truth_of(self, item: Expression, scope: Scope, user: str) -> int:
        place = self._lower(item, scope)
        if not self._boolean(place):
            self._mismatch(item, "a Boolean", f"{user} needs a Boolean")
        return place

    def _count_of(self, item: Expression, scope: Scope, user: str) -> int:
        place = self._lower(item, scope)
        if self._boolean(place):
            self._mismatch(item, "a count", f"{user} needs counts")
        return place

    def _boolean(self, place: int) -> bool:
        return isinstance(self.build.operations[place], BOOLEAN)

    def _mismatch(self, item: Expression, wanted: str, why: str) -> NoReturn:
        text = write(item)
        short = text if len(text) <= 60 else text[:57] + "…"
        loose = isinstance(item, tree.Choice)
        other, hint = ("a count", f"({short}) >= 1" if loose else f"{short} >= 1")
        if wanted == "a count":
            other, hint = ("a Boolean", f"({short}) ? 1 : 0")
            if why.startswith(("==", "!=")):
                hint = "Booleans are compared with iff and xor: P(i) iff R(i)"
        self.names.fail(item, f"{short} is {other}, not {wanted}", why, hint)
