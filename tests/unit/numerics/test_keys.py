"""Keys come from paths of names."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.numerics.keys import key_for, root_key

Bits = tuple[int, ...]


def bits(key: Any) -> Bits:
    return tuple(np.asarray(jax.random.key_data(key)).ravel().tolist())


PATHS: list[tuple[str | int, ...]] = [
    (),
    ("train",),
    ("test",),
    ("Train",),
    ("",),
    ("train", 0),
    ("train", 1),
    (0, "train"),
    (0,),
    (1,),
    ("0",),
    ("1",),
    ("train", "0"),
    ("train", 0, 0),
    ("tr", "ain"),
    ("train", "test"),
    ("test", "train"),
    ("traintest",),
]


def test_the_same_path_gives_the_same_key() -> None:
    for path in PATHS:
        assert bits(key_for(root_key(0), *path)) == bits(key_for(root_key(0), *path))


def test_different_paths_and_seeds_give_different_keys() -> None:
    found = [bits(key_for(root_key(seed), *path)) for seed in (0, 1) for path in PATHS]
    assert len(set(found)) == len(found)


def test_the_empty_path_is_the_root() -> None:
    assert bits(key_for(root_key(3))) == bits(root_key(3))


def test_a_path_can_be_walked_in_parts() -> None:
    whole = key_for(root_key(0), "train", 3, "noise")
    assert bits(key_for(key_for(root_key(0), "train"), 3, "noise")) == bits(whole)


def test_adding_a_path_elsewhere_changes_nothing() -> None:
    before = {path: bits(key_for(root_key(0), *path)) for path in PATHS}
    for extra in ("new-task", "another"):
        key_for(root_key(0), extra, 5)
    after = {path: bits(key_for(root_key(0), *path)) for path in reversed(PATHS)}
    assert before == after


@pytest.mark.parametrize("step", [0, 1, 7, 2**31 - 1])
def test_a_traced_number_gives_the_key_of_the_concrete_one(step: int) -> None:
    traced = jax.jit(lambda number: key_for(root_key(0), "train", number, "x"))
    expected = bits(key_for(root_key(0), "train", step, "x"))
    assert bits(traced(jnp.int32(step))) == expected
    assert bits(key_for(root_key(0), "train", jnp.int32(step), "x")) == expected


def test_a_traced_seed_gives_the_root_of_the_concrete_one() -> None:
    assert bits(jax.jit(root_key)(jnp.int32(5))) == bits(root_key(5))


def test_mapping_over_numbers_gives_each_its_own_key() -> None:
    many = jax.vmap(lambda number: key_for(root_key(0), "member", number))(jnp.arange(4))
    assert [bits(key) for key in many] == [
        bits(key_for(root_key(0), "member", n)) for n in range(4)
    ]


def test_draws_at_different_paths_are_unrelated() -> None:
    draws = [np.asarray(jax.random.normal(key_for(root_key(0), "x", n), (500,))) for n in range(4)]
    for one, other in itertools.combinations(draws, 2):
        assert abs(np.corrcoef(one, other)[0, 1]) < 0.2


def test_the_keys_are_golden_and_do_not_depend_on_the_process_or_the_default_generator() -> None:
    """Written down once: if this fails, every stored run would be drawn differently."""
    golden = (481632750, 4013304675)
    assert bits(key_for(root_key(0), "train", 3)) == golden
    code = (
        "import jax; from foretell.numerics.keys import key_for, root_key\n"
        "print(jax.random.key_data(key_for(root_key(0), 'train', 3)).tolist())"
    )
    moved = {"PYTHONHASHSEED": "9", "JAX_DEFAULT_PRNG_IMPL": "rbg", "JAX_PLATFORMS": "cpu"}
    answer = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **moved},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.strip() == str(list(golden))
