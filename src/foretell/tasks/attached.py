"""The C-RASP program of a task, where there is one."""

from __future__ import annotations

import functools

from foretell.core.task import Task
from foretell.crasp import shelf
from foretell.crasp.parsing import can_parse
from foretell.crasp.program import Program
from foretell.tasks.answering import AnsweringTask
from foretell.tasks.lookup import find_task
from foretell.tasks.next_symbols import NextSymbolsTask
from foretell.tasks.program import ProgramTask


def attached_program(task: Task) -> Program | None:
    """The task's own program, or the one of its name in the library.

    A language that merely carries the name of a known one gets nothing, and neither does any task
    on a machine that cannot read programs.
    """
    if isinstance(task, ProgramTask):
        return task.program
    if not can_parse() or task.name not in shelf.names():
        return None
    if task != find_task(task.name, task.longest):
        return None
    return _from_library(task.name, _letters(task))


def _letters(task: Task) -> tuple[str, ...]:
    """What the program reads: the task's symbols, and the separator where the task has one."""
    if isinstance(task, AnsweringTask) and task.separator == "<sep>":
        return (*task.alphabet.symbols, "<sep>")
    return task.alphabet.symbols


@functools.lru_cache(maxsize=8)
def _from_library(name: str, letters: tuple[str, ...]) -> Program:
    return shelf.load(name, letters=letters)


ACCEPT_LABELS = ("reject", "accept")


def answer_sets(task: Task) -> tuple[frozenset[str], ...] | tuple[str, ...]:
    """What the labels mean to a program: sets of symbols, single symbols, or reject/accept."""
    if isinstance(task, NextSymbolsTask):
        return tuple(task.label_sets)
    if isinstance(task, ProgramTask) and not task.program.is_acceptor:
        return task.label_sets
    return task.labels
