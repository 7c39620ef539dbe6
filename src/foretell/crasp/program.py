"""A C-RASP program as a value: parse it, run it, look at it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from foretell.crasp import tree
from foretell.crasp.core_form import core_statements
from foretell.crasp.interpreter import OnWords, evaluate
from foretell.crasp.lowering import lower
from foretell.crasp.operations import Core
from foretell.crasp.parsing import parse_tree
from foretell.crasp.printing import print_program
from foretell.crasp.statements import build
from foretell.crasp.words import Words, read_word
from foretell.plain.errors import BadInput

PIECE = 2**22  # tokens that are held in memory at once


@dataclass(frozen=True)
class Program:
    """Letters and statements; equal when they say the same. Only valid programs exist.

    >>> program = Program.parse("alphabet a b\\naccept(i) := #[j <= i] Q_a(j) >= 2")
    >>> program.run("ab"), program.run("aba")
    (False, True)
    >>> print(program.show(), end="")
    alphabet a b
    accept(i) := #[j <= i] Q_a(j) >= 2
    """

    letters: tuple[str, ...]
    statements: tuple[tree.Statement, ...]
    source: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        _ = self.core

    @classmethod
    def parse(cls, text: str, values: Mapping[str, int] | None = None) -> Program:
        """Read a program; `values` sets its parameters, as if the text said so."""
        letters, statements = build(parse_tree(text), text)
        given = dict(values or {})
        if given:
            lower(letters, statements, text, given)  # refuses names that are no parameters
            statements = tuple(
                replace(item, value=given[item.name])
                if isinstance(item, tree.Parameter) and item.name in given
                else item
                for item in statements
            )
        return cls(letters, statements, text)

    @cached_property
    def core(self) -> Core:
        """The operations of Definition 8 that the program stands for."""
        return lower(self.letters, self.statements, self.source)

    def show(self, core: bool = False) -> str:
        """The program as text: as written, or operation by operation without any sugar."""
        return print_program(self.letters, core_statements(self.core) if core else self.statements)

    @property
    def fragment(self) -> str:
        """C-RASP[∅], [periodic], [local] or [periodic, local]: the positional relations it uses."""
        return self.core.fragment

    def trace(self, word: str | Sequence[str]) -> dict[str, list[bool | int]]:
        """The value of every named operation at every position.

        >>> Program.parse("alphabet a b\\nn(i) := #[j <= i] Q_a(j)\\nx(i) := n(i) > 1").trace("aba")
        {'n': [1, 1, 2], 'x': [False, False, True]}
        """
        letters = self.encode(word)
        if not letters:
            return {name: [] for name, _ in self.core.names}
        batch = Words.of([letters])
        places = {place for _, place in self.core.names}
        values = evaluate(self.core, OnWords.create(self.core, batch), places)
        shape = (len(letters),)
        return {
            name: np.broadcast_to(np.asarray(values[place]), shape).tolist()
            for name, place in self.core.names
        }

    @property
    def is_acceptor(self) -> bool:
        """Does it say yes or no?"""
        return self.core.accept is not None

    @property
    def symbols(self) -> tuple[str, ...]:
        """Symbols that a next-symbol program speaks about."""
        return tuple(symbol for symbol, _ in self.core.next)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {letter: number for number, letter in enumerate(self.letters)}

    def encode(self, word: str | Sequence[str]) -> tuple[int, ...]:
        """Letter numbers of a word."""
        return tuple(map(self._numbers.__getitem__, read_word(word, self.letters)))

    def run(self, word: str | Sequence[str]) -> bool | frozenset[str]:
        """Accepted? Or, for a pure next-symbol program, which symbols may follow."""
        if self.is_acceptor:
            return bool(self.accepts([self.encode(word)])[0])
        return self.following([self.encode(word)])[0]

    def accepts(self, words: Sequence[Sequence[int]]) -> np.ndarray:
        """One Boolean a word, given as letter numbers."""
        self._require_acceptor()
        place = self.core.accept
        assert place is not None
        found = np.full(len(words), self.core.accepts_empty)
        for chosen, batch in _pieces(words):
            values = evaluate(self.core, OnWords.create(self.core, batch), [place])
            found[chosen] = values[place][batch.ends - 1]
        return found

    def following(self, words: Sequence[Sequence[int]]) -> list[frozenset[str]]:
        """For each word the symbols that may come next."""
        places = [place for _, place in self.core.next]
        if not places:
            raise BadInput("the program does not predict symbols", hint="let next[x](i) := …")
        found = [self.core.next_of_empty] * len(words)
        for chosen, batch in _pieces(words):
            values = evaluate(self.core, OnWords.create(self.core, batch), places)
            table = np.stack([values[place][batch.ends - 1] for place in places], axis=1)
            for index, row in zip(chosen, table.tolist(), strict=True):
                found[index] = frozenset(
                    symbol for symbol, yes in zip(self.symbols, row, strict=True) if yes
                )
        return found

    def answers(self, words: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
        """For each word `accept`, and `next`, in alphabet order, where symbols are predicted."""
        numbers = [self.encode(word) for word in words]
        found: list[dict[str, Any]] = [{} for _ in numbers]
        if self.is_acceptor:
            for answer, yes in zip(found, self.accepts(numbers).tolist(), strict=True):
                answer["accept"] = yes
        if self.symbols:
            for answer, chosen in zip(found, self.following(numbers), strict=True):
                answer["next"] = [symbol for symbol in self.symbols if symbol in chosen]
        return found

    def _require_acceptor(self) -> None:
        if not self.is_acceptor:
            raise BadInput(
                "the program predicts symbols, it does not accept words",
                why="it defines next[…], but not accept",
                hint="accept(i) := next[<eos>](i)",
            )


def _pieces(words: Sequence[Sequence[int]]) -> Iterable[tuple[list[int], Words]]:
    """Non-empty words with their places, in batches that fit into memory."""
    chosen: list[int] = []
    tokens = 0
    for index, word in enumerate(words):
        if not len(word):
            continue
        if chosen and tokens + len(word) > PIECE:
            yield chosen, Words.of(words[k] for k in chosen)
            chosen, tokens = [], 0
        chosen.append(index)
        tokens += len(word)
    if chosen:
        yield chosen, Words.of(words[k] for k in chosen)
