"""Labelled templates: what a template task is about, as one value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

from foretell.plain.errors import BadInput
from foretell.templates import checking
from foretell.templates.matching import Mismatch, Substitution, match
from foretell.templates.notation import Symbol, Wildcard, write_number, write_symbol
from foretell.templates.overlapping import Overlap, overlapping
from foretell.templates.parsing import parse
from foretell.templates.template import Template

Label = float | Symbol


@final
@dataclass(frozen=True)
class TemplateSet:
    """Templates with a label each, all real numbers or all symbols; uniform unless it says else.

    `tokens` are regular tokens beyond those of the templates, `symbols` what wildcards stand for in
    training (how many, or which), `noise` the standard deviation of what is added to real labels.
    With `apart`, wildcards never stand for a regular token of any template; without it, only not
    for one of their own template. Two sets are the same whatever their names.

    >>> print(TemplateSet.parse('"aba" -> +1; "abb" -> -1'))
    aba -> +1; abb -> -1
    >>> TemplateSet.parse("print(a) -> a").value(("print", "(", "Q", ")"))
    'Q'
    """

    templates: tuple[Template, ...]
    labels: tuple[Label, ...]
    probabilities: tuple[float, ...] = ()
    noise: float = 0.0
    tokens: tuple[str, ...] = ()
    symbols: int | tuple[str, ...] | None = None
    apart: bool = False
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        templates = tuple(self.templates)
        checking.check_templates(templates, len(self.labels))
        used = {token for template in templates for token in template.tokens}
        kept = tuple(token for token in dict.fromkeys(self.tokens) if token not in used)
        listed = self.symbols if isinstance(self.symbols, int | None) else tuple(self.symbols)
        settled: dict[str, object] = {
            "templates": templates,
            "symbols": listed,
            "tokens": kept,
            "labels": checking.settled_labels(templates, tuple(self.labels), {*used, *kept}),
            "probabilities": tuple(self.probabilities) or (1 / len(templates),) * len(templates),
        }
        for each, value in settled.items():
            object.__setattr__(self, each, value)
        checking.check_chances(self.probabilities, len(templates))
        checking.check_noise(self.noise, self.is_real)
        checking.check_symbols(templates, self.symbols, self.regular if self.apart else ())
        if not self.apart:
            for first, second, found in self.overlaps():
                checking.check_agreement(templates, self.labels, first, second, found)

    @classmethod
    def parse(cls, text: str, name: str = "") -> TemplateSet:
        """Read the template language (`foretell.templates.parsing` has its grammar)."""
        said = parse(text)
        given = [chance for chance in said.probabilities if chance is not None]
        if given and len(given) < len(said.templates):
            raise BadInput(
                "some templates have a probability and some have none",
                seen=f"{len(given)} of {len(said.templates)}",
                hint="@ after every label, or after none: then all are equally likely",
            )
        return cls(
            templates=tuple(said.templates),
            labels=tuple(said.labels),
            probabilities=tuple(given),
            noise=said.noise or 0.0,
            tokens=tuple(said.tokens),
            symbols=tuple(said.symbols) if isinstance(said.symbols, list) else said.symbols,
            apart=said.apart,
            name=name,
        )

    @property
    def is_real(self) -> bool:
        """Are the labels numbers, to be regressed, and not symbols, to be named?"""
        return isinstance(self.labels[0], float)

    @cached_property
    def regular(self) -> tuple[str, ...]:
        """All regular tokens: those of the templates as they occur, then the declared ones."""
        found = (token for template in self.templates for token in template.tokens)
        return tuple(dict.fromkeys((*found, *self.tokens)))

    @cached_property
    def most_wildcards(self) -> int:
        """The largest number of different wildcards in one template."""
        return max(len(template.wildcards) for template in self.templates)

    @cached_property
    def longest(self) -> int:
        """Length of the longest template."""
        return max(map(len, self.templates))

    @property
    def length(self) -> int:
        """The one length of all templates; kernels compare strings place by place."""
        lengths = sorted({*map(len, self.templates)})
        if len(lengths) > 1:
            raise BadInput(
                "these templates have different lengths",
                seen=", ".join(map(str, lengths)),
                why="a kernel compares strings place by place, with the last token at one place",
                hint="fill the shorter ones with a regular token of their own, such as _",
            )
        return lengths[0]

    def overlaps(self) -> list[tuple[int, int, Overlap]]:
        """Pairs of templates with a string in common; none if wildcards keep apart from tokens."""
        return [] if self.apart else list(overlapping(self.templates, self.regular))

    def match(self, word: Sequence[str]) -> tuple[int, Substitution] | Mismatch:
        """The first template that matches, by its number, with the substitution; or why none."""
        reasons = []
        for number, template in enumerate(self.templates):
            found = match(template, word)
            taken = [token for _, token in found.pairs if token in self.regular] if found else []
            if found and not (self.apart and taken):
                return number, found
            why = f"{taken[0]} is a regular token" if found else found.why
            reasons.append(f"{template}: {why}")
        more = len(reasons) - 3
        return Mismatch("; ".join(reasons[:3]) + (f"; and {more} more" if more > 0 else ""))

    def value(self, word: Sequence[str]) -> float | str:
        """The label of a string: a number, or a token; one that matches nothing is bad input."""
        found = self.match(word)
        if isinstance(found, Mismatch):
            raise BadInput("no template matches", seen=" ".join(word), why=found.why)
        number, substitution = found
        return substitution.value(self.labels[number])

    @cached_property
    def text(self) -> str:
        """The set in the template language; `parse` reads it back."""
        count = len(self.templates)
        uniform = self.probabilities == (1 / count,) * count
        said = [_declared(self)] if _declared(self) else []
        for template, label, chance in zip(
            self.templates, self.labels, self.probabilities, strict=True
        ):
            written = write_number(label) if isinstance(label, float) else _answer(label)
            said.append(f"{template} -> {written}" + ("" if uniform else f" @ {chance!r}"))
        return "; ".join(said)

    def __str__(self) -> str:
        return self.text

    @property
    def title(self) -> str:
        """Its name, or the text of one without a name."""
        return self.name or self.text

    def as_json(self) -> dict[str, Any]:
        """What identifies it, and is enough to make it again."""
        return {"name": self.name, "text": self.text}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> TemplateSet:
        """The set that `as_json` describes."""
        if not isinstance(document, Mapping) or not isinstance(document.get("text"), str):
            raise BadInput("that does not describe templates", seen=document, hint='{"text": …}')
        return cls.parse(document["text"], str(document.get("name", "")))


def _answer(label: Symbol) -> str:
    """A symbolic label; a token that looks like a number, or like no statement, is escaped."""
    plain = isinstance(label, Wildcard) or len(label) > 1 or label.isalpha()
    written = write_symbol(label)
    return written if plain or written.startswith("\\") else f"\\{label}"


def _declared(templates: TemplateSet) -> str:
    said = []
    if templates.tokens:
        said.append("tokens " + " ".join(map(_listed, templates.tokens)))
    if isinstance(templates.symbols, int):
        said.append(f"symbols {templates.symbols}")
    elif templates.symbols:
        said.append("symbols " + " ".join(map(_listed, templates.symbols)))
    if templates.noise:
        said.append(f"noise {templates.noise!r}")
    return "; ".join([*said, "apart"] if templates.apart else said)


def _listed(token: str) -> str:
    """A token in a declaration: escaped where it would end it, or be a number."""
    written = write_symbol(token)
    bare = written == token and not token.isalpha()
    return f"\\{token}" if bare else written
