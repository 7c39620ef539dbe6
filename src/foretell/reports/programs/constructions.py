"""Why a program that was written out is right: stages, heights, and steps that are doomed."""

from __future__ import annotations

from foretell.crasp.deciding.certificates import PotentialCertificate
from foretell.crasp.deciding.checking.conventions import what_it_tells
from foretell.crasp.deciding.notes import StageNote, stage_notes
from foretell.plain.wording import counted

MOST = 8  # stages, or places of one stage, that are told one by one
STAGES = (
    "A stage is a set of places that can all be reached from each other and from which something "
    "can still be accepted; a place is {place}. A word goes through stages and never comes back "
    "to one it has left. Inside a stage, heights follow where the word stands: every step changes "
    "a height by an amount that depends only on its letter and on what is known already, so that "
    "counting letters from where the stage was entered gives the height of the place itself. "
    "Together they tell all places of a stage apart. Once the stage has been left they mean "
    "nothing, and nothing asks for them: the step that left it was seen in time."
)
DOOMED = (
    "`doomed` is true at a step that leads where nothing is accepted any more. Up to the first "
    "such step every height and every stage is exact, so the first one is seen; what is said "
    "after it may be wrong and does not count, because `accept` asks that there was none."
)
PLAIN = "The program looks at nothing but letters, windows and positions: there is no stage."


def construction(certificate: PotentialCertificate) -> list[str]:
    """The argument for the program of a certificate, a paragraph a step."""
    assert certificate.program is not None
    notes = stage_notes(certificate)
    told = [f"This program {what_it_tells(certificate.accept)}:"]
    told += [f"  {line}" for line in certificate.program.show().splitlines()]
    if not notes:
        return [*told, PLAIN]
    told.append(STAGES.format(place=_place_in_words(certificate)))
    for note in notes[:MOST]:
        told += [f"  {line}" for line in _stage(certificate, note)]
    if len(notes) > MOST:
        told.append(f"  … and {counted(len(notes) - MOST, 'more stage')}")
    if any(name == "doomed" for name in _defined(certificate)):
        told.append(DOOMED)
    return told


def _place_in_words(certificate: PotentialCertificate) -> str:
    parts = ["a state of the automaton"]
    if certificate.accept == "last-letter":
        parts[0] += " (states with equal rows count as one: the last letter is seen anyway)"
    if certificate.modulus > 1:
        parts.append(f"the number of letters read modulo {certificate.modulus}")
    if any(certificate.windows):
        parts.append("the last letters read")
    return ", with ".join(parts[:2]) + "".join(f" and {part}" for part in parts[2:])


def _stage(certificate: PotentialCertificate, note: StageNote) -> list[str]:
    shown = [_place(certificate, *place) for place in note.places[:MOST]]
    more = ", …" if len(note.places) > MOST else ""
    lines = [f"{note.name}: {', '.join(shown)}{more}"]
    for name, heights in note.heights.items():
        values = ", ".join(
            f"{height} at {place}" for place, height in zip(shown, heights, strict=False)
        )
        lines.append(f"  {name}: {values}{more}")
    return lines


def _place(
    certificate: PotentialCertificate, state: int, residue: int, full: bool, window: tuple[str, ...]
) -> str:
    text = f"state {state}"
    if certificate.modulus > 1:
        text += f" mod {residue}"
    if any(certificate.windows):
        seen = " ".join(window) or "nothing"
        text += f" after …{seen}" if full else f" after {seen} alone"
    return text


def _defined(certificate: PotentialCertificate) -> list[str]:
    program = certificate.program
    return [] if program is None else [getattr(item, "name", "") for item in program.statements]
