"""The folder is the registry: names and documentation are read from files, without importing them.

Reading the source text instead of importing it keeps `foretell list` and `foretell explain` fast
and free of JAX, and makes a new file appear the moment it exists.
"""

from __future__ import annotations

import ast
import difflib
import functools
import importlib
import inspect
import itertools
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from foretell.plain.errors import BadInput

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = MappingProxyType(
    {
        "tasks": "tasks/*/*.py",
        "programs": "crasp/library/*.crasp",
        "predictors": "theory/*.py",
        "protocols": "protocols/*.py",
        "reproductions": "reproductions/*.py",
        "positionals": "models/positional/*.py",
        "sandboxes": "sandboxes/*/*.py",
    }
)
ROWS = MappingProxyType(
    {"languages": "languages/benchmark.toml", "problems": "worlds/problems.toml"}
)
KINDS = (
    "tasks",
    "languages",
    "programs",
    "predictors",
    "protocols",
    "positionals",
    "reproductions",
    "sandboxes",
    "problems",
)
ASKED = ("tasks", "languages", "programs", "sandboxes")  # what check and predict know by name
# What is typed before a colon: no file of the catalogue describes the first ones
WRITTEN_OUT = ("regex", "accept", "state", "accept-before", "state-before", "boolean")
PREFIXES = (*WRITTEN_OUT, "template", "task", "language", "program")
SECTIONS = ("What", "Definition", "Example", "Known limits", "Sources")


@dataclass(frozen=True)
class Entry:
    """One catalogue entry: its name, where it lives, and its documentation by section."""

    name: str
    kind: str
    path: Path
    title: str
    sections: tuple[tuple[str, str], ...]

    @property
    def module(self) -> str:
        """Dotted module name of a file entry."""
        parts = self.path.relative_to(ROOT).with_suffix("").parts
        return ".".join(("foretell", *parts))

    def load(self) -> Any:
        """The one public class of the file, named after the file in CamelCase."""
        wanted = self.path.stem.replace("_", "")
        module = importlib.import_module(self.module)
        for name, value in vars(module).items():
            if name.lower() == wanted and getattr(value, "__module__", None) == self.module:
                return value
        raise AttributeError(f"{self.module} defines no class named after its file")


def entries(kind: str) -> tuple[Entry, ...]:
    """Everything of one kind, sorted by name."""
    if kind in ROWS:
        path = ROOT / ROWS[kind]
        return _row_entries(kind, path, path.stat().st_mtime_ns)
    paths = sorted(ROOT.glob(FOLDERS[kind]))
    found = [
        _file_entry(kind, path, path.stat().st_mtime_ns)
        for path in paths
        if not path.name.startswith("_")
    ]
    return tuple(sorted(found, key=lambda entry: entry.name))


def find(name: str, kinds: Iterable[str] = KINDS) -> Entry:
    """The entry of that name, or a message with the nearest names.

    `program:sort` says which kind is meant: a program has the name of the task it solves.
    """
    kinds = tuple(kinds)
    prefix, colon, rest = name.partition(":")
    meant = {singular(kind): kind for kind in kinds}
    if colon and prefix in meant:
        return find(rest, (meant[prefix],))
    known = {entry.name: entry for kind in reversed(kinds) for entry in entries(kind)}
    if name in known:
        return known[name]
    raise BadInput(
        f"unknown {' or '.join(map(singular, kinds))}",
        seen=name,
        why="no file or row of the catalogue has that name",
        hint=suggest(name, known) or f"foretell list {kinds[0]}",
    )


def singular(kind: str) -> str:
    """One of a kind.

    >>> singular("tasks"), singular("sandboxes")
    ('task', 'sandbox')
    """
    return kind.removesuffix("es") if kind.endswith("xes") else kind.removesuffix("s")


