"""One text for one value."""

from __future__ import annotations

import hashlib
import math
import os
import subprocess
import sys

import pytest

from foretell.plain.canonical import canonical_json, content_hash


def test_keys_are_sorted_at_every_depth_and_nothing_is_padded() -> None:
    value = {"b": {"z": 1, "a": [1, 2]}, "a": None}
    assert canonical_json(value) == '{"a":null,"b":{"a":[1,2],"z":1}}'


def test_order_of_insertion_and_kind_of_sequence_do_not_matter() -> None:
    one, other = {"a": (1, 2), "b": 3}, {"b": 3, "a": [1, 2]}
    assert canonical_json(one) == canonical_json(other)
    assert content_hash(one) == content_hash(other)


def test_letters_outside_ascii_are_kept() -> None:
    assert canonical_json("Σ*") == '"Σ*"'


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, {"deep": [math.nan]}])
def test_numbers_json_does_not_have_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical_json(value)


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes"])
def test_values_without_a_text_are_refused(value: object) -> None:
    with pytest.raises(TypeError):
        canonical_json(value)


@pytest.mark.parametrize("pair", [(1, "1"), (True, 1), (1, 1.0), (None, "null"), ([], {})])
def test_different_values_get_different_texts(pair: tuple[object, object]) -> None:
    assert canonical_json(pair[0]) != canonical_json(pair[1])


def test_the_hash_is_sixteen_digits_of_sha256() -> None:
    assert content_hash({}) == hashlib.sha256(b"{}").hexdigest()[:16] == "44136fa355b3678a"


def test_the_hash_is_the_same_in_another_process() -> None:
    value = {"names": ["Σ", "b"], "rate": 0.1, "deep": {"z": 1, "a": None}}
    code = f"from foretell.plain.canonical import content_hash; print(content_hash({value!r}))"
    answer = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "3", "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.strip() == content_hash(value)
