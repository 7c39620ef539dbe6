"""Thousands of languages, line by line: answers as they come, and where a killed run goes on."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foretell.plain.errors import BadInput
from foretell.plain.files import explain_disk_trouble
from foretell.reports.programs.decided import Asked, answer_line, input_digest


@dataclass
class Tally:
    """How many lines were refused, how many failed through our fault, of how many."""

    lines: int = 0
    refused: int = 0
    failed: int = 0

    def add(self, answer: dict[str, Any]) -> None:
        """Count an answer line."""
        checks = [part.get("checked") for part in answer.get("fragments", {}).values()]
        wrong = any(found is not None and not found["holds"] for found in checks)
        self.lines += 1
        self.failed += wrong or answer.get("error") == "a failure of ours"
        self.refused += "error" in answer and answer["error"] != "a failure of ours"


def numbered(text: str) -> list[tuple[int, str]]:
    """Lines that are not blank, with their numbers in the file."""
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def run(
    lines: list[tuple[int, str]], out: Path | None, asked: Asked, show: Callable[[int], None]
) -> Tally:
    """Answer every line that has no answer yet; errors are answers too."""
    tally = Tally()
    for number, answer in enumerate(_done(out)):
        _same(out, lines, number, answer, asked)
        tally.add(answer)
    with _opened(out) as write:
        for number, line in lines[tally.lines :]:
            answer = answer_line(line, number, asked.accept, asked)
            tally.add(answer)
            write(_as_text(answer))
            show(tally.lines)
    return tally


def _same(
    out: Path | None, lines: list[tuple[int, str]], number: int, answer: Any, asked: Asked
) -> None:
    """Refuse to go on with the answers to another batch, or to other questions."""
    asked_before = answer.get("input") if isinstance(answer, dict) else None
    if number < len(lines) and asked_before == input_digest(lines[number][1], asked.accept, asked):
        return
    raise BadInput(
        "the answers in that file are to another batch, or to other options",
        seen=f"{out}, answer {number + 1}",
        why="a batch goes on where its own answers end",
        hint="another --out, or remove the file",
    )


def _done(out: Path | None) -> Iterator[Any]:
    """Whole answer lines that a file already holds; half a line of a killed run is cut off."""
    if out is None or not out.exists():
        return
    content = out.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        with explain_disk_trouble(out), out.open("r+b") as file:
            file.truncate(whole)
    for line in content[:whole].split(b"\n")[:-1]:
        try:
            yield json.loads(line)
        except ValueError:
            yield None


@contextlib.contextmanager
def _opened(out: Path | None) -> Iterator[Callable[[str], None]]:
    """A function that writes a line, to the file or to standard output."""
    if out is None:
        yield print
        return
    with explain_disk_trouble(out), out.open("a", encoding="utf-8") as file:

        def write(line: str) -> None:
            file.write(line + "\n")
            file.flush()

        yield write


def _as_text(answer: dict[str, Any]) -> str:
    """One line of JSON; escaped throughout if it holds what no file can (half a character)."""
    text = json.dumps(answer, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(answer)
    return text
