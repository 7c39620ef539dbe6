"""What a task says for itself."""

from __future__ import annotations

from typing import Any

import pytest

from foretell.core import Task


@pytest.mark.parametrize(
    ("smallest", "step", "low", "high", "expected"),
    [
        (1, 1, 0, 3, (1, 2, 3)),
        (2, 2, 3, 9, (4, 6, 8)),
        (3, 3, 0, 10, (3, 6, 9)),
        (3, 3, 4, 5, ()),
        (3, 3, 6, 6, (6,)),
        (1, 1, 8, 99, (8, 9, 10)),
        (1, 1, 11, 99, ()),
    ],
)
def test_sizes_are_the_legal_ones_inside_the_range(
    bits: Any, smallest: int, step: int, low: int, high: int, expected: tuple[int, ...]
) -> None:
    class Stepped(bits):
        pass

    Stepped.smallest, Stepped.step = smallest, step
    assert Stepped(10).sizes(low, high) == expected


def test_a_fact_is_found_by_name_or_absent(bits: Any) -> None:
    assert bits().fact("crasp").value == "yes"
    assert bits().fact("never-declared") is None


def test_labels_are_the_tokens_unless_a_task_says_more(bits: Any) -> None:
    assert bits().labels == bits().alphabet.tokens


def test_a_task_with_tables_must_say_how_they_stack(bits: Any) -> None:
    class WithTables(bits):
        tables = (1,)

    assert bits.stack((bits(), bits())) == ()
    with pytest.raises(NotImplementedError, match="stack"):
        WithTables.stack((WithTables(),))


def test_a_task_cannot_be_made_half_finished() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Task()  # type: ignore[abstract]
