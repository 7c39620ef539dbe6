from fractions import Fraction

import numpy as np
import pytest
from compiler_programs import TEXTS, all_words, expected, program, random_words

from foretell.compiler.compiling import compile_program
from foretell.compiler.limit import LOOK_BACK
from foretell.compiler.running import Form, answers, last_logits
from foretell.crasp.program import Program
from foretell.plain.errors import BadInput


@pytest.mark.parametrize("name", TEXTS)
def test_steps_and_limit_agree_with_the_interpreter(name):
    given = program(name)
    compiled = compile_program(given)
    words = [*all_words(6), *random_words(3, 40, 60)]
    for form in (Form.STEPS, Form.LIMIT):
        assert answers(compiled, words, form) == expected(given, words), form
    few = words[:60:7]
    assert (last_logits(compiled, few, Form.STEPS) == last_logits(compiled, few, Form.LIMIT)).all()


def test_before_the_word_begins_nothing_was_true():
    """Where i < offset attention is uniform: a plain average of the word aaa would be 3/4."""
    given = Program.parse("alphabet a b\naccept(i) := #[j <= i, j == i - 9] Q_a(j) >= 1")
    compiled = compile_program(given)
    words = [(0,) * length for length in range(15)]
    assert answers(compiled, words, Form.LIMIT) == [length > 9 for length in range(15)]


def test_the_gap_of_looking_back_is_five_elevenths():
    """Of 2·raw − 1, over all bodies at their worst, |x| as small as it can be and larger."""
    smallest = Fraction(10)
    for offset in range(1, 12):
        for i in range(1, 40):
            for length in (i + 1, i + 2, 3 * i + 5):
                strong = length**LOOK_BACK
                for here in (0, 1):
                    others = [i - 1, 0] if i > offset else [i, 0]
                    for true in others:
                        if i > offset:
                            total = strong + i
                            raw = Fraction(strong * here + true - offset, total)
                        elif i == offset:
                            here, total = 0, strong + i
                            raw = Fraction(-offset * strong + true, total)
                        else:
                            here, raw = 0, Fraction(true - offset, i + 1)
                        gap = 2 * raw - 1
                        assert (gap >= 0) == bool(here)
                        smallest = min(smallest, abs(gap))
    assert smallest == Fraction(5, 11)


def test_tokens_of_one_length_share_a_batch_and_offsets_do_not_matter_without_periods():
    compiled = compile_program(program("mixed"))
    words = np.array([word for word in all_words(5) if len(word) == 5])
    assert compiled.limit.period == 3
    assert (compiled.limit.logits(words, 3) == compiled.limit.logits(words)).all()
    other = compile_program(program("window")).limit
    assert (other.logits(words, 2) == other.logits(words)).all()


def test_all_weights_are_whole():
    for name in TEXTS:
        limit = compile_program(program(name)).limit
        matrices = [limit.embedding, limit.positions, limit.unembedding]
        for layer in limit.layers:
            matrices += [layer.expand, layer.contract, *(head.value for head in layer.heads)]
            assert all(type(bias) is int for bias in layer.bias)
        assert all(type(value) is int for matrix in matrices for *_, value in matrix.entries)


def test_a_program_without_positions_has_no_phi_and_no_encoding():
    limit = compile_program(program("dyck")).limit
    assert not limit.is_local and not limit.is_periodic
    assert compile_program(program("far")).limit.is_local
    assert compile_program(program("even")).limit.is_periodic


def test_a_common_period_that_is_too_long_is_refused():
    tests = " or ".join(f"i mod {prime} == 1" for prime in (97, 101, 103))
    with pytest.raises(BadInput, match="too long a common period"):
        compile_program(Program.parse(f"alphabet a b\naccept(i) := {tests}"))
