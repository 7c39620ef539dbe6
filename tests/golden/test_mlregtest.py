"""Automata of a public benchmark: the format is read, and the classes are those of their names."""

from pathlib import Path

import pytest

from foretell.crasp.deciding.decide import decide
from foretell.languages.automaton_file import read_automaton
from foretell.languages.classes import class_report

HERE = Path(__file__).parent / "mlregtest"
NAMED = {  # class in the name: what must hold, what must not
    "SL": (("strictly_local",), ()),
    "SP": (("strictly_piecewise",), ()),
    "LT": (("locally_testable",), ("strictly_local",)),
    "PT": (("piecewise_testable",), ("strictly_piecewise",)),
    "LTT": (("locally_threshold_testable",), ("locally_testable",)),
    "TLT": (("star_free",), ("locally_threshold_testable",)),
    "TLP": (("star_free",), ("locally_threshold_testable", "piecewise_testable")),
    "SF": (("star_free",), ("piecewise_testable", "locally_threshold_testable")),
    "Zp": (("solvable",), ("star_free", "quasi_aperiodic")),
    "Reg": ((), ("star_free",)),
}


@pytest.mark.parametrize("path", sorted(HERE.glob("*.att")), ids=lambda path: path.stem)
def test_classes_and_decisions(path: Path) -> None:
    dfa = read_automaton(path, sink=True)
    report = class_report(dfa)
    holds, fails = NAMED[path.stem.split(".")[2]]
    assert {name: report[name].answer for name in (*holds, *fails)} == {
        **dict.fromkeys(holds, "yes"),
        **dict.fromkeys(fails, "no"),
    }
    for accept in ("last-letter", "every-prefix"):
        found = decide(dfa, accept)
        assert all(one.answer in ("yes", "no") for one in found.answers)
        certificates = [one.certificate for one in found.answers]
        assert all(one is not None and one.check().holds for one in certificates)


def test_all_ten_are_there() -> None:
    assert {path.stem.split(".")[2] for path in HERE.glob("*.att")} == set(NAMED)
