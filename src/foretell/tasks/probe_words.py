"""The words on which a regular language is tested: one sampler a probe.

Members, non-members, non-members one edit away, and members that stay long in one state. What a
task asks about a word is the task's matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from foretell.languages.regular import RegularLanguage
from foretell.languages.sampling import SamplingTable, sampling_table
from foretell.plain.errors import BadInput
from foretell.tasks.next_symbols import LINGERING, MEMBERS, NEAR_NON_MEMBERS, NON_MEMBERS

PROBES = (MEMBERS, NON_MEMBERS, NEAR_NON_MEMBERS, LINGERING)
LINGER = 9.0  # weight of a letter that leaves the state as it is, in lingering members
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
        }

    def lengths(self, low: int, high: int, probe: str) -> tuple[int, ...]:
        """Lengths at which the probe has a word."""
        language = self.languages[probe]
        return language.lengths(max(low, 0), high) if language else ()

    def nearest_lengths(self, low: int, high: int, probe: str) -> tuple[int, ...]:
        """The closest lengths outside the range that have words."""
        language = self.languages[probe]
        return language.nearest_lengths(low, high) if language else ()

    def samplers(self, longest: int) -> dict[str, SamplingTable]:
        """A sampling table for each probe.

        One without words is never drawn from (it has no lengths); members keep the shape.
        """
        return {
            probe: sampling_table(
                (language or self.language).dfa, longest, LINGER if probe == LINGERING else 1.0
            )
            for probe, language in self.languages.items()
        }
