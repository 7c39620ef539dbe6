"""Functions named in text and in files, and as JSON."""

import json

import numpy as np
import pytest

from foretell.boolean.drawing import draw_expansion
from foretell.boolean.expansion import Expansion
from foretell.boolean.formula import Formula
from foretell.boolean.function import BooleanFunction, TruthTable
from foretell.boolean.reading import read_function
from foretell.boolean.spectrum import Spectrum
from foretell.boolean.truth_table import every_input, truth_table
from foretell.plain.errors import BadInput


@pytest.mark.parametrize(
    ("text", "name", "bits"),
    [
        ("degree=3,sparsity=7,T=20", "degree=3,sparsity=7,T=20,seed=0", 20),
        (" T = 20 , degree=3, sparsity=7,seed=4 ", "degree=3,sparsity=7,T=20,seed=4", 20),
        ("parity,T=8", "parity,T=8", 8),
        ("tiling,degree=2,T=20", "tiling,degree=2,T=20", 20),
        ("tiling, T=20, degree=2", "tiling,degree=2,T=20", 20),
        ("x1 xor x2 and not x3", "x1 xor x2 and not x3", 3),
        ("(x1 ^ x2) , T=5", "x1 xor x2,T=5", 5),
        ("maj(x1,x2,x3)", "maj(x1, x2, x3)", 3),
        ("maj(x1,x2,x3),T=3", "maj(x1, x2, x3)", 3),
        ("1", "1", 1),
    ],
)
def test_names_are_canonical_and_read_back(text, name, bits):
    found = read_function(text)
    assert (found.name, found.bits) == (name, bits)
    assert read_function(found.name) == found
    again = BooleanFunction.from_json(json.loads(json.dumps(found.as_json())))
    assert again == found
    rows = np.random.default_rng(0).integers(0, 2, (50, bits))
    assert (again(rows) == found(rows)).all()
    assert np.allclose(found.expansion(rows), found(rows))


def test_a_drawn_one_is_the_drawn_one():
    assert read_function("degree=3,sparsity=7,T=20,seed=2").expansion == draw_expansion(20, 3, 7, 2)


def test_an_expansion_from_a_file(tmp_path):
    path = tmp_path / "three.json"
    path.write_text(json.dumps({"bits": 4, "sets": [[0, 2], [3]], "coefficients": [1, -2.5]}))
    found = read_function(str(path))
    assert found.source == Expansion(4, ((0, 2), (3,)), (1.0, -2.5)) and found.expansion
    assert found.name.startswith("three-") and found.spectrum.degree == 2
    assert BooleanFunction.from_json(found.as_json()) == found


def test_a_truth_table_from_a_file(tmp_path):
    path = tmp_path / "xor.json"
    path.write_text(json.dumps({"truth_table": [0, 1, 1, 0]}))
    found = read_function(str(path))
    assert found(every_input(2)).tolist() == [0, 1, 1, 0]
    assert found.expansion == Expansion(2, ((0, 1),), (-1.0,), 1.0)
    assert BooleanFunction.from_json(found.as_json()) == found
    path.write_text(json.dumps({"truth_table": [0, 1, 1, 1]}))
    assert read_function(str(path)).name != found.name


def test_formulas_are_transformed_over_the_bits_they_name():
    wide = read_function("x2 and x40, T=50")
    assert wide.expansion.bits == 50
    assert set(wide.expansion.sets) == {(1,), (39,), (1, 39)}
    assert wide.spectrum.largest(1)[0][0] == (1,)
    rows = np.random.default_rng(0).integers(0, 2, (100, 50))
    assert np.allclose(wide.expansion(rows), wide(rows))
    assert read_function("x2 and x400").expansion.sets[0] == (1,)
    small = read_function("maj(x1,x3,x5) xor x2")
    exact = Spectrum.of_truth_table(truth_table(small, 5))
    assert (small.spectrum.masks == exact.masks).all()
    assert np.allclose(small.spectrum.coefficients, exact.coefficients)
    with pytest.raises(BadInput, match="62 bits"):
        _ = read_function("x400").spectrum


