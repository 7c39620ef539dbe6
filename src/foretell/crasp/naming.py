"""What the names of a program mean, and what to say about those that mean nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from foretell.crasp import tree
from foretell.crasp.messages import refuse
from foretell.crasp.printing import write_letter
from foretell.crasp.raw import LARGEST
from foretell.plain import catalogue
from foretell.plain.errors import BadInput

EOS = "<eos>"
Key = tuple[str, tuple[str, ...]]  # a name, and the letters in its brackets


@dataclass
class Names:
    """Letters, numbers, definitions and macros that have been met so far."""

    letters: tuple[str, ...]
    statements: tuple[tree.Statement, ...]
    source: str
    values: dict[str, int]
    defined: dict[Key, int] = field(default_factory=dict)
    macros: dict[str, tree.Macro] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known: dict[str, int] = {}
        for item in self.statements:
            if isinstance(item, tree.Parameter):
                if item.name in known:
                    self.fail(item, f"the parameter {item.name} is set twice")
                known[item.name] = item.value
        for name, value in self.values.items():
            if name not in known:
                raise BadInput(
                    "the program has no such parameter",
                    seen=name,
                    why=f"it has {', '.join(known) or 'none'}",
                    hint=catalogue.suggest(name, known),
                )
            if not isinstance(value, int) or abs(value) > LARGEST:
                raise BadInput(
                    "a parameter is a whole number that fits into 64 bits",
                    seen=f"{name} = {value!r}",
                )
        self.values = {**known, **self.values}

    def define(self, item: tree.Definition, place: int) -> None:
        """Remember where a definition went."""
        self.defined[item.name, item.letters] = place

    def check_new(self, item: tree.Definition | tree.Macro) -> None:
        """Refuse a statement whose name cannot be used, or is in use."""
        letters = item.letters if isinstance(item, tree.Definition) else ()
        if isinstance(item, tree.Macro) and item.name == "accept":
            self.fail(item, "accept is one Boolean, not a macro", None, "accept(i) := …")
        if item.name == "next":
            self._check_next(item, letters)
        elif letters:
            self.fail(
                item,
                f"only next has a letter in brackets, {item.name} does not",
                "a definition for every choice of letters is a macro",
                f"let {item.name}[x](i) := …",
            )
        taken = (item.name, letters) in self.defined
        taken |= item.name in self.macros and (item.name != "next" or isinstance(item, tree.Macro))
        if taken or item.name in self.values:
            shown = item.name + index(letters)
            self.fail(item, f"{shown} is defined twice", None, "another name")
        if item.name.startswith("Q_") and item.name[2:] in self.letters:
            self.fail(item, f"{item.name} is already the test for the letter {item.name[2:]}")

    def _check_next(self, item: tree.Definition | tree.Macro, letters: tuple[str, ...]) -> None:
        if isinstance(item, tree.Macro):
            if len(item.parameters) != 1:
                self.fail(item, "next is about one symbol", None, "let next[x](i) := …")
            return
        if len(letters) != 1:
            self.fail(item, "next is about one symbol", None, "next[a](i) := …")
        self.check_symbol(item, letters[0])
        if "next" in self.macros and letters[0] != EOS:
            self.fail(
                item,
                f"next[{letters[0]}] is defined twice",
                "let next[…] above it speaks about every letter",
                "exceptions come before the macro",
            )

    def check_symbol(self, item: tree.Node, symbol: str) -> None:
        """Refuse what cannot come next."""
        if symbol not in (*self.letters, EOS):
            self.fail(
                item,
                f"{write_letter(symbol)} is not a letter of the alphabet",
                f"the alphabet is {self._alphabet()}, and {EOS} ends a word",
                catalogue.suggest(symbol, self.letters),
            )

    def letter(self, item: tree.Node, name: str, scope: Mapping[str, str]) -> str:
        """The letter that a name stands for."""
        letter = scope.get(name, name)
        if letter not in self.letters:
            self.fail(
                item,
                f"{write_letter(letter)} is not a letter of the alphabet",
                f"the alphabet is {self._alphabet()}",
                catalogue.suggest(letter, self.letters),
            )
        return letter

    def runs(self, wanted: tree.LetterRange, scope: Mapping[str, str]) -> list[tuple[str, ...]]:
        """The letters a quantifier runs over, from the ends of the alphabet towards the middle.

        So the range below b is the beginning of the range below c, and as no operation is built
        twice, all ranges of an alphabet together cost as much as the longest.
        """
        letters = self.letters
        if wanted.sign == "all":
            return [letters]
        names = tuple(self.letter(wanted, name, scope) for name in wanted.names)
        if wanted.sign == "in":
            return [names]
        pivot = letters.index(names[0])
        below = letters[: pivot + (wanted.sign == "<=")] if wanted.sign in ("<", "<=", "!=") else ()
        above = letters[pivot + (wanted.sign != ">=") :] if wanted.sign in (">", ">=", "!=") else ()
        return [run for run in (below, above[::-1]) if run]

    def number(self, item: tree.Node, value: tree.Whole) -> int:
        """A number, or what a parameter is set to."""
        if isinstance(value, int):
            return value
        if value not in self.values:
            known = {name for name, _ in self.defined}
            self.fail(
                item,
                f"unknown number {value}",
                f"parameters are: {', '.join(self.values) or 'none'}",
                f"{value}(i)" if value in known else catalogue.suggest(value, self.values),
            )
        return self.values[value]

    def unknown(self, item: tree.Reference, letters: tuple[str, ...]) -> BadInput:
        """Why a reference refers to nothing."""
        known = {name for name, _ in self.defined} | set(self.macros)
        why: str | None = None
        hint: str | None = None
        if item.name in known:
            brackets = "has no such letters in brackets" if letters else "needs letters in brackets"
            what = f"{item.name} {brackets}"
            hint = f"{item.name}(i)" if (item.name, ()) in self.defined else f"{item.name}[x](i)"
        elif item.name.startswith("Q_"):
            what = f"{item.name[2:]} is neither a letter of the alphabet nor a name"
            why = f"the alphabet is {self._alphabet()}"
            hint = catalogue.suggest(item.name[2:], self.letters)
        elif self._comes_later(item.name):
            what = f"{item.name} is used before it is defined"
            why = "a definition may use only earlier ones: programs have no recursion"
        else:
            what, why = f"unknown name {item.name}", "nothing is defined so far"
            if known:
                why = f"defined so far: {', '.join(sorted(known))}"
            hint = catalogue.suggest(item.name, known)
        return refuse(self.source, item.place, what, why, hint)

    def _comes_later(self, name: str) -> bool:
        named = (s for s in self.statements if isinstance(s, tree.Definition | tree.Macro))
        return any(statement.name == name for statement in named)

    def fail(
        self, item: tree.Node, what: str, why: str | None = None, hint: str | None = None
    ) -> NoReturn:
        """Refuse a piece of the program."""
        raise refuse(self.source, item.place, what, why, hint)

    def _alphabet(self) -> str:
        shown = " ".join(map(write_letter, self.letters[:30]))
        return shown + (" …" if len(self.letters) > 30 else "")


def index(letters: tuple[str, ...]) -> str:
    """Letters in brackets, as they are written."""
    return f"[{', '.join(map(write_letter, letters))}]" if letters else ""
