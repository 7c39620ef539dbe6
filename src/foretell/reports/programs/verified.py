"""Verify a program against whatever a user names, and say what came out."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from foretell.core.task import Task
from foretell.crasp.program import Program
from foretell.crasp.verifying.reference import Kind, Oracle, Reference
from foretell.crasp.verifying.verification import Counterexample, Verification
from foretell.crasp.verifying.verify import verify
from foretell.languages.regular import RegularLanguage
from foretell.plain.errors import BadInput
from foretell.tasks.agreement import compare_program, draw_examples
from foretell.tasks.answering import AnsweringTask
from foretell.tasks.lookup import find_task
from foretell.tasks.next_symbols import NextSymbolsTask
from foretell.tasks.program import ProgramTask
from foretell.tasks.regular import RegularTask

STYLE = {"proved": "bold green", "checked": "bold yellow", "refuted": "bold red"}


def verify_against(
    program: Program, what: str, budget: int, seed: int, kind: Kind | None = None
) -> Verification:
    """Compare with a program, a task, a language, a DFA file or a regular expression."""
    alphabet = None
    if what.startswith("regex:"):
        # the expression may not name every letter of the program
        single = all(len(letter) == 1 for letter in program.letters)
        alphabet = ("" if single else ",").join(program.letters)
    task = find_task(what, alphabet=alphabet)
    if isinstance(task, AnsweringTask):
        return _on_examples(program, task, seed)
    return verify(program, _side(program, task, kind), budget=budget, seed=seed, kind=kind)


def _side(program: Program, task: Task, kind: Kind | None) -> Program | RegularLanguage | Reference:
    if isinstance(task, ProgramTask):
        return task.program
    if isinstance(task, RegularTask):
        return task.language
    if not isinstance(task, NextSymbolsTask):
        raise BadInput("programs cannot be compared with this task", seen=task.name)

    def accepts(word: tuple[str, ...]) -> bool:
        return "<eos>" in task.legal_next(word)

    def follows(word: tuple[str, ...]) -> frozenset[str] | None:
        return task.legal_next(word) or None  # nothing is legal: nobody asks

    if program.is_acceptor and kind != "next":
        return Oracle(task.letters, "accept", accepts)
    return Oracle(task.letters, "next", follows)


def _on_examples(program: Program, task: AnsweringTask, seed: int) -> Verification:
    """A task that answers is defined on its own inputs only: compare on those it draws."""
    if not program.symbols:
        raise BadInput(
            "this task asks for symbols, and the program names none",
            seen=task.name,
            hint="let next[x](i) := …",
        )
    smaller = type(task)(min(task.longest, max(task.smallest, _fitting(program, task))))
    letters = {*smaller.symbols, smaller.separator}
    if set(program.letters) != letters:
        raise BadInput(
            "the two sides have different alphabets",
            seen=f"{' '.join(program.letters[:30])} and {' '.join(sorted(letters)[:30])}",
            why="they are compared on words over one alphabet",
        )
    sizes, example = draw_examples(smaller, smaller.longest, each=60, seed=seed)
    tested = compare_program(program, smaller, sizes, example)
    wrong = None
    if tested.wrong is not None:
        wrong = Counterexample(tested.wrong, (tested.found,), (tested.expected,))
    return Verification(
        status="checked" if wrong is None else "refuted",
        kind="next",
        method="examples",
        reason=f"inputs of sizes up to {max(sizes)} drawn by {task.name}, at every scored position",
        exhaustive_up_to=-1,
        random_words=tested.examples,
        longest_random=smaller.width(max(sizes)) - 1,
        decisions=(),
        seconds=0.0,
        counterexample=wrong,
    )


def _fitting(program: Program, task: AnsweringTask) -> int:
    """The largest size whose symbols the program knows; some tasks have as many as their size."""
    known = set(program.letters)
    if set(task.symbols) <= known:
        return task.longest
    return sum(symbol in known for symbol in task.symbols)


def show_verification(console: Console, found: Verification) -> None:
    """One sentence, then what was tried."""
    console.print(Text(found.summary(), style=STYLE[found.status]), soft_wrap=True)
    if found.method == "examples":
        console.print(Text(f"  {found.reason}", style="dim"), soft_wrap=True)
    if found.exhaustive_up_to >= 0 and found.status == "proved":
        console.print(Text(f"  also every word up to length {found.exhaustive_up_to}", style="dim"))
    for item in found.decisions:
        if item.outcome == "does not apply":
            console.print(Text(f"  {item.method}: {item.reason}", style="dim"), soft_wrap=True)
