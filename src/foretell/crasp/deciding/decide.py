"""`decide`: is a regular language definable in C-RASP, and why?

Each answer is exact, and comes with a certificate. A program for a fragment is one for every larger
fragment, and an obstruction in a fragment is one in every smaller one, so the smallest fragment
with a program and the largest without one give the evidence for the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import final

from foretell.crasp.deciding.certificates import DecisionCertificate
from foretell.crasp.deciding.configurations import (
    NODES,
    Configurations,
    least_modulus,
    resolved,
    without_windows,
)
from foretell.crasp.deciding.decision import Decision, FragmentAnswer
from foretell.crasp.deciding.differences import explain
from foretell.crasp.deciding.evidence import (
    difference_certificate,
    flow_certificate,
    potential_certificate,
)
from foretell.crasp.deciding.machines import ACCEPT, Machine
from foretell.crasp.deciding.obstructions import find_obstruction
from foretell.crasp.deciding.pairs import BeyondLimitError, PairSystem
from foretell.crasp.deciding.solutions import solution_certificate
from foretell.languages.dfa import DFA
from foretell.plain.errors import BadInput

LARGEST_MODULUS = 10_000  # what a program can write
MOST_STATES = 1_500  # of a minimal automaton; beyond, even writing a certificate takes minutes


def decide(
    dfa: DFA,
    accept: str = "last-letter",
    *,
    moduli: Iterable[int] = (),
    certificates: bool = True,
    most_configurations: int = NODES,
) -> Decision:
    """Which fragments define the language; `moduli` asks for fixed periods as well.

    With acceptance at the `last-letter` a word is accepted when the program says so at its last
    position. With `every-prefix` the program must know, before it sees a letter, whether what came
    before is in the language.

    >>> from foretell.languages.regular import RegularLanguage
    >>> found = decide(RegularLanguage.from_regex("(ab)*").dfa)
    >>> [(answer.fragment, answer.answer) for answer in found.answers]
    [('crasp', 'yes'), ('crasp_local', 'yes'), ('crasp_periodic_local', 'yes')]
    >>> print(found.crasp.program.show(), end="")
    alphabet a b
    stage1_height1(i) := #[j <= i] Q_a(j) - #[j <= i] Q_b(j)
    doomed(i) := not (stage1_height1(i) >= 0 and stage1_height1(i) <= 1)
    accept(i) := not exists_past doomed(i) and Q_b(i)
    empty accept
    """
    convention = next((name for name in ACCEPT if name == accept), None)
    if convention is None:
        raise BadInput(
            "no such convention of acceptance", seen=repr(accept), hint=" or ".join(ACCEPT)
        )
    states = len(dfa.minimal().delta)
    if states > MOST_STATES:
        raise BadInput(
            f"automata of up to {MOST_STATES:,} states are decided",
            seen=f"{states:,} states",
            why="time and memory grow with the pairs of states",
        )
    asked = sorted({_modulus(modulus) for modulus in moduli})
    deciding = Deciding(Machine.of(dfa, convention), certificates, most_configurations)
    keys = {"crasp_local": 1, **{f"crasp_periodic_{m}_local": m for m in asked if m > 1}}
    answers = [deciding.plain()]
    answers += [deciding.windowed(key, modulus) for key, modulus in keys.items()]
    answers.append(deciding.windowed("crasp_periodic_local", None))
    return Decision(deciding.machine.dfa, accept, tuple(answers))


def _modulus(modulus: int) -> int:
    if not 1 <= modulus <= LARGEST_MODULUS:
        raise BadInput(
            "a modulus is out of range",
            seen=modulus,
            why=f"programs can write periods from 1 to {LARGEST_MODULUS:,}",
        )
    return modulus


@final
@dataclass
class Deciding:
    """One language, asked fragment by fragment, C-RASP[∅] first.

    It remembers what serves as evidence for several of them.
    """

    machine: Machine
    certificates: bool = True
    most: int = NODES
    _systems: dict[int | None, PairSystem | BeyondLimitError] = field(default_factory=dict)
    _made: dict[int | None, DecisionCertificate] = field(default_factory=dict)
    _simple: FragmentAnswer | None = None

    def plain(self) -> FragmentAnswer:
        """C-RASP[∅]."""
        found = without_windows(self.machine)
        definable = all(tower.separates for tower in found.towers)
        certificate: DecisionCertificate | None = None
        if self.certificates:
            certificate = self._potentials("crasp", found) if definable else self._flows(found)
        self._simple = FragmentAnswer("crasp", "yes" if definable else "no", certificate)
        return self._simple

    def _potentials(self, fragment: str, found: Configurations) -> DecisionCertificate:
        return potential_certificate(fragment, found)

    def _flows(self, tried: Configurations) -> DecisionCertificate:
        whole = tried.moves == self.machine.delta  # no states count as one
        found = find_obstruction(self.machine, tried.towers if whole else None)
        assert found is not None, "both routes to C-RASP[∅] must agree"
        return flow_certificate(self.machine, found)

    def system(self, modulus: int | None) -> PairSystem:
        """The pair system for a modulus, made once, or found once to be too large."""
        if modulus not in self._systems:
            try:
                self._systems[modulus] = PairSystem(self.machine, modulus)
            except BeyondLimitError as stop:
                self._systems[modulus] = stop
        found = self._systems[modulus]
        if isinstance(found, BeyondLimitError):
            raise found
        return found

    def windowed(self, fragment: str, modulus: int | None) -> FragmentAnswer:
        """A fragment with windows; `modulus` None: any period."""
        assert self._simple is not None
        if self._simple.answer == "yes":
            return FragmentAnswer(fragment, "yes", self._simple.certificate)
        try:
            return self._windowed(fragment, modulus)
        except BeyondLimitError as stop:
            return FragmentAnswer(fragment, "unknown", note=f"beyond a limit: {stop}")

    def _windowed(self, fragment: str, modulus: int | None) -> FragmentAnswer:
        free = self.system(None)
        if not free.definable:  # then no fixed modulus helps either
            modulus = None
        definable = self.system(modulus).definable
        certificate: DecisionCertificate | None = None
        if self.certificates:
            certificate = self._yes(modulus) if definable else self._no(modulus)
        return FragmentAnswer(fragment, "yes" if definable else "no", certificate)

    def _yes(self, modulus: int | None) -> DecisionCertificate:
        """Evidence with the least period that is enough and allowed."""
        least = least_modulus(self.system(modulus), self.system)
        if least not in self._made:
            fragment = _key(least)
            found = resolved(self.machine, least, self.most)
            if found is None:
                note = f"the program was not written out: more than {self.most:,} configurations"
                self._made[least] = solution_certificate(self.system(least), fragment, note)
            else:
                self._made[least] = self._potentials(fragment, found)
        return self._made[least]

    def _no(self, modulus: int | None) -> DecisionCertificate:
        if modulus not in self._made:
            found = explain(self.system(modulus))
            self._made[modulus] = difference_certificate(self.machine, _key(modulus), found)
        return self._made[modulus]


def _key(modulus: int | None) -> str:
    if modulus is None:
        return "crasp_periodic_local"
    return "crasp_local" if modulus == 1 else f"crasp_periodic_{modulus}_local"