def test_out_of_reach_is_nothing_and_the_spectrum_says_why():
    many = read_function(" xor ".join(f"x{i}" for i in range(1, 31)))
    assert many.expansion is None
    with pytest.raises(BadInput, match="find_degree"):
        _ = many.spectrum
    table = tuple(np.random.default_rng(0).standard_normal(1 << 18).tolist())
    assert BooleanFunction("dense", TruthTable(table)).expansion is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no function is named"),
        ("degre=3,sparsity=7,T=20", "did you mean degree"),
        ("degree=3,sparsity=7,t=20", r"did you mean T\?"),
        ("degree=3,T=20", "missing: sparsity"),
        ("degree=3,sparsity=7,T=20,T=21", "twice"),
        ("degree=x,sparsity=7,T=20", "whole number"),
        ("degree=-3,sparsity=7,T=20", "whole number"),
        ("degree=3.5,sparsity=7,T=20", "whole number"),
        ("degree=3,sparsity=7,T=99999999", "whole number"),
        ("degree=3,sparsity=7,T=20,seed=99999999999", "whole number"),
        ("degree=3,sparsity=2000,T=20", "1,140 subsets"),
        ("degree=3,sparsity,T=20", "setting cannot be read"),
        ("degree=30,sparsity=1,T=20", "between 1 and the number of bits"),
        ("parity", "missing: T"),
        ("parity,T=0", "at least one bit"),
        ("parity,T=8,degree=2", "unknown setting"),
        ("tiling,degree=3,T=20", "do not tile"),
        ("party,T=8", "did you mean parity"),
        ("x1 xor x9,T=5", "x9 with T=5"),
        ("x1 xor x2,seed=5", "unknown setting"),
        ("x1 xor x2,T=five", "whole number"),
        ("no-such.json", "no such file"),
    ],
)
def test_text_that_names_nothing(text, message):
    with pytest.raises(BadInput, match=message):
        read_function(text)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not JSON"),
        ("[1, 2]", "does not describe"),
        ("{}", "missing: bits, coefficients, sets"),
        ('{"truth_table": [0, 1, 1]}', "2, 4, 8"),
        ('{"truth_table": []}', "2, 4, 8"),
        ('{"truth_table": 5}', "not iterable"),
        ('{"truth_table": ["0", "1"]}', "not a number"),
        ('{"truth_table": [0, NaN]}', "finite"),
        ('{"truth_table": [0, 1e999]}', "finite"),
        ('{"truth_table": [0, 1], "bits": 2}', "bits is 2"),
        ('{"bits": 2, "sets": [[0]], "coefficients": [1], "constnt": 1}', "unknown: constnt"),
        ('{"bits": 2, "sets": [[0]], "coefficients": ["1"]}', "not a number"),
        ('{"bits": 2, "sets": [[0.5]], "coefficients": [1]}', "float"),
        ('{"bits": 2, "sets": [[2]], "coefficients": [1]}', "does not exist"),
        ('{"bits": 2, "sets": [[0], [0]], "coefficients": [1, 2]}', "twice"),
        ('{"bits": 2, "sets": [[0]], "coefficients": [1, 2]}', "one coefficient"),
    ],
)
def test_files_that_describe_nothing(tmp_path, content, message):
    path = tmp_path / "f.json"
    path.write_text(content)
    with pytest.raises(BadInput, match=message):
        read_function(str(path))


def test_documents_that_describe_nothing():
    good = BooleanFunction("f", Formula.parse("x1 xor x2")).as_json()
    for wrong in ({}, good | {"bits": "x"}, {"name": "f", "bits": 2}, good | {"formula": "x9"}):
        with pytest.raises(BadInput):
            BooleanFunction.from_json(wrong)
    table = BooleanFunction("f", TruthTable((0.0, 1.0))).as_json()
    with pytest.raises(BadInput, match="another number of bits"):
        BooleanFunction.from_json(table | {"bits": 3})


@pytest.mark.parametrize("shape", [(3,), (2, 4), (1, 2, 3)])
def test_inputs_of_another_size_are_refused(shape):
    with pytest.raises(BadInput, match="rows of 3 bits"):
        read_function("x1 xor x3")(np.zeros(shape, int))
