import json

import pytest

from foretell.crasp.analysis import analyse, counting_depth
from foretell.crasp.program import Program

PLAIN = "alphabet a b\naccept(i) := #[j <= i] Q_a(j) >= 2"
PERIODIC = "alphabet a\naccept(i) := i mod 4 == 0 or i mod 6 == 1"
LOCAL = "alphabet a b\naccept(i) := #[j <= i, j == i - 1] Q_a(j) >= 1"
BOTH = """alphabet a b
pair(i) := Q_b(i) and #[i - 3 <= j <= i - 1] Q_a(j) >= 1 and i mod 2 == 0
accept(i) := #[j <= i] pair(j) >= 1"""


@pytest.mark.parametrize(
    ("text", "fragment", "depth", "unbounded", "layers"),
    [
        (PLAIN, "C-RASP[∅]", 1, 1, 1),
        (PERIODIC, "C-RASP[periodic]", 0, 0, None),
        (LOCAL, "C-RASP[local]", 1, 0, None),
        (BOTH, "C-RASP[periodic, local]", 2, 1, None),
        ("alphabet a b\naccept(i) := Q_a(i)", "C-RASP[∅]", 0, 0, 0),
    ],
)
def test_fragments_and_depths(text, fragment, depth, unbounded, layers):
    found = analyse(Program.parse(text))
    assert (found.fragment, found.depth, found.unbounded_depth) == (fragment, depth, unbounded)
    assert found.layers == layers


def test_moduli_and_offsets():
    periodic = analyse(Program.parse(PERIODIC))
    assert (periodic.moduli, periodic.period) == ((4, 6), 12)
    assert analyse(Program.parse(BOTH)).offsets == (1, 2, 3)
    assert analyse(Program.parse(PLAIN)).period == 1


def test_a_residue_that_always_or_never_holds_is_not_periodic():
    for test in ("i mod 1 == 0", "i mod 2 in {0, 1}", "i mod 2 in {}"):
        text = f"alphabet a\naccept(i) := {test} and #[j <= i] Q_a(j) >= 1"
        assert analyse(Program.parse(text)).fragment == "C-RASP[∅]"


def test_only_live_operations_count():
    text = """alphabet a b
unused(i) := #[j <= i, j == i - 1] Q_b(j) + #[j <= i] (j mod 2 == 0)
let near[x](i) := #[j <= i, j == i - 2] Q_x(j) >= 1
deep(i) := #[j <= i] (#[k <= j] Q_a(k) >= 1)
accept(i) := #[j <= i] Q_a(j) >= 1"""
    found = analyse(Program.parse(text))
    assert found.fragment == "C-RASP[∅]"
    assert found.depth == 1
    assert found.dead_definitions == ("unused", "near", "deep")
    assert found.dead_operations
    assert found.operations == 2  # a count and a comparison
    assert found.atoms == 2  # Q_a and 1


def test_a_macro_with_one_used_letter_is_not_dead():
    text = """alphabet a b
let seen[x](i) := #[j <= i] Q_x(j) >= 1
accept(i) := seen[b](i)"""
    assert analyse(Program.parse(text)).dead_definitions == ()


def test_next_symbols_are_outputs():
    text = "alphabet a b\nlet next[x](i) := #[j <= i] Q_x(j) >= 1"
    found = analyse(Program.parse(text))
    assert found.depth == 1
    assert not found.dead_definitions


def test_the_layers_come_with_their_assumption():
    plain, local = analyse(Program.parse(PLAIN)), analyse(Program.parse(LOCAL))
    assert "fixed precision" in plain.layers_reason and "shallower" in plain.layers_reason
    assert "without positional relations" in local.layers_reason
    assert plain.as_json()["layers"]["enough"] == 1
    assert "2506.16055" in plain.as_json()["layers"]["source"]


def test_it_is_json_and_lines():
    found = analyse(Program.parse(BOTH).core)
    assert json.loads(json.dumps(found.as_json()))["moduli"] == [2]
    assert dict(found.lines())["counting depth"].startswith("2 (1 ")
    assert all(isinstance(text, str) for line in found.lines() for text in line)


def test_counting_depth_is_about_nesting_not_length():
    text = "alphabet a\naccept(i) := #[j<=i] Q_a(j) + #[j<=i] true >= #[j<=i] (j mod 2 == 0)"
    assert counting_depth(Program.parse(text).core) == 1
