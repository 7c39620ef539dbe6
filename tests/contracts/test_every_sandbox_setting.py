"""Every setting of every sandbox: documented, written and read back, and refused with one message.

A hostile value is either refused as bad input or gives claims; nothing is trained here, and nothing
may take long or much memory, since what cannot be run is refused before it is computed.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterator
from typing import Any

import pytest

from foretell.plain import catalogue
from foretell.plain.errors import BadInput
from foretell.plain.settings import changed, written
from foretell.plain.shapes import Group
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Sandbox, load
from foretell.sandboxes.settings import choose, limits_of, notation, require

NAMES = [entry.name for entry in catalogue.entries("sandboxes")]
WHOLE = (0, -1, 1, 2, 10**9, 10**30)
REAL = (0.0, 1.0, 2.0, -1.0, 1e30, math.nan, math.inf)
PATIENCE = 10.0  # seconds for claims that are allowed; a refusal takes none


def small(sandbox: Sandbox) -> dict[str, Any]:
    """The smallest preset, with what only larger ones have."""
    chosen, full = sandbox.settings(Budget.SMOKE), sandbox.settings(Budget.GPU)
    missing = {name: value for name, value in full.items() if chosen.get(name) is None}
    return copy.deepcopy({**chosen, **missing})


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Where a number stands, or a list: of a list the first element and the last."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from places(each, (*path, key))
    elif isinstance(value, list):
        yield path, value
        for place in sorted({0, len(value) - 1} if value else ()):
            yield from places(value[place], (*path, place))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def with_value(settings: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """A copy with one value replaced."""
    made: Any = copy.deepcopy(settings)
    place = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return made


def hostile(settings: dict[str, Any]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every number replaced by each hostile value of its type, every list by an empty one."""
    for path, value in places(settings):
        tried = [[]] if isinstance(value, list) else WHOLE if isinstance(value, int) else REAL
        yield from ((path, each) for each in tried)


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_value_is_refused_or_has_claims(name: str) -> None:
    sandbox = load(name)
    settings = small(sandbox)
    require(sandbox, settings)
    for path, value in hostile(settings):
        began = time.monotonic()
        try:
            tried = with_value(settings, path, value)
            require(sandbox, tried)
            claims = sandbox.claims(tried)
        except BadInput as refused:
            assert refused.why or refused.seen is not None, path
            continue
        except Exception as error:
            raise AssertionError(f"{name}: {path} = {value}") from error
        assert all(isinstance(claim, Claim) for claim in claims)
        assert time.monotonic() - began < PATIENCE, f"{name}: {path} = {value}"


def words(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a word stands."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in pairs:
            yield from words(each, (*path, key))
    elif isinstance(value, str):
        yield path


@pytest.mark.parametrize("name", NAMES)
def test_a_word_that_means_nothing_is_refused(name: str) -> None:
    sandbox = load(name)
    settings = small(sandbox)
    for path in words(settings):
        with pytest.raises(BadInput):
            tried = with_value(settings, path, "nonsense")
            require(sandbox, tried)
            sandbox.claims(tried)
            pytest.fail(f"{path} was taken")


@pytest.mark.parametrize("name", NAMES)
def test_every_number_has_a_meaning_and_a_range_that_the_presets_keep(name: str) -> None:
    sandbox = load(name)
    for path, shape in notation(sandbox).shapes.items():
        limits = limits_of(name, path)
        assert isinstance(shape, Group) or (limits is not None and limits.means), path
    for budget in Budget:
        require(sandbox, sandbox.settings(budget))


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_reads_back_as_it_is_written(name: str) -> None:
    sandbox = load(name)
    for budget in Budget:
        preset = sandbox.settings(budget)
        for path, shape in notation(sandbox).shapes.items():
            value: Any = preset
            for key in path.split("."):
                value = value.get(key, ...) if isinstance(value, dict) else ...
            if value is ... or isinstance(shape, Group) or "," in written(value):
                continue  # a column, a group; or a name with a comma, which cannot be typed
            read = choose(sandbox, budget, f"{path}={written(value)}")
            differing = changed(preset, read)
            assert all(path.startswith(f"{each}.") for each in differing), (path, differing)
