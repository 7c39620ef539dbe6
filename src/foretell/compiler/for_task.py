"""Compile a program so that it gives a task's labels and reads a task's tokens."""

from __future__ import annotations

from foretell.compiler.compiling import Compiled, compile_program
from foretell.core.task import Task
from foretell.crasp.program import Program
from foretell.tasks.attached import ACCEPT_LABELS, answer_sets


def compile_for_task(program: Program, task: Task, context: int) -> Compiled:
    """The program as a transformer with so many positions, for this task."""
    meanings = answer_sets(task)
    return compile_program(
        program,
        context=context,
        labels=None if meanings == ACCEPT_LABELS else meanings,
        alphabet=task.alphabet,
    )
