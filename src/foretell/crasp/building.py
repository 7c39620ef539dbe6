"""From Lark's tree to ours: positions resolved, relations classified, every refusal with a caret.

A position has a name only in the text (`i`, `j`). The builder knows which name means "here" and
refuses everything else, because an expression can only speak about the position it stands at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from foretell.crasp import raw as text
from foretell.crasp import tree
from foretell.crasp.tree import RESERVED, Expression
from foretell.crasp.windows import Relation


@dataclass(frozen=True)
class Builder:
    """Builds expressions. Each private method is named after the rule of the grammar it reads."""

    source: str
    letters: tuple[str, ...]
    parameters: frozenset[str] = frozenset()
    here: str = "i"  # the name of the position expressions stand at
    outer: tuple[str, ...] = ()  # names of the positions around it
    variables: tuple[str, ...] = ()  # letter parameters in scope

    def expression(self, raw: Any) -> Expression:
        """One expression, at the current position."""
        raw = text.unwrapped(raw)
        build: Callable[[Any], Expression] = getattr(self, f"_{raw.data}")
        return build(raw)

    def _choice(self, raw: Any) -> Expression:
        return tree.Choice(*map(self.expression, raw.children), place=text.place(raw))

    def _implication(self, raw: Any) -> Expression:
        left, word, right = raw.children
        self._refuse_open_exists([left])
        parts = (self.expression(left), self.expression(right))
        return tree.Junction(text.plain(word), parts, place=text.place(raw))

    def _disjunction(self, raw: Any) -> Expression:
        return self._join("or", raw)

    def _exclusive(self, raw: Any) -> Expression:
        return self._join("xor", raw)

    def _conjunction(self, raw: Any) -> Expression:
        return self._join("and", raw)

    def _join(self, word: str, raw: Any) -> Expression:
        self._refuse_open_exists(raw.children[:-1])
        parts = tuple(map(self.expression, raw.children))
        return tree.Junction(word, parts, place=text.place(raw))

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
        return tree.Not(self.expression(raw.children[0]), place=text.place(raw))

    def _exists_past(self, raw: Any) -> Expression:
        return tree.ExistsPast(self.expression(raw.children[0]), place=text.place(raw))

    def _comparison(self, raw: Any) -> Expression:
        if len(raw.children) > 3:
            self._fail(
                raw,
                "only two counts can be compared at a time",
                "chains of comparisons belong in the relation of a count: #[i-3 <= j <= i]",
                "join two comparisons with and",
            )
        left, sign, right = raw.children
        if text.unwrapped(left).data == "modulo":
            return self._residue(raw, text.unwrapped(left), text.plain(sign), right)
        sides = (self.expression(left), self.expression(right))
        return tree.Comparison(text.plain(sign), *sides, place=text.place(raw))

    def _residue(self, raw: Any, left: Any, sign: str, right: Any) -> Expression:
        modulus = self._modulus(left)
        right = text.unwrapped(right)
        if sign not in ("==", "!=") or right.data not in ("number", "variable"):
            self._fail(
                raw,
                "i mod m can only be tested for equality with a number",
                "other relations are written by listing residues",
                "i mod 4 == 1, or i mod 4 in {1, 2}",
            )
        residue = self._whole(right.children[0])
        test = tree.Residue(modulus, (residue,), place=text.place(raw))
        return test if sign == "==" else tree.Not(test, place=text.place(raw))

    def _membership(self, raw: Any) -> Expression:
        left, numbers = text.unwrapped(raw.children[0]), raw.children[1]
        if left.data != "modulo":
            self._fail(raw, "only i mod m can be tested for membership", None, "i mod 4 in {1, 2}")
        residues = tuple(self._whole(whole.children[0]) for whole in numbers.children)
        return tree.Residue(self._modulus(left), residues, place=text.place(raw))

    def _congruence(self, raw: Any) -> Expression:
        name, residue, modulus = raw.children
        self._require_here(name)
        whole = self._whole(residue.children[0])
        return tree.Residue(self._fixed(raw, modulus), (whole,), place=text.place(raw))

    def _modulo(self, raw: Any) -> NoReturn:
        self._fail(
            raw,
            "i mod m is not a count",
            "the position enters a program only through tests of its residue (periodic relations)",
            "i mod 2 == 0; or #[j <= i] true, which counts positions",
        )

    def _modulus(self, raw: Any) -> tree.Whole:
        name, whole = raw.children
        self._require_here(name)
        return self._fixed(raw, whole)

    def _fixed(self, raw: Any, whole: Any) -> tree.Whole:
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
            if not text.is_tree(child):
                plus = str(child) == "+"
            else:
                terms.append((plus, self.expression(child)))
        return tree.Sum(tuple(terms), place=text.place(raw))

    def _minus(self, raw: Any) -> Expression:
        body = raw.children[1]
        if body.data == "number":
            value = -text.integer(self.source, body.children[0])
            return tree.Number(value, place=text.place(raw))
        return tree.Product(-1, self.expression(body), place=text.place(raw))

    def _product(self, raw: Any) -> Expression:
        parts = [self.expression(child) for child in raw.children]
        counts = [part for part in parts if not isinstance(part, tree.Number)]
        if len(counts) > 1:
            self._fail(
                raw,
                "two counts cannot be multiplied",
                "C-RASP adds and subtracts counts; a factor must be a fixed number",
                "3*C(i)",
            )
        found = counts[0] if counts else parts.pop()
        for part in reversed(parts):
            if isinstance(part, tree.Number):
                found = tree.Product(part.value, found, place=text.place(raw))
        return found

    def _count(self, raw: Any) -> Expression:
        *masks, body = raw.children
        relation = Relation(self.source, self.here, tuple(masks), raw, self.parameters, self.outer)
        inner, window = relation.inner(), relation.window()
        inside = replace(self, here=inner, outer=(*self.outer, self.here))
        return tree.Count(window, inside.expression(body), place=text.place(raw))

    def _each(self, raw: Any) -> Expression:
        word, variable, *between, body = raw.children
        name = self.name(variable)
        if name in self.letters or name in self.variables:
            self._fail(variable, f"{name} is already a letter here", None, "another name for it")
        wanted = tree.LetterRange(place=text.place(raw))
        if between:
            where, children = text.place(between[0]), between[0].children
            if between[0].data == "letter_range":
                sign = text.plain(children[0])
                sign = "in" if sign == "==" else sign
                wanted = tree.LetterRange(sign, (text.letter(children[1]),), place=where)
            else:
                wanted = tree.LetterRange("in", tuple(map(text.letter, children)), place=where)
        inside = replace(self, variables=(*self.variables, name))
        return tree.Each(str(word), name, wanted, inside.expression(body), place=text.place(raw))

    def _truth(self, raw: Any) -> Expression:
        return tree.Truth(True, place=text.place(raw))

    def _untruth(self, raw: Any) -> Expression:
        return tree.Truth(False, place=text.place(raw))

    def _number(self, raw: Any) -> Expression:
        value = text.integer(self.source, raw.children[0])
        return tree.Number(value, place=text.place(raw))

    def _letter_test(self, raw: Any) -> Expression:
        token, position = raw.children
        self._require_here(position.children[0])
        written = str(token)[2:]
        name = text.unquote(written)
        if name in (*self.letters, *self.variables) or written[0] in '"<':
            return tree.Letter(name, place=text.place(raw))
        return tree.Reference(str(token), place=text.place(raw))  # somebody's own Q_ab(i) := …

    def _function(self, raw: Any) -> Expression:
        word, *parts = raw.children
        if str(word) == "abs" and len(parts) != 1:
            self._fail(raw, "abs takes one count")
        parts = tuple(map(self.expression, parts))
        return tree.Function(str(word), parts, place=text.place(raw))

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
        chosen = tuple(map(text.letter, letters[0].children)) if letters else ()
        return tree.Reference(str(name), chosen, place=text.place(raw))

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
        return tree.Number(name, place=text.place(raw))

    # small things

    def name(self, token: Any) -> str:
        """A name that is free to be used."""
        if str(token) in RESERVED:
            self._fail(token, f"{token} is a word of the language", None, "another name")
        return str(token)

    def _require_here(self, token: Any) -> None:
        name = str(token)
        if name == self.here:
            return
        if name in self.outer:
            self._fail(
                token,
                f"inside this count the position is {self.here}, not {name}",
                f"the body of #[{self.here} <= {name}] is evaluated at {self.here} alone",
                f"write {self.here}; a condition on {name} goes outside: P({name}) ? #[…] … : 0",
            )
        self._fail(
            token,
            f"there is no position called {name} here",
            f"the position is called {self.here}; a count's own position has no meaning outside "
            "its body",
            f"{self.here}, or brackets around the whole body: #[j <= i] (P(j) and R(j))",
        )

    def _whole(self, token: Any) -> tree.Whole:
        return text.integer(self.source, token) if token.type == "INT" else str(token)

    def _fail(
        self, raw: Any, what: str, why: str | None = None, hint: str | None = None
    ) -> NoReturn:
        text.fail(self.source, raw, what, why, hint)
