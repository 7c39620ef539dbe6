"""RASP-L programs of tasks, and such a program as a certificate that anyone can run."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from foretell.core.prediction import Certificate, Checked
from foretell.core.task import Task
from foretell.rasp_l.interpreter import run
from foretell.rasp_l.program import Program
from foretell.rasp_l.programs import PROGRAMS
from foretell.tasks.agreement import Tested as Compared
from foretell.tasks.agreement import draw_examples, report_wrong
from foretell.tasks.algorithmic.addition import Addition
from foretell.tasks.algorithmic.binary_majority import BinaryMajority
from foretell.tasks.algorithmic.copy_repeat import CopyRepeat
from foretell.tasks.algorithmic.copy_unique import CopyUnique
from foretell.tasks.algorithmic.majority import Majority
from foretell.tasks.algorithmic.parity import Parity
from foretell.tasks.algorithmic.sort import Sort
from foretell.tasks.capture.induction_heads import InductionHeads

SOLVES: MappingProxyType[type[Task], str] = MappingProxyType(
    {
        BinaryMajority: "majority",
        CopyUnique: "unique-copy",
        InductionHeads: "induction",
        Majority: "mode",
        Sort: "sort",
    }
)
# Tasks for which people looked for a short program, and report none.
LOOKED_FOR: tuple[type[Task], ...] = (Addition, CopyRepeat, Parity)


def known_program(task: Task) -> Program | None:
    """The short program that we have for the task; by what it is, not by what it is called."""
    name = SOLVES.get(type(task))
    return None if name is None else PROGRAMS[name]()


@dataclass(frozen=True)
class RaspLCertificate(Certificate):
    """A program and the task that it claims to compute."""

    program: Program
    task: Task

    @property
    def summary(self) -> str:
        """Its size."""
        return f"a RASP-L program of size {self.program.size}"

    def check(self) -> Checked:
        """Check the program against the rules again, and run it on inputs that the task draws."""
        program = Program(self.program.steps)
        sizes, example = draw_examples(self.task, self.task.longest)
        said = run(program, np.asarray(example.tokens))
        wrong = ((said != np.asarray(example.targets)) & np.asarray(example.mask)).any(axis=1)
        if wrong.any():
            row = int(np.argmax(wrong))
            labels = len(self.task.labels)
            shown = np.where((said[row] >= 0) & (said[row] < labels), said[row], labels)
            blank = Compared(len(said), int(np.asarray(example.mask).sum()), sizes)
            found = report_wrong(self.task, example, row, shown, blank)
            word = " ".join(found.wrong or ())
            return Checked(
                False,
                f"the program is wrong: after {word} it says {found.found}, the oracle "
                f"{found.expected}",
            )
        return Checked(
            True,
            f"keeps to the rules, size {program.size}; right on {len(said):,} examples of sizes up "
            f"to {max(sizes)}",
        )

    def as_json(self) -> dict[str, object]:
        """The program's text is the evidence; its steps are what runs."""
        steps = [[step.word, list(step.parts), _plain(step.data)] for step in self.program.steps]
        return {
            "kind": "rasp-l-program",
            "size": self.program.size,
            "program": self.program.show(),
            "steps": steps,
            "task": self.task.as_json(),
        }


def _plain(data: tuple[object, ...]) -> list[object]:
    """Tuples as lists, all the way down."""
    return [_plain(each) if isinstance(each, tuple) else each for each in data]
