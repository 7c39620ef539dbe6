"""How many layers an automaton needs, from the groups inside its transformation semigroup.

What: An automaton reads letters and moves between states; to simulate it is to say the state after
    every letter. A recurrent network does that in as many steps as there are letters. How many
    layers must a transformer have, which reads all T letters at once? Every letter is a map from
    states to states and a word is the composition of its letters, so the question is how fast maps
    can be composed. Algebra answers it, up to constants. If the letters commute only their numbers
    matter, and one layer of uniform attention counts them. If the groups among the maps are
    solvable, or trivial, the automaton falls apart into counters and one-bit memories stacked a
    fixed number deep. If one group is not solvable it does not, and depth must grow with T, unless
    two classes of circuits that are thought to differ are the same.
Definition: The semigroup S of an automaton (Q, Σ, δ) is the closure of the maps q ↦ δ(q, σ) under
    composition. An idempotent e of S is a map with ee = e; the units of eSe are a group, the
    maximal group at e. A group G is solvable if G ⊇ [G, G] ⊇ … ends in one element; the number of
    steps is its derived length. Four rungs, with their bounds: commutative letters, O(1) layers;
    aperiodic (all groups trivial) and solvable, O(|Q|² log |Q|) layers for every T; non-solvable,
    O(log T) layers, and no constant number at logarithmic precision unless TC⁰ = NC¹. Sizes have
    closed forms: n for a counter modulo n, n! and n!/2 for permutations and even permutations, 2n
    for a polygon, n + 2² + … + (n-1)² for a corridor of n places, 1 + 2² + … + (d+1)² for brackets
    nested d deep. The run closes the letters' maps and computes idempotents, groups and series.
Example:
    >>> from foretell.languages.algebra.depth import depth_class
    >>> from foretell.worlds.automata import automaton
    >>> found = depth_class(automaton("symmetric-5"))
    >>> found.rung, found.size, found.series, found.upper
    ('non-solvable', 120, ((120, 60, 60),), 'O(log T) layers')
    >>> depth_class(automaton("gridworld-5")).size == expected("gridworld-5").size == 34
    True

Known limits: These are bounds and never the least depth: an upper bound by construction (see
    `scan-transformer` for the one of log T layers) and a lower bound that is conditional and
    asymptotic, so that short words may be within reach of few layers. A corridor is aperiodic and
    not commutative, and yet two layers are said to be enough for it, so the rungs are not the last
    word. That TC⁰ differs from NC¹ rules out a constant depth; it does not by itself prove that
    log T layers are needed. Nothing here says what training finds. Semigroups are closed up to
    20,000 elements.
Sources: Transformers Learn Shortcuts to Automata (Liu, Ash, Goel, Krishnamurthy and Zhang, 2023);
    Algebraic theory of machines (Krohn and Rhodes, 1965); Bounded-width polynomial-size branching
    programs (Barrington, 1989); the tutorial Sandbox for the Blackbox, part I
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, final

import numpy as np

from foretell.languages.algebra.depth import RUNGS, DepthClass, Rung, depth_class
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show, Value
from foretell.worlds.automata import BUILT_IN, automaton, family_of, relabelled

# Numbers of each family whose sizes are compared with the formula.
SWEEPS = {
    "mod": [2, 12],
    "gridworld": [2, 9],
    "brackets": [1, 7],
    "dihedral": [3, 9],
    "symmetric": [2, 6],
    "alternating": [3, 6],
}


class Expected(NamedTuple):
    """What theory says of a named automaton: no closure is computed."""

    rung: Rung
    size: int
    last_order: int  # where the derived series of its largest group stays
    derived_length: int | None


@final
class AutomataAlgebra(Sandbox):
    """Semigroups by closure, groups by idempotent, series by commutators."""

    name = "automata-algebra"
    title = "Which automata can a shallow transformer simulate?"
    lesson = (
        "Automata sorted by the groups among the maps that words make of the states. The higher "
        "the rung, the more layers: counting is enough at the bottom, depth must grow with the "
        "length at the top."
    )
    caveat = (
        "Upper bounds and a conditional, asymptotic lower bound: nowhere the least depth, and "
        "nothing about training."
    )

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Exact integers: budgets differ in how many automata and relabellings are looked at."""
        if budget is Budget.SMOKE:
            names, sweeps = ["parity", "flip-flop", "symmetric-5"], {"gridworld": [2, 4]}
            return {"automata": names, "sweeps": sweeps, "relabellings": 1, "seed": 0}
        more = ["symmetric-6", "alternating-7"] if budget is Budget.GPU else []
        names = [*BUILT_IN, *more]
        return {"automata": names, "sweeps": SWEEPS, "relabellings": 20, "seed": 0}

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Closed forms for sizes; the theory of groups for series and rungs."""
        found = []
        for name in settings["automata"]:
            theory = expected(name)
            found += [
                Claim(f"{name}: size of the semigroup", float(theory.size), evidence="derived"),
                Claim(f"{name}: order where the derived series ends", float(theory.last_order)),
            ]
            if theory.derived_length is not None:
                found.append(Claim(f"{name}: derived length", float(theory.derived_length)))
        for rung in RUNGS:
            names = tuple(name for name in settings["automata"] if expected(name).rung == rung)
            found.append(Claim(f"{rung}: which automata", names, "order"))
        for family, (low, high) in settings["sweeps"].items():
            quantity = f"{family}-{low} to {family}-{high}: sizes unlike the formula"
            found.append(Claim(quantity, 0.0, evidence="derived"))
        found.append(Claim("share of relabelled automata with the same answer", 1.0))
        return tuple(found)

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Close every semigroup and take it apart."""
        found = {name: depth_class(automaton(name)) for name in settings["automata"]}
        values: dict[str, Value] = {}
        for name, one in found.items():
            largest = one.series[0]
            values[f"{name}: size of the semigroup"] = float(one.size)
            values[f"{name}: order where the derived series ends"] = float(largest[-1])
            values[f"{name}: derived length"] = float(
                math.nan if one.derived_length is None else one.derived_length
            )
        for rung in RUNGS:
            names = tuple(name for name, one in found.items() if one.rung == rung)
            values[f"{rung}: which automata"] = names
        sweeps = {}
        for family, (low, high) in settings["sweeps"].items():
            numbers = range(low, high + 1)
            sizes = [depth_class(automaton(f"{family}-{number}")).size for number in numbers]
            formula = [expected(f"{family}-{number}").size for number in numbers]
            wrong = float(np.sum(np.array(sizes) != formula))
            values[f"{family}-{low} to {family}-{high}: sizes unlike the formula"] = wrong
            sweeps[family] = {"numbers": list(numbers), "sizes": sizes, "formula": formula}
        values["share of relabelled automata with the same answer"] = _unmoved(found, settings)
        rows = [
            {"name": name, **one.as_json(), "formula": expected(name).size}
            for name, one in found.items()
        ]
        return Findings(values, {"automata": rows, "sweeps": sweeps})


