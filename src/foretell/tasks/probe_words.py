"""The words on which a regular language is tested: one sampler a probe.

Members, non-members, non-members one edit away, and members that stay long in one state; on
request members that repeat a letter for long. Staying is not repeating: in {0,1,2}*02* both 0 and
2 stay in one state, and the letter that decides is near. What a task asks about a word is the
task's matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from foretell.languages.regular import RegularLanguage
from foretell.languages.sampling import (
    SamplingTable,
    remembering_the_last_letter,
    sampling_table,
)
from foretell.plain.errors import BadInput
from foretell.tasks.next_symbols import LINGERING, MEMBERS, NEAR_NON_MEMBERS, NON_MEMBERS, RUNS

PROBES = (MEMBERS, NON_MEMBERS, NEAR_NON_MEMBERS, LINGERING)
EVERY_PROBE = (*PROBES, RUNS)
SAMPLERS = {
    MEMBERS: "uniform among the words of the exact length",
    NON_MEMBERS: "uniform among the non-members of the exact length",
    NEAR_NON_MEMBERS: "uniform among the non-members one edit away of the exact length",
    LINGERING: "members, a letter that leaves the state as it is weighs 9",
    RUNS: "members, a repeated letter that leaves the state as it is weighs 20",
}
LINGER = 9.0  # weight of a letter that leaves the state as it is, in lingering members
REPEAT = 20.0  # weight of such a letter when it is also the one before, in members in runs
NEAR_STATES = 2_000  # beyond this the neighbours' sampling table outgrows its use


@dataclass(frozen=True)
class ProbeWords:
    """Which words each probe of a language draws from."""

    language: RegularLanguage

    @cached_property
    def languages(self) -> dict[str, RegularLanguage | None]:
        """The language of each probe, or nothing where there is none."""
        try:
            near = self.language.near_non_members(limit=NEAR_STATES)
        except BadInput:  # its automaton explodes: go without this probe rather than fail
            near = None
        dfa = self.language.dfa
        lingers = any(state in dfa.delta[state] for state in dfa.live)
        return {
            MEMBERS: self.language,
            NON_MEMBERS: self.language.non_members(),
            NEAR_NON_MEMBERS: near,
            LINGERING: self.language if lingers else None,
            RUNS: self.language if lingers else None,
        }

    def lengths(self, low: int, high: int, probe: str) -> tuple[int, ...]:
        """Lengths at which the probe has a word."""
        language = self.languages[probe]
        return language.lengths(max(low, 0), high) if language else ()

    def nearest_lengths(self, low: int, high: int, probe: str) -> tuple[int, ...]:
        """The closest lengths outside the range that have words."""
        language = self.languages[probe]
        return language.nearest_lengths(low, high) if language else ()

    def samplers(self, longest: int, probes: tuple[str, ...] = PROBES) -> dict[str, SamplingTable]:
        """A sampling table for each probe.

        One without words is never drawn from (it has no lengths); members keep the shape.
        """
        return {probe: self._sampler(longest, probe) for probe in probes}

    def _sampler(self, longest: int, probe: str) -> SamplingTable:
        dfa = (self.languages[probe] or self.language).dfa
        if probe == RUNS:
            return sampling_table(remembering_the_last_letter(dfa), longest, REPEAT)
        return sampling_table(dfa, longest, LINGER if probe == LINGERING else 1.0)


def require_probes(probes: tuple[str, ...], known: tuple[str, ...]) -> None:
    """Each known, and named once."""
    if not set(probes) <= set(known) or len(set(probes)) < len(probes):
        raise BadInput(
            "probes are named once each",
            seen=", ".join(probes),
            why=f"there are {', '.join(known)}",
        )
