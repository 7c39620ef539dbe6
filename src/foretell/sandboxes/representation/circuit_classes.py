"""Which tasks a transformer can represent at every length, by circuit classes.

What: A transformer of constant depth is a circuit of constant depth, with gates that its precision
    allows: AND and OR of many inputs with constant precision, threshold gates with log n bits.
    Tasks that need deeper circuits are then out of reach, for certain or unless two classes that
    are believed different are the same. More layers, or steps of thought written down, lift the
    limit. A table of rules, most of them theorems of papers, gives a verdict for a task and a
    model, with the rules that lead to it.
Definition: AC0 ⊂ TC0 ⊆ NC1 ⊆ L ⊆ NL ⊆ AC1 ⊆ TC1 ⊆ P. Limits: constant depth is within AC0 with
    constant precision and within TC0 with log n bits, and log n steps of thought change nothing;
    log n layers are within TC1. Powers: a uniform head counts, log n layers compose pairwise or
    double paths, T steps of thought simulate a circuit of T gates, and polynomially many are P.
    Beyond AC0 is certain: parity is not in AC0, and parity reduces to every other task of the
    table but AND and OR. Beyond TC0 is conditional: the product of permutations of five is
    complete for NC1 (the group does not dissolve: its commutators generate a subgroup of 60 that
    is its own commutator subgroup), paths for L and NL, circuit value for P. A circuit of size s
    and depth d has an average sensitivity of at most (log s)^(d-1) up to a constant; parity has n,
    majority n·C(n-1, (n-1)/2)/2^(n-1), about √(2n/π), and AND n/2^(n-1).
Example:
    >>> verdict = circuit_verdict("s5-word", "constant", "logarithmic", "none")
    >>> verdict.answer
    'not representable unless TC0 = NC1'
    >>> for rule in verdict.chain:
    ...     print(rule)
    constant depth, log precision: uniform TC0 (Merrill, Sabharwal 2022)
    s5-word is complete for NC1 (Barrington 1989)
    >>> verdict.caveat
    'asymptotic: it is about all lengths from some on; small instances may be representable'

Known limits: Verdicts are asymptotic: a model of fixed size may do every instance that anyone
    tries. Most negative ones are conditional, and say on what. Representable means that weights
    exist, for some rules other weights at every length or a padded input; training may not find
    them. The rules are a selection; where none decides, the verdict is unknown, also where a paper
    may know. Theorems are cited as recalled, the papers were not read again; that log n layers
    multiply n permutations of n points, and that one lookup a step does it in n steps, are
    arguments of ours. What is measured is the ground under the rules (reductions, sensitivities,
    the group), and that the rules do not contradict each other.
Sources: The parallelism tradeoff (Merrill, Sabharwal, 2022); Chain of thought empowers
    transformers to solve inherently serial problems (Li and others, 2024); The expressive power of
    transformers with chain of thought, and A little depth goes a long way (Merrill, Sabharwal,
    2024, 2025); Transformers learn shortcuts to automata (Liu and others, 2023); the tutorial
    Sandbox for the Blackbox, part I
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any, final

import numpy as np
from jaxtyping import Bool

from foretell.constructions.flat_error import all_inputs
from foretell.languages.algebra.groups import derived
from foretell.languages.algebra.monoid import generate
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.circuit_rules import (
    DEPTHS,
    PRECISIONS,
    STEPS,
    TASKS,
    circuit_verdict,
    contradictions,
)
from foretell.worlds.parity_reductions import REDUCTIONS

GROUPS = {4: (24, 1), 5: (120, 60)}  # points: order of all permutations, and of what is left
LEAST_FIRST = "average sensitivity, least first"


@final
class CircuitClasses(Sandbox):
    """All verdicts, and what the rules stand on, enumerated."""

    name = "circuit-classes"
    title = "Circuit classes: depth, precision and steps of thought"
    lesson = (
        "For every task and model: can it be represented at every length? Columns are models, by "
        "depth, precision and steps of thought. On the right, what sets parity and majority apart "
        "from AND: how many single bits change the answer."
    )
    caveat = "It shows what holds for long enough inputs; it does not show where long begins."
    essential = False

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Exact and quick at every budget."""
        small = budget is Budget.SMOKE
        return {
            "bits": 5 if small else 9,
            "sensitivity": [3, 5] if small else [3, 5, 7, 9, 11],
            "points": [4] if small else [4, 5],
        }

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse what does not go together."""
        if unknown := [points for points in settings["points"] if points not in GROUPS]:
            raise BadInput("no group of so many points", seen=unknown, why=f"of {[*GROUPS]}")
        for bits in settings["sensitivity"]:
            formulas(bits)

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Closed forms, and that nothing is wrong where the rules need it."""
        most = settings["sensitivity"][-1]
        return (
            Claim("rules that contradict each other", 0.0, evidence="derived"),
            *(Claim(_reduced(task), 0.0) for task in _hard()),
            *(
                Claim(_sensitivity(task, most), value, "=", 1e-9, "derived")
                for task, value in formulas(most).items()
            ),
            Claim(LEAST_FIRST, ("and-or", "majority", "parity"), "order", 0.0, "derived"),
            *(Claim(_left(points), float(GROUPS[points][1])) for points in settings["points"]),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Every verdict, every word, every commutator."""
        words = all_inputs(settings["bits"])
        odd = words.sum(axis=1) % 2 == 1
        values: dict[str, Any] = {"rules that contradict each other": float(contradictions())}
        for task in _hard():
            values[_reduced(task)] = float(np.sum(REDUCTIONS[task](words) != odd))
        counted = {n: enumerated(n) for n in settings["sensitivity"]}
        most = settings["sensitivity"][-1]
        values |= {_sensitivity(task, most): value for task, value in counted[most].items()}
        values[LEAST_FIRST] = tuple(sorted(counted[most], key=counted[most].__getitem__))
        values |= {_left(points): float(what_is_left(points)) for points in settings["points"]}
        sensitivity = [
            {"bits": n, "formula": formulas(n), "counted": own} for n, own in counted.items()
        ]
        return Findings(values, {"table": _table(), "sensitivity": sensitivity})


def _hard() -> list[str]:
    """Tasks that parity reduces to, parity left out."""
    return [task for task, about in TASKS.items() if about.needs_counting and task != "parity"]


def _reduced(task: str) -> str:
    return f"parity by {task}: wrong answers over all words"


def _sensitivity(task: str, bits: int) -> str:
    return f"average sensitivity of {task}, {bits} bits"


def _left(points: int) -> str:
    return f"permutations of {points}: what is left of the derived series"


def formulas(bits: int) -> dict[str, float]:
    """Average sensitivity: how many single bits change the answer, in the mean over words.

    >>> formulas(3)
    {'and-or': 0.75, 'majority': 1.5, 'parity': 3.0}
    """
    if bits < 1 or bits % 2 == 0:
        raise BadInput("a majority of an even number may be a tie", seen=bits, hint="an odd number")
    return {
        "and-or": bits / 2 ** (bits - 1),
        "majority": bits * math.comb(bits - 1, (bits - 1) // 2) / 2 ** (bits - 1),
        "parity": float(bits),
    }


def enumerated(bits: int) -> dict[str, float]:
    """The same by flipping every bit of every word."""
    words = all_inputs(bits)
    flipped = np.arange(len(words))[:, None] ^ (1 << np.arange(bits))
    ones = words.sum(axis=1)
    answers: dict[str, Bool[np.ndarray, " set"]] = {
        "and-or": ones == bits,
        "majority": 2 * ones > bits,
        "parity": ones % 2 == 1,
    }
    return {
        task: float((said[flipped] != said[:, None]).sum(axis=1).mean())
        for task, said in answers.items()
    }


def what_is_left(points: int) -> int:
    """Commutators of commutators of all permutations, until nothing more is lost: how many."""
    maps = np.array([[1, 0, *range(2, points)], [*range(1, points), 0]], np.uint8)
    order = len(generate(maps))
    while True:
        maps = derived(maps)
        smaller = len(generate(maps)) if len(maps) else 1
        if smaller in (1, order):
            return smaller
        order = smaller


def _table() -> dict[str, Any]:
    models = list(itertools.product(DEPTHS, PRECISIONS, STEPS))
    return {
        "tasks": list(TASKS),
        "models": [list(model) for model in models],
        "answers": [[circuit_verdict(task, *model).answer for model in models] for task in TASKS],
    }
