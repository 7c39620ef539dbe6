"""How many rows of a reproduced table reach their bar: typical and worst case, one way and any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from foretell.core.question import SizeRange
from foretell.reports.reproduced.line import Compared


@dataclass(frozen=True)
class Reached:
    """How many rows of a group reach their bar with one encoding in one range of sizes.

    `some` counts rows where the best run does, `every` those where all runs that count do, and
    `always` those where all of them do on every probe: the typical and the worst case. `last`
    counts rows where the best run does at the last letter, where that is scored apart.
    """

    group: str
    positional: str
    sizes: SizeRange
    rows: int
    some: int
    every: int
    always: int
    last: int


@dataclass(frozen=True)
class Best:
    """How many tasks of a group reach the bar with some setting, encoding and run."""

    group: str
    sizes: SizeRange
    tasks: int
    reached: int


def reached(lines: Sequence[Compared]) -> tuple[Reached, ...]:
    """Group by group, how many rows reach the bar of their measurement."""
    gathered: dict[tuple[str, str, SizeRange], list[tuple[bool, ...]]] = {}
    for line in lines:
        for sizes in line.ranges[1:] if line.measured else ():
            place = (line.line.heading, line.question.architecture.positional, sizes)
            gathered.setdefault(place, []).append(reaches(line, sizes))
    return tuple(
        Reached(*place, len(found), *(sum(kind) for kind in zip(*found, strict=True)))
        for place, found in gathered.items()
    )


def best(lines: Sequence[Compared]) -> tuple[Best, ...]:
    """Group by group, the best of all settings; nothing where there is one setting only."""
    if not any(line.line.setting for line in lines):
        return ()
    gathered: dict[tuple[str, SizeRange], dict[str, bool]] = {}
    for line in lines:
        for sizes in line.ranges[1:] if line.measured else ():
            tasks = gathered.setdefault((line.line.group, sizes), {})
            known = tasks.get(line.line.label, False)
            tasks[line.line.label] = known or reaches(line, sizes)[0]
    return tuple(Best(*place, len(tasks), sum(tasks.values())) for place, tasks in gathered.items())


def reaches(line: Compared, sizes: SizeRange) -> tuple[bool, bool, bool, bool]:
    """Does some run on the training distribution, every run on it, every run on every probe; and
    some run at the last letter?"""
    assert line.measured is not None
    bar = line.measured.bar or 1.0
    probes = line.question.task.probes
    every = {value.probe: value.seeds for value in line.measured.values if value.sizes == sizes}
    here = {probe: seeds for probe, seeds in every.items() if probe in probes}
    typical, last = here[probes[0]], every.get(f"{probes[0]}, last letter", (0.0,))
    return (
        max(typical) >= bar,
        min(typical) >= bar,
        all(min(seeds) >= bar for seeds in here.values()),
        max(last) >= bar,
    )
