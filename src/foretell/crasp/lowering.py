"""From a tree to the core: names resolved, sorts checked, sugar removed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from foretell.crasp import tree
from foretell.crasp.messages import refuse
from foretell.crasp.operations import BOOLEAN, Builder, Core
from foretell.crasp.printing import write, write_letter
from foretell.crasp.tree import Expression
from foretell.plain import catalogue
from foretell.plain.errors import BadInput

DEEPEST = 100  # macros that use macros
EOS = "<eos>"


def lower(
    letters: tuple[str, ...],
    statements: tuple[tree.Statement, ...],
    source: str = "",
    values: Mapping[str, int] | None = None,
) -> Core:
    """The core form, or the first thing that is wrong; `values` replaces parameters."""
    return _Lowering(letters, statements, source, dict(values or {})).lower()


@dataclass
class _Lowering:
    letters: tuple[str, ...]
    statements: tuple[tree.Statement, ...]
    source: str
    values: dict[str, int]
    defined: dict[tuple[str, tuple[str, ...]], int] = field(default_factory=dict)
    macros: dict[str, tree.Macro] = field(default_factory=dict)
    depth: int = 0

    def lower(self) -> Core:
        self.build = Builder(self.letters)
        self._parameters()
        last: int | None = None
        empty: tree.Empty | None = None
        for item in self.statements:
            if isinstance(item, tree.Macro):
                self._macro(item)
            elif isinstance(item, tree.Definition):
                place = self._definition(item)
                last = place if self._boolean(place) and not item.letters else last
            elif isinstance(item, tree.Empty):
                if empty is not None:
                    self._fail(item, "the empty word is settled twice")
                empty = item
        return self._finish(last, empty)

    def _parameters(self) -> None:
        known: dict[str, int] = {}
        for item in self.statements:
            if isinstance(item, tree.Parameter):
                if item.name in known:
                    self._fail(item, f"the parameter {item.name} is set twice")
                known[item.name] = item.value
        for name in self.values:
            if name not in known:
                raise BadInput(
                    "the program has no such parameter",
                    seen=name,
                    why=f"it has {', '.join(known) or 'none'}",
                    hint=catalogue.suggest(name, known),
                )
        self.values = {**known, **self.values}

    def _macro(self, item: tree.Macro) -> None:
        self._refuse_taken(item, item.name, ())
        if not item.parameters:
            self._fail(item, "a macro has parameters", None, f"{item.name}(i) := …")
        self.macros[item.name] = item
        if item.name == "next":
            if len(item.parameters) != 1:
                self._fail(item, "next is about one symbol", None, "let next[x](i) := …")
            return
        # a macro nobody uses is checked all the same, for one choice of letters
        if self.letters:
            self._expand(item, (self.letters[0],) * len(item.parameters), item)

    def _definition(self, item: tree.Definition) -> int:
        key = (item.name, item.letters)
        if item.letters and item.name != "next":
            self._fail(
                item,
                f"only next has a letter in brackets, {item.name} does not",
                "a definition for every choice of letters is a macro",
                f"let {item.name}[x](i) := …",
            )
        if item.name == "next":
            if len(item.letters) != 1:
                self._fail(item, "next is about one symbol", None, "next[a](i) := …")
            self._symbol(item, item.letters[0])
        self._refuse_taken(item, *key)
        place = self._lower(item.body, {})
        if item.name in ("accept", "next") and not self._boolean(place):
            self._mismatch(item.body, "a Boolean", f"{item.name} answers yes or no")
        self.defined[key] = place
        return place

    def _refuse_taken(self, item: tree.Node, name: str, letters: tuple[str, ...]) -> None:
        taken = (name, letters) in self.defined or (name in self.macros and name != "next")
        if taken or (not letters and (name in self.values)):
            self._fail(item, f"{name} is defined twice", None, "another name")
        if name.startswith("Q_") and name[2:] in self.letters:
            self._fail(item, f"{name} is already the test for the letter {name[2:]}")

    def _symbol(self, item: tree.Node, symbol: str) -> None:
        if symbol not in (*self.letters, EOS):
            self._fail(
                item,
                f"{symbol} is not a letter of the alphabet",
                f"the alphabet is {' '.join(self.letters[:30])}, and {EOS} ends a word",
            )

    def _finish(self, last: int | None, empty: tree.Empty | None) -> Core:
        following = {
            letters[0]: place for (name, letters), place in self.defined.items() if name == "next"
        }
        family = self.macros.get("next")
        if family is not None:
            for letter in self.letters:
                if letter not in following:
                    following[letter] = self._expand(family, (letter,), family)
                    if not self._boolean(following[letter]):
                        self._mismatch(family.body, "a Boolean", "next answers yes or no")
        accept = self.defined.get(("accept", ()), None if following else last)
        if accept is None and not following:
            raise BadInput(
                "the program has no accepting operation",
                seen=", ".join(name for name, _ in self.defined) or "no definitions",
                why="none of its definitions is Boolean, so nothing says yes or no",
                hint="accept(i) := …",
            )
        if empty is not None and empty.word == "next":
            for symbol in empty.letters:
                self._symbol(empty, symbol)
        names = [(name + _index(letters), place) for (name, letters), place in self.defined.items()]
        order = {symbol: place for place, symbol in enumerate((*self.letters, EOS))}
        return Core(
            self.letters,
            tuple(self.build.operations),
            tuple(names),
            accept,
            tuple(sorted(following.items(), key=lambda pair: order[pair[0]])),
            empty is not None and empty.word == "accept",
            frozenset(empty.letters) if empty is not None else frozenset(),
        )

    def _expand(self, macro: tree.Macro, letters: tuple[str, ...], at: tree.Node) -> int:
        if len(letters) != len(macro.parameters):
            wanted = ", ".join(macro.parameters)
            self._fail(at, f"{macro.name} takes {len(macro.parameters)} letters: [{wanted}]")
        key = (macro.name, letters)
        if key not in self.defined or macro.name == "next":
            if self.depth >= DEEPEST:
                self._fail(at, "macros use each other too deeply")
            self.depth += 1
            scope = dict(zip(macro.parameters, letters, strict=True))
            place = self._lower(macro.body, scope)
            self.depth -= 1
            if macro.name == "next":
                return place
            self.defined[key] = place
        return self.defined[key]

    def _lower(self, item: Expression, scope: Mapping[str, str]) -> int:
        build = self.build
        match item:
            case tree.Letter(name):
                return build.letter(self._resolve(item, name, scope))
            case tree.Truth(value):
                return build.truth(value)
            case tree.Residue(modulus, residues):
                return self._residue(item, modulus, residues)
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
                return build.number(self._value(item, value))
            case tree.Sum(terms):
                return self._sum(terms, scope)
            case tree.Product(factor, body):
                return build.times(self._value(item, factor), self._count_of(body, scope, "*"))
            case tree.Choice(condition, then, otherwise):
                return build.choose(
                    self._truth_of(condition, scope, "?"),
                    self._count_of(then, scope, "? :"),
                    self._count_of(otherwise, scope, "? :"),
                )
            case tree.Function(word, parts):
                counts = [self._count_of(part, scope, word) for part in parts]
                functions = {"max": build.largest, "min": build.smallest, "abs": build.magnitude}
                return functions[word](*counts)
            case tree.Each():
                return self._each(item, scope)
            case tree.Reference():
                return self._reference(item, scope)

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

    def _sum(self, terms: tuple[tuple[bool, Expression], ...], scope: Mapping[str, str]) -> int:
        found = self._count_of(terms[0][1], scope, "+")
        for plus, term in terms[1:]:
            part = self._count_of(term, scope, "+" if plus else "-")
            found = self.build.add(found, part) if plus else self.build.subtract(found, part)
        return found

    def _residue(
        self, item: tree.Residue, modulus: tree.Whole, residues: tuple[tree.Whole, ...]
    ) -> int:
        size = self._value(item, modulus)
        if not 1 <= size <= 10_000:
            self._fail(item, "a modulus is a number from 1 to 10,000", f"this one is {size}")
        wanted = tuple(self._value(item, residue) for residue in residues)
        outside = [residue for residue in wanted if not 0 <= residue < size]
        if outside:
            self._fail(
                item, f"{outside[0]} is no residue modulo {size}", f"residues are 0 to {size - 1}"
            )
        return self.build.periodic(size, wanted)

    def _each(self, item: tree.Each, scope: Mapping[str, str]) -> int:
        chosen = self._chosen(item.range, scope)
        want = self._count_of if item.word == "sum" else self._truth_of
        parts = [want(item.body, {**scope, item.variable: x}, item.word) for x in chosen]
        build = self.build
        return {"any": build.either, "all": build.both, "sum": build.add}[item.word](*parts)

    def _chosen(self, wanted: tree.LetterRange, scope: Mapping[str, str]) -> list[str]:
        if wanted.sign == "all":
            return list(self.letters)
        names = [self._resolve(wanted, name, scope) for name in wanted.names]
        if wanted.sign == "in":
            return names
        pivot = self.letters.index(names[0])
        holds = {
            "!=": lambda place: place != pivot,
            "<": lambda place: place < pivot,
            "<=": lambda place: place <= pivot,
            ">": lambda place: place > pivot,
            ">=": lambda place: place >= pivot,
        }[wanted.sign]
        return [letter for place, letter in enumerate(self.letters) if holds(place)]

    def _reference(self, item: tree.Reference, scope: Mapping[str, str]) -> int:
        letters = tuple(
            EOS if name == EOS else self._resolve(item, name, scope) for name in item.letters
        )
        if (item.name, letters) in self.defined:
            return self.defined[item.name, letters]
        if item.name in self.macros:
            return self._expand(self.macros[item.name], letters, item)
        known = {name for name, _ in self.defined} | set(self.macros)
        if item.name in known:
            brackets = "takes letters in brackets" if not letters else "has no such letters"
            self._fail(item, f"{item.name} {brackets}", None, f"{item.name}[x](i)")
        later = any(
            isinstance(other, tree.Definition | tree.Macro) and other.name == item.name
            for other in self.statements
        )
        if item.name.startswith("Q_"):
            self._fail(
                item,
                f"{item.name[2:]} is neither a letter of the alphabet nor a name",
                f"the alphabet is {' '.join(self.letters[:30])}",
                catalogue.suggest(item.name[2:], self.letters),
            )
        self._fail(
            item,
            f"{item.name} is used before it is defined" if later else f"unknown name {item.name}",
            "a definition may use only earlier ones: programs have no recursion"
            if later
            else f"defined so far: {', '.join(sorted(known)) or 'nothing'}",
            None if later else catalogue.suggest(item.name, known),
        )

    def _resolve(self, item: tree.Node, name: str, scope: Mapping[str, str]) -> str:
        letter = scope.get(name, name)
        if letter not in self.letters:
            self._fail(
                item,
                f"{write_letter(letter)} is not a letter of the alphabet",
                f"the alphabet is {' '.join(self.letters[:30])}",
                catalogue.suggest(letter, self.letters),
            )
        return letter

    def _value(self, item: tree.Node, value: tree.Whole) -> int:
        if isinstance(value, int):
            return value
        if value not in self.values:
            known = {name for name, _ in self.defined}
            written = f"{value}(i)"
            self._fail(
                item,
                f"unknown number {value}",
                f"parameters are: {', '.join(self.values) or 'none'}",
                written if value in known else catalogue.suggest(value, self.values),
            )
        return self.values[value]

    def _truth_of(self, item: Expression, scope: Mapping[str, str], user: str) -> int:
        place = self._lower(item, scope)
        if not self._boolean(place):
            self._mismatch(item, "a Boolean", f"{user} needs a Boolean")
        return place

    def _count_of(self, item: Expression, scope: Mapping[str, str], user: str) -> int:
        place = self._lower(item, scope)
        if self._boolean(place):
            self._mismatch(item, "a count", f"{user} needs counts")
        return place

    def _boolean(self, place: int) -> bool:
        return isinstance(self.build.operations[place], BOOLEAN)

    def _mismatch(self, item: Expression, wanted: str, why: str) -> NoReturn:
        text = write(item)
        short = text if len(text) <= 60 else text[:57] + "…"
        other, hint = ("a count", f"{short} >= 1")
        if wanted == "a count":
            other, hint = ("a Boolean", f"({short}) ? 1 : 0")
        self._fail(item, f"{short} is {other}, not {wanted}", why, hint)

    def _fail(
        self, item: tree.Node, what: str, why: str | None = None, hint: str | None = None
    ) -> NoReturn:
        raise refuse(self.source, item.place, what, why, hint)


def _index(letters: tuple[str, ...]) -> str:
    return f"[{', '.join(map(write_letter, letters))}]" if letters else ""
