"""What to train on templates and how long, as one frozen value."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from foretell.core.architecture import Architecture
from foretell.models.symbols import StringShape
from foretell.plain.canonical import content_hash
from foretell.plain.errors import BadInput
from foretell.templates.substituting import SymbolBlocks, symbol_blocks
from foretell.templates.template_set import TemplateSet


@dataclass(frozen=True)
class SymbolMember:
    """One model of a fleet: its seed, and what it learns from, how fast and how long."""

    seed: int
    learning_rate: float
    samples: int
    symbols: int  # training takes from
    steps: int

    def __post_init__(self) -> None:
        _at_least_one(samples=self.samples, symbols=self.symbols, steps=self.steps)


@dataclass(frozen=True, kw_only=True)
class SymbolPlan:
    """Models of one kind, each trained on its own fixed sample of strings.

    After every `segment` steps a model is looked at with strings of held-out symbols; what it is
    worth is the look with the smallest validation loss. It stops early once that loss has been
    below `tiny` at `patience` looks in a row.

    Members may have different numbers of samples and symbols: their arrays are as large as the
    largest needs, and what is beyond a member's own does not change it.
    """

    architecture: Architecture
    templates: TemplateSet
    members: tuple[SymbolMember, ...]
    check_every: int
    tiny: float
    held_out: int = 100  # strings each for validation and tests; as many symbols, others for each
    batch: int = 1_024
    patience: int = 5
    segment: int = 10

    def __post_init__(self) -> None:
        if not self.members:
            raise BadInput("a plan needs members")
        _at_least_one(
            check_every=self.check_every,
            held_out=self.held_out,
            batch=self.batch,
            segment=self.segment,
        )
        steps = sorted({member.steps for member in self.members})
        if any(count % self.segment for count in (*steps, self.check_every)):
            raise BadInput(
                "steps, checks and segments do not fit",
                seen=f"steps {steps}, check every {self.check_every}, segment {self.segment}",
                why="steps and the check interval must be multiples of the segment",
            )
        if not self.tiny >= 0 or self.patience < 1:
            raise BadInput(
                "a tiny loss is not below 0, and patience is 1 or more",
                seen=f"{self.tiny:g}, {self.patience}",
            )
        if len({member.samples > self.batch for member in self.members}) > 1:
            raise BadInput(
                "members that see all their strings at every step train apart from the others",
                seen=f"{sorted({member.samples for member in self.members})} strings",
                why=f"a batch has {self.batch}",
            )

    @property
    def steps(self) -> int:
        """Of the member that takes most."""
        return max(member.steps for member in self.members)

    @property
    def rows(self) -> int:
        """Strings that there is room for: those of the member that has most."""
        return max(member.samples for member in self.members)

    @property
    def in_batches(self) -> bool:
        """Is a step taken on some of the strings only?"""
        return self.rows > self.batch

    def blocks(self, member: SymbolMember) -> SymbolBlocks:
        """A member's symbols for training, validation and tests, all different."""
        templates = self.templates
        declared = None if templates.symbols is not None else member.symbols
        return symbol_blocks(templates, declared, max(self.held_out, templates.most_wildcards))

    @property
    def shape(self) -> StringShape:
        """What decides the arrays of a model; every symbol of every block has an embedding."""
        largest = max(self.members, key=lambda member: member.symbols)
        tokens = self.blocks(largest).tokens
        outputs = 1 if self.templates.is_real else tokens
        return StringShape(self.architecture, tokens, self.templates.longest, outputs)

    @property
    def work(self) -> float:
        """Operations of all steps, about: forward and twice as much backward."""
        return 6.0 * self._places * self.shape.weights * sum(each.steps for each in self.members)

    @property
    def bytes_each(self) -> float:
        """Memory of one member in training, about: weights, what Adam keeps, activations."""
        shape = self.shape
        kept = 6 * (shape.weights + shape.table)  # gradients, two moments, and what was before
        strings = min(self.rows, self.batch)
        return 4.0 * (kept + self._places * shape.activations + 3 * strings * shape.outputs)

    @property
    def _places(self) -> int:
        return min(self.rows, self.batch) * self.architecture.context

    def as_json(self) -> dict[str, Any]:
        """Everything that decides the outcome of the run."""
        return {**self._alike(), "members": [asdict(member) for member in self.members]}

    def _alike(self) -> dict[str, Any]:
        return {
            "architecture": self.architecture.as_json(),
            "templates": self.templates.as_json(),
            "check_every": self.check_every,
            "tiny": self.tiny,
            "held_out": self.held_out,
            "batch": self.batch,
            "in_batches": self.in_batches,
            "patience": self.patience,
            "segment": self.segment,
            "tables": "a key a row",  # how they are drawn: runs of another way are other runs
        }

    @property
    def hash(self) -> str:
        """Content hash: names the run in the store."""
        return content_hash(self.as_json())

    @property
    def kind(self) -> str:
        """The same for plans that one compiled program can train together."""
        return content_hash(self._alike())


def _at_least_one(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 1:
            raise BadInput(f"training needs at least 1 for {name.replace('_', ' ')}", seen=number)
