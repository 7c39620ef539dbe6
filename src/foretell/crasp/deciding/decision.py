"""The answer to "which C-RASP fragments define this language?", with its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, final

from foretell.crasp.analysis import Analysis, analyse
from foretell.crasp.deciding.certificates import (
    Answer,
    DecisionCertificate,
    PotentialCertificate,
    fragment_name,
)
from foretell.crasp.deciding.statements import Statement, layers, training_length
from foretell.crasp.program import Program
from foretell.languages.dfa import DFA

OWN = "foretell, docs: deciding C-RASP (elementary proofs, not refereed)"
PRIOR = (
    "Yang et al., Algebraic decomposition theory for transformer length generalization, 2026: the "
    "criterion for C-RASP[∅]"
)


@final
@dataclass(frozen=True)
class FragmentAnswer:
    """One fragment's answer; the certificate may be about a stronger statement that implies it.

    `unknown` only beyond a limit of size, which the note then names.
    """

    fragment: str
    answer: Answer | Literal["unknown"]
    certificate: DecisionCertificate | None = None
    note: str | None = None

    @property
    def name(self) -> str:
        """What people call the fragment."""
        return fragment_name(self.fragment)

    @property
    def program(self) -> Program | None:
        """The program, where the answer is yes and it was written out."""
        found = self.certificate
        return found.program if isinstance(found, PotentialCertificate) else None


@final
@dataclass(frozen=True)
class Decision:
    """All answers about one language under one convention of acceptance."""

    dfa: DFA  # minimal
    accept: str
    answers: tuple[FragmentAnswer, ...]

    def __getitem__(self, fragment: str) -> FragmentAnswer:
        return self._by_name[fragment]

    @cached_property
    def _by_name(self) -> dict[str, FragmentAnswer]:
        return {answer.fragment: answer for answer in self.answers}

    @property
    def crasp(self) -> FragmentAnswer:
        """C-RASP[∅]: transformers without positional encoding."""
        return self["crasp"]

    @property
    def crasp_local(self) -> FragmentAnswer:
        """C-RASP[local]."""
        return self["crasp_local"]

    @property
    def crasp_periodic_local(self) -> FragmentAnswer:
        """C-RASP[periodic, local]: transformers with learned absolute encodings."""
        return self["crasp_periodic_local"]

    @cached_property
    def layers(self) -> Statement:
        """How many layers are enough without positional encoding."""
        return layers(self._analysis)

    @cached_property
    def training_length(self) -> tuple[Statement, ...]:
        """Up to which length training words should go."""
        return training_length(len(self.dfa.delta), self._analysis)

    @cached_property
    def _analysis(self) -> Analysis | None:
        program = self.crasp.program
        return None if program is None else analyse(program)

    @property
    def sources(self) -> tuple[str, ...]:
        """Where the criteria are from."""
        return (OWN, PRIOR)

    def as_json(self, language: str | None = None) -> dict[str, object]:
        """The form promised by `foretell decide --json`, without the class report."""
        distinct = {id(answer.certificate): answer.certificate for answer in self.answers}
        written = {key: item.as_json() for key, item in distinct.items() if item is not None}
        return {
            "language": language,
            "alphabet": list(self.dfa.alphabet.symbols),
            "states": len(self.dfa.delta),
            "accept": self.accept,
            "fragments": {
                answer.fragment: {
                    "answer": answer.answer,
                    "certificate": written.get(id(answer.certificate)),
                    **({} if answer.note is None else {"note": answer.note}),
                }
                for answer in self.answers
            },
            "layers": self.layers.as_json(),
            "training_length": [item.as_json() for item in self.training_length],
            "sources": list(self.sources),
        }
