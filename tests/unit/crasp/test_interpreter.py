"""Arrays over positions: windows, word borders, integers of every size, and both back ends."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.crasp.interpreter import INT64, OnWords, evaluate, largest_count
from foretell.crasp.on_device import OnBatch
from foretell.crasp.program import Program
from foretell.crasp.words import Words
from foretell.plain.errors import BadInput

HEAD = "alphabet a b\n"


def values(expression, words):
    """A definition's value at every position of every word, on NumPy."""
    core = Program.parse(f"{HEAD}x(i) := {expression}\naccept(i) := Q_a(i)").core
    batch = Words.of([["ab".index(letter) for letter in word] for word in words])
    place = dict(core.names)["x"]
    found = evaluate(core, OnWords.create(core, batch), [place])[place]
    everywhere = np.broadcast_to(np.asarray(found), batch.letters.shape).tolist()
    return [everywhere[a:b] for a, b in zip(batch.starts, batch.ends, strict=True)]


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("#[j <= i] Q_a(j)", [[1, 2, 2, 3], [1], [0, 1]]),
        ("#[j < i] Q_a(j)", [[0, 1, 2, 2], [0], [0, 0]]),
        ("#[j <= i - 2] Q_a(j)", [[0, 0, 1, 2], [0], [0, 0]]),
        ("#[j <= i, j == i - 1] Q_a(j)", [[0, 1, 1, 0], [0], [0, 0]]),
        ("#[i - 1 <= j <= i] Q_a(j)", [[1, 2, 1, 1], [1], [0, 1]]),
        ("#[j <= i, i - j in {1, 3}] Q_a(j)", [[0, 1, 1, 1], [0], [0, 0]]),
        ("#[j <= i, j == i - 9000] Q_a(j)", [[0] * 4, [0], [0] * 2]),
        ("#[j <= i] true", [[1, 2, 3, 4], [1], [1, 2]]),
        ("i mod 3 == 1", [[True, False, False, True], [True], [True, False]]),
        ("exists_past Q_b(i)", [[False, False, True, True], [False], [True, True]]),
        ("7", [[7] * 4, [7], [7] * 2]),
        ("1 <= 2", [[True] * 4, [True], [True] * 2]),
        ("Q_a(i) ? 5 : -5", [[5, 5, -5, 5], [5], [-5, 5]]),
    ],
)
def test_words_side_by_side_do_not_see_each_other(expression, wanted):
    assert values(expression, ["aaba", "a", "ba"]) == wanted


@pytest.mark.parametrize("factor", [1, 2**20, 2**31, 2**40, 2**61, 2**62, 2**63 - 1])
def test_integers_are_exact_at_every_size(factor):
    count = f"{factor}*#[j <= i] Q_a(j)"
    assert values(count, ["aab", "a"]) == [[factor, 2 * factor, 2 * factor], [factor]]
    assert values(f"{count} - {count} + 1", ["aa"]) == [[1, 1]]
    assert values(f"2*{factor}*{count} > {factor}*{count}", ["aab"]) == [[True] * 3]
    assert values(f"{factor}*{factor}*{factor}*({count})", ["a"]) == [[factor**4]]
    assert values(f"(Q_a(i) ? {count} : -{factor})", ["ab"]) == [[factor, -factor]]
    assert values(f"max({count}, {factor} - 1, abs(-{factor}))", ["b"]) == [[factor]]


def test_the_smallest_sufficient_integers_are_used():
    def dtype(expression, length):
        core = Program.parse(f"{HEAD}accept(i) := {expression} >= 1").core
        return OnWords.create(core, Words.of([[0] * length])).dtype

    assert dtype("#[j <= i] Q_a(j)", 10) is np.int32
    assert dtype("1000000*#[j <= i] Q_a(j)", 10_000) is np.int64
    assert dtype(f"{2**62}*#[j <= i] Q_a(j)", 10) is object


def test_the_largest_count_is_a_bound():
    core = Program.parse(f"{HEAD}accept(i) := 3*#[j <= i] Q_a(j) - 5 <= 7").core
    assert largest_count(core, 10) >= 35
    assert largest_count(core, 10**30) > INT64


WINDOWS = ["{0}", "{1}", "{7}", "{8}", "{9, 0}", "{3, 4, 5}", "{50}"]
DEVICE = [
    *(f"#[j <= i, i - j in {window}] Q_a(j) >= 1" for window in WINDOWS),
    "i mod 3 in {}",
    "i mod 3 in {0, 2}",
    "1 <= 2",
    "(Q_a(i) ? 1 : 2) <= #[j <= i - 3] Q_b(j)",
]


@pytest.mark.parametrize("expression", DEVICE)
def test_the_device_path(expression):
    core = Program.parse(f"{HEAD}accept(i) := {expression}").core
    rows = np.random.default_rng(0).integers(0, 2, (4, 12))
    compiled = jax.jit(lambda letters: evaluate(core, OnBatch.create(core, letters))[core.accept])
    exact = evaluate(core, OnWords.create(core, Words.of(rows.tolist())))[core.accept]
    assert np.asarray(compiled(jnp.asarray(rows))).reshape(-1).tolist() == exact.tolist()


def test_the_device_path_refuses_what_would_overflow():
    core = Program.parse(f"{HEAD}accept(i) := 100000000*#[j <= i] Q_a(j) >= 1").core
    OnBatch.create(core, jnp.zeros((1, 10), jnp.int32))
    with pytest.raises(BadInput, match="32 bits") as caught:
        OnBatch.create(core, jnp.zeros((1, 100), jnp.int32))
    assert "at length 100" in caught.value.seen
