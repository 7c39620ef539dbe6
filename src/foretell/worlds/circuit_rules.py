"""Which circuits a transformer amounts to: theorems as two tables of rules, and their verdicts.

A limit says that models up to some size stay within a class of circuits; a power says that models
from some size on can do something. A task is known by where it lies and what it is hard for. A
verdict follows a chain of rules, which it lists; more depth, precision or steps never take an
ability back.
"""

from __future__ import annotations

from typing import NamedTuple

from foretell.plain.errors import BadInput

DEPTHS = ("constant", "logarithmic")
PRECISIONS = ("constant", "logarithmic")
STEPS = ("none", "logarithmic", "linear", "polynomial")
CLASSES = ("AC0", "TC0", "NC1", "L", "NL", "AC1", "TC1", "P")  # each within the next
CAVEAT = "asymptotic: it is about all lengths from some on; small instances may be representable"
YES, NO, OPEN = "representable", "not representable", "unknown"


class Task(NamedTuple):
    """A task: the class it is complete for, or lies in, and whether it is outside AC0."""

    about: str
    complete: str
    needs_counting: bool = True  # parity reduces to it, so that it is not in AC0
    source: str = "Furst, Saxe, Sipser 1984"


class Limit(NamedTuple):
    """Models of at most this depth, precision and number of steps are within the class."""

    depth: str
    precision: str
    steps: str
    within: str
    why: str


class Power(NamedTuple):
    """Models of at least this depth, precision and number of steps can do these tasks."""

    depth: str
    precision: str
    steps: str
    tasks: tuple[str, ...]
    why: str


class Verdict(NamedTuple):
    """An answer, the rules that lead to it, and what it does not say."""

    answer: str
    chain: tuple[str, ...]
    caveat: str = CAVEAT


TASKS = {
    "and-or": Task("is every, or any, bit a one", "AC0", needs_counting=False),
    "parity": Task("is the number of ones odd", "TC0"),
    "majority": Task("are more than half of the bits ones", "TC0"),
    "dyck": Task("are brackets of k kinds balanced", "TC0", source="Barrington, Corbett 1989"),
    "s5-word": Task("product of permutations of five", "NC1", source="Barrington 1989"),
    "iterated-permutation": Task(
        "product of n permutations of n points", "L", source="Cook, McKenzie 1987"
    ),
    "undirected-connectivity": Task(
        "is there a path, edges both ways", "L", source="Reingold 2008"
    ),
    "directed-connectivity": Task("is there a path along the arrows", "NL", source="Jones 1975"),
    "circuit-value": Task("what does a given circuit say", "P", source="Ladner 1975"),
}
EVERY = tuple(TASKS)

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
        "log n layers of AC0 each: AC1",
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
        "one head looks for the letter that decides",
    ),
    Power(
        "constant", "logarithmic", "none", ("parity", "majority"),
        "one uniform head counts, an MLP reads the count (Chiang, Cholak 2022; Liu 2023)",
    ),
    Power(
        "constant", "logarithmic", "none", ("dyck",),
        "depth by counting, then match at equal depth (Yao 2021)",
    ),
    Power(
        "logarithmic", "logarithmic", "none", ("s5-word", "iterated-permutation"),
        "log n layers compose neighbours pairwise: a scan (Liu 2023; for n points by lookup)",
    ),
    Power(
        "logarithmic", "logarithmic", "none", ("undirected-connectivity", "directed-connectivity"),
        "log n layers double the length of known paths, with padding (Merrill, Sabharwal 2025)",
    ),
    Power(
        "constant", "constant", "linear", ("parity", "majority", "s5-word"),
        "n steps simulate a circuit of size n, and it has one (Li 2024)",
    ),
    Power(
        "constant", "logarithmic", "linear", ("circuit-value", "iterated-permutation"),
        "one lookup a step: a gate's inputs, or the next image (Li 2024; `circuits-by-steps`)",
    ),
    Power(
        "constant", "constant", "polynomial", EVERY,
        "polynomially many steps simulate all circuits of polynomial size (Li 2024)",
    ),
)  # fmt: skip


def circuit_verdict(task: str, depth: str, precision: str, steps: str = "none") -> Verdict:
    """Can models of this depth, precision and number of steps do the task at every length?

    >>> circuit_verdict("s5-word", "constant", "logarithmic").answer
    'not representable unless TC0 = NC1'
    >>> circuit_verdict("s5-word", "constant", "logarithmic", "linear").answer
    'representable'
    """
    about = TASKS[_known("task", task, EVERY)]
    model = (
        DEPTHS.index(_known("depth", depth, DEPTHS)),
        PRECISIONS.index(_known("precision", precision, PRECISIONS)),
        STEPS.index(_known("number of steps", steps, STEPS)),
    )
    power = next((each for each in POWERS if task in each.tasks and _reaches(model, each)), None)
    if power is not None:
        return Verdict(YES, (power.why,))
    limit = next((each for each in LIMITS if _covers(model, each)), None)
    if limit is None or not _beyond(about, limit.within):
        return Verdict(OPEN, ("no rule decides it",) if limit is None else (limit.why,))
    if limit.within == "AC0":
        hard = f"parity, which is not in AC0, reduces to {task} (Furst, Saxe, Sipser 1984)"
        return Verdict(NO, (limit.why, hard))
    complete = f"{task} is complete for {about.complete} ({about.source})"
    return Verdict(f"{NO} unless {limit.within} = {about.complete}", (limit.why, complete))


def contradictions() -> int:
    """Pairs of rules that would say yes and no to one task: an ability beyond the limit's class.

    Checked against every rule that applies, not only the first.
    """
    return sum(
        _beyond(TASKS[task], limit.within)
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


def _known(what: str, given: str, among: tuple[str, ...]) -> str:
    if given not in among:
        raise BadInput(f"unknown {what}", seen=given, hint=", ".join(among))
    return given
