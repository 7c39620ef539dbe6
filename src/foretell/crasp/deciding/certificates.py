"""Evidence for or against definability, as values that can be written to a file and checked again.

`check()` hands the JSON form to `checking/`, which shares no code with what made the certificate.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import ClassVar, Literal, final

from foretell.core.prediction import Certificate, Checked
from foretell.crasp.analysis import analyse
from foretell.crasp.deciding.checking.checking import check_document
from foretell.crasp.deciding.elimination import Number
from foretell.crasp.program import Program
from foretell.crasp.verifying.verification import show_word
from foretell.languages.dfa import DFA
from foretell.languages.dfa_json import dfa_as_json
from foretell.plain.wording import counted

Symbols = tuple[str, ...]
Anchor = tuple[Symbols, int]
Answer = Literal["yes", "no"]


def fragment_name(key: str) -> str:
    """What people call a fragment.

    >>> fragment_name("crasp"), fragment_name("crasp_periodic_4_local")
    ('C-RASP[∅]', 'C-RASP[periodic modulo 4, local]')
    """
    fixed = {
        "crasp": "C-RASP[∅]",
        "crasp_local": "C-RASP[local]",
        "crasp_periodic_local": "C-RASP[periodic, local]",
    }
    if key in fixed:
        return fixed[key]
    modulus = key.removeprefix("crasp_periodic_").removesuffix("_local")
    return f"C-RASP[periodic modulo {modulus}, local]"


@dataclass(frozen=True)
class DecisionCertificate(Certificate):
    """The automaton, the convention, and the fragment that the evidence is about.

    Evidence for a fragment is evidence for every larger one, evidence against it against every
    smaller one.
    """

    kind: ClassVar[str]
    answer: ClassVar[Answer]
    dfa: DFA
    accept: str
    fragment: str

    @abc.abstractmethod
    def _content(self) -> dict[str, object]:
        """What this kind of certificate adds to the automaton."""

    def as_json(self) -> dict[str, object]:
        """Everything that is needed to check it elsewhere."""
        return {
            "kind": self.kind,
            "answer": self.answer,
            "fragment": self.fragment,
            "accept": self.accept,
            "dfa": dfa_as_json(self.dfa),
            **self._content(),
        }

    def check(self) -> Checked:
        """Recompute it from its JSON form."""
        return check_document(self.as_json())


@final
@dataclass(frozen=True)
class FlowEvidence:
    """`amount` units from one state to another over edges (state, symbol, times)."""

    source: int
    target: int
    amount: int
    edges: tuple[tuple[int, str, int], ...]


@final
@dataclass(frozen=True)
class FlowCertificate(DecisionCertificate):
    """No C-RASP[∅] program: classes held together by flows without content."""

    kind: ClassVar[str] = "flows"
    answer: ClassVar[Answer] = "no"
    states: tuple[int, ...]
    classes: tuple[tuple[int, ...], ...]
    flows: tuple[FlowEvidence, ...]
    pair: tuple[int, int]
    suffix: Symbols
    access: Symbols

    @property
    def summary(self) -> str:
        """The pair that cannot be told apart."""
        one, two = self.pair
        return (
            f"states {one} and {two} look the same to every count, but "
            f"{show_word(self.suffix)} tells them apart"
        )

    def _content(self) -> dict[str, object]:
        return {
            "states": list(self.states),
            "classes": [list(group) for group in self.classes],
            "flows": [
                {
                    "from": flow.source,
                    "to": flow.target,
                    "amount": flow.amount,
                    "edges": [list(edge) for edge in flow.edges],
                }
                for flow in self.flows
            ],
            "pair": list(self.pair),
            "suffix": list(self.suffix),
            "access": list(self.access),
        }


@final
@dataclass(frozen=True)
class EquationEvidence:
    """An equation between listed pairs, with the word or the anchor that shows it."""

    kind: str
    pairs: tuple[int, ...]
    word: Symbols | None = None
    anchor: Anchor | None = None


@final
@dataclass(frozen=True)
class DifferenceCertificate(DecisionCertificate):
    """No program with windows: differences of pairs of states that are forced to zero."""

    kind: ClassVar[str] = "differences"
    answer: ClassVar[Answer] = "no"
    modulus: int | None
    step: int
    pairs: tuple[tuple[int, int], ...]
    anchors: tuple[Anchor, ...]
    equations: tuple[EquationEvidence, ...]
    derivations: tuple[tuple[tuple[int, Number], ...], ...]
    connections: tuple[tuple[int, int, Symbols], ...]
    access: Symbols
    suffix: Symbols

    @property
    def summary(self) -> str:
        """The pair that cannot be told apart, and by what."""
        one, two = self.pairs[0]
        kinds = sorted({equation.kind for equation in self.equations})
        return (
            f"states {one} and {two} run side by side for ever, and {', '.join(kinds)} equations "
            "leave counting no way to tell them apart"
        )

    def _content(self) -> dict[str, object]:
        return {
            "modulus": self.modulus,
            "step": self.step,
            "pairs": [list(pair) for pair in self.pairs],
            "anchors": [_anchor_json(anchor) for anchor in self.anchors],
            "equations": [
                {
                    "kind": item.kind,
                    "pairs": list(item.pairs),
                    **({} if item.word is None else {"word": list(item.word)}),
                    **({} if item.anchor is None else {"anchor": _anchor_json(item.anchor)}),
                }
                for item in self.equations
            ],
            "derivations": [
                [[number, _number_json(factor)] for number, factor in derivation]
                for derivation in self.derivations
            ],
            "connections": [[one, two, list(word)] for one, two, word in self.connections],
            "access": list(self.access),
            "suffix": list(self.suffix),
        }


@final
@dataclass(frozen=True)
class ComponentEvidence:
    """Configurations (state, residue, full, window) of a component, and heights level by level."""

    nodes: tuple[tuple[int, int, bool, Symbols], ...]
    levels: tuple[tuple[tuple[int, ...], ...], ...]


@final
@dataclass(frozen=True)
class PotentialCertificate(DecisionCertificate):
    """A program, and the heights by which it tells all configurations apart."""

    kind: ClassVar[str] = "potentials"
    answer: ClassVar[Answer] = "yes"
    modulus: int
    letters: tuple[Symbols, ...]
    padding: str | None
    windows: tuple[Symbols, ...]
    components: tuple[ComponentEvidence, ...]
    program: Program | None  # None: too large to be written out, as the note says
    note: str | None = None

    @property
    def summary(self) -> str:
        """How much is counted and seen."""
        levels = max((len(component.levels) for component in self.components), default=0)
        used = [f"heights in {counted(levels, 'level')}"] if levels else []
        if self.modulus > 1:
            used.append(f"period {self.modulus}")
        if any(self.windows):
            longest = max(map(len, self.windows))
            used.append(f"{counted(len(self.windows), 'window')} of length up to {longest}")
        if self.program is None:
            return ", ".join(used) + (f"; {self.note}" if self.note else "")
        found = analyse(self.program)
        size = f"a program of {counted(found.operations, 'operation')}"
        return ", ".join([f"{size}, counting depth {found.depth}", *used])

    def _content(self) -> dict[str, object]:
        return {
            "modulus": self.modulus,
            "letters": [list(group) for group in self.letters],
            "padding": self.padding,
            "windows": [list(word) for word in self.windows],
            "components": [
                {
                    "nodes": [
                        {"state": state, "residue": residue, "full": full, "window": list(window)}
                        for state, residue, full, window in component.nodes
                    ],
                    "levels": [[list(heights) for heights in level] for level in component.levels],
                }
                for component in self.components
            ],
            "program": None if self.program is None else self.program.show(),
            "note": self.note,
        }


@final
@dataclass(frozen=True)
class SolutionCertificate(DecisionCertificate):
    """Differences of heights for all recurrent pairs: definable, but no program is written out.

    `cycles` lists, for each component of the pair graph, its period and its pairs with their places
    in the cycle; `levels` gives solutions, each with one number for every place of every cycle.
    """

    kind: ClassVar[str] = "pair-solutions"
    answer: ClassVar[Answer] = "yes"
    modulus: int | None
    cycles: tuple[tuple[int, tuple[tuple[int, int, int], ...]], ...]
    levels: tuple[tuple[tuple[tuple[int, ...], ...], ...], ...]
    note: str

    @property
    def summary(self) -> str:
        """How many levels of differences."""
        return f"differences of pairs in {counted(len(self.levels), 'level')}; {self.note}"

    def _content(self) -> dict[str, object]:
        return {
            "modulus": self.modulus,
            "cycles": [
                {"period": period, "pairs": [list(pair) for pair in pairs]}
                for period, pairs in self.cycles
            ],
            "levels": [
                [[list(values) for values in solution] for solution in level]
                for level in self.levels
            ],
            "note": self.note,
        }


def _anchor_json(anchor: Anchor) -> list[object]:
    word, power = anchor
    return [list(word), power]


def _number_json(number: Number) -> int | str:
    return number if isinstance(number, int) else str(number)