def is_sandbox(what: str) -> bool:
    """Is `NAME` or `NAME:settings` a sandbox? A name that nothing has is refused.

    It is refused here, because the nearest names are those of tasks and of sandboxes.
    """
    name, colon, _ = what.partition(":")
    if not re.fullmatch(r"[\w-]+", name) or (colon and name in PREFIXES):  # written out, or a file
        return False
    known = {entry.name: entry for kind in reversed(ASKED) for entry in entries(kind)}
    near = [entry for entry in known if known[entry].kind == "sandboxes"]
    if colon and name not in known and suggest(name, near) is None:
        return False
    return find(name, ASKED).kind == "sandboxes"


def suggest(name: str, known: Iterable[str]) -> str | None:
    """The nearest known names, as a hint, or nothing."""
    close = difflib.get_close_matches(name.lower().replace("_", "-"), list(known), n=3, cutoff=0.5)
    return f"did you mean {' or '.join(close)}?" if close else None


def parse_sections(docstring: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Title line and the fixed sections of a catalogue docstring.

    >>> parse_sections("A title.\\n\\nWhat: a thing.\\nSources: us")
    ('A title.', (('What', 'a thing.'), ('Sources', 'us')))
    """
    lines = docstring.strip().splitlines()
    collected: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines[1:]:
        head, colon, rest = line.partition(":")
        if colon and head in SECTIONS:
            current = collected.setdefault(head, [])
            current.append(rest.strip())
        else:
            current.append(line)
    sections = ((name, _tidy(text)) for name, text in collected.items())
    return (lines[0].strip() if lines else ""), tuple(sections)


def opening_docstring(text: str) -> str:
    """The string a module opens with; the rest of the file is not even parsed, for speed.

    >>> mark = 3 * '"'
    >>> opening_docstring(f"{mark}A title.{mark}; import this")
    'A title.'
    """
    end = text.find('"""', 3) + 3
    if not text.startswith('"""') or end < 6:
        return ast.get_docstring(ast.parse(text)) or ""
    return inspect.cleandoc(ast.literal_eval(text[:end]))


def leading_comment(text: str) -> str:
    """The comment a program opens with, without its marks.

    >>> leading_comment("# A title.\\n#\\n# What: a thing.\\nalphabet a")
    'A title.\\n\\nWhat: a thing.'
    """
    lines = itertools.takewhile(lambda line: line.startswith("#"), text.splitlines())
    return "\n".join(line[1:].removeprefix(" ") for line in lines)


def _tidy(lines: list[str]) -> str:
    indents = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    cut = min(indents, default=0)
    return "\n".join([lines[0], *(line[cut:] for line in lines[1:])]).strip()


@functools.cache  # by when it was written: a reproduction looks up hundreds of names
def _file_entry(kind: str, path: Path, written: int) -> Entry:
    del written
    text = path.read_text(encoding="utf-8")
    docstring = opening_docstring(text) if path.suffix == ".py" else leading_comment(text)
    title, sections = parse_sections(docstring)
    return Entry(path.stem.replace("_", "-"), kind, path, title, sections)


@functools.cache
def _row_entries(kind: str, path: Path, written: int) -> tuple[Entry, ...]:
    del written
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    rows = table[singular(kind)]
    found = [
        Entry(row["name"], kind, path, row["what"], tuple(zip(SECTIONS, texts, strict=True)))
        for row in rows
        for texts in [_language_texts(row, table) if "regex" in row else _problem_texts(row)]
    ]
    return tuple(sorted(found, key=lambda entry: entry.name))


def _language_texts(row: dict[str, Any], table: dict[str, Any]) -> tuple[str, ...]:
    known = row.get("facts", {}).items()
    facts = ", ".join(f"{name} {value}" for name, value in known) or "nothing"
    return (
        row["what"],
        f"{row['regex']}   over {' '.join(row['alphabet'])}",
        "members: " + _words(row["members"]),
        "; ".join([*filter(None, [row.get("note")]), f"declared: {facts}"]),
        "; ".join({**table["sources"], **row.get("sources", {})}.values()),
    )


def _problem_texts(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(row[key] for key in ("what", "definition", "example", "limits", "sources"))


def _words(words: list[str]) -> str:
    return ", ".join(word or "the empty word" for word in words)
