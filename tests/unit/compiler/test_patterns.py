import numpy as np
import pytest
from compiler_programs import program

from foretell.compiler.compiling import compile_program
from foretell.compiler.patterns import attention_patterns
from foretell.plain.errors import BadInput


def test_every_head_has_a_name_and_rows_that_add_up():
    compiled = compile_program(program("contains-ab"), context=10)
    found = attention_patterns(compiled.transformer, (4, 5, 4, 4), offset=2)
    assert [(each.layer, each.head, each.name) for each in found] == [
        (1, 1, "mean: one"),
        (1, 2, "back 1: back 1 is_a"),
        (2, 1, "idle"),
        (3, 1, "mean: count seen"),
    ]
    for each in found:
        assert each.weights.shape == (5, 5)
        assert np.allclose(each.weights.sum(axis=1), 1)
        assert not np.triu(each.weights, 1).any()
    mean, back = found[0].weights, found[1].weights
    assert np.allclose(mean[4], 1 / 5)
    assert back[4].argmax() == 3 and back[4, 3] == pytest.approx(25 / 29)


def test_a_word_that_does_not_fit_is_refused():
    compiled = compile_program(program("even"), context=4)
    with pytest.raises(BadInput, match="does not fit"):
        attention_patterns(compiled.transformer, (4, 4, 4, 4))
