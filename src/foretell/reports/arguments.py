"""Certificates against a program, told in words a researcher can follow."""

from __future__ import annotations

from collections.abc import Sequence

from foretell.crasp.deciding.certificates import (
    DecisionCertificate,
    DifferenceCertificate,
    EquationEvidence,
    FlowCertificate,
)

MOST = 6  # flows or equations that are told one by one


def argue(certificate: DecisionCertificate) -> list[str]:
    """The argument, a paragraph a step."""
    if isinstance(certificate, FlowCertificate):
        return _flows(certificate)
    if isinstance(certificate, DifferenceCertificate):
        return _differences(certificate)
    return [certificate.summary]


def _flows(found: FlowCertificate) -> list[str]:
    one, two = found.pair
    told = [
        f"The word {_word(found.access)} leads to state {_first(found)}, and states "
        f"{', '.join(map(str, found.states))} can all be reached from each other.",
        "A count changes only by which letters are read in which class of states. Between states "
        "of one class there are flows in which every letter, from every class, is used 0 times in "
        "total, so no count can tell them apart, however often it looks:",
    ]
    for flow in found.flows[:MOST]:
        edges = " ".join(f"{times:+d}·({state} –{letter}→)" for state, letter, times in flow.edges)
        told.append(f"  {flow.amount} × from {flow.source} to {flow.target}: {edges}")
    if len(found.flows) > MOST:
        told.append(f"  … and {len(found.flows) - MOST} more")
    told.append(
        f"States {one} and {two} are in one class, yet after them {_word(found.suffix)} is "
        "accepted from one and not from the other. So no C-RASP[∅] program accepts exactly this "
        "language."
    )
    return told


def _first(found: FlowCertificate) -> int:
    return found.dfa.state_after(found.access)


def _differences(found: DifferenceCertificate) -> list[str]:
    one, two = found.pairs[0]
    period = "any period" if found.modulus is None else f"period {found.modulus}"
    told = [
        f"States {one} and {two}: there are words that lead each of them back to itself. Repeated "
        f"often enough, they make every window and every residue ({period}) look the same in both.",
        "What counting could still see is a difference of heights between the two, and it is "
        "forced to be 0:",
    ]
    told += [f"  {_equation(found, item)}" for item in found.equations[:MOST]]
    if len(found.equations) > MOST:
        told.append(f"  … and {len(found.equations) - MOST} more equations")
    told.append(
        f"Yet after {_word(found.access)}, which leads to state {one}, the word "
        f"{_word(found.suffix)} is accepted from one of the two and not from the other. So no such "
        "program accepts exactly this language."
    )
    return told


def _equation(found: DifferenceCertificate, item: EquationEvidence) -> str:
    pairs = [found.pairs[place] for place in item.pairs]
    names = [f"d({one}, {two})" for one, two in pairs]
    match item.kind:
        case "merge":
            return f"{names[0]} = 0: the word {_word(item.word or ())} brings both to one state"
        case "transport":
            return f"{names[0]} = {names[1]}: the word {_word(item.word or ())} leads there"
        case "swap":
            return f"{names[0]} + {names[1]} = 0: the same two states, turned round"
        case "triple":
            return f"{names[0]} + {names[1]} = {names[2]}: three states side by side"
    return f"{item.kind}: {', '.join(names)}"


def _word(word: Sequence[str]) -> str:
    if not word:
        return "ε"
    shown = ("" if all(len(letter) == 1 for letter in word) else " ").join(word[:60])
    return shown + ("…" if len(word) > 60 else "")
