"""What a recurrence does when a word is repeated, and certificates that say so again.

Repeat a word. A unit with gates in [0, 1] goes through one and the same map h ↦ a h + b with a ≥ 0
each time, which is monotone, and stays monotone when numbers are rounded: among finitely many
numbers it must come to rest. With gates in [-1, 1] twice the word is monotone, so that the state
comes to a circle of two at most; a layer above reads something of that period and may double it
again. So after L layers periods divide 2^L, or are 1 without signs. An automaton that the word
turns in a circle of another length cannot be followed at every length.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, final

import jax
import numpy as np
from jaxtyping import Float, Int

from foretell.constructions.automaton_cell import automaton_cell, units_needed
from foretell.core.prediction import Certificate, Checked
from foretell.languages.algebra.maps import Map, letter_maps
from foretell.languages.algebra.monoid import generate
from foretell.languages.dfa import DFA
from foretell.languages.dfa_json import dfa_as_json
from foretell.models.state_space import linear_recurrence

MOST_ELEMENTS = 2_000  # of a monoid that is looked through
MOST_LETTERS = 10  # whose signs are all tried
WORDS, LENGTH = 32, 300  # that a construction is run on
RUN = f"and on {WORDS} random words of {LENGTH} letters"


@final
@dataclass(frozen=True)
class Circle(Certificate):
    """A word that turns states of the minimal automaton in a circle of a length that is too much.

    `most` is the longest period that the recurrence has, of which all others are divisors.
    """

    dfa: DFA
    word: tuple[str, ...]
    states: tuple[int, ...]
    most: int

    @property
    def summary(self) -> str:
        """In a few words."""
        return (
            f"repeating {' '.join(self.word)} turns {len(self.states)} states in a circle, where "
            f"periods divide {self.most}"
        )

    def check(self) -> Checked:
        """Walk the circle again, in an automaton that is minimised again."""
        letters = self.dfa.letters(self.word)
        ends = []
        for state in self.states:
            for letter in letters:
                state = self.dfa.delta[state][letter]
            ends.append(state)
        turned = tuple(ends) == (*self.states[1:], self.states[0])
        different = len(set(self.states)) == len(self.states) and self.dfa.minimal() == self.dfa
        too_long = self.most % len(self.states) != 0
        return Checked(turned and different and too_long, f"walked again: {self.summary}")

    def as_json(self) -> dict[str, Any]:
        """Everything that a check needs."""
        return {
            "type": "circle-of-states",
            "automaton": dfa_as_json(self.dfa),
            "word": list(self.word),
            "states": list(self.states),
            "most": self.most,
        }


@final
@dataclass(frozen=True)
class Followed(Certificate):
    """A recurrent cell whose weights are written down follows the automaton."""

    dfa: DFA

    @property
    def summary(self) -> str:
        """In a few words."""
        return f"a cell of {units_needed(self.dfa)} units follows the automaton"

    def check(self) -> Checked:
        """Build the cell, and run it beside the automaton: every move, then random letters."""
        words = _words(self.dfa)
        found = automaton_cell(self.dfa).states(words)
        holds = bool((found == _walk(self.dfa, words)).all())
        return Checked(holds, f"built, and run through every move of the automaton, {RUN}")

    def as_json(self) -> dict[str, Any]:
        """Everything that a check needs."""
        return {"type": "automaton-cell", "automaton": dfa_as_json(self.dfa)}


@final
@dataclass(frozen=True)
class Signs(Certificate):
    """A unit for each row: letters turn its sign or leave it, and the signs tell all states apart.

    `signs[unit][letter]` is the gate, 1 or -1.
    """

    dfa: DFA
    signs: tuple[tuple[int, ...], ...]

    @property
    def summary(self) -> str:
        """In a few words."""
        return f"{len(self.signs)} units whose signs letters turn tell all states apart"

    def check(self) -> Checked:
        """Run the units through every move: the same signs must mean the same state."""
        words = _words(self.dfa)
        gates = np.array(self.signs, np.float32).T[words]
        entering = np.zeros((len(words), 1, len(self.signs)), np.float32)
        driven = np.concatenate([entering + 1, np.zeros_like(gates)], axis=1)
        kept = np.concatenate([entering, gates], axis=1)
        found = np.asarray(jax.jit(linear_recurrence)(kept, driven))[:, 1:]
        codes = (found > 0) @ (1 << np.arange(len(self.signs)))
        pairs = set(zip(codes.ravel().tolist(), _walk(self.dfa, words).ravel(), strict=True))
        holds = len(pairs) == len({code for code, _ in pairs})
        return Checked(holds, f"run through every move of the automaton, {RUN}")

    def as_json(self) -> dict[str, Any]:
        """Everything that a check needs."""
        return {
            "type": "turning-signs",
            "automaton": dfa_as_json(self.dfa),
            "signs": [list(row) for row in self.signs],
        }


def circle_beyond(dfa: DFA, most: int) -> Circle | bool | None:
    """A circle whose length does not divide `most`, or whether there is none: False means none.

    Nothing where the monoid is too large to look through. The automaton must be minimal.
    """
    monoid = generate(letter_maps(dfa), limit=MOST_ELEMENTS)
    if not monoid.complete:
        return None
    for element in range(1, len(monoid)):
        circle = _circle(monoid.maps[element], most)
        if circle:
            word = tuple(dfa.alphabet.symbols[letter] for letter in monoid.word(element))
            return Circle(dfa, word, circle, most)
    return False


def _circle(turning: Map, most: int) -> tuple[int, ...] | None:
    """The first states that the map turns in a circle of a length that does not divide `most`."""
    for first in range(len(turning)):
        walked, state = [first], int(turning[first])
        while state not in walked:
            walked.append(state)
            state = int(turning[state])
        if state == first and most % len(walked):
            return tuple(walked)
    return None


def telling_signs(dfa: DFA) -> Signs | None:
    """Units whose signs tell all states apart, if there are such."""
    maps = letter_maps(dfa)
    if len(maps) > MOST_LETTERS:
        return None
    kept: list[tuple[int, ...]] = []
    codes: list[Float[np.ndarray, " state"]] = []
    for signs in itertools.product((1, -1), repeat=len(maps)):
        code = _code(dfa, signs)
        if code is not None and _told([*codes, code]) > _told(codes):  # no unit that tells nothing
            kept.append(signs)
            codes.append(code)
    return Signs(dfa, tuple(kept)) if _told(codes) == len(dfa.delta) else None


def _told(codes: list[Float[np.ndarray, " state"]]) -> int:
    """How many states the signs tell apart."""
    return len(set(zip(*codes, strict=True))) if codes else 1


def _code(dfa: DFA, signs: tuple[int, ...]) -> Float[np.ndarray, " state"] | None:
    """The sign in each state, if every way to a state gives it the same."""
    code, todo = np.zeros(len(dfa.delta)), [dfa.start]
    code[dfa.start] = 1.0
    while todo:
        state = todo.pop()
        for sign, after in zip(signs, dfa.delta[state], strict=True):
            if code[after] == 0:
                code[after] = sign * code[state]
                todo.append(after)
            if code[after] != sign * code[state]:
                return None
    return code


def _words(dfa: DFA) -> Int[np.ndarray, "batch length"]:
    """Random words, and for every state and letter one that goes there and takes that letter: a
    random word is soon in a sink, and would leave most moves untried."""
    ways = _ways(dfa)
    moves = [(*way, letter) for way in ways for letter in range(len(dfa.alphabet.symbols))]
    length = max(LENGTH, *map(len, moves))
    drawn = np.random.default_rng(0)
    words = drawn.integers(len(dfa.alphabet.symbols), size=(WORDS + len(moves), length))
    for row, move in zip(words[WORDS:], moves, strict=True):
        row[: len(move)] = move
    return words


def _ways(dfa: DFA) -> list[tuple[int, ...]]:
    """A shortest word to every state that can be reached."""
    found: dict[int, tuple[int, ...]] = {dfa.start: ()}
    todo = [dfa.start]
    for state in todo:
        for letter, after in enumerate(dfa.delta[state]):
            if after not in found:
                found[after] = (*found[state], letter)
                todo.append(after)
    return list(found.values())


def _walk(dfa: DFA, words: Int[np.ndarray, "batch length"]) -> Int[np.ndarray, "batch length"]:
    """The state after every letter."""
    delta, state = np.array(dfa.delta), np.full(len(words), dfa.start)
    found = np.empty_like(words)
    for place, letters in enumerate(words.T):
        state = delta[state, letters]
        found[:, place] = state
    return found
