"""Axis names come from the glossary."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import jaxtyping
import pytest

import foretell
from foretell.numerics.axes import AXES

ROOT = Path(foretell.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
KINDS = {
    name
    for name, value in vars(jaxtyping).items()
    if isinstance(value, type) and issubclass(value, jaxtyping.AbstractDtype)
} | {"Key", "Float", "Int", "Bool"}


def axis_strings(source: str) -> Iterator[tuple[int, str]]:
    """Line and axis string of every jaxtyping annotation: `Float[Array, "batch length"]`."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Tuple):
            continue
        kind = node.value.attr if isinstance(node.value, ast.Attribute) else None
        kind = node.value.id if isinstance(node.value, ast.Name) else kind
        if kind in KINDS and len(node.slice.elts) == 2:
            shape = node.slice.elts[1]
            assert isinstance(shape, ast.Constant) and isinstance(shape.value, str), ast.dump(node)
            yield node.lineno, shape.value


def strangers(shape: str) -> list[str]:
    """Names in an axis string that the glossary does not hold."""
    found = []
    for word in shape.split():
        name = word.lstrip("*#?")
        if word != "..." and not name.startswith("_") and name not in AXES:
            found.append(word)
    return found


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("", []),
        (" length", []),
        ("*batch #length ?head _ ...", []),
        ("batch seq", ["seq"]),
        ("*b length", ["*b"]),
        ("batch 3", ["3"]),
        ("length+1", ["length+1"]),
    ],
)
def test_the_check_sees_strangers(shape: str, expected: list[str]) -> None:
    assert strangers(shape) == expected


def test_the_walk_finds_annotations_of_every_form() -> None:
    source = (
        'def f(x: Float[Array, "a b"], y: jt.Int[Array | np.ndarray, "c"] | None) '
        '-> tuple[Key[Array, ""], dict[str, Bool[Array, "d"]]]: ...\n'
    )
    assert {shape for _, shape in axis_strings(source)} == {"a b", "c", "", "d"}


def test_every_axis_name_in_the_source_is_in_the_glossary() -> None:
    checked, wrong = 0, []
    for path in FILES:
        for line, shape in axis_strings(path.read_text(encoding="utf-8")):
            checked += 1
            wrong += [f"{path.relative_to(ROOT)}:{line}: {name}" for name in strangers(shape)]
    assert checked > 100
    assert not wrong, "\n".join(wrong)
