"""The settings of a sandbox: which there are, what they mean, which are allowed, what was chosen.

`settings.toml` has meanings and ends; the values come from the presets of the budgets.
"""

from __future__ import annotations

import functools
import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from foretell.plain.errors import BadInput
from foretell.plain.settings import Notation, written
from foretell.plain.shapes import Names
from foretell.protocols._asking import Budget
from foretell.sandboxes import Sandbox

ROWS = Path(__file__).with_suffix(".toml")
COMMON, ANY = "common", "*"
ROOM = 2**34  # bytes that what is drawn at once may take
AT_ONCE = ("batch", "documents", "tests", "watched", "words")
PER_EXAMPLE = ("length", "lengths", "longest")


@final
@dataclass(frozen=True)
class Limits:
    """What a setting means, and where its numbers lie."""

    means: str
    least: float = -math.inf
    most: float = math.inf
    above: float = -math.inf
    below: float = math.inf
    columns: tuple[str, ...] = ()

    def allow(self, value: float) -> bool:
        """Is it inside? What is no number never is."""
        return self.least <= value <= self.most and self.above < value < self.below

    @property
    def told(self) -> str:
        """The range in words.

        >>> Limits("a share", above=0, below=1).told, Limits("steps", least=1, most=1000).told
        ('over 0 and below 1', 'at least 1 and at most 1,000')
        """
        ends = (
            ("at least", self.least),
            ("over", self.above),
            ("below", self.below),
            ("at most", self.most),
        )
        return " and ".join(f"{word} {end:,}" for word, end in ends if math.isfinite(end))


@functools.cache
def _rows() -> dict[str, dict[str, Limits]]:
    table = tomllib.loads(ROWS.read_text(encoding="utf-8"))
    return {
        name: {
            key: Limits(**{**row, "columns": tuple(row.get("columns", ()))})
            for key, row in rows.items()
        }
        for name, rows in table.items()
    }


def limits_of(sandbox: str, path: str) -> Limits | None:
    """The row of a setting, or of what it is part of: its own before one that many share."""
    own, common = _rows().get(sandbox, {}), _rows()[COMMON]
    parts = path.split(".")
    for depth in range(len(parts), 0, -1):
        above, last = ".".join(parts[: depth - 1]), parts[depth - 1]
        tried = (f"{above}.{last}", f"{above}.{ANY}", last) if above else (last,)
        found = next((own[name] for name in tried if name in own), common.get(last))
        if found is not None:
            return found
    return None


def notation(sandbox: Sandbox) -> Notation:
    """How its settings are written after its name."""
    presets = tuple(sandbox.settings(budget) for budget in Budget)
    return Notation(sandbox.name, presets, _names(sandbox, presets))


def _names(sandbox: Sandbox, presets: tuple[Mapping[str, Any], ...]) -> Names:
    lists = {path for preset in presets for path, value in _nodes(preset) if _is_list(value)}
    found = {path: limits_of(sandbox.name, path) for path in lists}
    return {path: each.columns for path, each in found.items() if each and each.columns}


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _nodes(settings: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted names of everything that is no group."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _nodes(value, f"{path}{name}.")
        else:
            yield path + name, value


def choose(
    sandbox: Sandbox, budget: Budget, text: str = "", seeds: int | None = None
) -> dict[str, Any]:
    """The preset of a budget, with what is written and with so many seeds."""
    preset = sandbox.settings(budget)
    chosen = notation(sandbox).read(text, preset) if text else preset
    if seeds is None:
        return chosen
    if seeds < 1:
        raise BadInput("at least one model must be trained", seen=seeds, hint="--seeds 3")
    require_seeds(seeds, {sandbox.name: preset})
    if chosen["seeds"] != preset["seeds"]:
        raise BadInput("seeds are said twice", seen=f"{text} and --seeds {seeds}")
    return {**chosen, "seeds": seeds}


def require_seeds(seeds: int, settings: Mapping[str, Mapping[str, Any]]) -> None:
    """Something to repeat in one of these, by name: elsewhere a number of seeds says nothing."""
    if not any("seeds" in each for each in settings.values()):
        raise BadInput(
            "no number of seeds to choose",
            seen=f"--seeds {seeds} for {', '.join(settings)}",
            why="one run decides it; only some sandboxes train several models alike",
            hint="NAME:seed=1 for other random numbers",
        )


def require(sandbox: Sandbox, settings: Mapping[str, Any]) -> None:
    """Refuse what cannot be run, before anything is computed."""
    presets = [dict(_nodes(sandbox.settings(budget))) for budget in Budget]
    for path, value in _nodes(settings):
        if _is_list(value):
            may_be_empty = any(preset.get(path) == [] for preset in presets)
            _require_rows(path, value, limits_of(sandbox.name, path), may_be_empty)
        for name, number in _numbers(sandbox.name, path, value):
            limits = limits_of(sandbox.name, name)
            if limits is not None and not limits.allow(number):
                raise BadInput(
                    f"{name} is out of range",
                    seen=written(number) if number == number else "nan",
                    why=f"{limits.means}: {limits.told}",
                )
    for group in (settings, *(each for each in settings.values() if isinstance(each, Mapping))):
        _require_room(group, settings)
    sandbox.require(settings)


def _require_rows(path: str, value: list[Any], limits: Limits | None, empty: bool) -> None:
    """Something in it, unless a preset has nothing there; and rows with all their columns."""
    if not value and not empty:
        raise BadInput(f"{path} is empty", seen="nothing", why="at least one value is needed")
    columns = limits.columns if limits else ()
    rows = [each for each in value if _is_list(each)] or ([value] if columns else [])
    for row in rows:
        if not row or (columns and len(row) != len(columns)):
            raise BadInput(
                f"{path} has a row of another length",
                seen=written([row]) or "an empty row",
                why=f"a row is {' / '.join(columns) or 'not empty'}",
            )


def _numbers(sandbox: str, path: str, value: Any) -> Iterator[tuple[str, float]]:
    """Every number, by the name of its column where it has one."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _numbers(sandbox, f"{path}.{name}", each)
    elif not _is_list(value):
        yield from [(path, value)] if _is_number(value) else ()
    elif any(_is_list(each) or isinstance(each, Mapping) for each in value):
        for each in value:
            yield from _numbers(sandbox, path, each)
    else:
        limits = limits_of(sandbox, path)
        names = [f"{path}.{name}" for name in limits.columns] if limits else []
        own = names if len(names) == len(value) else [path] * len(value)
        yield from (each for each in zip(own, value, strict=True) if _is_number(each[1]))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _require_room(group: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """What is drawn at once must fit, and vectors for a batch: the least that a run takes."""
    both = {**settings, **group}
    length = max(_largest(both.get(name)) for name in PER_EXAMPLE)
    for name in AT_ONCE:
        count, width = _largest(group.get(name)), _largest(both.get("width"))
        each = length * (width if name == "batch" else 1)
        if (needed := 4 * count * each) > ROOM:
            raise BadInput(
                f"the {name} {'does' if name == 'batch' else 'do'} not fit",
                seen=f"{name}: {count:,} of {each:,} numbers each, at length {length:,}",
                why=f"they take {needed / 2**30:,.0f} GiB at least, {ROOM >> 30} GiB is allowed",
                hint="fewer, shorter or narrower ones",
            )


def _largest(value: Any) -> int:
    if _is_list(value):
        return max(map(_largest, value), default=1)
    return value if isinstance(value, int) else 1
