"""Is there a C-RASP program for a task, and how do we know?"""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass

from foretell.core.prediction import Assumption, Certificate, Standing
from foretell.core.task import Fact, Task
from foretell.crasp.analysis import analyse
from foretell.crasp.deciding.decide import MOST_STATES, decide
from foretell.crasp.deciding.decision import Decision, FragmentAnswer
from foretell.crasp.deciding.machines import ACCEPT
from foretell.languages.dfa import DFA
from foretell.tasks.attached import attached_program
from foretell.tasks.program import ProgramTask
from foretell.tasks.regular import RegularTask
from foretell.tasks.tracking import TrackingTask
from foretell.theory._program import ProgramCertificate

FRAGMENT = {  # the small ones first: whoever has a program in one has it in all that follow
    "crasp": "C-RASP[∅]",
    "crasp-local": "C-RASP[local]",
    "crasp-periodic-local": "C-RASP[periodic, local]",
}
LAST, EVERY = ACCEPT  # conventions of acceptance, see docs/deciding.md
CHECK = "--check"  # names what a check settles, see reports/rechecked.py
ATTACHED = "the program that we wrote for it"
OWN_PROOF = {
    "no": "the obstruction in the automaton rules out every program: an elementary proof of our "
    "own, cross-checked but not refereed",
    "yes": "heights of that kind always give a program, though none was written out: an elementary "
    "proof of our own, cross-checked but not refereed",
}


@dataclass(frozen=True)
class Existence:
    """`yes`, `no` or `none-found`, who says so, and what stands behind it."""

    value: str
    source: str
    assumptions: tuple[Assumption, ...]
    certificate: Certificate | None = None

    @property
    def certified(self) -> tuple[Assumption, ...]:
        """The assumptions of a prediction that carries the certificate: a check settles one."""
        first, *others = self.assumptions
        if self.certificate is None or CHECK in first.text:
            return self.assumptions
        text = f"{first.text}; {CHECK} re-checks the certificate"
        return dataclasses.replace(first, text=text), *others


def existence(task: Task, fragment: str) -> Existence | str:
    """What is known about the fragment, a key of `FRAGMENT`, or why nothing is."""
    if isinstance(task, RegularTask | TrackingTask) and _small(task.language.dfa):
        return _decided(task, fragment)
    fact = _declared(task, fragment)
    certificate = _program(task, fragment) if fact is None or fact.value == "yes" else None
    if fact is None and certificate is None:
        return (
            f"whether {task.name} has a {FRAGMENT[fragment]} program is not declared, and it is no "
            f"regular language of up to {MOST_STATES} states, which would be decided here"
        )
    fact = fact or Fact(fragment, "yes", ATTACHED)
    if isinstance(task, ProgramTask):
        text, standing = "the task is defined by such a program", Standing.CHECKED
    else:
        text, standing = f"{fact.value}, as declared by {fact.source}", Standing.ASSUMED
        if certificate is not None:
            text += f"; the attached program is the evidence, and {CHECK} re-runs it"
    assumed = Assumption(f"{FRAGMENT[fragment]}: {text}", standing)
    return Existence(fact.value, fact.source, (assumed,), certificate)


def _declared(task: Task, fragment: str) -> Fact | None:
    """What the task says of the fragment, or of a smaller one (yes) or a larger one (no)."""
    names = list(FRAGMENT)
    place = names.index(fragment)
    smaller = [task.fact(name) for name in names[:place]]
    larger = [task.fact(name) for name in names[place + 1 :]]
    said = [fact for fact in smaller if fact is not None and fact.value == "yes"]
    said += [fact for fact in larger if fact is not None and fact.value == "no"]
    return task.fact(fragment) or next(iter(said), None)


def _small(dfa: DFA) -> bool:
    return len(dfa.delta) <= MOST_STATES


def _decided(task: RegularTask | TrackingTask, fragment: str) -> Existence | str:
    """From the automaton; a library program is preferred, since it predicts symbols as well."""
    answer = _answer(task, fragment.replace("-", "_"))
    if answer.answer == "unknown":
        return f"whether {task.name} has a {FRAGMENT[fragment]} program is not known: {answer.note}"
    source = "decided by foretell from the minimal automaton, see docs/deciding.md"
    before = isinstance(task, TrackingTask) and task.before
    told = ", for what must be known before the next letter" if before else ""
    text = f"{FRAGMENT[fragment]}: {answer.answer}, decided from the minimal automaton{told}"
    settled = Assumption(text, Standing.CHECKED)
    attached = _program(task, fragment) if answer.answer == "yes" else None
    known: tuple[Assumption, ...] = (settled,)
    if attached is None and answer.program is None:
        known = (settled, Assumption(OWN_PROOF[answer.answer], Standing.ASSUMED))
    return Existence(answer.answer, source, known, attached or answer.certificate)


def _answer(task: RegularTask | TrackingTask, fragment: str) -> FragmentAnswer:
    """For the language; or, where states are asked for, for the hardest of their languages."""
    dfa = task.language.dfa
    if isinstance(task, RegularTask):
        return _decision(dfa, LAST)[fragment]
    accept = EVERY if task.before else LAST
    if not task.of_states:
        return _decision(dfa, accept)[fragment]
    order = ("no", "unknown", "yes")
    hardest: FragmentAnswer | None = None
    for state in range(len(dfa.delta)):
        found = _decision(dataclasses.replace(dfa, final=frozenset({state})), accept)[fragment]
        if found.answer == order[0]:  # nothing is harder, so the other states need no decision
            return found
        if hardest is None or order.index(found.answer) < order.index(hardest.answer):
            hardest = found
    assert hardest is not None  # an automaton has a state
    return hardest


@functools.lru_cache(maxsize=2_048)  # a scoreboard of a thousand rows asks again and again
def _decision(dfa: DFA, accept: str) -> Decision:
    return decide(dfa, accept)


def _program(task: Task, fragment: str) -> ProgramCertificate | None:
    """The task's program as a certificate, where one is known and lies in the fragment."""
    program = attached_program(task)
    if program is None:
        return None
    known = list(FRAGMENT)
    own = [name for name, told in FRAGMENT.items() if told == analyse(program).fragment]
    if known.index((*own, known[-1])[0]) > known.index(fragment):  # periodic alone: of the last
        return None
    return ProgramCertificate(program, FRAGMENT[fragment], task)
