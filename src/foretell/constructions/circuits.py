"""Boolean circuits as values: gates in an order in which each has its inputs before it."""

from __future__ import annotations

import graphlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Int

from foretell.plain.errors import BadInput

KINDS = {"NAND": 2, "XOR": 2, "MAJ3": 3}  # how many inputs each reads


class Gate(NamedTuple):
    """What it computes, and of which values: inputs first, then gates, numbered from 0."""

    kind: str
    sources: tuple[int, ...]


@final
@dataclass(frozen=True)
class Circuit:
    """Inputs and gates; the last gates are its outputs.

    >>> Circuit(2, (Gate("XOR", (0, 1)), Gate("NAND", (0, 2)))).answers(np.array([[1, 0], [0, 1]]))
    array([[1, 0],
           [1, 1]])
    """

    inputs: int
    gates: tuple[Gate, ...]

    def __post_init__(self) -> None:
        for number, gate in enumerate(self.gates, start=self.inputs):
            name = f"gate {number - self.inputs}, {gate.kind}"
            _require_kind(name, gate.kind, len(gate.sources))
            for source in gate.sources:
                if not 0 <= source < number:
                    raise BadInput(
                        f"{name} reads a value that is not there yet",
                        seen=f"value {source}",
                        why=f"there are {self.inputs} inputs, and gates read only earlier gates",
                        hint="`sorted_circuit` puts named gates into an order, if there is one",
                    )

    def answers(self, words: Int[np.ndarray, "batch bit"]) -> Int[np.ndarray, "batch size"]:
        """What each gate says, gate by gate: the plain oracle."""
        if words.shape[1] != self.inputs:
            raise BadInput("a bit for every input", seen=words.shape[1], why=f"not {self.inputs}")
        values = list(words.T)
        for gate in self.gates:
            ones = sum(values[source] for source in gate.sources)
            said = {"NAND": ones < 2, "XOR": ones == 1, "MAJ3": ones >= 2}[gate.kind]
            values.append(said.astype(int))
        return np.stack(values[self.inputs :], axis=1)


def sorted_circuit(
    inputs: Sequence[str], gates: Mapping[str, tuple[str, Sequence[str]]]
) -> tuple[Circuit, dict[str, int]]:
    """From gates by name, in any order; also the number of every value.

    >>> circuit, numbers = sorted_circuit(["x", "y"], {"b": ("NAND", ["a", "x"]),
    ...                                                "a": ("XOR", ["x", "y"])})
    >>> circuit.gates
    (Gate(kind='XOR', sources=(0, 1)), Gate(kind='NAND', sources=(2, 0)))
    """
    for name, (kind, sources) in gates.items():
        _require_kind(f"gate {name!r}", kind, len(sources))
        missing = [source for source in sources if source not in gates and source not in inputs]
        if missing:
            raise BadInput(
                f"gate {name!r} reads an input that is missing",
                seen=", ".join(map(repr, missing)),
                why="it is neither an input of the circuit nor a gate",
                hint=f"inputs are {', '.join(inputs)}",
            )
    graph = {
        name: [each for each in sources if each in gates] for name, (_, sources) in gates.items()
    }
    try:
        order = list(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError as cycle:
        raise BadInput(
            "the circuit has a cycle",
            seen=" → ".join(cycle.args[1]),
            why="a gate would have to know its own answer first",
        ) from cycle
    numbers = {name: place for place, name in enumerate((*inputs, *order))}
    made = tuple(
        Gate(gates[name][0], tuple(numbers[each] for each in gates[name][1])) for name in order
    )
    return Circuit(len(inputs), made), numbers


def random_circuit(inputs: int, gates: int, seed: int) -> Circuit:
    """Gates of random kinds that read random earlier values."""
    if inputs < 1 or gates < 1:
        raise BadInput("no such circuit", seen=f"{inputs} inputs, {gates} gates", hint="at least 1")
    drawn, kinds = np.random.default_rng(seed), list(KINDS)
    made = []
    for number in range(inputs, inputs + gates):
        kind = kinds[int(drawn.integers(len(kinds)))]
        made.append(Gate(kind, tuple(drawn.integers(0, number, KINDS[kind]).tolist())))
    return Circuit(inputs, tuple(made))


def rewired(circuit: Circuit, seed: int) -> Circuit:
    """The same circuit with the inputs of every gate in another order: all kinds are symmetric."""
    drawn = np.random.default_rng(seed)
    gates = (
        Gate(gate.kind, tuple(drawn.permutation(gate.sources).tolist())) for gate in circuit.gates
    )
    return Circuit(circuit.inputs, tuple(gates))


def _require_kind(name: str, kind: str, sources: int) -> None:
    if kind not in KINDS:
        raise BadInput(f"{name} is of no known kind", seen=kind, hint=", ".join(KINDS))
    if sources != KINDS[kind]:
        raise BadInput(
            f"{name} has a wrong number of inputs", seen=sources, why=f"{kind} reads {KINDS[kind]}"
        )
