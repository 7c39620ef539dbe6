"""Compile a program so that it gives a task's labels and reads a task's tokens."""

from __future__ import annotations

from foretell.compiler.compiling import Compiled, compile_program
from foretell.core.task import Task
from foretell.crasp.program import Program
from foretell.plain.errors import BadInput
from foretell.tasks.attached import ACCEPT_LABELS, answer_sets
from foretell.tasks.tracking import BEFORE, TrackingTask


def compile_for_task(program: Program, task: Task, context: int) -> Compiled:
    """The program as a transformer with so many positions, for this task."""
    unread = [symbol for symbol in task.alphabet.symbols if symbol not in program.letters]
    foreign = [letter for letter in program.letters if letter not in task.alphabet.tokens]
    if unread or foreign:
        raise BadInput(
            f"the program and {task.name} have different alphabets",
            seen=f"{' '.join(program.letters[:20])} and {' '.join(task.alphabet.symbols[:20])}",
            why="the network would read letters that mean nothing to the program",
        )
    if isinstance(task, TrackingTask) and task.before:
        raise BadInput(
            "a program answers at its last letter, this task asks before the next one",
            seen=task.name,
            hint=task.name.replace(BEFORE, "", 1),
        )
    meanings = answer_sets(task)
    return compile_program(
        program,
        context=context,
        labels=None if meanings == ACCEPT_LABELS else meanings,
        alphabet=task.alphabet,
    )
