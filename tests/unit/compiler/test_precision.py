"""The claims about floating point, against what really happens."""

import equinox as eqx
import jax
import numpy as np
import pytest
from compiler_programs import TEXTS, expected, program, random_words

from foretell.compiler.compiling import compile_program
from foretell.compiler.precision import precision_of
from foretell.compiler.running import Form, answers
from foretell.crasp.program import Program
from foretell.plain.errors import BadInput


def nearly_equal(scale: int, top: int = 100) -> Program:
    """p·a >= q·b + 2 with p·100 − q·99 = 1: on a^100 b^99 it fails by 1, out of 99·100·scale."""
    p, q = 1 + (top - 1) * scale, 1 + top * scale
    return Program.parse(
        f"alphabet a b\naccept(i) := {p} * #[j <= i] Q_a(j) >= {q} * #[j <= i] Q_b(j) + 2"
    )


def words_around(top: int = 100):
    counts = [(a, b) for a in range(top - 3, top + 3) for b in range(top - 4, top + 2)]
    return [(0,) * a + (1,) * b for a, b in counts]


def test_float32_fails_where_it_was_called_hopeless_and_float64_does_not():
    given, words = nearly_equal(1000), words_around()
    wanted = expected(given, words)
    with pytest.raises(BadInput, match="cannot tell the counts") as refused:
        compile_program(given, context=256)
    assert "smaller factors" in str(refused.value)
    narrow = compile_program(given, context=256, refuse=False)
    assert narrow.precision.hopeless_from <= 200
    assert answers(narrow, words) != wanted
    assert answers(narrow, words, Form.STEPS) == wanted
    with jax.enable_x64(True):
        wide = compile_program(given, context=256, dtype="float64")
        assert wide.precision.guaranteed_up_to >= 256
        assert wide.warning is None
        assert answers(wide, words) == wanted


def test_float32_is_right_up_to_where_it_is_guaranteed():
    for scale in (1, 10):
        given, words = nearly_equal(scale), words_around()
        compiled = compile_program(given, context=256)
        assert compiled.precision.guaranteed_up_to >= 206
        assert compiled.warning is None
        assert answers(compiled, words) == expected(given, words)


def test_between_the_two_it_warns():
    compiled = compile_program(nearly_equal(100), context=256)
    assert compiled.precision.guaranteed_up_to < 256 < compiled.precision.hopeless_from
    assert "certain to be exact up to" in compiled.warning


@pytest.mark.parametrize("name", TEXTS)
def test_usual_programs_are_certain_for_thousands_of_tokens(name):
    compiled = compile_program(program(name))
    assert 10_000 <= compiled.precision.guaranteed_up_to <= compiled.precision.hopeless_from


def test_the_bound_scales_with_the_type_and_the_factors():
    network = compile_program(program("majority")).network
    narrow, wide = precision_of(network), precision_of(network, "float64")
    assert wide.guaranteed_up_to // narrow.guaranteed_up_to == pytest.approx(2**29, rel=0.01)
    larger = compile_program(nearly_equal(5)).network
    assert precision_of(larger).guaranteed_up_to < narrow.guaranteed_up_to
    assert precision_of(compile_program(program("letter")).network).guaranteed_up_to == 2**24
    with pytest.raises(BadInput, match="unknown floating-point type"):
        precision_of(network, "float8")


def test_whole_numbers_too_large_for_the_type_are_hopeless_at_every_length():
    one, two = "#[j == i - 1] Q_a(j)", "#[j == i - 2] Q_a(j)"
    text = f"alphabet a b\naccept(i) := 33554433 * {one} >= 33554432 * {two}"
    found = compile_program(Program.parse(text)).precision
    assert found.hopeless_from == 1
    assert (
        precision_of(compile_program(Program.parse(text)).network, "float64").hopeless_from > 1000
    )


def test_errors_do_not_double_along_a_maximum_of_many_counts():
    letters = "abcdefghij"
    parts = ", ".join(f"#[j <= i] Q_{letter}(j)" for letter in letters)
    text = f"alphabet {' '.join(letters)}\naccept(i) := max({parts}) >= 3"
    found = compile_program(Program.parse(text)).precision
    assert found.guaranteed_up_to > 10_000


def test_a_count_has_the_error_of_one_division():
    """Sums are exact and divided last (by XLA also as a product with a reciprocal)."""
    compiled = compile_program(program("majority"), context=256)
    model = compiled.transformer
    words = np.asarray(random_words(1, 255, 255)[0])
    tokens = jax.numpy.asarray([[1, *(words + 4)]])
    everything = jax.numpy.eye(model.architecture.width)
    read = eqx.tree_at(lambda m: m.unembedding, model, everything)
    stream = np.asarray(read(tokens, jax.numpy.arange(256)[None])[0])
    counts = np.concatenate([[0], np.cumsum(words == 0)]).astype(float)
    column = compiled.exact.directions.index("count t1")
    exact = counts / np.arange(1, 257)
    assert (abs(stream[:, column] - exact) <= 2 * 2.0**-24 * exact).all()
