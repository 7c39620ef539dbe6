"""Settings written after a name: `steps=100,lengths=8+16,chains=0.2/0.3+0.5/0.8,trained.width=16`.

A comma separates settings, `+` the values of a series or the rows of a table, `/` the values of a
row, and a dot leads into a group; the last part of a dotted name is enough where only one setting
has it. A column of a table, or an entry of an open group, may be named by itself: what is named
is then all there is, one row or these entries. An empty value is an empty series; `none` is no
value, where a preset has none.
"""

from __future__ import annotations

import contextlib
import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from foretell.plain.catalogue import suggest
from foretell.plain.errors import BadInput
from foretell.plain.shapes import Group, Names, Plain, Series, Shape, Table, flat, shape_of

NONE, YES, NO = "none", "yes", "no"
EXAMPLES = {
    "yes or no": NO,
    "a whole number": "4",
    "a number": "0.5",
    "whole or not": "4",
    "a word": "sort",
}


READERS: Mapping[str, tuple[Callable[[str], float], ...]] = {
    "a whole number": (int,),
    "a number": (float,),
    "whole or not": (int, float),
}


@final
@dataclass(frozen=True)
class Notation:
    """What may be set, from the presets of all budgets; `names` are those of rows' places."""

    owner: str
    presets: tuple[Mapping[str, Any], ...]
    names: Names

    @property
    def shapes(self) -> dict[str, Shape]:
        """Every dotted name that can be set."""
        found: dict[str, Shape] = {}
        _collect(shape_of(self.presets, self.names), "", found)
        return found

    def read(self, text: str, preset: Mapping[str, Any]) -> dict[str, Any]:
        """The preset with what the text says."""
        chosen, said, whole = copy.deepcopy(dict(preset)), set[str](), list[str]()
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, equals, value = part.partition("=")
            path, shape = self._find(name.strip(), part)
            if path in said or any(path.startswith(f"{each}.") for each in whole):
                raise BadInput(f"{path} is said twice", seen=part, why="as a whole, or in parts")
            self._put(chosen, path, _read(shape, value.strip() if equals else None, part), said)
            said.add(path)
            whole.append(path)
        return chosen

    def _find(self, name: str, part: str) -> tuple[str, Shape]:
        known = self.shapes
        for asked in dict.fromkeys((name, name.replace("-", "_"))):
            if asked in known:
                return asked, known[asked]
            ends = [path for path in known if path.endswith(f".{asked}")]
            if len(ends) == 1:
                return ends[0], known[ends[0]]
            if ends:
                raise BadInput("which one is meant?", seen=part, hint=" or ".join(ends))
            head, _, entry = asked.rpartition(".")
            group = known.get(head)
            if entry and isinstance(group, Group) and group.further is not None:
                return asked, group.further
        last = {path.rpartition(".")[2]: path for path in known}
        raise BadInput(
            f"{self.owner} has no such setting",
            seen=part,
            why=f"its settings are {', '.join(known)}",
            hint=suggest(name, {**last, **dict.fromkeys(known)}),
        )

    def _put(self, chosen: dict[str, Any], path: str, value: Any, said: set[str]) -> None:
        """Walk down to the place; what was not there in this preset comes from another."""
        known, names = self.shapes, path.split(".")
        place: Any = chosen
        for depth, name in enumerate(names[:-1], 1):
            above = ".".join(names[:depth])
            shape = known[above]
            if not place.get(name):
                place[name] = copy.deepcopy(self._elsewhere(above))
            if isinstance(shape, Table | Series):
                _put_column(place, name, shape, ".".join(names[depth:]), value, above in said)
                said.add(above)
                return
            if isinstance(shape, Group) and shape.open and above not in said:
                place[name] = {names[depth]: place[name].get(names[depth])}
                said.add(above)
            place = place[name]
        place[names[-1]] = value

    def _elsewhere(self, path: str) -> Any:
        for preset in self.presets:
            value: Any = preset
            for name in path.split("."):
                value = value.get(name) if isinstance(value, Mapping) else None
            if value is not None:
                return value
        return {}


