"""What to train on templates and how long, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from foretell.core.architecture import Architecture
from foretell.models.symbols import StringShape
from foretell.plain.canonical import content_hash
from foretell.plain.errors import BadInput
from foretell.tasks.template import TemplateTask
from foretell.templates.substituting import SymbolBlocks, symbol_blocks


@dataclass(frozen=True)
class SymbolMember:
    """One model of a fleet: its seed and learning rate."""

    seed: int
    learning_rate: float


@dataclass(frozen=True, kw_only=True)
class SymbolPlan:
    """Models of one shape, each trained on its own fixed sample of strings.

    After every `segment` steps a model is looked at with strings of held-out symbols; what it is
    worth is the look with the smallest validation loss. It stops early once that loss has been
    below `tiny` at `patience` looks in a row.
    """

    architecture: Architecture
    task: TemplateTask
    members: tuple[SymbolMember, ...]
    samples: int
    symbols: int  # training takes from
    steps: int
    check_every: int
    tiny: float
    held_out: int = 100  # strings each for validation and tests; as many symbols, others for each
    batch: int = 1_024
    patience: int = 5
    segment: int = 10

    def __post_init__(self) -> None:
        if not self.members:
            raise BadInput("a plan needs members")
        for name in ("samples", "symbols", "steps", "check_every", "held_out", "batch", "segment"):
            if getattr(self, name) < 1:
                raise BadInput(
                    f"training needs at least 1 for {name.replace('_', ' ')}",
                    seen=getattr(self, name),
                )
        if self.check_every % self.segment or self.steps % self.segment:
            raise BadInput(
                "steps, checks and segments do not fit",
                seen=f"steps {self.steps}, check every {self.check_every}, segment {self.segment}",
                why="steps and the check interval must be multiples of the segment",
            )
        if not self.tiny >= 0 or self.patience < 1:
            raise BadInput(
                "a tiny loss is not below 0, and patience is 1 or more",
                seen=f"{self.tiny:g}, {self.patience}",
            )

    @property
    def blocks(self) -> SymbolBlocks:
        """The symbols for training, validation and tests, all different."""
        templates = self.task.templates
        declared = None if templates.symbols is not None else self.symbols
        return symbol_blocks(templates, declared, max(self.held_out, templates.most_wildcards))

    @property
    def shape(self) -> StringShape:
        """What decides the arrays of a model; every symbol of every block has an embedding."""
        templates, tokens = self.task.templates, self.blocks.tokens
        outputs = 1 if templates.is_real else tokens
        return StringShape(self.architecture, tokens, templates.longest, outputs)

    @property
    def per_epoch(self) -> int:
        """Steps until every string was seen once."""
        return -(-self.samples // self.batch)

    def as_json(self) -> dict[str, Any]:
        """Everything that decides the outcome of the run."""
        return {**self._alike(), "members": [vars(member) for member in self.members]}

    def _alike(self) -> dict[str, Any]:
        return {
            "architecture": self.architecture.as_json(),
            "task": self.task.as_json(),
            "samples": self.samples,
            "symbols": self.symbols,
            "steps": self.steps,
            "check_every": self.check_every,
            "tiny": self.tiny,
            "held_out": self.held_out,
            "batch": self.batch,
            "patience": self.patience,
            "segment": self.segment,
        }

    @property
    def hash(self) -> str:
        """Content hash: names the run in the store."""
        return content_hash(self.as_json())

    @property
    def kind(self) -> str:
        """The same for plans that one compiled program can train together."""
        return content_hash(self._alike())
