"""The relation in the brackets of a count, from the text to a window of distances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from foretell.crasp import raw as text
from foretell.crasp import relations, tree
from foretell.crasp.messages import refuse
from foretell.crasp.relations import Distances, Linear

OWN_POSITION = ("reference", "letter_test")  # what is said at one position, not between two


@dataclass(frozen=True)
class Relation:
    """The masks of one count that stands at the position called `here`."""

    source: str
    here: str
    masks: tuple[Any, ...]
    count: Any
    parameters: frozenset[str] = frozenset()
    outer: tuple[str, ...] = ()

    def inner(self) -> str:
        """What the counted position is called."""
        named = {name for mask in self.masks for name in _variables(mask)}
        others = named - {self.here} - self.parameters
        if others and others <= set(self.outer):
            raise self._complain(
                f"the position is {self.here} here, and {' and '.join(others)} is taken",
                f"a count inside a count needs a new name, related to {self.here}",
                f"#[k <= {self.here}] P(k)",
            )
        if len(others) == 1 and not named & self.parameters:
            return others.pop()
        what, why = "a count's relation is between two positions", None
        if named & self.parameters:
            what = "a distance in a count's relation is a number, not a parameter"
            why = "windows are fixed when the program is read"
        raise self._complain(
            what,
            why
            or f"the one it stands at, {self.here}, and the one it counts; "
            f"this one mentions {', '.join(sorted(named)) or 'none'}",
            f"#[j <= {self.here}] P(j), or #[j <= {self.here}, j == {self.here} - 1] P(j)",
        )

    def window(self) -> tree.Window:
        """The distances at which all masks hold."""
        allowed = Distances()
        for mask in self.masks:
            alone = replace(self, masks=(mask,))  # so that a refusal points at this one
            for found in alone._distances(text.unwrapped(mask)):
                allowed = allowed & found
        return replace(relations.window(allowed, self._complain), place=text.place(self.count))

    def _complain(self, what: str, why: str, hint: str | None) -> Exception:
        shown = text.text_of(self.source, list(self.masks))
        short = shown if len(shown) <= 80 else shown[:79] + "…"
        return refuse(self.source, text.place(self.masks[0]), f"{what}: {short}", why, hint)

    def _distances(self, mask: Any) -> Iterator[Distances]:
        if mask.data == "truth":
            return
        if mask.data == "membership":
            yield self._listed(mask)
            return
        if mask.data != "comparison":
            hint = "conditions on j belong in the body: #[j <= i] (P(j) and R(j))"
            if mask.data in ("disjunction", "conjunction", "negation"):
                hint = "relations are joined by a comma, distances are listed: i - j in {1, 3}"
            raise self._complain(
                "this is not a relation between positions that a count can use",
                "it must compare i and j, and depend only on the distance i - j, within a fixed "
                "window (local)",
                hint,
            )
        sides = mask.children
        for left, sign, right in zip(sides[::2], sides[1::2], sides[2::2], strict=False):
            yield relations.compare(
                self._linear(left), text.plain(sign), self._linear(right), self._complain
            )

    def _listed(self, mask: Any) -> Distances:
        linear = self._linear(mask.children[0])
        if (linear.outer, linear.inner) not in ((1, -1), (-1, 1)):
            raise self._complain(
                "only a distance can be tested for membership",
                "a count's relation depends on i - j alone",
                "i - j in {1, 3}",
            )
        wanted = []
        for whole in mask.children[1].children:
            if whole.children[0].type != "INT":
                text.fail(self.source, whole, "a distance is a number", None, "i - j in {1, 3}")
            wanted.append(text.integer(self.source, whole.children[0]))
        return Distances(chosen=frozenset(linear.outer * (k - linear.constant) for k in wanted))

    def _linear(self, raw: Any) -> Linear:
        raw = text.unwrapped(raw)
        match raw.data:
            case "number":
                return Linear(constant=text.integer(self.source, raw.children[0]))
            case "variable":
                own = str(raw.children[0]) == self.here
                return Linear(outer=1) if own else Linear(inner=1)
            case "minus":
                return self._linear(raw.children[1]).times(-1)
            case "total":
                total, sign = Linear(), 1
                for child in raw.children:
                    if text.is_tree(child):
                        total = total + self._linear(child).times(sign)
                    else:
                        sign = 1 if str(child) == "+" else -1
                return total
            case "product":
                return self._multiple(raw)
            case "modulo":
                fixed = raw.children[1].children[0].type == "INT"
                raise self._complain(
                    "the relation is periodic, not local"
                    if fixed
                    else "the relation is neither local nor periodic",
                    "between i and j only the distance may matter; a residue is a test of one "
                    "position, modulo a fixed number",
                    "put it into the body or outside: #[j <= i] (P(j) and j mod 2 == 0)",
                )
        raise self._not_linear(raw)

    def _multiple(self, raw: Any) -> Linear:
        parts = [self._linear(child) for child in raw.children]
        moving = [part for part in parts if part.outer or part.inner]
        if len(moving) > 1:
            raise self._not_linear(raw)
        found = moving[0] if moving else Linear(constant=1)
        for part in parts:
            if not (part.outer or part.inner):
                found = found.times(part.constant)
        return found

    def _not_linear(self, raw: Any) -> Exception:
        return self._complain(
            "the relation is neither j <= i nor local",
            f"{text.text_of(self.source, [raw])} is not a sum of i, j and numbers, so whether it "
            "holds depends on more than the distance i - j (C-RASP[periodic, local] has only "
            "relations that are translation-invariant and false beyond a fixed window)",
            "a local relation, such as j == i - 1",
        )


def _variables(mask: Any) -> Iterator[str]:
    """Names that stand for positions, or that should."""
    pending = [mask]
    while pending:
        node = pending.pop()
        if not text.is_tree(node) or node.data in OWN_POSITION:
            continue
        if node.data in ("variable", "modulo", "congruence"):
            yield str(node.children[0])
        elif node.data == "numbers":
            yield from (str(w.children[0]) for w in node.children if w.children[0].type == "NAME")
        else:
            pending.extend(node.children)
