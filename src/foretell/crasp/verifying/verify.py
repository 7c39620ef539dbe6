"""`verify`: do a program and a program, an automaton or an oracle agree on every word?"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Literal, final

from foretell.crasp.operations import Core
from foretell.crasp.program import Program
from foretell.crasp.verifying import depth_one, finite_state, unary
from foretell.crasp.verifying.automata import AutomatonReference
from foretell.crasp.verifying.exhaustive import exhaust
from foretell.crasp.verifying.joint import Decision, join
from foretell.crasp.verifying.programs import ProgramReference
from foretell.crasp.verifying.random_words import try_random
from foretell.crasp.verifying.reference import Kind, Reference
from foretell.crasp.verifying.shrinking import shrink
from foretell.crasp.verifying.verification import Counterexample, Verification
from foretell.crasp.words import Words
from foretell.languages.dfa import DFA
from foretell.languages.regular import RegularLanguage
from foretell.plain.errors import BadInput

BUDGET = 4_000_000
SLOWER = 20  # a slow reference is asked about that many times fewer tokens
Side = Program | Core | DFA | RegularLanguage | Reference


def verify(
    left: Side,
    right: Side,
    budget: int = BUDGET,
    seed: int = 0,
    kind: Kind | None = None,
    longest: int = 10_000,
) -> Verification:
    """All short words, then exact decisions, then long random words; `budget` is in tokens.

    >>> many = Program.parse("alphabet a b\\naccept(i) := #[j <= i] Q_a(j) >= #[j <= i] Q_b(j)")
    >>> same = Program.parse("alphabet a b\\naccept(i) := not #[j<=i] Q_a(j) < #[j<=i] Q_b(j)")
    >>> verify(many, same, budget=1000).status
    'proved'
    """
    began = time.perf_counter()
    sides = _sides(left, right, kind)
    slow = any(side.slow for side in sides)
    found = _Finding(*sides)
    tokens = max(budget // SLOWER, 1) if slow else budget
    found.status, found.method = _settle(found, tokens, seed, longest)
    shown = None if found.word is None else _counterexample(*sides, found.word)
    return Verification(
        status=found.status,
        kind=sides[0].kind,
        method=found.method,
        reason=found.reason,
        exhaustive_up_to=found.exhaustive_up_to,
        random_words=found.random_words,
        longest_random=found.longest_random,
        decisions=tuple(found.decisions),
        seconds=time.perf_counter() - began,
        counterexample=shown,
        shortest=found.shortest
        or (shown is not None and len(shown.word) <= found.exhaustive_up_to + 1),
        live_only=sides[0].kind == "next"
        and not all(isinstance(side, ProgramReference) for side in sides),
    )


@final
@dataclass
class _Finding:
    left: Reference
    right: Reference
    status: Literal["proved", "checked", "refuted"] = "checked"
    method: str = ""
    reason: str = ""
    exhaustive_up_to: int = -1
    random_words: int = 0
    longest_random: int = 0
    decisions: list[Decision] = field(default_factory=list)
    word: tuple[int, ...] | None = None
    shortest: bool = False


def _settle(
    found: _Finding, tokens: int, seed: int, longest: int
) -> tuple[Literal["proved", "checked", "refuted"], str]:
    """The three steps; the first that settles the question ends it."""
    every = exhaust(found.left, found.right, tokens)
    if every.word is not None:
        found.exhaustive_up_to = len(every.word) - 1
        found.word, found.reason = every.word, "the first difference among all words by length"
        return "refuted", "exhaustive"
    found.exhaustive_up_to = every.length
    decision = _decide(found)
    if decision is not None and decision.word is None:
        found.reason = decision.reason
        return "proved", decision.method
    if decision is not None and decision.word is not None:
        found.reason, found.word, found.shortest = decision.reason, decision.word, decision.shortest
        if not found.shortest:
            found.word = shrink(found.left, found.right, decision.word)
        return "refuted", decision.method
    tried = try_random(found.left, found.right, tokens, longest, seed)
    found.random_words, found.longest_random = tried.words, tried.longest
    if tried.word is not None:
        found.word = shrink(found.left, found.right, tried.word)
        found.reason = "a random word, made shorter as long as they still differ"
        return "refuted", "random"
    found.reason = "no difference found, and no exact decision applies"
    return "checked", "exhaustive and random"


def _decide(found: _Finding) -> Decision | None:
    joint = join(found.left, found.right)
    if joint is None:
        reason = "exact decisions are about a program and a program or an automaton"
        found.decisions.append(Decision("exact", "does not apply", reason))
        return None
    differs: Decision | None = None
    for method in (unary.decide, depth_one.decide, finite_state.decide):
        decision = method(joint)
        found.decisions.append(decision)
        if decision.outcome == "agree" and differs is not None:
            raise AssertionError(f"{differs.method} and {decision.method} contradict each other")
        if decision.outcome == "agree" or decision.shortest:
            return decision
        if decision.outcome == "differ":
            differs = decision  # a later method may know a shortest word
    return differs


def as_reference(side: Side, kind: Kind | None = None) -> Reference:
    """Whatever can be compared; without a kind, a program is an acceptor if it accepts."""
    if isinstance(side, Reference):
        return side
    if isinstance(side, DFA | RegularLanguage):
        dfa = side.dfa if isinstance(side, RegularLanguage) else side
        return AutomatonReference(dfa.minimal(), kind or "accept")
    core = side.core if isinstance(side, Program) else side
    return ProgramReference(core, kind or ("next" if core.accept is None else "accept"))


def _sides(left: Side, right: Side, kind: Kind | None) -> tuple[Reference, Reference]:
    kind = kind or _common_kind(left, right)
    one, two = as_reference(left, kind), as_reference(right, kind)
    if one.kind != two.kind:
        raise BadInput(
            "the two sides answer different questions",
            seen=f"one is about {one.kind}, the other about {two.kind}",
            why="accepting a word and naming what may come next cannot be compared",
        )
    if set(one.letters) != set(two.letters):
        raise BadInput(
            "the two sides have different alphabets",
            seen=f"{' '.join(one.letters[:30])} and {' '.join(two.letters[:30])}",
            why="they are compared on words over one alphabet",
            hint="give both the same letters",
        )
    return one, two.renumbered(one.letters)


def _common_kind(left: Side, right: Side) -> Kind:
    """What both can answer: what a reference is made for, else accept, else next."""
    for side in (left, right):
        if isinstance(side, Reference):
            return side.kind
    cores = [side.core if isinstance(side, Program) else side for side in (left, right)]
    predictors = [core.accept is None for core in cores if isinstance(core, Core)]
    return "next" if any(predictors) else "accept"


def _counterexample(left: Reference, right: Reference, word: tuple[int, ...]) -> Counterexample:
    """Ask both sides again, about this word alone."""
    if word:
        words = Words.of([word])
        one, two = left.at_ends(words), right.at_ends(words)
    else:
        one, two = left.empty(), right.empty()
    if not one.differs(two).any():
        raise AssertionError(f"both sides agree on the counterexample {word}")
    symbols = tuple(left.letters[letter] for letter in word)
    return Counterexample(symbols, left.name_of(one, 0), right.name_of(two, 0))
