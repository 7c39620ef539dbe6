"""Follow an automaton: after every letter, is the prefix a member, or which state is reached?

Unlike predicting what may follow (`regular.py`), this asks about all words, dead ones too, and
trains on all of them. `accept` is acceptance at the last letter, at every prefix at once: a causal
model that is right on every word is right on every prefix. `state` asks for more.

Asked `-before`, a model must know at each letter what holds of the letters before it, and at the
end what holds of all: the letter that decided is no longer the one it sees. In C-RASP that is the
convention of every prefix, by which (a|b)*b has no program.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Key

from foretell.core.alphabet import EOS, PAD, Alphabet
from foretell.core.task import ArrayTree, Example, Fact, Task
from foretell.languages.dfa_json import dfa_as_json
from foretell.languages.regular import RegularLanguage
from foretell.languages.sampling import SamplingTable, draw_word, stack, walk
from foretell.numerics.keys import key_for
from foretell.plain.errors import BadInput
from foretell.tasks.next_symbols import lay_out_fast
from foretell.tasks.probe_words import (
    EVERY_PROBE,
    PROBES,
    SAMPLERS,
    ProbeWords,
    require_probes,
)
from foretell.tasks.regular import pad_and_stack

MIXED = "mixed"  # the training distribution: a probe at random, then a word of it
MIXTURE = (
    "a mixture in equal parts of members, non-members, non-members one edit away and members "
    "that stay long in one state, those that exist, each uniform or weighted at the length"
)
BEFORE = "-before"  # the next letter, instead of at the last one
STATES = ("state", f"state{BEFORE}")  # which state, instead of whether it accepts
ASKS = ("accept", f"accept{BEFORE}", *STATES)
ACCEPTED = ("reject", "accept")


class TrackingTables(NamedTuple):
    """The samplers of all probes as one automaton with a start for each, the sizes at which they
    have words, and what each state of the language's own automaton means."""

    samplers: SamplingTable
    has_words: Bool[Array | np.ndarray, "*member size part"]
    delta: Int[Array | np.ndarray, "*member state letter"]
    start: Int[Array | np.ndarray, "*member"]
    label: Int[Array | np.ndarray, "*member state"]


