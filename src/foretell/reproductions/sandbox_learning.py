"""How transformers learn structured data: every sandbox, its formula beside its measurement.

What: Markov chains, in-context chains and n-grams, topic models, associative memories and factual
    recall: small worlds in which theory gives a number, run again, one table for all.
Definition: A cell is one sandbox (`foretell list sandboxes`). Its claims (predicted value,
    relation, tolerance, kind of evidence) are computed from formulas before it runs and kept with
    what was measured. With `--budget cpu` the essential ones, with gpu all, larger.
Example:
    >>> from foretell.protocols._asking import Budget
    >>> cells = SandboxLearning().cells(Budget.CPU)
    >>> "markov-landscape" in [cell.label for cell in cells]
    True

Known limits: Tolerances are those of each sandbox, fixed beforehand from pilot runs at these
    sizes. A row that agrees says so of this setting only.
Sources: the tutorial Sandbox for the Blackbox, part II, and the papers that each sandbox names
"""

from __future__ import annotations

from typing import final

from foretell.reproductions._sandboxed import Sandboxes


@final
class SandboxLearning(Sandboxes):
    """Part II of the tutorial."""

    name = "sandbox-learning"
    part = "learning"
    title = "Sandboxes: how transformers learn structured data"
    source = "the tutorial Sandbox for the Blackbox, part II"
