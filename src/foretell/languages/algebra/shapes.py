"""Classes that show in the automaton's graph, without its monoid.

Each function answers with None, or with the letter words that refute the class. States are those
of the minimal automaton; a live state is one from which a word is still accepted.
"""

from __future__ import annotations

import numpy as np

from foretell.languages.algebra.green import components
from foretell.languages.algebra.maps import letter_maps
from foretell.languages.algebra.monoid import NONE
from foretell.languages.algebra.witness import (
    COFINITE,
    FINITE,
    R_TRIVIAL,
    SUBSEQUENCES,
    SUFFIXES,
    Contexts,
    Witness,
)
from foretell.languages.dfa import DFA
from foretell.languages.nfa import Piece, determinize


def infinite(dfa: DFA) -> Witness | None:
    """A pumped word, unless the language is finite: a live state on a cycle."""
    return _looping(dfa, FINITE)


def coinfinite(dfa: DFA) -> Witness | None:
    """A pumped word outside the language, unless only finitely many are outside."""
    return _looping(dfa.complement(), COFINITE)


def _looping(dfa: DFA, law: str) -> Witness | None:
    live = sorted(dfa.live)
    number = {state: index for index, state in enumerate(live)}
    rows = [[number.get(target, NONE) for target in dfa.delta[state]] for state in live]
    cycle = _cycle(np.array(rows))
    if cycle is None:
        return None
    place, loop = cycle
    find = Contexts(dfa)
    state = live[place]
    words = {
        "before": find.access(state),
        "loop": find.spell(loop),
        "after": find.accepted_from(state),
    }
    return Witness(law, words)


def _cycle(targets: np.ndarray) -> tuple[int, tuple[int, ...]] | None:
    """A node on a cycle with a shortest word around it; none when there is no cycle."""
    if not len(targets):
        return None
    label = components(targets)
    inside = (targets >= 0) & (label[targets] == label[:, None])
    places = np.argwhere(inside)
    if not len(places):
        return None
    node = int(places[0][0])
    words: dict[int, tuple[int, ...]] = {node: ()}
    order = [node]
    for source in order:  # grows while it is walked
        for letter in np.flatnonzero(inside[source]):
            target = int(targets[source, letter])
            if target == node:
                return node, (*words[source], int(letter))
            if target not in words:
                words[target] = (*words[source], int(letter))
                order.append(target)
    raise AssertionError("a strong component leads back")


def unordered(dfa: DFA) -> Witness | None:
    """Words that break R-triviality: a cycle of the automaton that is more than a loop.

    The syntactic monoid is R-trivial exactly when the minimal automaton is partially ordered
    (Brzozowski & Fich, Languages of R-trivial monoids, 1980).
    """
    targets = letter_maps(dfa).T.astype(np.int64)
    loops = targets == np.arange(len(targets))[:, None]
    cycle = _cycle(np.where(loops, NONE, targets))
    if cycle is None:
        return None
    word = cycle[1]
    return Contexts(dfa).witness(R_TRIVIAL, {"x": word[:1], "y": word[1:]})


def local_width(dfa: DFA) -> int | Witness:
    """The least k for which the language is strictly k-local, or why there is none.

    Windows of width k (with end marks) determine membership exactly when words of k - 1 letters
    lead all states that stay live to one state (suffix substitution: Rogers & Pullum, Aural
    pattern recognition experiments and the subregular hierarchy, 2011; Caron, Families of locally
    testable languages, 2000): the graph of pairs of live states has no walk of k - 1 letters.
    """
    live = np.zeros(len(dfa.delta), bool)
    live[list(dfa.live)] = True
    one, other = np.nonzero(np.triu(live[:, None] & live[None, :], 1))
    number = np.full((len(live), len(live)), NONE)
    number[one, other] = number[other, one] = np.arange(len(one))
    letters = letter_maps(dfa)
    targets = np.stack([number[row[one], row[other]] for row in letters], axis=1)
    cycle = _cycle(targets)
    if cycle is None:
        return _longest_walk(targets) + 1
    place, core = cycle
    # A word around an unordered pair may swap its states: twice around fixes both.
    find = Contexts(dfa)
    first, second = int(one[place]), int(other[place])
    try:
        end = find.accepted_from(second, avoiding=first)
    except LookupError:
        first, second = second, first
        end = find.accepted_from(second, avoiding=first)
    words = {
        "left": find.access(first),
        "right": find.accepted_from(first),
        "other": find.access(second),
        "end": end,
        "core": find.spell(core * 2),
    }
    return Witness(SUFFIXES, words)


def _longest_walk(targets: np.ndarray) -> int:
    """Number of nodes on a longest walk of a graph without cycles."""
    height = np.zeros(len(targets), np.int64)
    while len(targets):
        below = np.where(targets >= 0, height[targets], 0).max(axis=1)
        if (below + 1 == height).all():
            break
        height = below + 1
    return int(height.max(initial=0))


def piecewise_width(dfa: DFA, limit: int) -> int | Witness:
    """The least k for which the language is strictly k-piecewise, or why there is none.

    Strictly piecewise languages are those closed under subsequences (Haines 1969; Rogers et al.,
    On languages piecewise testable in the strict sense, 2010), and k is the length of a longest
    word outside all of whose subsequences are inside, or 1.
    """
    letters = letter_maps(dfa)
    more = _accepts_more(dfa)
    for letter, row in enumerate(letters):
        states = np.flatnonzero(more[row, np.arange(len(row))])
        if len(states):
            state = int(states[0])
            find = Contexts(dfa)
            before = find.access(state)
            after = find.accepted_from(int(row[state]), avoiding=state)
            words = {
                "word": (*before, *find.spell([letter]), *after),
                "subsequence": (*before, *after),
            }
            return Witness(SUBSEQUENCES, words)
    return max(1, _longest_word(_least_outside(dfa, limit)))


def _accepts_more(dfa: DFA) -> np.ndarray:
    """For every two states, is a word accepted from the first and not from the second?"""
    accepting = np.zeros(len(dfa.delta), bool)
    accepting[list(dfa.final)] = True
    more = accepting[:, None] & ~accepting[None, :]
    while True:
        wider = more.copy()
        for row in letter_maps(dfa):
            wider |= more[row[:, None], row[None, :]]
        if (wider == more).all():
            return more
        more = wider


def _least_outside(dfa: DFA, limit: int) -> DFA:
    """The words outside a language closed under subsequences whose proper parts are all inside."""
    outside = dfa.complement()
    return outside - _one_more_letter(outside, limit)


def _one_more_letter(dfa: DFA, limit: int) -> DFA:
    """The members with one letter put in somewhere. State q + size: it has been put in."""
    size = len(dfa.delta)
    plain = [
        {letter: 1 << target | 1 << (state + size) for letter, target in enumerate(row)}
        for state, row in enumerate(dfa.delta)
    ]
    done = [
        {letter: 1 << (target + size) for letter, target in enumerate(row)} for row in dfa.delta
    ]
    last = sum(1 << (state + size) for state in dfa.final)
    piece = Piece((*plain, *done), plain[dfa.start], last, nullable=False)
    return determinize(piece, dfa.alphabet, limit)


def _longest_word(dfa: DFA) -> int:
    """Length of a longest member of a finite language; 0 when it has none."""
    length, reached = 0, {dfa.start} & dfa.live
    while reached:
        reached = {to for state in reached for to in dfa.delta[state]} & dfa.live
        length += bool(reached)
    return length