@dataclass(frozen=True)
class TrackingTask(Task):
    """Say after every letter whether the prefix is a member (`accept`) or which state it is in.

    With `accept-before` and `state-before` one says it before the letter after, or the end.
    `probed` names other probes than the usual ones; the first is what training draws.
    """

    longest: int = 150
    asks: str = "accept"
    language: RegularLanguage = field(kw_only=True)
    facts: tuple[Fact, ...] = ()
    probed: tuple[str, ...] = field(default=(), kw_only=True)
    probes = (MIXED, *PROBES)
    last_apart = True

    def __post_init__(self) -> None:
        if self.asks not in ASKS:
            raise BadInput(f"one can ask for {' or '.join(ASKS)}", seen=self.asks)
        require_probes(self.probed, (MIXED, *EVERY_PROBE))
        if self.probed:
            object.__setattr__(self, "probes", self.probed)

    @property
    def name(self) -> str:
        """What is asked, of which language."""
        return f"{self.asks}:{self.language.name}"

    @property
    def of_states(self) -> bool:
        """Is it asked which state, not whether it accepts?"""
        return self.asks in STATES

    @property
    def before(self) -> bool:
        """Is it asked about a prefix before the next letter, and at the end?"""
        return self.asks.endswith(BEFORE)

    @cached_property
    def alphabet(self) -> Alphabet:
        """The language's letters with the reserved tokens."""
        return Alphabet(self.language.alphabet.symbols)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Rejected or accepted, or the numbers of the states."""
        if not self.of_states:
            return ACCEPTED
        return tuple(f"state {number}" for number in range(len(self.language.dfa.delta)))

    @property
    def sampler(self) -> str:
        """What training draws."""
        return SAMPLERS.get(self.probes[0], MIXTURE)

    @property
    def parts(self) -> tuple[str, ...]:
        """What has a sampler: the parts of the mixture first, then other probes."""
        return (*PROBES, *(probe for probe in self.probes if probe not in (MIXED, *PROBES)))

    @cached_property
    def words(self) -> ProbeWords:
        """What the probes draw from."""
        return ProbeWords(self.language)

    def width(self, size: int) -> int:
        """SOS and the word; and EOS, where one is asked afterwards."""
        return size + 1 + self.before

    def scored(self, size: int) -> int:
        """Every letter; and the end, where one is asked afterwards."""
        return size + self.before

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """Walk the automaton letter by letter."""
        dfa, state = self.language.dfa, self.language.dfa.start
        said = [self.labels[self._label(state)]] if self.before else []
        for letter in word:
            state = dfa.delta[state][dfa.alphabet.symbols.index(letter)]
            said.append(self.labels[self._label(state)])
        return tuple(said)

    def _label(self, state: int) -> int:
        return state if self.of_states else int(state in self.language.dfa.final)

    def lay_out(self, word: tuple[str, ...]) -> tuple[list[int], list[int], list[bool]]:
        """Nothing is asked at SOS."""
        ended = ("<eos>",) if self.before else ()
        tokens = list(self.alphabet.encode(("<sos>", *word, *ended)))
        targets = [self.labels.index(label) for label in self.answer(word)]
        return tokens, [0, *targets], [False] + [True] * len(targets)

    def read_word(self, tokens: list[int]) -> tuple[str, ...]:
        """Everything after SOS that is a letter."""
        return self.alphabet.decode([token for token in tokens[1:] if token not in (PAD, EOS)])

    def sizes(self, low: int, high: int, probe: str | None = None) -> tuple[int, ...]:
        """Lengths at which the probe has a word; every length for the mixture."""
        low, high, probe = max(low, 1), min(high, self.longest), probe or self.probes[0]
        if probe == MIXED:
            return tuple(range(low, high + 1))
        return self.words.lengths(low, high, probe)

    def nearest_sizes(self, low: int, high: int, probe: str | None = None) -> tuple[int, ...]:
        """The closest lengths outside the range that have words."""
        probe = probe or self.probes[0]
        if probe == MIXED:
            return super().nearest_sizes(low, high)
        return self.words.nearest_lengths(low, high, probe)

    @cached_property
    def tables(self) -> TrackingTables:
        """Sampling tables up to the longest size, all probes in one."""
        dfa, samplers = self.language.dfa, self.words.samplers(self.longest, self.parts)
        has_words = np.zeros((self.longest + 1, len(PROBES)), bool)
        for place, probe in enumerate(PROBES):
            has_words[list(self.words.lengths(0, self.longest, probe)), place] = True
        return TrackingTables(
            side_by_side(list(samplers.values())),
            has_words,
            np.array(dfa.delta, np.int32),
            np.array(dfa.start, np.int32),
            np.array([self._label(state) for state in range(len(dfa.delta))], np.int32),
        )

    @classmethod
    def stack(cls, tasks: tuple[Any, ...]) -> TrackingTables:
        """Pad every automaton to the largest, so that many languages are one program."""
        tables = [task.tables for task in tasks]
        return TrackingTables(
            stack([each.samplers for each in tables]),
            *(
                pad_and_stack([getattr(table, part) for table in tables])
                for part in ("has_words", "delta", "start", "label")
            ),
        )

    def draw(
        self,
        tables: ArrayTree,
        key: Key[Array, ""],
        size: Int[Array, ""],
        width: int,
        probe: str = MIXED,
    ) -> Example:
        """Choose the probe, draw the word, then walk the automaton for the labels."""
        if probe == MIXED:
            weights = jnp.where(jnp.asarray(tables.has_words)[size], 0.0, -jnp.inf)
            place = jax.random.categorical(key_for(key, "probe"), weights)
        else:
            place = jnp.int32(self.parts.index(probe))
        start = jnp.asarray(tables.samplers.start)[place]
        word = draw_word(tables.samplers._replace(start=start), key, size, width)
        states = walk(jnp.asarray(tables.delta), jnp.asarray(tables.start), word)
        labels, place = jnp.asarray(tables.label)[states], jnp.arange(width + 1)
        if self.before:
            labels, size = jnp.concatenate([labels[:1], labels[:-1]]), size + 1
        laid_out = lay_out_fast(word, labels, place > 0, size, width)
        if self.before:
            ended = jnp.where(place[:width] == size, EOS, laid_out.tokens)
            laid_out = laid_out._replace(tokens=ended)
        return laid_out._replace(first=jnp.ones((), jnp.int32))

    def as_json(self) -> dict[str, object]:
        """The automaton itself identifies the language; names may be anything."""
        own = {"probes": list(self.probed)} if self.probed else {}
        dfa = dfa_as_json(self.language.dfa)
        return {**super().as_json(), "asks": self.asks, "dfa": dfa, **own}


def side_by_side(tables: list[SamplingTable]) -> SamplingTable:
    """Several automata as one with a start for each: indexing by start costs a draw nothing."""
    sizes = np.cumsum([0, *(len(table.delta) for table in tables)])
    return SamplingTable(
        np.concatenate([table.thresholds for table in tables], axis=1),
        np.concatenate(
            [table.delta + first for table, first in zip(tables, sizes[:-1], strict=True)]
        ).astype(np.int32),
        np.array([t.start + first for t, first in zip(tables, sizes[:-1], strict=True)], np.int32),
    )
