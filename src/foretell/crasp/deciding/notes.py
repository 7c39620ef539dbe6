"""What the names in a program that was written out stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from foretell.crasp.deciding.certificates import PotentialCertificate
from foretell.crasp.deciding.configurations import Node
from foretell.crasp.deciding.evidence import configurations_of
from foretell.crasp.deciding.synthesis import Synthesis


@final
@dataclass(frozen=True)
class StageNote:
    """A stage: states of the automaton in front of which a word may stand, and heights there.

    A place is a state, the position modulo the period, and the window (with whether it is full).
    """

    name: str
    places: tuple[tuple[int, int, bool, tuple[str, ...]], ...]
    heights: dict[str, tuple[int, ...]]  # by name, at each place


def stage_notes(certificate: PotentialCertificate) -> list[StageNote]:
    """The stages of the certificate's program, found again by writing it again."""
    found = configurations_of(certificate)
    machine = found.machine
    writing = Synthesis(found)
    writing.program()

    def place(node: Node) -> tuple[int, int, bool, tuple[str, ...]]:
        state = machine.representatives[node.block]
        return state, node.residue, node.full, machine.spell(node.window)

    return [
        StageNote(
            item.name,
            tuple(place(found.nodes[node]) for node in item.stage.nodes),
            {
                name: tuple(heights[node] for node in item.stage.nodes)
                for name, heights in item.heights.items()
            },
        )
        for item in writing.written
    ]
