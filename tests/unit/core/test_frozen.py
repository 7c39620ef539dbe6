"""Every noun of the core is a value: nothing changes after it was made."""

from __future__ import annotations

import abc
import dataclasses
import enum
import importlib
import inspect
import pkgutil
from collections.abc import Callable
from typing import Any

import pytest

import foretell.core

MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.iter_modules(foretell.core.__path__, "foretell.core.")
]
CLASSES = [
    value
    for module in MODULES
    for value in vars(module).values()
    if inspect.isclass(value) and value.__module__ == module.__name__
]
DATACLASSES = [each for each in CLASSES if dataclasses.is_dataclass(each)]


def test_the_walk_finds_the_nouns() -> None:
    found = {each.__name__ for each in DATACLASSES}
    nouns = {"Alphabet", "Architecture", "Question", "Prediction", "Measurement", "Scoreboard"}
    assert nouns | {"SizeRange", "Bound", "Interval", "Row", "Record"} <= found


@pytest.mark.parametrize("noun", DATACLASSES, ids=lambda noun: noun.__name__)
def test_every_dataclass_is_frozen(noun: Any) -> None:
    assert noun.__dataclass_params__.frozen


@pytest.mark.parametrize("noun", CLASSES, ids=lambda noun: noun.__name__)
def test_every_class_is_frozen_an_enumeration_a_tuple_or_abstract(noun: Any) -> None:
    assert (
        dataclasses.is_dataclass(noun)
        or issubclass(noun, enum.Enum | tuple)
        or (issubclass(noun, abc.ABC) and inspect.isabstract(noun))
    )


def test_assigning_to_a_value_fails(
    question: Callable[..., Any], prediction: Callable[..., Any], measurement: Callable[..., Any]
) -> None:
    row = foretell.core.scoreboard.Row(question(), (prediction(),), measurement())
    values = [row, question(), prediction(), measurement(), question().architecture]
    values += [question().outcome, question().outcome.seen, measurement().values[0].interval]
    for value in values:
        field = dataclasses.fields(value)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, field, None)
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(value, field)
