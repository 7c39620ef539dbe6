"""Compile what a user names: the network, its regularizer over contexts, its attention."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from foretell.compiler.compiling import Compiled, compile_program
from foretell.compiler.for_task import compile_for_task
from foretell.compiler.patterns import Pattern, attention_patterns
from foretell.compiler.regularizer import Growth, growth
from foretell.compiler.saving import save_compiled
from foretell.crasp.program import Program
from foretell.crasp.words import read_word
from foretell.plain.errors import BadInput
from foretell.tasks.lookup import find_task

CONTEXTS = (16, 32, 64, 128, 256)  # where R(T) is shown
LONGEST = 20_000  # letters


@dataclass(frozen=True)
class Built:
    """A compiled program with what is shown of it."""

    program: Program
    compiled: Compiled
    growth: Growth | None
    drawn: tuple[tuple[Pattern, ...], tuple[str, ...]] | None

    def save(self, path: Path) -> Path:
        """Description and arrays; the arrays' path comes back."""
        return save_compiled(path, self.compiled, self.program.show())


def build(program: Program, length: int, task: str | None, word: str | None, grow: bool) -> Built:
    """Compile for words of that length, for a task's labels if one is named."""
    if not 1 <= length <= LONGEST:
        raise BadInput(f"the length is a number from 1 to {LONGEST:,}", seen=length)
    wanted = None if task is None else find_task(task, longest=length)

    def at(tokens: int) -> Compiled:
        if wanted is None:
            return compile_program(program, context=tokens)
        return compile_for_task(program, wanted, tokens)

    compiled = at(length + 1 if wanted is None else wanted.width(length))
    grown = growth(lambda tokens: at(tokens).transformer, CONTEXTS) if grow else None
    return Built(program, compiled, grown, _draw(program, compiled, word))


def _draw(
    program: Program, compiled: Compiled, word: str | None
) -> tuple[tuple[Pattern, ...], tuple[str, ...]] | None:
    if word is None:
        return None
    symbols = read_word(word, program.letters)
    ids = compiled.alphabet.encode(symbols)
    patterns = attention_patterns(compiled.transformer, ids)
    working = tuple(pattern for pattern in patterns if pattern.name != "idle")
    return working, ("SOS", *symbols)
