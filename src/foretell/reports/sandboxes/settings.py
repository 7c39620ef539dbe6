"""The settings of a sandbox in words: what each means, and its value for every budget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from foretell.plain.settings import written
from foretell.plain.shapes import Group, Series, Table, flat
from foretell.protocols._asking import Budget
from foretell.sandboxes import Sandbox
from foretell.sandboxes.settings import limits_of, notation

LONGEST = 60  # letters of a value on a terminal
USAGE = (
    "A comma separates settings, + the values of a series or the rows of a table, / the values of "
    "a row. A column alone, as in chains.p=0.2, makes a table of one row. The last part of a "
    "dotted name is enough where only one setting has it."
)


def settings_rows(
    sandbox: Sandbox, chosen: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Name, meaning, range, columns and values; `chosen` are values beside those of the presets."""
    presets = {budget.value: sandbox.settings(budget) for budget in Budget}
    if chosen is not None:
        presets["chosen"] = dict(chosen)
    own = notation(sandbox).shapes
    columns = {f"{path}.{name}" for path, each in own.items() for name in _columns(each)}
    rows = []
    for path, shape in own.items():
        if path in columns or isinstance(shape, Group):
            continue
        limits = limits_of(sandbox.name, path)
        values = {name: _at(preset, path) for name, preset in presets.items()}
        rows.append(
            {
                "name": path,
                "means": limits.means if limits else None,
                "range": limits.told or None if limits else None,
                "columns": list(_columns(shape)),
                **values,
            }
        )
    return rows


def settings_text(sandbox: Sandbox, chosen: Mapping[str, Any] | None = None) -> str:
    """The same as lines."""
    lines = [USAGE]
    for row in settings_rows(sandbox, chosen):
        ends = f" ({row['range']})" if row["range"] else ""
        lines.append(f"{row['name']}: {row['means']}{ends}")
        names = [*(budget.value for budget in Budget), *(["chosen"] if chosen is not None else [])]
        if row["columns"]:
            lines.append(f"    columns {', '.join(row['columns'])}")
        lines.append(f"    {' · '.join(_told(row, names))}")
    return "\n".join(lines)


def _told(row: Mapping[str, Any], names: list[str]) -> Iterator[str]:
    """Budgets of one value together."""
    shared: dict[str, list[str]] = {}
    for name in names:
        shared.setdefault(clipped(row[name]), []).append(name)
    for value, same in shared.items():
        yield f"{', '.join(same)}: {value}"


def clipped(value: Any) -> str:
    """As it is typed, cut where it is long.

    >>> clipped([8, 16]), clipped([])
    ('8+16', 'nothing')
    """
    text, count = written(value), 0
    if isinstance(value, Mapping):
        text = ", ".join(f"{name} {written(each)}" for name, each in flat(value))
    if isinstance(value, list | Mapping):
        count = len(value)
    if len(text) <= LONGEST:
        return text or "nothing"
    return f"{text[: LONGEST - 1]}…" + (f" ({count} in all)" if count else "")


def _columns(shape: Any) -> tuple[str, ...]:
    return shape.names if isinstance(shape, Table | Series) else ()


def _at(settings: Any, path: str) -> Any:
    for name in path.split("."):
        settings = settings.get(name) if isinstance(settings, Mapping) else None
    return settings
