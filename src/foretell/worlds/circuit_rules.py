"""Which circuits a transformer amounts to: theorems as two tables of rules, and their verdicts.

A limit says that models up to some size stay within a class of circuits; a power says that models
from some size on can do something. A task is known by where it lies and what it is hard for. A
verdict follows a chain of rules, which it lists; more depth, precision or steps never take an
ability back.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from foretell.plain import catalogue
from foretell.plain.errors import BadInput
from foretell.worlds.problems import PROBLEMS

DEPTHS = ("constant", "logarithmic")
PRECISIONS = ("constant", "logarithmic")
STEPS = ("none", "logarithmic", "linear", "polynomial")
CLASSES = ("AC0", "TC0", "NC1", "L", "NL", "AC1", "TC1", "P")  # each within the next
CAVEAT = "asymptotic: it is about all lengths from some on; small instances may be representable"
# the papers were not read again for the rules; where none is named, the argument is short and ours
RECALLED, DERIVED, NOTHING = "theorem, as recalled", "argument of ours", "none"
YES, NO, OPEN = "representable", "not representable", "unknown"
UNDECIDED = "no rule of the table decides it"


class Task(NamedTuple):
    """A task: the class it is complete for, or lies in, and what shows that it is not in AC0."""

    about: str
    complete: str
    needs_counting: bool = True  # what `reduces` reduces to it, so that it is not in AC0
    source: str = "Furst, Saxe, Sipser 1984"
    reduces: str = "parity, which is not in AC0, reduces to {} (Furst, Saxe, Sipser 1984)"


class Limit(NamedTuple):
    """Models of at most this depth, precision and number of steps are within the class."""

    depth: str
    precision: str
    steps: str
    within: str
    why: str
    evidence: str = RECALLED


class Power(NamedTuple):
    """Models of at least this depth, precision and number of steps can do these tasks."""

    depth: str
    precision: str
    steps: str
    tasks: tuple[str, ...]
    why: str
    evidence: str = RECALLED


class Verdict(NamedTuple):
    """An answer, the rules that lead to it, what each rests on, and what it does not say."""

    answer: str
    chain: tuple[str, ...]
    evidence: tuple[str, ...]
    caveat: str = CAVEAT

    @property
    def strength(self) -> str:
        """A condition counts as the weakest, then an argument of ours."""
        if self.answer == OPEN:
            return NOTHING
        if " unless " in self.answer:
            return "conditional"
        return DERIVED if DERIVED in self.evidence else RECALLED


TASKS: Mapping[str, Task] = MappingProxyType(
    {
        name: Task(row.what, row.complete, not row.in_ac0, row.because)
        for name, row in PROBLEMS.items()
        if row.complete is not None
    }
)
EVERY = tuple(TASKS)

# Kinds of regular languages: what decides about all languages of a kind. The first that fits.
COUNTED = "counting modulo some number, which is not in AC0, reduces to {} (Barrington et al. 1992)"
REGULAR: Mapping[str, Task] = MappingProxyType(
    {
        "partially ordered": Task("no state is ever returned to", "AC0", needs_counting=False),
        "quasi-aperiodic": Task(
            "no group among the words of any one length", "AC0", needs_counting=False
        ),
        "commutative": Task("only how often each letter occurs matters", "TC0", reduces=COUNTED),
        "solvable": Task("all groups inside fall apart into counters", "TC0", reduces=COUNTED),
        "non-solvable": Task(
            "a group inside does not fall apart", "NC1", source="Barrington 1989", reduces=COUNTED
        ),
    }
)
ANY_REGULAR = tuple(REGULAR)

LIMITS = (
    Limit("constant", "constant", "none", "AC0", "constant depth and precision: AC0 (Li 2024)"),
    Limit(
        "constant", "constant", "logarithmic", "AC0",
        "all chains of log n steps can be tried side by side: still AC0 (Li 2024)",
    ),
    Limit(
        "constant", "logarithmic", "none", "TC0",
        "constant depth, log precision: uniform TC0 (Merrill, Sabharwal 2022)",
    ),
    Limit(
        "constant", "logarithmic", "logarithmic", "TC0",
        "all chains of log n steps can be tried side by side: still TC0 (Li 2024)",
    ),
    Limit(
        "logarithmic", "constant", "logarithmic", "AC1",
        "log n layers of AC0 each: AC1", DERIVED,
    ),
    Limit(
        "logarithmic", "logarithmic", "logarithmic", "TC1",
        "log n layers of TC0 each: TC1 (Merrill, Sabharwal 2025)",
    ),
    Limit(
        "logarithmic", "logarithmic", "polynomial", "P",
        "polynomially many steps, each polynomial: P (Merrill, Sabharwal 2024)",
    ),
)  # fmt: skip

POWERS = (
    Power(
        "constant", "constant", "none", ("and-or",),
        "one head looks for the letter that decides", DERIVED,
    ),
    Power(
        "constant", "constant", "none", ("partially ordered",),
        "heads find where each state is left for good (Li, Cotterell 2025)",
    ),
    Power(
        "constant", "logarithmic", "none", ("parity", "majority", "commutative"),
        "one uniform head counts, an MLP reads the count (Chiang, Cholak 2022; Liu 2023)",
    ),
    Power(
        "constant", "logarithmic", "none", ("dyck",),
        "depth by counting, then match at equal depth (Yao 2021)",
    ),
    Power(
        "constant", "logarithmic", "none", ("partially ordered", "quasi-aperiodic", "solvable"),
        "it falls apart into counters and memories, stacked O(|Q|² log |Q|) deep (Liu 2023)",
    ),
    Power(
        "logarithmic", "logarithmic", "none", ("s5-word", *ANY_REGULAR),
        "log n layers compose neighbours pairwise: a scan (Liu 2023; scan-transformer)",
    ),
    Power(
        "logarithmic", "logarithmic", "none", ("iterated-permutation",),
        "log n layers compose neighbours pairwise: a scan, for n points by lookup", DERIVED,
    ),
    Power(
        "logarithmic", "logarithmic", "none", ("undirected-connectivity", "directed-connectivity"),
        "log n layers double the length of known paths, with padding (Merrill, Sabharwal 2025)",
    ),
    Power(
        "constant", "constant", "linear", ("parity", "majority", "s5-word", *ANY_REGULAR),
        "n steps simulate a circuit of size n, and it has one (Li 2024)",
    ),
    Power(
        "constant", "logarithmic", "linear", ("circuit-value",),
        "one lookup a step: a gate's inputs (Li 2024; circuits-by-steps)",
    ),
    Power(
        "constant", "logarithmic", "linear", ("iterated-permutation",),
        "one lookup a step: the next image of a point", DERIVED,
    ),
    Power(
        "constant", "constant", "polynomial", EVERY + ANY_REGULAR,
        "polynomially many steps simulate all circuits of polynomial size (Li 2024)",
    ),
)  # fmt: skip


def circuit_verdict(
    task: str, depth: str, precision: str, steps: str = "none", name: str | None = None
) -> Verdict:
    """Can models of this depth, precision and number of steps do the task at every length?

    `task` is a problem or a kind of regular languages; `name` is then the language's own.

    >>> circuit_verdict("s5-word", "constant", "logarithmic").answer
    'not representable unless TC0 = NC1'
    >>> circuit_verdict("s5-word", "constant", "logarithmic", "linear").answer
    'representable'
    """
    about = REGULAR.get(task) or TASKS[known("task", task, EVERY)]
    model = (
        DEPTHS.index(known("depth", depth, DEPTHS)),
        PRECISIONS.index(known("precision", precision, PRECISIONS)),
        STEPS.index(known("number of steps", steps, STEPS)),
    )
    power = next((each for each in POWERS if task in each.tasks and _reaches(model, each)), None)
    if power is not None:
        return Verdict(YES, (power.why,), (power.evidence,))
    limit = next((each for each in LIMITS if _covers(model, each)), None)
    if limit is None:
        return Verdict(OPEN, (UNDECIDED,), (NOTHING,))
    if not _beyond(about, limit.within):
        return Verdict(OPEN, (limit.why, UNDECIDED), (limit.evidence, NOTHING))
    evidence = (limit.evidence, RECALLED)
    if limit.within == "AC0":
        return Verdict(NO, (limit.why, about.reduces.format(name or task)), evidence)
    complete = f"{name or task} is complete for {about.complete} ({about.source})"
    answer = f"{NO} unless {limit.within} = {about.complete}"
    return Verdict(answer, (limit.why, complete), evidence)


def contradictions() -> int:
    """Pairs of rules that would say yes and no to one task: an ability beyond the limit's class.

    Checked against every rule that applies, not only the first.
    """
    return sum(
        _beyond({**TASKS, **REGULAR}[task], limit.within)
        for power in POWERS
        for limit in LIMITS
        for task in power.tasks
        if _covers(_model(power), limit)
    )


def _beyond(task: Task, within: str) -> bool:
    """Is the task outside the class, for certain or unless classes collapse?"""
    if within == "AC0":
        return task.needs_counting
    return CLASSES.index(task.complete) > CLASSES.index(within)


def _model(rule: Limit | Power) -> tuple[int, int, int]:
    return DEPTHS.index(rule.depth), PRECISIONS.index(rule.precision), STEPS.index(rule.steps)


def _reaches(model: tuple[int, int, int], power: Power) -> bool:
    return all(own >= least for own, least in zip(model, _model(power), strict=True))


def _covers(model: tuple[int, int, int], limit: Limit) -> bool:
    return all(own <= most for own, most in zip(model, _model(limit), strict=True))


def known(what: str, given: str, among: tuple[str, ...]) -> str:
    """The name itself, if it is one of these."""
    if given not in among:
        hint = catalogue.suggest(given, among) or ", ".join(among)
        raise BadInput(f"unknown {what}", seen=given, hint=hint)
    return given
