"""What sequence models can represent, and where attention glitches: theory beside each run.

What: Automata and how deep a transformer must be for them, bits that a state can hold, induction
    heads in one layer and in two, recurrent models beside attention, circuits by chain of thought,
    parity's notion of size, RASP-L and flip-flops: constructions, bounds and trained models.
Definition: A cell is one sandbox (`foretell list sandboxes`). Its claims (predicted value,
    relation, tolerance, kind of evidence) are computed from formulas before it runs and kept with
    what was measured. With `--budget cpu` the essential ones, with gpu all, larger.
Example:
    >>> from foretell.protocols._asking import Budget
    >>> cells = SandboxRepresentation().cells(Budget.CPU)
    >>> "automata-algebra" in [cell.label for cell in cells]
    True

Known limits: Lower bounds are statements about all sizes, most of them conditional; a run at one
    size can contradict a construction, never such a bound.
Sources: the tutorial Sandbox for the Blackbox, parts I and III, and the papers that each names
"""

from __future__ import annotations

from typing import final

from foretell.reproductions._sandboxed import Sandboxes


@final
class SandboxRepresentation(Sandboxes):
    """Parts I and III of the tutorial."""

    name = "sandbox-representation"
    part = "representation"
    title = "Sandboxes: what sequence models represent, and where attention glitches"
    source = "the tutorial Sandbox for the Blackbox, parts I and III"
