"""Certificates against a program, told so that a researcher can check them by hand."""

from __future__ import annotations

from collections.abc import Sequence

from foretell.crasp.deciding.certificates import (
    DecisionCertificate,
    DifferenceCertificate,
    EquationEvidence,
    FlowCertificate,
    FlowEvidence,
    PotentialCertificate,
    fragment_name,
)
from foretell.crasp.deciding.checking.conventions import no_program
from foretell.crasp.verifying.verification import show_word
from foretell.languages.dfa import DFA
from foretell.plain.wording import counted
from foretell.reports.programs.constructions import construction

MOST = 6  # flows, pairs or equations that are told one by one
FLOWS = (
    "What a count gains by a step depends on the letter, and on what lower counts know of the "
    "state: its class at most. Between states of one class lead flows: edges taken so many times, "
    "backwards where the number is negative, that go from one state to the other and in which "
    "every letter, from every class, is used 0 times in total. So no count gains anything on the "
    "way, and none tells the states of a class apart, however many counts are stacked:"
)
ANCHORS = (
    "Counting could still see a difference of heights d(p, q) between two states that run side by "
    "side. For each listed pair one and the same word leads both states back to themselves, so "
    "that it can be repeated until every window shows nothing else; all words here have lengths "
    "divisible by {step}, so that positions ({period}) show nothing either. The listed pairs:"
)
DERIVED = (
    "Each difference is a combination of these equations, so all of them are zero together; since "
    "the equations speak of listed pairs only, they can be used again at every level, and no "
    "counts of counts help:"
)


def argue(certificate: DecisionCertificate) -> list[str]:
    """The argument, a paragraph a step."""
    if isinstance(certificate, FlowCertificate):
        return _flows(certificate)
    if isinstance(certificate, DifferenceCertificate):
        return _differences(certificate)
    if isinstance(certificate, PotentialCertificate) and certificate.program is not None:
        return construction(certificate)
    return [certificate.summary, "The numbers are in the certificate: --json lists them all."]


def _flows(found: FlowCertificate) -> list[str]:
    classes = " ".join("{" + ", ".join(map(str, group)) + "}" for group in found.classes)
    reached = found.dfa.state_after(found.access)
    return [
        f"After {_word(found.access)} the automaton is in state {reached}, and states "
        f"{', '.join(map(str, found.states))} can all be reached from each other. "
        f"Their classes are {classes}.",
        FLOWS,
        *_some([_flow(found, flow) for flow in found.flows], "flow"),
        _told_apart(found, found.pair, found.suffix, "are in one class"),
        f"So {no_program('C-RASP[∅]', found.accept)}.",
    ]


def _flow(found: FlowCertificate, flow: FlowEvidence) -> str:
    edges = "  ".join(
        f"{times:+d}·({state} –{letter}→ {_after(found.dfa, state, [letter])})"
        for state, letter, times in flow.edges
    )
    return f"{flow.amount} × from {flow.source} to {flow.target}:  {edges}"


def _differences(found: DifferenceCertificate) -> list[str]:
    one, two = found.pairs[0]
    period = "of any period" if found.modulus is None else f"modulo {found.modulus}"
    pairs = [
        f"d({p}, {q}): reading {_word(word)}{_times(power)} leads {p} to {p} and {q} to {q}"
        for (p, q), (word, power) in zip(found.pairs, found.anchors, strict=True)
    ]
    equations = [
        f"({number}) {_equation(found, item)}" for number, item in enumerate(found.equations, 1)
    ]
    derivations = [
        f"d({p}, {q}) = "
        + " ".join(f"{'-+'[x > 0]} {abs(x)}·({number + 1})" for number, x in terms).lstrip("+ ")
        for (p, q), terms in zip(found.pairs, found.derivations, strict=True)
    ]
    return [
        f"After {_word(found.access)} the automaton is in state {one}; the states named here can "
        "all be reached from each other.",
        ANCHORS.format(step=found.step, period=period),
        *_some(pairs, "pair"),
        "Equations between the differences:",
        *_some(equations, "equation"),
        DERIVED,
        *_some([f"{line} = 0" for line in derivations], "derivation"),
        _told_apart(found, (one, two), found.suffix, "have difference 0"),
        f"So {no_program(fragment_name(found.fragment), found.accept)}.",
    ]


def _equation(found: DifferenceCertificate, item: EquationEvidence) -> str:
    pairs = [found.pairs[place] for place in item.pairs]
    names = [f"d({one}, {two})" for one, two in pairs]
    (one, two), word = pairs[0], item.word or ()
    ends = f"reading {_word(word)} leads {one} to {_after(found.dfa, one, word)} and {two} to "
    ends += str(_after(found.dfa, two, word))
    match item.kind:
        case "merge":
            return f"{names[0]} = 0: {ends}"
        case "transport":
            return f"{names[0]} - {names[1]} = 0: {ends}"
        case "swap":
            return f"{names[0]} + {names[1]} = 0: the same two states, turned round"
        case "triple":
            loop, power = item.anchor or ((), 1)
            return (
                f"{names[0]} + {names[1]} - {names[2]} = 0: reading {_word(loop)}{_times(power)} "
                f"leads {one}, {two} and {pairs[1][1]} each back to itself"
            )
    return f"{item.kind}: {', '.join(names)}"


def _told_apart(
    found: DecisionCertificate, pair: tuple[int, int], suffix: Sequence[str], but: str
) -> str:
    ends = {state: _after(found.dfa, state, suffix) for state in pair}
    yes, no = sorted(pair, key=lambda state: ends[state] not in found.dfa.final)
    return (
        f"States {pair[0]} and {pair[1]} {but}, yet {_word(suffix)} is accepted from state {yes} "
        f"(it leads to {ends[yes]}) and not from state {no} (it leads to {ends[no]})."
    )


def _after(dfa: DFA, state: int, word: Sequence[str]) -> int:
    for letter in dfa.letters(word):
        state = dfa.delta[state][letter]
    return state


def _some(lines: Sequence[str], noun: str) -> list[str]:
    """The first few; the rest is in the JSON form."""
    told = [f"  {line}" for line in lines[:MOST]]
    if len(lines) > MOST:
        told.append(f"  … and {counted(len(lines) - MOST, f'more {noun}')}: --json lists them all")
    return told


def _times(power: int) -> str:
    return f", {power} times in a row," if power > 1 else ""


def _word(word: Sequence[str]) -> str:
    return show_word(tuple(word))
