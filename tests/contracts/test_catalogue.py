"""Every entry of every kind is documented, loads, and is found by its name."""

from __future__ import annotations

import doctest
import importlib

import pytest

from foretell.core import Predictor, Protocol, Task
from foretell.models.positional import Positional
from foretell.plain import catalogue
from foretell.reproductions import Experiment, Reproduction
from foretell.sandboxes import Sandbox

ENTRIES = [entry for kind in catalogue.KINDS for entry in catalogue.entries(kind)]
FILES = [entry for entry in ENTRIES if entry.path.suffix == ".py"]
NOUN = {"tasks": Task, "predictors": Predictor, "protocols": Protocol, "positionals": Positional}
NOUN |= {"reproductions": (Reproduction, Experiment), "sandboxes": (Sandbox,)}
OF_A_TASK = ("programs", "problems")  # these may have their task's name, which then goes first


def named(entry: catalogue.Entry) -> str:
    return f"{entry.kind}:{entry.name}"


def test_names_are_not_shared_between_kinds() -> None:
    names = [entry.name for entry in ENTRIES if entry.kind not in OF_A_TASK]
    shared = sorted({name for name in names if names.count(name) > 1})
    assert not shared  # `foretell explain NAME` could mean either


@pytest.mark.parametrize("kind", catalogue.KINDS)
def test_every_section_is_there_in_order_and_says_something(kind: str) -> None:
    for entry in catalogue.entries(kind):
        assert tuple(name for name, _ in entry.sections) == catalogue.SECTIONS, entry.name
        assert all(text.strip() for _, text in entry.sections), entry.name
        assert entry.title, entry.name


@pytest.mark.parametrize("kind", catalogue.KINDS)
def test_every_entry_is_found_by_its_name(kind: str) -> None:
    for entry in catalogue.entries(kind):
        assert catalogue.find(entry.name, (entry.kind,)) == entry
        assert catalogue.find(f"{catalogue.singular(entry.kind)}:{entry.name}") == entry
        found = catalogue.find(entry.name)
        assert found.name == entry.name
        assert entry.kind in OF_A_TASK or found == entry
        assert entry.name == entry.name.lower() and "_" not in entry.name


@pytest.mark.parametrize("entry", FILES, ids=named)
def test_every_file_loads_as_a_class_of_its_kind(entry: catalogue.Entry) -> None:
    loaded = entry.load()
    assert isinstance(loaded, type)
    assert issubclass(loaded, NOUN[entry.kind])
    assert loaded.__name__.lower() == entry.path.stem.replace("_", "")


@pytest.mark.parametrize("entry", FILES, ids=named)
def test_every_file_has_an_example_that_runs(entry: catalogue.Entry) -> None:
    module = importlib.import_module(entry.module)
    examples = doctest.DocTestParser().get_examples(module.__doc__ or "")
    assert examples  # the doctests themselves run with `pytest src`
