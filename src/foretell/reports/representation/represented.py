"""What models can represent of a problem: verdicts by circuit class, or least sizes.

This file needs no JAX, so that the problems known by name are answered at once; regular languages
come in through `represent.py`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

from foretell.plain.errors import BadInput
from foretell.worlds import circuit_rules, problem_sizes
from foretell.worlds.circuit_rules import CAVEAT, DEPTHS, PRECISIONS, STEPS, Verdict
from foretell.worlds.problem_cuts import CASES, Asked
from foretell.worlds.problem_sizes import Bound
from foretell.worlds.problems import PROBLEMS, Problem

if TYPE_CHECKING:
    from foretell.worlds.regular_circuits import Placed

EXISTS = (
    "Representable means that weights exist, for some rules other weights at every length; "
    "training may not find them."
)
AT_LEAST = "Bounds say what is excluded; they do not say that more width is enough."
OF_MODELS = ("depth", "precision", "steps")
OF_SIZES = ("length", "bits", "heads", "width")


@final
@dataclass(frozen=True)
class Options:
    """What was asked for; None is everything, or the usual value."""

    depth: str | None = None
    precision: str | None = None
    steps: str | None = None
    length: int | None = None
    bits: int | None = None
    heads: int | None = None
    width: int | None = None
    accuracy: float | None = None
    symbols: int | None = None
    alphabet: str | None = None

    def given(self) -> dict[str, Any]:
        """Those that were asked for."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    def allow(self, names: Sequence[str], about: str) -> None:
        """Refuse what would mean nothing."""
        for name in self.given():
            if name not in names:
                raise BadInput(
                    "an option means nothing here",
                    seen=f"--{name}",
                    why=about,
                    hint=", ".join(f"--{each}" for each in names),
                )


@final
@dataclass(frozen=True)
class Model:
    """One kind of transformer: how its depth, its precision and its steps grow with the length."""

    depth: str
    precision: str
    steps: str


@final
@dataclass(frozen=True)
class Verdicts:
    """A verdict for every model asked about; for a regular language, what put it in its row."""

    name: str
    about: str
    row: str
    models: tuple[Model, ...]
    placed: Placed | None = None

    @cached_property
    def verdicts(self) -> dict[Model, Verdict]:
        """By model."""
        return {
            model: circuit_rules.circuit_verdict(
                self.row, model.depth, model.precision, model.steps, self.name
            )
            for model in self.models
        }

    @cached_property
    def rules(self) -> dict[str, str]:
        """Every rule that some verdict rests on, once, with its evidence."""
        found: dict[str, str] = {}
        for verdict in self.verdicts.values():
            found |= dict(zip(verdict.chain, verdict.evidence, strict=True))
        return found

    @property
    def problem(self) -> Problem | None:
        """The row of the catalogue, if it is known by name."""
        return PROBLEMS.get(self.name) if self.placed is None else None

    def as_json(self) -> dict[str, Any]:
        """The form of `foretell represent --json`."""
        certificate = None if self.placed is None else self.placed.as_json()
        return {
            "what": self.name,
            "about": self.about,
            "row": self.row,
            "verdicts": [
                {
                    **vars(model),
                    "answer": verdict.answer,
                    "condition": condition(verdict),
                    "strength": verdict.strength,
                    "chain": [
                        {"rule": rule, "evidence": evidence}
                        for rule, evidence in zip(verdict.chain, verdict.evidence, strict=True)
                    ],
                }
                for model, verdict in self.verdicts.items()
            ],
            "caveat": f"{CAVEAT}. {EXISTS}",
            "state_bits": None if self.placed is None else self.placed.state_bits,
            "certificate": certificate,
        }


@final
@dataclass(frozen=True)
class Sizes:
    """The least size of every kind of model, at one length and over lengths."""

    asked: Asked

    @property
    def name(self) -> str:
        """Of the problem."""
        return self.asked.problem

    @property
    def problem(self) -> Problem:
        """Its row of the catalogue."""
        return PROBLEMS[self.name]

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """By kind of model."""
        return problem_sizes.bounds(self.asked)

    @cached_property
    def growth(self) -> tuple[tuple[int, tuple[Bound, ...]], ...]:
        """The same at lengths that double."""
        return problem_sizes.growth(self.asked)

    @property
    def formula(self) -> str:
        """The bits that must cross."""
        return problem_sizes.formula(self.asked)

    def as_json(self) -> dict[str, Any]:
        """The form of `foretell represent --json`."""
        asked = self.asked
        own = {name: getattr(asked, name) for name in CASES[self.name].options}
        return {
            "what": self.name,
            "about": self.problem.what,
            "length": asked.length,
            "counts": self.problem.counts,
            "bits": asked.bits,
            "heads": asked.heads,
            "width": asked.width,
            **own,
            "needed": {"bits": asked.needed(), "formula": self.formula},
            "bounds": [bound.as_json() for bound in self.bounds],
            "growth": [
                {"length": length, "least": {each.model.name: each.least for each in found}}
                for length, found in self.growth
            ],
            "caveat": AT_LEAST,
            "sources": self.problem.sources,
        }


Represented = Verdicts | Sizes


def condition(verdict: Verdict) -> str | None:
    """On what a conditional no rests: two classes that would have to differ."""
    return verdict.answer.partition(" unless ")[2] or None


def represent_problem(what: str, options: Options) -> Represented:
    """The answer about a problem of the catalogue."""
    problem = PROBLEMS[what]
    if problem.complete is not None:
        options.allow(OF_MODELS, f"{what} is asked about at all lengths, for every model")
        return Verdicts(what, problem.what, what, models(options))
    own = (*OF_SIZES, *CASES[what].options)
    options.allow(own, f"{what} is asked about at one length, and its bounds are on width")
    return Sizes(Asked(what, **options.given()))


def models(options: Options) -> tuple[Model, ...]:
    """All kinds of transformer that fit what was asked for."""
    asked = (options.depth, options.precision, options.steps)
    axes = zip(asked, OF_MODELS, (DEPTHS, PRECISIONS, STEPS), strict=True)
    chosen = [
        names if given is None else (circuit_rules.known(what, given, names),)
        for given, what, names in axes
    ]
    return tuple(Model(*each) for each in itertools.product(*chosen))
