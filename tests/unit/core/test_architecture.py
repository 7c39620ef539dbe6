"""A model described as data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foretell.core.architecture import Activation, Architecture, AttentionScale, Precision
from foretell.plain.canonical import content_hash
from foretell.plain.errors import BadInput

Build = Callable[..., Architecture]


@pytest.mark.parametrize("field", ["layers", "heads", "width", "context"])
@pytest.mark.parametrize("value", [0, -1, 1.0, 2.5, True, "4", None])
def test_counts_are_whole_numbers_of_at_least_one(
    architecture: Build, field: str, value: Any
) -> None:
    with pytest.raises(BadInput, match=field) as caught:
        architecture(**{field: value})
    assert caught.value.seen is value


@pytest.mark.parametrize(("heads", "width"), [(3, 64), (5, 64), (12, 64), (128, 64), (7, 13)])
def test_heads_that_do_not_divide_the_width_are_refused_with_ones_that_do(
    architecture: Build, heads: int, width: int
) -> None:
    with pytest.raises(BadInput, match="do not divide") as caught:
        architecture(heads=heads, width=width)
    assert f"heads {heads}, width {width}" in str(caught.value)
    hint = caught.value.hint
    assert hint and hint.startswith("heads ")
    suggested = [int(word) for word in hint.removeprefix("heads ").split(" or ")]
    assert suggested and all(width % count == 0 for count in suggested)
    distance = min(abs(h - heads) for h in range(1, width + 1) if width % h == 0)
    assert min(abs(count - heads) for count in suggested) == distance
    for count in suggested:
        architecture(heads=count, width=width)  # every suggestion works


@pytest.mark.parametrize(
    ("field", "choices"),
    [("activation", Activation), ("attention_scale", AttentionScale), ("precision", Precision)],
)
def test_choices_are_checked_and_listed(architecture: Build, field: str, choices: Any) -> None:
    with pytest.raises(BadInput, match=field.replace("_", " ")) as caught:
        architecture(**{field: "swish"})
    assert caught.value.seen == "swish"
    assert all(option.value in str(caught.value.hint) for option in choices)
    for option in choices:
        assert architecture(**{field: option.value}) == architecture(**{field: option})


def test_it_is_keyword_only() -> None:
    with pytest.raises(TypeError):
        Architecture(2, 4, 64, "ape", 154)  # type: ignore[misc]


def test_head_width_and_label(architecture: Build) -> None:
    assert architecture().head_width == 16
    assert architecture().label == "ape 2L 4H 64d"


def test_json_is_plain_and_complete(architecture: Build) -> None:
    described = architecture().as_json()
    assert json.loads(json.dumps(described)) == described
    assert all(type(value) in (int, str, bool) for value in described.values())
    assert Architecture(**described) == architecture()  # type: ignore[arg-type]


def test_in_a_compiled_network_heads_need_not_divide_the_width() -> None:
    shape = {"layers": 1, "heads": 3, "width": 16, "positional": "ape", "context": 8}
    with pytest.raises(BadInput, match="divide"):
        Architecture(**shape)
    built = Architecture(**shape, activation="heaviside")
    assert Architecture(**built.as_json()) == built


def test_a_kind_is_told_only_where_it_is_not_the_usual_one(architecture: Build) -> None:
    assert "kind" not in architecture().as_json()
    other = architecture(kind="transformer+kq")
    assert other.as_json()["kind"] == "transformer+kq"
    assert Architecture(**other.as_json()) == other  # type: ignore[arg-type]
    assert other.label == "ape 2L 4H 64d transformer+kq"
    with pytest.raises(BadInput, match="kind") as caught:
        architecture(kind="perceptron")
    assert "mlp+gram" in str(caught.value.hint)


def test_runs_that_were_stored_before_there_were_kinds_keep_their_hash() -> None:
    stored = sorted((Path(__file__).parents[3] / "results").glob("runs/*/question.json"))
    assert stored
    for path in stored:
        question = json.loads(path.read_text(encoding="utf-8"))
        named, described = question.pop("hash"), question["architecture"]
        read = Architecture(**described).as_json()
        assert read == described
        assert content_hash({**question, "architecture": read}) == named == path.parent.name