def expected(name: str) -> Expected:
    """Size, rung and derived series of a named automaton, from formulas.

    >>> expected("symmetric-4"), expected("brackets-3").size
    (Expected(rung='solvable', size=24, last_order=1, derived_length=3), 30)
    """
    family, number = family_of(name)
    if family == "mod":
        return Expected("commutative", number, 1, 1)
    if family == "flip-flop":
        return Expected("aperiodic", 3, 1, 0)
    if family == "gridworld":
        return Expected("aperiodic", number + squares(number - 1), 1, 0)
    if family == "brackets":
        return Expected("aperiodic", 1 + squares(number + 1), 1, 0)
    if family == "dihedral":
        return Expected("solvable", 2 * number, 1, 2)
    return _permutations(number, even=family == "alternating")


def squares(last: int) -> int:
    """2² + 3² + … + last²: a map of a corridor is a pair of intervals of equal length."""
    return sum(side * side for side in range(2, last + 1))


def _permutations(points: int, *, even: bool) -> Expected:
    """The alternating group is its own commutator subgroup from five points on."""
    size = math.factorial(points) // (2 if even else 1)
    if points >= 5:
        return Expected("non-solvable", size, math.factorial(points) // 2, None)
    length = points - 1 - even  # 4 points: S4 ⊃ A4 ⊃ V4 ⊃ 1
    return Expected("commutative" if length == 1 else "solvable", size, 1, length)


def _unmoved(found: Mapping[str, DepthClass], settings: Mapping[str, Any]) -> float:
    """States called otherwise: every integer must stay what it was."""
    draw = np.random.default_rng(settings["seed"])
    same = [
        depth_class(relabelled(automaton(name), draw.permutation(one.states))) == one
        for name, one in found.items()
        for _ in range(settings["relabellings"])
    ]
    return float(np.mean(same))
