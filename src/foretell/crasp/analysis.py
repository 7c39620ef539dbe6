"""What can be read off a program without running it: fragment, depth, sizes, what is dead.

Everything is about the live operations, those some answer depends on. The fragment and the depth
are those of the program as it stands: its language may have a simpler program.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from foretell.crasp import operations as op
from foretell.crasp.core_form import operation_names
from foretell.crasp.operations import Core
from foretell.crasp.program import Program

DEPTH_RESULT = "Yang, Cadilhac & Chiang, Knee-Deep in C-RASP, 2025 (arXiv 2506.16055)"
ATOMS = (op.Letter, op.Truth, op.One)


@dataclass(frozen=True)
class Analysis:
    """A program's measurements; `layers` is None where the depth result does not apply."""

    fragment: str
    depth: int
    unbounded_depth: int
    operations: int
    atoms: int
    moduli: tuple[int, ...]
    period: int
    offsets: tuple[int, ...]
    dead_definitions: tuple[str, ...]
    dead_operations: tuple[str, ...]
    layers: int | None
    layers_reason: str

    def as_json(self) -> dict[str, Any]:
        """The same for scripts."""
        return {
            "fragment": self.fragment,
            "depth": self.depth,
            "unbounded_depth": self.unbounded_depth,
            "operations": self.operations,
            "letters_and_constants": self.atoms,
            "moduli": list(self.moduli),
            "period": self.period,
            "offsets": list(self.offsets),
            "dead_definitions": list(self.dead_definitions),
            "dead_operations": list(self.dead_operations),
            "layers": {
                "enough": self.layers,
                "reason": self.layers_reason,
                "source": DEPTH_RESULT,
            },
        }

    def lines(self) -> list[tuple[str, str]]:
        """Names and values for a two-column table."""
        depth = f"{self.depth}"
        if self.unbounded_depth != self.depth:
            depth += f" ({self.unbounded_depth} without the counts over a window)"
        found = [
            ("fragment", self.fragment),
            ("counting depth", depth),
            ("operations", f"{self.operations}, and {self.atoms} letters and constants"),
            (
                "periods",
                _listed(self.moduli) + (f"; all together {self.period}" * bool(self.moduli)),
            ),
            ("window offsets", _listed(self.offsets)),
            ("unused definitions", ", ".join(self.dead_definitions) or "none"),
            ("unused operations", str(len(self.dead_operations) or "none")),
        ]
        layers = "not known" if self.layers is None else str(self.layers)
        return [*found, ("layers", f"{layers}: {self.layers_reason}")]


def analyse(program: Program | Core) -> Analysis:
    """Measure a program.

    >>> found = analyse(Program.parse("alphabet a b\\naccept(i) := #[j <= i] Q_a(j) >= 2"))
    >>> found.fragment, found.depth, found.layers
    ('C-RASP[∅]', 1, 1)
    """
    core = program.core if isinstance(program, Program) else program
    live = [operation for _, operation in op.walk(core)]
    periodic = [item for item in live if isinstance(item, op.Periodic) and item.varies]
    moduli = tuple(sorted({item.modulus for item in periodic}))
    windows = [item.offsets for item in live if isinstance(item, op.Count) and item.offsets]
    offsets = tuple(sorted({offset for window in windows for offset in window}))
    atoms = sum(isinstance(item, ATOMS) for item in live)
    layers, reason = _layers(counting_depth(core), core.relations)
    names = operation_names(core)
    return Analysis(
        fragment=core.fragment,
        depth=counting_depth(core),
        unbounded_depth=counting_depth(core, local=False),
        operations=len(live) - atoms,
        atoms=atoms,
        moduli=moduli,
        period=math.lcm(*moduli),
        offsets=offsets,
        dead_definitions=_dead_definitions(core),
        dead_operations=tuple(name for place, name in enumerate(names) if place not in core.live),
        layers=layers,
        layers_reason=reason,
    )


def counting_depth(core: Core, local: bool = True) -> int:
    """How deeply counts are nested below the outputs; without `local`, windows do not add to it."""
    depths: list[int] = []
    for operation in core.operations:
        below = max((depths[operand] for operand in operation.operands), default=0)
        counts = isinstance(operation, op.Count) and (local or operation.offsets is None)
        depths.append(below + counts)
    return max((depths[place] for place in core.outputs), default=0)


def _dead_definitions(core: Core) -> tuple[str, ...]:
    """Names no output depends on; a macro is dead when none of its expansions is used."""
    live: set[str] = set()
    dead: dict[str, None] = {}  # in order
    for name, place in core.names:
        base = name.partition("[")[0]
        if place in core.live:
            live.add(base)
        else:
            dead[base] = None
    return tuple(name for name in dead if name not in live)


def _layers(depth: int, used: tuple[str, ...]) -> tuple[int | None, str]:
    if used:
        return None, (
            "transformers that round to fixed precision outside attention match C-RASP of the same "
            f"counting depth only without positional relations, and this program is {used[0]}"
            + (f" and {used[1]}" if used[1:] else "")
        )
    few = {0: "no layer is needed", 1: "1 layer is enough"}
    enough = few.get(depth, f"{depth} layers are enough")
    return depth, (
        "transformers that round to fixed precision outside attention, without positional "
        "encodings, recognise with k layers exactly what C-RASP of counting depth k defines, so "
        f"{enough} for this language; another program of it may be shallower"
    )


def _listed(numbers: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, numbers[:12])) + (", …" if len(numbers) > 12 else "")
    return shown or "none"
