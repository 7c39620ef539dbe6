"""Problems that `foretell represent` knows by name: one row each in `problems.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import final

_FILE = Path(__file__).with_name("problems.toml")


@final
@dataclass(frozen=True)
class Problem:
    """A row: in words, and what the rules need. Either `complete` or `counts` is there.

    `complete` is a class of circuits, for a problem of all lengths; `counts` is what a length
    counts, for a problem whose sizes are bounded.
    """

    name: str
    what: str
    definition: str
    example: str
    limits: str
    sources: str
    complete: str | None = None
    in_ac0: bool = False
    because: str = ""
    automaton: str | None = None
    counts: str | None = None


def _rows() -> dict[str, Problem]:
    rows = tomllib.loads(_FILE.read_text(encoding="utf-8"))["problem"]
    return {row["name"]: Problem(**row) for row in rows}


PROBLEMS: Mapping[str, Problem] = MappingProxyType(_rows())
