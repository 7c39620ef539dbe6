"""The rooms are one-way."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import foretell

HOUSE = Path(__file__).resolve().parents[2]


def test_the_import_contracts_hold() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run(
        [str(command), "--no-cache"], cwd=HOUSE, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_every_room_is_in_the_contract_and_every_name_in_it_is_a_room() -> None:
    settings = tomllib.loads((HOUSE / "pyproject.toml").read_text())["tool"]["importlinter"]
    (contract,) = [each for each in settings["contracts"] if each["type"] == "layers"]
    assert contract["exhaustive"] is True
    named = {room.strip() for layer in contract["layers"] for room in layer.split("|")}
    root = Path(foretell.__file__).parent
    rooms = {path.parent.name for path in root.glob("*/__init__.py")}
    assert {room.strip("()") for room in named} >= rooms
    assert {room for room in named if not room.startswith("(")} <= rooms
