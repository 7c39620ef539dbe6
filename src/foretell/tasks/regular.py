"""Next-symbol prediction for any regular language: the automaton is data, the code is one."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Key

from foretell.core.task import ArrayTree, Example, Fact
from foretell.languages.dfa_json import dfa_as_json
from foretell.languages.regular import RegularLanguage
from foretell.languages.sampling import SamplingTable, draw_word, stack, walk
from foretell.languages.word_list import ListTable, WordList, draw_listed, stack_lists
from foretell.tasks.next_symbols import LISTED, MEMBERS, NextSymbolsTask, lay_out_fast
from foretell.tasks.probe_words import (
    EVERY_PROBE,
    PROBES,
    SAMPLERS,
    ProbeWords,
    require_probes,
)

LISTED_SAMPLER = "evenly among the words of the exact length in a list"


class RegularTables(NamedTuple):
    """One sampler a probe, and what each state of the language's own automaton means."""

    samplers: dict[str, SamplingTable]
    listed: ListTable | None
    delta: Int[Array | np.ndarray, "*member state letter"]
    start: Int[Array | np.ndarray, "*member"]
    label: Int[Array | np.ndarray, "*member state"]
    alive: Bool[Array | np.ndarray, "*member state"]


@dataclass(frozen=True)
class RegularTask(NextSymbolsTask):
    """Predict the legal next symbols of one regular language.

    `probed` names other probes than the usual ones; the first is what training draws. With a list
    of words one more can be named, which draws from it.
    """

    language: RegularLanguage = field(kw_only=True)
    facts: tuple[Fact, ...] = ()
    probed: tuple[str, ...] = field(default=(), kw_only=True)
    listed: WordList | None = field(default=None, kw_only=True)
    probes = PROBES
    smallest = 0

    def __post_init__(self) -> None:
        require_probes(self.probed, (*EVERY_PROBE, *([LISTED] if self.listed else [])))
        if self.probed:
            object.__setattr__(self, "probes", self.probed)

    @property
    def name(self) -> str:
        """The language's name."""
        return self.language.name

    @property
    def letters(self) -> tuple[str, ...]:
        """The language's letters."""
        return self.language.alphabet.symbols

    @cached_property
    def label_sets(self) -> tuple[frozenset[str], ...]:
        """Distinct legal sets over the states from which a member can still be reached."""
        sets = {legal for legal in self.language.legal_sets if legal}
        return tuple(sorted(sets, key=lambda legal: (len(legal), sorted(legal))))

    def legal_next(self, prefix: tuple[str, ...]) -> frozenset[str]:
        """Walk the automaton letter by letter."""
        return self.language.legal_next(prefix)

    @property
    def sampler(self) -> str:
        """What training draws."""
        return LISTED_SAMPLER if self.probes[0] == LISTED else SAMPLERS[self.probes[0]]

    @cached_property
    def words(self) -> ProbeWords:
        """What the probes draw from."""
        return ProbeWords(self.language)

    def sizes(self, low: int, high: int, probe: str | None = None) -> tuple[int, ...]:
        """Lengths at which the probe's language has a word."""
        probe, high = probe or self.probes[0], min(high, self.longest)
        if self.listed and probe == LISTED:
            return self.listed.lengths(low, high)
        return self.words.lengths(low, high, probe)

    def nearest_sizes(self, low: int, high: int, probe: str | None = None) -> tuple[int, ...]:
        """The closest lengths outside the range that have words."""
        probe = probe or self.probes[0]
        if self.listed and probe == LISTED:
            return self.listed.nearest_lengths(low, high)
        return self.words.nearest_lengths(low, high, probe)

    @cached_property
    def tables(self) -> RegularTables:
        """Sampling tables up to the longest size."""
        dfa, legal_sets = self.language.dfa, self.language.legal_sets
        labels = [self.label_sets.index(legal) if legal else 0 for legal in legal_sets]
        return RegularTables(
            self.words.samplers(
                self.longest, tuple(probe for probe in self.probes if probe != LISTED)
            ),
            self.listed.table(self.longest) if self.listed else None,
            np.array(dfa.delta, np.int32),
            np.array(dfa.start, np.int32),
            np.array(labels, np.int32),
            np.array([bool(legal) for legal in legal_sets]),
        )

    @classmethod
    def stack(cls, tasks: tuple[Any, ...]) -> RegularTables:
        """Pad every automaton to the largest, so that many languages are one program."""
        tables = [task.tables for task in tasks]
        return RegularTables(
            {
                probe: stack([table.samplers[probe] for table in tables])
                for probe in tables[0].samplers
            },
            stack_lists([table.listed for table in tables]) if tables[0].listed else None,
            *(
                pad_and_stack([getattr(table, part) for table in tables])
                for part in ("delta", "start", "label", "alive")
            ),
        )

    def draw(
        self,
        tables: ArrayTree,
        key: Key[Array, ""],
        size: Int[Array, ""],
        width: int,
        probe: str = MEMBERS,
    ) -> Example:
        """Draw the word, then walk the language's own automaton for the labels."""
        word = (
            draw_listed(tables.listed, key, size, width)
            if probe == LISTED
            else draw_word(tables.samplers[probe], key, size, width)
        )
        states = walk(jnp.asarray(tables.delta), jnp.asarray(tables.start), word)
        labels, alive = jnp.asarray(tables.label)[states], jnp.asarray(tables.alive)[states]
        return lay_out_fast(word, labels, alive, size, width)

    def as_json(self) -> dict[str, object]:
        """The automaton itself identifies the language; names may be anything."""
        own: dict[str, object] = {"probes": list(self.probed)} if self.probed else {}
        if self.listed:
            own["listed"] = {"words": len(self.listed.words), "hash": self.listed.hash}
        return {**super().as_json(), "dfa": dfa_as_json(self.language.dfa), **own}


def pad_and_stack(arrays: list[np.ndarray]) -> np.ndarray:
    """Zero-padded to the largest shape; no walk ever leaves an automaton's own states."""
    shape = np.max([array.shape for array in arrays], axis=0).astype(int)
    padded = np.zeros((len(arrays), *shape), arrays[0].dtype)
    for index, array in enumerate(arrays):
        own: tuple[Any, ...] = (index, *(slice(side) for side in array.shape))
        padded[own] = array
    return padded
