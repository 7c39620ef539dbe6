"""A program as a certificate: it holds for the right task and fails for every wrong one."""

import json

from foretell.crasp import shelf
from foretell.crasp.program import Program
from foretell.plain.canonical import canonical_json
from foretell.tasks.attached import attached_program
from foretell.tasks.lookup import find_task
from foretell.theory._program import ProgramCertificate


def certificate(name, program=None, fragment="C-RASP[periodic, local]", longest=30):
    task = find_task(name, longest)
    return ProgramCertificate(program or attached_program(task), fragment, task)


def test_it_holds_and_says_how_it_was_checked():
    found = certificate("tomita-2", fragment="C-RASP[∅]").check()
    assert found.holds
    for words in ("positions", "Proved", "compiled network", "offsets"):
        assert words in found.how


def test_it_fails_for_another_language():
    found = certificate("tomita-2", program=shelf.load("tomita-1")).check()
    assert not found.holds
    assert "the program is wrong: after" in found.how


def test_it_fails_where_it_differs_on_words_no_sample_shows():
    text = shelf.load("tomita-2").show()
    rare = text.replace(
        "next[<eos>](i) := accept(i)", "next[<eos>](i) := accept(i) and not late(i)"
    )
    rare = rare.replace("accept(i) :=", "late(i) := #[j <= i] true > 40\naccept(i) :=", 1)
    assert Program.parse(rare) != shelf.load("tomita-2")
    found = certificate("tomita-2", program=Program.parse(rare)).check()
    assert not found.holds
    assert "Refuted" in found.how


def test_it_fails_in_the_wrong_fragment():
    found = certificate("tomita-4", fragment="C-RASP[∅]").check()
    assert not found.holds
    assert "C-RASP[local]" in found.how


def test_its_json_is_plain_and_carries_the_program():
    described = certificate("aa-star").as_json()
    assert json.loads(canonical_json(described)) == described
    assert Program.parse(described["program"]).core == attached_program(find_task("aa-star")).core
    assert certificate("aa-star").summary.startswith("a C-RASP[periodic] program")
