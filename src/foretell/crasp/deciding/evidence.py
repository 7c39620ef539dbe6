"""From what was found to certificates: numbers of letters become symbols."""

from __future__ import annotations

from foretell.crasp.deciding.certificates import (
    ComponentEvidence,
    DifferenceCertificate,
    EquationEvidence,
    FlowCertificate,
    FlowEvidence,
    PotentialCertificate,
)
from foretell.crasp.deciding.configurations import NODES, Configurations, Windows, explore
from foretell.crasp.deciding.differences import Anchor, DifferenceObstruction
from foretell.crasp.deciding.formulas import TooLargeError
from foretell.crasp.deciding.machines import ACCEPT, Machine
from foretell.crasp.deciding.obstructions import FlowObstruction
from foretell.crasp.deciding.synthesis import synthesise
from foretell.plain.errors import BadInput


def flow_certificate(machine: Machine, found: FlowObstruction) -> FlowCertificate:
    """The evidence against C-RASP[∅]."""

    def symbol(letter: int) -> str:
        return machine.spell((letter,))[0]

    return FlowCertificate(
        machine.dfa,
        machine.accept,
        "crasp",
        states=found.states,
        classes=found.classes,
        flows=tuple(
            FlowEvidence(
                flow.source,
                flow.target,
                flow.amount,
                tuple((state, symbol(letter), times) for state, letter, times in flow.edges),
            )
            for flow in found.flows
        ),
        pair=found.pair,
        suffix=machine.spell(found.suffix),
        access=machine.spell(found.access),
    )


def difference_certificate(
    machine: Machine, fragment: str, found: DifferenceObstruction
) -> DifferenceCertificate:
    """The evidence against a fragment with windows."""
    spell = machine.spell

    def spelled(anchor: Anchor) -> tuple[tuple[str, ...], int]:
        return spell(anchor[0]), anchor[1]

    return DifferenceCertificate(
        machine.dfa,
        machine.accept,
        fragment,
        modulus=found.modulus,
        step=found.step,
        pairs=found.pairs,
        anchors=tuple(map(spelled, found.anchors)),
        equations=tuple(
            EquationEvidence(
                item.kind,
                item.pairs,
                None if item.word is None else spell(item.word),
                None if item.anchor is None else spelled(item.anchor),
            )
            for item in found.equations
        ),
        derivations=found.derivations,
        connections=tuple((one, two, spell(word)) for one, two, word in found.connections),
        access=spell(found.access),
        suffix=spell(found.suffix),
    )


def potential_certificate(fragment: str, found: Configurations) -> PotentialCertificate:
    """The evidence for a fragment: heights, windows and the program."""
    machine = found.machine
    padding = found.windows.padding
    try:
        program, note = synthesise(found), None
    except (TooLargeError, BadInput) as stop:
        program, note = None, f"the program was not written out: {stop.args[0]}"
    return PotentialCertificate(
        machine.dfa,
        machine.accept,
        fragment,
        modulus=found.modulus,
        letters=tuple(
            tuple(machine.dfa.alphabet.symbols[letter] for letter in group)
            for group in machine.groups
        ),
        padding=None if padding is None else machine.spell((padding,))[0],
        windows=tuple(map(machine.spell, sorted(found.windows.words))),
        components=tuple(
            _component(found, name) for name, part in enumerate(found.strong[1]) if len(part) > 1
        ),
        program=program,
        note=note,
    )


def configurations_of(certificate: PotentialCertificate) -> Configurations:
    """The configurations that a certificate is about, found again."""
    convention = next(name for name in ACCEPT if name == certificate.accept)
    machine = Machine.of(certificate.dfa, convention)
    group = {
        certificate.dfa.alphabet.symbols[letter]: number
        for number, letters in enumerate(machine.groups)
        for letter in letters
    }
    padding = certificate.padding
    windows = Windows(
        len(machine.groups),
        None if padding is None else group[padding],
        {tuple(group[symbol] for symbol in word) for word in certificate.windows},
    )
    found = explore(machine, certificate.modulus, windows, NODES)
    assert found is not None, "a program is written out for so many configurations only"
    return found


def _component(found: Configurations, name: int) -> ComponentEvidence:
    machine, part = found.machine, found.strong[1][name]
    nodes = [found.nodes[number] for number in part]
    return ComponentEvidence(
        tuple(
            (
                machine.representatives[node.block],
                node.residue,
                node.full,
                machine.spell(node.window),
            )
            for node in nodes
        ),
        tuple(
            tuple(
                tuple(potential.heights[number] for number in part)
                for potential in level.potentials
            )
            for level in found.towers[name].levels
        ),
    )
