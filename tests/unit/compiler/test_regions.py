from fractions import Fraction

import numpy as np
import pytest
from compiler_programs import TEXTS, all_words, program

from foretell.compiler.compiling import compile_program
from foretell.compiler.regions import FITTING, UNIFORM, Regions
from foretell.compiler.running import Form, last_logits
from foretell.core.alphabet import Alphabet
from foretell.plain.errors import BadInput


@pytest.mark.parametrize("name", TEXTS)
def test_t_n_is_the_limit_transformer_at_every_offset_exactly(name):
    compiled = compile_program(program(name), context=9)
    words = all_words(5)[::3]
    wanted = last_logits(compiled, words, Form.LIMIT)
    for offset in (0, 1, 3):
        assert (last_logits(compiled, words, Form.EXACT, offset) == wanted).all()


def test_its_size_is_that_of_lemma_47():
    compiled = compile_program(program("mixed"), context=20)
    period, width = compiled.limit.period, compiled.limit.width
    assert period == 3
    assert compiled.exact.width == width + 20 + 3 * period + 2
    assert len(compiled.exact.layers) == len(compiled.limit.layers) + 2
    assert compiled.exact.heads == max(1, compiled.limit.heads, period + 1)
    assert len(compiled.exact.directions) == len(set(compiled.exact.directions))


def test_regions_that_are_not_needed_are_left_out():
    local = compile_program(program("window"), context=20)
    assert local.exact.width == local.limit.width + 20
    assert len(local.exact.layers) == len(local.limit.layers)
    plain = compile_program(program("dyck"), context=20)
    assert plain.exact.width == plain.limit.width
    assert plain.transformer.positions is None
    assert plain.transformer.architecture.positional == "nope"
    assert Regions(5, 0, 0).names == ()


@pytest.mark.parametrize("period", range(2, 9))
def test_the_heads_that_look_for_sos_have_their_gap(period):
    """8 s − 9 u against the share u = 1 / (i + 1) of the uniform head, |x| small and large."""
    for i in range(1, 60):
        for h in range(period):
            fits = i % period == h
            liked = sum((i - j) % period == h for j in range(i + 1))
            for length in (i + 1, i + 2, 5 * i + 7, 10**6):
                share = Fraction(length if fits else 1, length * liked + i + 1 - liked)
                gap = (FITTING * share + UNIFORM * Fraction(1, i + 1)) * (i + 1)
                assert gap >= Fraction(9, 7) if fits else gap <= -1


def test_the_copied_residue_survives_rounding():
    """Layer 1 leaves at most i / |x|⁴ of other residues; logits are rounded to halves."""
    for i in range(1, 50):
        for length in (i + 1, i + 2, 1000):
            foreign = Fraction(i, length**4 + i)
            assert 1 - (1 - foreign) ** 2 < Fraction(1, 4)
            assert 2 * foreign < Fraction(1, 4)


def test_tokens_the_program_does_not_know_are_letters_it_never_asks_for():
    one = compile_program(program("letter"), context=8, alphabet=Alphabet(("b", "a", "z")))
    table = np.asarray(one.transformer.embedding)
    names = one.exact.directions
    rows = {token: table[at] for at, token in enumerate(one.alphabet.tokens)}
    assert not rows["<pad>"].any()
    assert rows["<sos>"][names.index("sos")] == 1
    assert rows["z"].tolist() == rows["<sep>"].tolist() == rows["b"].tolist()
    assert rows["a"][names.index("letter a")] == 1
    assert rows["z"][names.index("true")] == 1


def test_what_does_not_fit_is_refused_before_it_is_made():
    with pytest.raises(BadInput, match="does not fit into memory"):
        compile_program(program("window"), context=100_000)
    with pytest.raises(BadInput, match="at least SOS"):
        compile_program(program("dyck"), context=0)
    assert compile_program(program("dyck"), context=100_000).context == 100_000
