"""Is the program of a certificate what it says: well formed, in its fragment, and right?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foretell.crasp.analysis import analyse
from foretell.crasp.deciding.checking.conventions import compared_with, what_it_tells
from foretell.crasp.deciding.checking.table import Table, require
from foretell.crasp.program import Program
from foretell.crasp.verifying.verify import verify
from foretell.languages.dfa import DFA, explore
from foretell.plain.wording import counted

BUDGET = 60_000  # tokens
LONGEST = 1_000


def check_program(table: Table, document: Mapping[str, Any]) -> str:
    """What was checked, or `Refuted`."""
    program = Program.parse(document["program"])
    require(
        set(program.letters) == set(table.dfa.alphabet.symbols), "the program has other letters"
    )
    found = analyse(program)
    fragment = document["fragment"]
    local, periodic = any(found.offsets), bool(found.moduli)
    if fragment == "crasp":
        require(not local and not periodic, f"the program lies in {found.fragment}")
    elif fragment == "crasp_local":
        require(not periodic, f"the program lies in {found.fragment}")
    elif fragment != "crasp_periodic_local":
        modulus = int(fragment.removeprefix("crasp_periodic_").removesuffix("_local"))
        require(modulus % found.period == 0, f"the program's period is {found.period}")
    language = table.dfa if table.accept == "last-letter" else one_letter_more(table.dfa)
    verified = verify(program, language, budget=BUDGET, longest=LONGEST)
    wrong = f"the program is wrong, compared with {compared_with(table.accept)}: "
    require(verified.status != "refuted", wrong + verified.summary())
    tells = f" {what_it_tells(table.accept)}" if verified.status == "proved" else ""
    return (
        f"the program ({found.fragment}, {counted(found.operations, 'operation')}){tells}. "
        f"Compared with {compared_with(table.accept)}: {verified.summary()}"
    )


def one_letter_more(dfa: DFA) -> DFA:
    """The words of a language with one more letter, whatever it is: L Σ.

    A program for it knows, before it sees a letter, whether what came before is in the language.
    """

    def step(node: tuple[int, bool]) -> list[tuple[int, bool]]:
        state, _ = node
        return [(target, state in dfa.final) for target in dfa.delta[state]]

    return explore(dfa.alphabet, (dfa.start, False), step, lambda node: node[1])
