"""A chain of thought evaluates circuits gate by gate; without it, depth is all there is.

What: A transformer of constant depth is limited to shallow circuits. If it may write down what it
    has found and read it again, it can evaluate a deep circuit, one gate a step: attention fetches
    what the gate reads, the MLP applies it. Here such a transformer of two layers is written down
    once and run on circuits that it is shown in the prompt, among them sums modulo 7, iterated
    squares modulo 13 and products of permutations. Then a decoder of two layers is trained on
    products in the group of permutations of five, once with every product so far written down,
    once without.
Definition: The prompt is a 0, n bits and M descriptions of gates (NAND, XOR or MAJ3, and which
    values they read, as codes of ⌈log₂(n + M + 1)⌉ signs). At every step layer 1 attends with
    κ·⟨code of the gate whose turn it is, code described⟩, layer 2 with three heads and κ·⟨code
    pointed at, code of the value⟩; codes that differ lose at least 2κ, so that attention misses
    what it fetches by less than (length)·e^-2κ: e^-80 for κ = 40. The MLP takes the sum s of three
    bits: NAND = 1 - [s ≥ 2], XOR = [s ≥ 1] - [s ≥ 2], MAJ3 = [s ≥ 2]. After M steps all gates are
    right, in whatever order a gate lists what it reads. Trained: words of L generators (four swaps
    of neighbours and the cycle). With steps the word is followed by the L products so far;
    without, the product is asked for at every letter at once.
Example:
    >>> from foretell.constructions.circuits import sorted_circuit
    >>> gates = {"both": ("NAND", ["not", "not"]), "not": ("NAND", ["a", "b"])}
    >>> circuit, _ = sorted_circuit(["a", "b"], gates)
    >>> evaluate([circuit], np.array([[1, 1]]), math.inf).bits.tolist()
    [[0, 1]]

Known limits: That weights exist says nothing about learning them; the trained decoder is taught
    every step. Without steps it is asked at one length and one size, where a deeper or wider one
    may do better: that no constant depth is enough for long products holds only if TC0 is not NC1.
    One gate a step is much: products of permutations take one step a letter when trained, and
    dozens of gates as a circuit. The codes make this transformer's width grow with log M.
Sources: Chain of thought empowers transformers to solve inherently serial problems (Li and others,
    2024); Towards revealing the mystery behind chain of thought (Feng and others, 2023); The
    expressive power of transformers with chain of thought (Merrill, Sabharwal, 2024); the tutorial
    Sandbox for the Blackbox, part I
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Int

from foretell.constructions.circuit_tasks import SERIAL
from foretell.constructions.circuits import Circuit, Gate, random_circuit, rewired
from foretell.constructions.gate_by_gate import Prompt, Written, gate_by_gate, prompt_for, run
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.circuit_rules import circuit_verdict
from foretell.worlds.permutation_training import train_products

SHARP = {"hard": math.inf, "soft": 40.0}
ENOUGH, TOO_LITTLE, ROUNDED = 0.95, 0.5, 1e-9
IDLE = Gate("NAND", (0, 0))  # fills shorter circuits, so that all run as one program


@final
class CircuitsBySteps(Sandbox):
    """One transformer on many circuits, and two trained on products of permutations."""

    name = "circuits-by-steps"
    title = "Chain of thought: any circuit, one gate a step"
    lesson = (
        "Products of random permutations of five: with every product so far written down a decoder "
        "of two layers is right at every length, without it only for a few letters. Written down "
        "by hand, two layers evaluate every circuit with no error."
    )
    caveat = "It shows that steps can be used and learned when taught, not that a model finds them."
    essential = False

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Circuits to run, tasks as circuits, and the decoders to train."""
        small, large = budget is Budget.SMOKE, budget is Budget.GPU
        return {
            "circuits": 8 if small else 200,
            "inputs": 3 if small else 8,
            "gates": 8 if small else 64,
            "tasks": {}
            if small
            else {"modular addition": 2, "iterated squaring": 3, "permutation product": 4},
            "words": 4 if small else 32,
            "trained": {
                "points": 3 if small else 5,
                "length": 3 if small else 16 if large else 8,
                "width": 8 if small else 64,
                "heads": 2,
                "layers": 1 if small else 2,
                "batch": 4 if small else 64,
                "steps": 2 if small else 20000 if large else 1000,
                "rate": 0.003,
                "tested": 16 if small else 1024,
            },
            "seed": 0,
        }

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """No error, as many steps as gates; and what training was expected to do."""
        _require(settings)
        built = [
            claim
            for name in SHARP
            for claim in (
                Claim(f"{name} attention: wrong gates of all circuits", 0.0),
                Claim(f"{name} attention: largest distance before rounding", 0.0, "<=", ROUNDED),
            )
        ]
        tasks = [Claim(f"{task}: wrong answers", 0.0) for task in settings["tasks"]]
        length = settings["trained"]["length"]
        return (
            *built,
            Claim("gates that change if inputs are listed in another order", 0.0),
            *tasks,
            Claim(_share(length, "with steps"), ENOUGH, ">=", 0.0, "empirical"),
            Claim(_share(length, "without steps"), TOO_LITTLE, "<=", 0.0, "empirical"),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Run what is built, then train."""
        _require(settings)
        values = _circuits(settings) | _tasks(settings)
        trained = train_products(settings["trained"], settings["seed"], show)
        length = settings["trained"]["length"]
        for way, shares in trained.shares.items():
            values[_share(length, way)] = float(shares[-1])
        verdicts = [
            {
                "steps": steps,
                "answer": circuit_verdict("s5-word", "constant", "logarithmic", steps)[0],
            }
            for steps in ("none", "linear")
        ]
        return Findings(
            values,
            {"trained": trained.curves(), "verdicts": verdicts, "built": _steps_of()},
        )


def _require(settings: Mapping[str, Any]) -> None:
    for task in settings["tasks"]:
        if task not in SERIAL:
            raise BadInput("no circuit for this task", seen=task, hint=", ".join(SERIAL))
    if min(settings["circuits"], settings["inputs"], settings["gates"]) < 1:
        raise BadInput("no circuits to run", seen=dict(settings), hint="at least 1 of everything")


def _share(length: int, way: str) -> str:
    return f"trained {way}: share of products of {length} right"


def evaluate(
    circuits: Sequence[Circuit], words: Int[np.ndarray, "batch bit"], sharpness: float
) -> Written:
    """Run the transformer on each circuit with its word; all circuits have one size."""
    sizes = {(circuit.inputs, len(circuit.gates)) for circuit in circuits}
    if len(sizes) != 1:
        raise BadInput("circuits of different size do not run as one program", seen=sizes)
    values = 1 + sum(next(iter(sizes)))
    prompts = [prompt_for(*each, values) for each in zip(circuits, words, strict=True)]
    with double_precision():
        stacked = Prompt(*(jnp.asarray(np.stack(part)) for part in zip(*prompts, strict=True)))
        found = _program(values)(stacked, jnp.asarray(np.float64(sharpness)))
        return Written(*map(np.asarray, found))


@functools.cache
def _program(values: int) -> Any:
    weights = gate_by_gate(values)
    one = functools.partial(run, values, weights)
    return jax.jit(jax.vmap(one, (0, None)))


def drawn_circuits(settings: Mapping[str, Any]) -> tuple[list[Circuit], list[int]]:
    """Random circuits of random size, filled up to the largest, and how many gates are theirs."""
    drawn = np.random.default_rng(settings["seed"])
    most, inputs = settings["gates"], settings["inputs"]
    counts = drawn.integers(1, most + 1, settings["circuits"]).tolist()
    counts[0] = most
    made = [random_circuit(inputs, count, seed) for seed, count in enumerate(counts)]
    filled = [
        Circuit(inputs, (*circuit.gates, *[IDLE] * (most - count)))
        for circuit, count in zip(made, counts, strict=True)
    ]
    return filled, counts


def _circuits(settings: Mapping[str, Any]) -> dict[str, float]:
    """All circuits by both attentions, and again with their wires in another order."""
    circuits, counts = drawn_circuits(settings)
    drawn = np.random.default_rng([settings["seed"], 1])
    words = drawn.integers(0, 2, (len(circuits), settings["inputs"]))
    own = np.arange(settings["gates"]) < np.array(counts)[:, None]
    truth = np.stack(
        [each.answers(word[None])[0] for each, word in zip(circuits, words, strict=True)]
    )
    values = {}
    for name, sharpness in SHARP.items():
        found = evaluate(circuits, words, sharpness)
        wrong, distance = (found.bits != truth) & own, np.abs(found.raw - truth)
        values[f"{name} attention: wrong gates of all circuits"] = float(wrong.sum())
        values[f"{name} attention: largest distance before rounding"] = float(distance.max())
    other = [rewired(circuit, seed) for seed, circuit in enumerate(circuits)]
    changed = (
        evaluate(other, words, SHARP["soft"]).bits != evaluate(circuits, words, SHARP["soft"]).bits
    )
    values["gates that change if inputs are listed in another order"] = float(changed.sum())
    return values


def _tasks(settings: Mapping[str, Any]) -> dict[str, float]:
    """Serial tasks by soft attention, against an oracle that knows no gates."""
    values = {}
    for task, size in settings["tasks"].items():
        circuit, outputs, oracle = SERIAL[task](size)
        drawn = np.random.default_rng([settings["seed"], 2])
        words = drawn.integers(0, 2, (settings["words"], circuit.inputs))
        bits = np.asarray(evaluate([circuit] * len(words), words, SHARP["soft"]).bits)
        known = np.concatenate([words, bits], axis=1)
        wrong = (known[:, list(outputs)] != oracle(words)).any(axis=1)
        values[f"{task}: wrong answers"] = float(wrong.sum())
    return values


def _steps_of() -> dict[str, list[int]]:
    """For the figure: gates, and so steps, of each task as it gets larger."""
    return {
        task: [len(wire(size).circuit.gates) for size in range(1, 7)]
        for task, wire in SERIAL.items()
    }
