"""House rules about the source text."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

import foretell

ROOT = Path(foretell.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
NAMELESS = {"utils", "util", "helpers", "helper", "common", "misc"}
UNSAFE_MODULES = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "shelve", "marshal"}
UNSAFE_CALLS = {"eval", "exec", "compile", "__import__"}


def local_imports(tree: ast.AST) -> Iterator[ast.stmt]:
    """Imports inside a function."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for node in ast.walk(function):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    yield node


def unsafe(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Ways to run text or bytes as code."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name.split(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [(node.module or "").split(".")[0]]
        yield from ((node.lineno, name) for name in names if name in UNSAFE_MODULES)
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in UNSAFE_CALLS:
                yield node.lineno, node.func.id
            if any(word.arg == "allow_pickle" for word in node.keywords):
                yield node.lineno, "allow_pickle"


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def found_in_source(check) -> list[str]:
    return [f"{path.relative_to(ROOT)}: {each}" for path in FILES for each in check(parsed(path))]


def test_there_is_source_to_look_at() -> None:
    assert len(FILES) > 40


def test_the_checks_see_what_they_look_for() -> None:
    bad = "def f():\n    def g():\n        from os import path\nimport pickle\nx = eval('1')\n"
    assert len(list(local_imports(ast.parse(bad)))) >= 1
    assert [name for _, name in sorted(unsafe(ast.parse(bad)))] == ["pickle", "eval"]
    assert not list(local_imports(ast.parse("if True:\n    import os\n")))
    assert not list(unsafe(ast.parse("import re\nre.compile('x')\nmodel.eval()\n")))


def test_no_imports_inside_functions_except_for_start_up() -> None:
    may = {ROOT / "__init__.py", *(ROOT / "cli").rglob("*.py")}
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in FILES
        if path not in may
        for node in local_imports(parsed(path))
    ]
    assert not wrong, "\n".join(wrong)


def test_nothing_is_called_utils() -> None:
    places = [part for path in FILES for part in path.relative_to(ROOT).with_suffix("").parts]
    assert not {part.strip("_").lower() for part in places} & NAMELESS


def test_nothing_runs_text_or_pickles_as_code() -> None:
    assert not found_in_source(unsafe)


def test_the_core_can_be_read_in_one_sitting() -> None:
    core = (ROOT / "core").rglob("*.py")
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in core) < 1000


def test_at_most_twenty_names_at_the_top_and_each_one_loads() -> None:
    names = foretell.__all__
    assert 0 < len(names) <= 20
    assert len(set(names)) == len(names)
    for name in names:
        assert getattr(foretell, name) is not None
    assert set(names) <= set(dir(foretell))


def test_an_unknown_name_at_the_top_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        foretell.no_such_name  # noqa: B018
