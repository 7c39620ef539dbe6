"""From Lark's tree to ours: positions resolved, relations classified, every refusal with a caret.

A position has a name only in the text (`i`, `j`). The builder knows which name means "here" and
refuses everything else, because an expression can only speak about the position it stands at.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from foretell.crasp import relations, tree
from foretell.crasp.messages import refuse
from foretell.crasp.relations import Distances, Linear
from foretell.crasp.tree import RESERVED, Expression, Place

DEEPEST = 200  # expressions inside expressions
LARGEST = 2**63 - 1
PLAIN = {"≤": "<=", "≥": ">=", "≠": "!=", "=": "==", "→": "implies", "⇒": "implies"}
PLAIN |= {"⟹": "implies", "↔": "iff", "⇔": "iff"}


def build(raw: Any, source: str) -> tuple[tuple[str, ...], tuple[tree.Statement, ...]]:
    """Letters and statements of a parsed program."""
    alphabet, *statements = (child for child in raw.children if hasattr(child, "data"))
    letters: list[str] = []
    for child in alphabet.children:
        letter = _letter(child)
        if letter in letters:
            raise refuse(source, _place(child), f"the alphabet lists {letter} twice")
        letters.append(letter)
    builder = _Builder(source, tuple(letters))
    return tuple(letters), tuple(builder.statement(item) for item in statements)


@dataclass(frozen=True)
class _Builder:
    source: str
    letters: tuple[str, ...]
    here: str = "i"  # the name of the position expressions stand at
    outer: tuple[str, ...] = ()  # names of the positions around it
    variables: tuple[str, ...] = ()  # letter parameters in scope
    depth: int = 0

    def statement(self, raw: Any) -> tree.Statement:
        """One statement."""
        place = _place(raw)
        children = list(raw.children)
        match raw.data:
            case "parameter":
                return tree.Parameter(
                    self._name(children[0]), self._signed(children[1]), place=place
                )
            case "empty":
                return tree.Empty(str(children[0]), place=place)
            case "empty_next":
                return tree.Empty("next", tuple(map(_letter, children)), place=place)
        name = self._name(children.pop(0))
        letters = tuple(map(_letter, children.pop(0).children)) if len(children) == 4 else ()
        here = str(children[0].children[0])
        if raw.data == "macro":
            for letter in letters:
                if letters.count(letter) > 1 or letter in self.letters:
                    self._fail(
                        raw,
                        f"{letter} cannot be a parameter of {name}",
                        "it is a letter of the alphabet"
                        if letter in self.letters
                        else "it is listed twice",
                        "another name: let " + name + "[x](i) := …",
                    )
            inside = replace(self, here=here, variables=letters)
            return tree.Macro(name, letters, inside.expression(children[-1]), place=place)
        inside = replace(self, here=here)
        return tree.Definition(name, inside.expression(children[-1]), letters, place=place)

    def expression(self, raw: Any) -> Expression:
        """One expression, at the current position."""
        if self.depth > DEEPEST:
            self._fail(raw, f"expressions are nested more than {DEEPEST} deep")
        inside = replace(self, depth=self.depth + 1)
        build: Callable[[Any], Expression] = getattr(inside, f"_{raw.data}")
        return build(raw)

    # each of these is named after a rule of the grammar

    def _parens(self, raw: Any) -> Expression:
        return self.expression(raw.children[0])

    def _choice(self, raw: Any) -> Expression:
        return tree.Choice(*map(self.expression, raw.children), place=_place(raw))

    def _implication(self, raw: Any) -> Expression:
        left, word, right = raw.children
        self._refuse_open_exists([left])
        parts = (self.expression(left), self.expression(right))
        return tree.Junction(PLAIN.get(str(word), str(word)), parts, place=_place(raw))

    def _disjunction(self, raw: Any) -> Expression:
        return self._join("or", raw)

    def _exclusive(self, raw: Any) -> Expression:
        return self._join("xor", raw)

    def _conjunction(self, raw: Any) -> Expression:
        return self._join("and", raw)

    def _join(self, word: str, raw: Any) -> Expression:
        self._refuse_open_exists(raw.children[:-1])
        parts = tuple(map(self.expression, raw.children))
        return tree.Junction(word, parts, place=_place(raw))

    def _refuse_open_exists(self, parts: list[Any]) -> None:
        for part in parts:
            if part.data == "exists_past":
                self._fail(
                    part,
                    "exists_past followed by a connective can be read in two ways",
                    "does it cover only what follows it directly, or everything to the right?",
                    "exists_past (P(i) and Q(i)), or (exists_past P(i)) and Q(i)",
                )

    def _negation(self, raw: Any) -> Expression:
        return tree.Not(self.expression(raw.children[0]), place=_place(raw))

    def _exists_past(self, raw: Any) -> Expression:
        return tree.ExistsPast(self.expression(raw.children[0]), place=_place(raw))

    def _comparison(self, raw: Any) -> Expression:
        if len(raw.children) > 3:
            self._fail(
                raw,
                "only two counts can be compared at a time",
                "chains of comparisons belong in the relation of a count: #[i-3 <= j <= i]",
                "join two comparisons with and",
            )
        left, sign, right = raw.children
        sign = PLAIN.get(str(sign), str(sign))
        if left.data == "modulo":
            return self._residue(raw, left, sign, right)
        return tree.Comparison(
            sign, self.expression(left), self.expression(right), place=_place(raw)
        )

    def _residue(self, raw: Any, left: Any, sign: str, right: Any) -> Expression:
        modulus = self._modulus(left)
        if sign not in ("==", "!=") or right.data not in ("number", "variable"):
            self._fail(
                raw,
                "i mod m can only be tested for equality with a number",
                "other relations are written by listing residues",
                "i mod 4 == 1, or i mod 4 in {1, 2}",
            )
        residue = self._whole(right.children[0])
        test = tree.Residue(modulus, (residue,), place=_place(raw))
        return test if sign == "==" else tree.Not(test, place=_place(raw))

    def _membership(self, raw: Any) -> Expression:
        left, numbers = raw.children
        if left.data != "modulo":
            self._fail(raw, "only i mod m can be tested for membership", None, "i mod 4 in {1, 2}")
        residues = tuple(self._whole(whole.children[0]) for whole in numbers.children)
        return tree.Residue(self._modulus(left), residues, place=_place(raw))

    def _congruence(self, raw: Any) -> Expression:
        name, residue, modulus = raw.children
        self._require_here(name)
        whole = self._whole(residue.children[0])
        return tree.Residue(self._whole(modulus.children[0]), (whole,), place=_place(raw))

    def _modulo(self, raw: Any) -> NoReturn:
        self._fail(
            raw,
            "i mod m is not a count",
            "counts are the same in every word that looks alike; the position enters only through "
            "tests of its residue",
            "i mod 2 == 0, or #[j <= i] true for the position itself",
        )

    def _modulus(self, raw: Any) -> tree.Whole:
        name, whole = raw.children
        self._require_here(name)
        token = whole.children[0]
        if str(token) in (self.here, *self.outer):
            self._fail(
                raw,
                "the modulus is a position, so the relation is not periodic",
                "a periodic relation has one fixed modulus for all positions",
                "a number: i mod 2 == 0",
            )
        return self._whole(token)

    def _total(self, raw: Any) -> Expression:
        terms, plus = [], True
        for child in raw.children:
            if not hasattr(child, "data"):
                plus = str(child) == "+"
            else:
                terms.append((plus, self.expression(child)))
        return tree.Sum(tuple(terms), place=_place(raw))

    def _minus(self, raw: Any) -> Expression:
        body = raw.children[1]
        if body.data == "number":
            return tree.Number(-self._integer(body.children[0]), place=_place(raw))
        return tree.Product(-1, self.expression(body), place=_place(raw))

    def _product(self, raw: Any) -> Expression:
        found: Expression | None = None
        for child in reversed(raw.children):
            part = self.expression(child)
            if found is None:
                found = part
            elif isinstance(part, tree.Number):
                found = tree.Product(part.value, found, place=_place(raw))
            elif isinstance(found, tree.Number):
                found = tree.Product(found.value, part, place=_place(raw))
            else:
                self._fail(
                    raw,
                    "two counts cannot be multiplied",
                    "C-RASP adds and subtracts counts; a factor must be a fixed number",
                    "3*C(i)",
                )
        assert found is not None
        return found

    def _count(self, raw: Any) -> Expression:
        *masks, body = raw.children
        inner = self._inner_name(masks, raw)
        window = self._window(raw, masks, inner)
        inside = replace(self, here=inner, outer=(*self.outer, self.here))
        return tree.Count(window, inside.expression(body), place=_place(raw))

    def _inner_name(self, masks: list[Any], raw: Any) -> str:
        named = [str(variable.children[0]) for mask in masks for variable in _variables(mask)]
        inner = {name for name in named if name != self.here}
        if len(inner) != 1:
            self._fail(
                raw,
                "a count's relation is between two positions",
                f"the one it stands at, {self.here}, and the one it counts; "
                f"this one mentions {', '.join(sorted(set(named))) or 'none'}",
                f"#[j <= {self.here}] P(j)",
            )
        return inner.pop()

    def _window(self, raw: Any, masks: list[Any], inner: str) -> tree.Window:
        def complain(what: str, why: str, hint: str | None) -> Exception:
            what = f"{what}: {_text(self.source, masks)}"
            return refuse(self.source, _place(raw), what, why, hint)

        allowed = Distances()
        for mask in masks:
            for found in self._relation(mask, inner, complain):
                allowed = allowed & found
        return replace(relations.window(allowed, complain), place=_place(raw))

    def _relation(self, mask: Any, inner: str, complain: relations.Refuse) -> Iterator[Distances]:
        if mask.data == "truth":
            return
        if mask.data == "membership":
            linear = self._linear(mask.children[0], inner, complain)
            if (linear.outer, linear.inner) not in ((1, -1), (-1, 1)):
                relations.compare(linear, "==", Linear(), complain)
            wanted = [self._integer(whole.children[0]) for whole in mask.children[1].children]
            sign = linear.outer
            yield Distances(chosen=frozenset(sign * (k - linear.constant) for k in wanted))
            return
        if mask.data != "comparison":
            raise complain(
                "this is not a relation between positions a count can use",
                "it must compare i and j, and depend only on the distance i - j, within a fixed "
                "window (local)",
                "conditions on j belong in the body: #[j <= i] (P(j) and R(j))",
            )
        sides = mask.children
        for left, sign, right in zip(sides[::2], sides[1::2], sides[2::2], strict=False):
            yield relations.compare(
                self._linear(left, inner, complain),
                PLAIN.get(str(sign), str(sign)),
                self._linear(right, inner, complain),
                complain,
            )

    def _linear(self, raw: Any, inner: str, complain: relations.Refuse) -> Linear:
        match raw.data:
            case "number":
                return Linear(constant=self._integer(raw.children[0]))
            case "variable":
                name = str(raw.children[0])
                return Linear(outer=1) if name == self.here else Linear(inner=1)
            case "parens":
                return self._linear(raw.children[0], inner, complain)
            case "minus":
                return self._linear(raw.children[1], inner, complain).times(-1)
            case "total":
                total, sign = Linear(), 1
                for child in raw.children:
                    if not hasattr(child, "data"):
                        sign = 1 if str(child) == "+" else -1
                    else:
                        total = total + self._linear(child, inner, complain).times(sign)
                return total
            case "product":
                parts = [self._linear(child, inner, complain) for child in raw.children]
                fixed = [part for part in parts if part.outer == part.inner == 0]
                if len(fixed) >= len(parts) - 1:
                    total = next((part for part in parts if part not in fixed), Linear(constant=1))
                    for part in fixed:
                        total = total.times(part.constant)
                    return total
        raise complain(
            "the relation is neither j <= i nor local",
            f"{_text(self.source, [raw])} is not a sum of i, j and numbers, so whether it holds "
            "depends on more than the distance i - j (C-RASP[periodic, local] has only relations "
            "that are translation-invariant and false beyond a fixed window)",
            "a local relation, such as j == i - 1",
        )

    def _each(self, raw: Any) -> Expression:
        word, variable, *between, body = raw.children
        name = str(variable)
        if name in self.letters or name in self.variables:
            self._fail(raw, f"{name} is already a letter here", None, "another name for it")
        wanted = tree.LetterRange()
        if between:
            sign, names = between[0].children[0], between[0].children
            if between[0].data == "letter_range":
                wanted = tree.LetterRange(PLAIN.get(str(sign), str(sign)), (_letter(names[1]),))
            else:
                wanted = tree.LetterRange("in", tuple(map(_letter, names)))
            if wanted.sign == "==":
                wanted = tree.LetterRange("in", wanted.names)
        inside = replace(self, variables=(*self.variables, name))
        return tree.Each(str(word), name, wanted, inside.expression(body), place=_place(raw))

    def _truth(self, raw: Any) -> Expression:
        return tree.Truth(True, place=_place(raw))

    def _untruth(self, raw: Any) -> Expression:
        return tree.Truth(False, place=_place(raw))

    def _number(self, raw: Any) -> Expression:
        return tree.Number(self._integer(raw.children[0]), place=_place(raw))

    def _letter_test(self, raw: Any) -> Expression:
        token, position = raw.children
        self._require_here(position.children[0])
        written = str(token)[2:]
        name = _unquote(written)
        if name in (*self.letters, *self.variables) or not written.isidentifier():
            return tree.Letter(name, place=_place(raw))
        return tree.Reference(str(token), place=_place(raw))  # somebody's own Q_ab(i) := …

    def _function(self, raw: Any) -> Expression:
        word, *parts = raw.children
        if str(word) == "abs" and len(parts) != 1:
            self._fail(raw, "abs takes one count")
        return tree.Function(str(word), tuple(map(self.expression, parts)), place=_place(raw))

    def _reference(self, raw: Any) -> Expression:
        name, *letters, arguments = raw.children
        if len(arguments.children) > 1:
            self._fail(
                raw,
                f"{name} depends on two positions at once",
                "a definition belongs to one position; relations between two are written in the "
                "brackets of a count, and must be local",
                "#[j <= i, j == i - 1] P(j)",
            )
        self._require_here(arguments.children[0])
        chosen = tuple(map(_letter, letters[0].children)) if letters else ()
        return tree.Reference(str(name), chosen, place=_place(raw))

    def _variable(self, raw: Any) -> Expression:
        name = str(raw.children[0])
        if name in (self.here, *self.outer):
            self._fail(
                raw,
                f"the position {name} itself is not a count",
                "a test such as i == 5 is not periodic, and C-RASP[periodic, local] knows the "
                "position only through i mod m",
                f"count positions instead: #[j <= {self.here}] true",
            )
        return tree.Number(name, place=_place(raw))

    # small things

    def _require_here(self, token: Any) -> None:
        name = str(token)
        if name == self.here:
            return
        if name in self.outer:
            self._fail(
                token,
                f"inside this count the position is {self.here}, not {name}",
                f"the body of #[{self.here} <= {name}] is evaluated at {self.here} alone",
                f"write {self.here}; a condition on {name} goes outside, as in P({name}) ? #[…] : 0",
            )
        self._fail(
            token,
            f"there is no position called {name} here",
            f"the position is called {self.here}; a count's own position has no meaning outside "
            "its body",
            f"{self.here}, or brackets around the whole body: #[j <= i] (P(j) and R(j))",
        )

    def _name(self, token: Any) -> str:
        if str(token) in RESERVED:
            self._fail(token, f"{token} is a word of the language", None, "another name")
        return str(token)

    def _whole(self, token: Any) -> tree.Whole:
        return self._integer(token) if token.type == "INT" else str(token)

    def _signed(self, raw: Any) -> int:
        value = self._integer(raw.children[-1])
        return -value if len(raw.children) > 1 else value

    def _integer(self, token: Any) -> int:
        if len(token) > 19 or int(token) > LARGEST:
            self._fail(
                token,
                "the number does not fit into 64 bits",
                f"the largest is {LARGEST}",
            )
        return int(token)

    def _fail(
        self, raw: Any, what: str, why: str | None = None, hint: str | None = None
    ) -> NoReturn:
        raise refuse(self.source, _place(raw), what, why, hint)


def _variables(raw: Any) -> Iterator[Any]:
    if not hasattr(raw, "data"):
        return
    if raw.data in ("variable", "modulo"):
        yield raw
    elif raw.data not in ("reference", "letter_test"):
        for child in raw.children:
            yield from _variables(child)


def _letter(raw: Any) -> str:
    return _unquote(str(raw.children[0]))


def _unquote(text: str) -> str:
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except json.JSONDecodeError:
        return text[1:-1]


def _place(raw: Any) -> Place | None:
    found = getattr(raw, "meta", raw)
    if getattr(found, "line", None) is None:
        return None
    return Place(found.line, found.column, found.end_line, found.end_column)


def _text(source: str, raws: list[Any]) -> str:
    first, last = getattr(raws[0], "meta", raws[0]), getattr(raws[-1], "meta", raws[-1])
    return source[first.start_pos : last.end_pos]