def changed(preset: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What differs, by dotted name: the preset's value and the chosen one.

    >>> changed({"steps": 4, "tuning": {"rate": 0.1, "scale": 1.0}},
    ...         {"steps": 4, "tuning": {"rate": 0.2, "scale": 1.0}})
    {'tuning.rate': (0.1, 0.2)}
    """
    found: dict[str, tuple[Any, Any]] = {}
    for name, after in chosen.items():
        before = preset.get(name)
        if isinstance(before, Mapping) and isinstance(after, Mapping) and [*before] == [*after]:
            inside = changed(before, after).items()
            found |= {f"{name}.{inner}": pair for inner, pair in inside}
        elif before != after:
            found[name] = (before, after)
    return found


def written(value: Any) -> str:
    """A value as it is typed after the equals sign.

    >>> written([[0.2, 0.3], [0.5, 0.8]]), written([8, 16]), written(True), written(None)
    ('0.2/0.3+0.5/0.8', '8+16', 'yes', 'none')
    """
    if value is None or isinstance(value, bool):
        return {None: NONE, True: YES, False: NO}[value]
    if isinstance(value, list | tuple):
        return "+".join(_row(each) for each in value)
    if isinstance(value, Mapping):
        return ",".join(f"{name}={written(each)}" for name, each in flat(value))
    return f"{value:.12g}".replace("e+", "e") if isinstance(value, float) else str(value)


def _row(row: Any) -> str:
    if isinstance(row, Mapping):
        row = [value for _, value in flat(row)]
    return "/".join(map(written, row)) if isinstance(row, list | tuple) else written(row)


def _collect(shape: Shape, path: str, found: dict[str, Shape]) -> None:
    inside = f"{path}." if path else ""
    if isinstance(shape, Group):
        if path:
            found[path] = shape
        for name, part in shape.parts.items():
            _collect(part, inside + name, found)
        return
    found[path] = shape
    if isinstance(shape, Table):
        found |= dict(zip((inside + name for name in shape.names), shape.columns, strict=False))
    elif isinstance(shape, Series):
        found |= {inside + name: shape.item for name in shape.names}


def _put_column(
    place: dict[str, Any], name: str, shape: Table | Series, column: str, value: Any, again: bool
) -> None:
    """A series has that place changed; a table becomes one row, which begins as its first."""
    if isinstance(shape, Series):
        place[name][shape.names.index(column)] = value
        return
    if not again:
        place[name] = [copy.deepcopy(place[name][0])]
    row: Any = place[name][0]
    if not shape.records:
        row[shape.names.index(column)] = value
        return
    *groups, last = column.split(".")
    for group in groups:
        row = row[group]
    row[last] = value


def _read(shape: Shape, text: str | None, part: str) -> Any:
    if text == NONE and shape.optional:
        return None
    if isinstance(shape, Plain):
        return _value(shape, text, part)
    if text is None:
        raise BadInput("a setting has a value", seen=part, hint=f"{part}=…")
    if isinstance(shape, Group):
        if text or not shape.open:
            names = list(shape.parts)
            raise BadInput("that is a group of settings", seen=part, why=f"of {', '.join(names)}")
        return {}
    pieces = text.split("+") if text else []
    if isinstance(shape, Series):
        if shape.names and len(pieces) != len(shape.names):
            raise BadInput(
                "a series of another length",
                seen=part,
                why=f"its values are {', '.join(shape.names)}",
                hint="+".join(shape.names),
            )
        return [_value(shape.item, piece, part) for piece in pieces]
    return [_table_row(shape, piece.split("/"), part) for piece in pieces]


def _table_row(shape: Table, values: Sequence[str], part: str) -> Any:
    names = shape.names or tuple(str(place + 1) for place in range(len(shape.columns)))
    if len(values) != len(shape.columns) and not shape.ragged:
        raise BadInput(
            "a row of another length",
            seen=part,
            why=f"a row has {len(names)} values" + (f": {', '.join(names)}" if shape.names else ""),
            hint="/".join(names) + ", rows separated by +",
        )
    last = len(shape.columns) - 1
    row = [_value(shape.columns[min(n, last)], text, part) for n, text in enumerate(values)]
    if not shape.records:
        return row
    made: dict[str, Any] = {}
    for name, value in zip(names, row, strict=True):
        *groups, key = name.split(".")
        place = made
        for group in groups:
            place = place.setdefault(group, {})
        place[key] = value
    return made


def _value(shape: Plain, text: str | None, part: str) -> Any:
    if text == NONE and shape.optional:
        return None
    if shape.kind == "yes or no" and text in (None, YES, NO):
        return text != NO
    if shape.kind == "a word" and text:
        return text
    for read in READERS.get(shape.kind, ()):
        with contextlib.suppress(ValueError):
            number = read(text or "")
            if isinstance(number, int) or math.isfinite(number):
                return number
    name, wanted = part.partition("=")[0], shape.kind.replace("whole or not", "a number")
    raise BadInput(
        "a setting of another kind",
        seen=part,
        why=f"{name} takes {wanted}" + (", or none" if shape.optional else ""),
        hint=f"{name}={EXAMPLES[shape.kind]}",
    )
