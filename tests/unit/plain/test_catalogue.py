"""The folder is the registry."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from foretell.plain import catalogue
from foretell.plain.catalogue import KINDS, SECTIONS, entries, find, parse_sections, suggest
from foretell.plain.errors import BadInput


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_lists_something_sorted_and_without_repeats(kind: str) -> None:
    names = [entry.name for entry in entries(kind)]
    assert names and names == sorted(set(names))
    assert all(entry.kind == kind for entry in entries(kind))


def test_listing_everything_imports_neither_the_entries_nor_jax() -> None:
    code = (
        "import sys; from foretell.plain.catalogue import KINDS, entries\n"
        "for kind in KINDS: entries(kind)\n"
        "loaded = [m for m in sys.modules if m.startswith(('jax', 'numpy', 'foretell.'))]\n"
        "print(sorted(loaded))"
    )
    run = [sys.executable, "-c", code]
    printed = subprocess.run(run, capture_output=True, text=True, check=True).stdout.strip()
    plain = ["foretell.plain", "foretell.plain.catalogue", "foretell.plain.errors"]
    assert printed == str(plain)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("majorty", "majority"),
        ("Parity", "parity"),
        ("binary_majority", "binary-majority"),
        ("tomita4", "tomita-4"),
        ("rotry", "rotary"),
        ("crasp-lenght", "crasp-length"),
    ],
)
def test_a_slip_gets_the_name_that_was_meant(typed: str, meant: str) -> None:
    with pytest.raises(BadInput) as caught:
        find(typed)
    hint = str(caught.value.hint)
    assert hint.startswith("did you mean ") and hint.endswith("?")
    assert meant in hint.removeprefix("did you mean ").removesuffix("?").split(" or ")


def test_the_text_of_an_unknown_name() -> None:
    with pytest.raises(BadInput) as caught:
        find("qqqqqqqqqq", ("tasks", "languages"))
    assert str(caught.value).splitlines() == [
        "unknown task or language",
        "  seen: qqqqqqqqqq",
        "  why:  no file or row of the catalogue has that name",
        "  try:  foretell list tasks",
    ]


def test_only_the_kinds_asked_for_are_searched() -> None:
    assert find("parity", ("tasks",)).kind == "tasks"
    with pytest.raises(BadInput, match="unknown positional\n"):
        find("parity", ("positionals",))


def test_kinds_may_be_any_iterable() -> None:
    assert find("nope", iter(("tasks", "positionals"))).kind == "positionals"


@pytest.mark.parametrize("name", ["", " ", "../core/task", "binary_majority.py", "__init__"])
def test_odd_names_are_unknown_names(name: str) -> None:
    with pytest.raises(BadInput, match="unknown"):
        find(name)


def test_loading_gives_the_class_named_after_the_file() -> None:
    loaded = find("binary-majority").load()
    assert loaded.__name__ == "BinaryMajority"
    assert loaded.__module__ == find("binary-majority").module
    assert find("crasp-length").load().__name__ == "CraspLength"


def test_nothing_close_gives_no_suggestion() -> None:
    assert suggest("qqqq", ["majority", "parity"]) is None
    assert suggest("x", []) is None
    assert suggest("PARITY", ["parity"]) == "did you mean parity?"


def test_sections_are_split_and_their_indentation_is_removed() -> None:
    text = (
        "A title.\n\nWhat: one\n    and more\nDefinition: x: y\nExample:\n    >>> 1\n        1\n\n"
        "Known limits: none\nSources: us\n    and them\n"
    )
    title, sections = parse_sections(text)
    assert title == "A title."
    assert sections == (
        ("What", "one\nand more"),
        ("Definition", "x: y"),
        ("Example", ">>> 1\n    1"),
        ("Known limits", "none"),
        ("Sources", "us\nand them"),
    )
    assert tuple(name for name, _ in sections) == SECTIONS


@pytest.mark.parametrize("text", ["", "   \n", "Only a title."])
def test_a_docstring_without_sections_has_none(text: str) -> None:
    assert parse_sections(text) == (text.strip(), ())


def test_a_colon_in_the_text_starts_no_section() -> None:
    title, sections = parse_sections("T.\n\nWhat: a\n    Sources: inside\nNote: also inside")
    assert sections == (("What", "a\n    Sources: inside\nNote: also inside"),)
    assert title == "T."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty catalogue of predictors."""
    monkeypatch.setattr(catalogue, "ROOT", tmp_path)
    (tmp_path / "theory").mkdir()
    return tmp_path / "theory"


def test_a_new_file_appears_the_moment_it_exists_even_if_it_cannot_be_imported(
    folder: Path,
) -> None:
    assert entries("predictors") == ()
    (folder / "my_new_theory.py").write_text('"""New.\n\nWhat: Σ\n"""\nimport nothing_at_all\n')
    (folder / "_private.py").write_text("")
    (folder / "__init__.py").write_text("")
    (entry,) = entries("predictors")
    assert (entry.name, entry.title) == ("my-new-theory", "New.")
    assert entry.sections == (("What", "Σ"),)
    assert entry.module == "foretell.theory.my_new_theory"


def test_a_file_without_a_docstring_is_listed_without_text(folder: Path) -> None:
    (folder / "silent.py").write_text("x = 1\n")
    assert entries("predictors")[0].title == ""


def test_a_file_without_its_class_says_so() -> None:
    entry = catalogue.Entry("x", "tasks", catalogue.ROOT / "tasks" / "lookup.py", "", ())
    with pytest.raises(AttributeError, match="no class named after its file"):
        entry.load()


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("markov-flow", True),
        ("markov-flow:p=0.2", True),
        ("majority", False),
        ("multi-hop:hops=3", False),
        ("state:tomita-4", False),  # a sandbox is called state-bits
        ("accept:regex:(ab)*", False),
        ("state-before:tomita-4", False),
        ("regex:(ab)*", False),
        ("boolean:x1 xor x2", False),
        ("template:ab->-1;aa->+1", False),
        ("program:sort", False),
        ("mine.crasp", False),
    ],
)
def test_a_sandbox_is_told_from_what_is_written_out(what: str, expected: bool) -> None:
    assert catalogue.is_sandbox(what) is expected


@pytest.mark.parametrize("what", ["markov-flo", "markov-flo:p=0.2"])
def test_a_misspelt_sandbox_is_refused_with_or_without_settings(what: str) -> None:
    with pytest.raises(BadInput, match="did you mean markov-flow"):
        catalogue.is_sandbox(what)
