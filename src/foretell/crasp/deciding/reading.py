"""Certificates back from JSON."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from foretell.crasp.deciding.certificates import (
    Anchor,
    ComponentEvidence,
    DecisionCertificate,
    DifferenceCertificate,
    EquationEvidence,
    FlowCertificate,
    FlowEvidence,
    PotentialCertificate,
    SolutionCertificate,
)
from foretell.crasp.deciding.elimination import Number
from foretell.crasp.program import Program
from foretell.languages.dfa import DFA
from foretell.languages.dfa_json import dfa_from_json
from foretell.plain.errors import BadInput

Shared = tuple[DFA, str, str]


def certificate_from_json(document: Mapping[str, Any]) -> DecisionCertificate:
    """The certificate in a JSON value; it is read, not checked: call `check()` for that."""
    readers = {
        "flows": _read_flows,
        "differences": _read_differences,
        "potentials": _read_potentials,
        "pair-solutions": _read_solutions,
    }
    kind = document.get("kind") if isinstance(document, Mapping) else None
    if kind not in readers:
        raise BadInput("not a certificate", seen=repr(kind), why=f"kinds are {', '.join(readers)}")
    try:
        shared = (
            dfa_from_json(document["dfa"]),
            str(document["accept"]),
            str(document["fragment"]),
        )
        found = readers[kind](shared, document)
        if document["answer"] != found.answer:
            raise ValueError(f"evidence of this kind shows a {found.answer}")
        return found
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as problem:
        raise BadInput(
            "a certificate cannot be read", seen=kind, why=f"{type(problem).__name__}: {problem}"
        ) from problem


def _read_flows(shared: Shared, document: Mapping[str, Any]) -> DecisionCertificate:
    one, two = document["pair"]
    return FlowCertificate(
        *shared,
        states=tuple(document["states"]),
        classes=tuple(map(tuple, document["classes"])),
        flows=tuple(
            FlowEvidence(flow["from"], flow["to"], flow["amount"], tuple(map(tuple, flow["edges"])))
            for flow in document["flows"]
        ),
        pair=(one, two),
        suffix=tuple(document["suffix"]),
        access=tuple(document["access"]),
    )


def _read_anchor(value: Any) -> Anchor:
    word, power = value
    return tuple(word), power


def _read_number(value: int | str) -> Number:
    return value if isinstance(value, int) else Fraction(value)


def _read_differences(shared: Shared, document: Mapping[str, Any]) -> DecisionCertificate:
    return DifferenceCertificate(
        *shared,
        modulus=document["modulus"],
        step=document["step"],
        pairs=tuple((one, two) for one, two in document["pairs"]),
        anchors=tuple(map(_read_anchor, document["anchors"])),
        equations=tuple(
            EquationEvidence(
                item["kind"],
                tuple(item["pairs"]),
                tuple(item["word"]) if "word" in item else None,
                _read_anchor(item["anchor"]) if "anchor" in item else None,
            )
            for item in document["equations"]
        ),
        derivations=tuple(
            tuple((number, _read_number(factor)) for number, factor in derivation)
            for derivation in document["derivations"]
        ),
        connections=tuple((one, two, tuple(word)) for one, two, word in document["connections"]),
        access=tuple(document["access"]),
        suffix=tuple(document["suffix"]),
    )


def _read_potentials(shared: Shared, document: Mapping[str, Any]) -> DecisionCertificate:
    return PotentialCertificate(
        *shared,
        modulus=document["modulus"],
        letters=tuple(map(tuple, document["letters"])),
        padding=document["padding"],
        windows=tuple(map(tuple, document["windows"])),
        components=tuple(
            ComponentEvidence(
                tuple(
                    (node["state"], node["residue"], node["full"], tuple(node["window"]))
                    for node in component["nodes"]
                ),
                tuple(tuple(map(tuple, level)) for level in component["levels"]),
            )
            for component in document["components"]
        ),
        program=None if document["program"] is None else Program.parse(document["program"]),
        note=document["note"],
    )


def _read_solutions(shared: Shared, document: Mapping[str, Any]) -> DecisionCertificate:
    return SolutionCertificate(
        *shared,
        modulus=document["modulus"],
        cycles=tuple(
            (cycle["period"], tuple((one, two, place) for one, two, place in cycle["pairs"]))
            for cycle in document["cycles"]
        ),
        levels=tuple(
            tuple(tuple(map(tuple, solution)) for solution in level) for level in document["levels"]
        ),
        note=document["note"],
    )
