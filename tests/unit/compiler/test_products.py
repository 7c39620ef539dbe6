"""Lemma 52, and membership in the hypothesis class."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
from compiler_programs import TEXTS, all_words, program

from foretell.compiler.compiling import compile_program
from foretell.compiler.invariance import violations
from foretell.compiler.products import limit_from_products, whole
from foretell.plain.errors import BadInput


def back_again(compiled):
    return limit_from_products(
        compiled.transformer, compiled.core.letters, compiled.labels, compiled.alphabet
    )


@pytest.mark.parametrize("name", TEXTS)
def test_the_product_parameterisation_answers_like_the_transformer(name):
    compiled = compile_program(program(name), context=9)
    found = back_again(compiled)
    for length in range(5):
        words = np.array([w for w in all_words(length) if len(w) == length], int)
        words = words.reshape(2**length, length)
        for offset in (0, 1, 4):
            exact = compiled.exact.logits(words, offset)
            assert (found.logits(words, offset) == exact).all()


@pytest.mark.parametrize("name", ["even", "mixed", "window"])
def test_its_size_does_not_depend_on_the_context(name):
    sizes = set()
    for context in (9, 14, 25):
        found = back_again(compile_program(program(name), context=context))
        numbers = sum(len(h.key_query.entries) + len(h.phi) for x in found.layers for h in x.heads)
        sizes.add((found.width, found.period, numbers))
    assert len(sizes) == 1


def test_phi_holds_the_products_of_bare_positions():
    found = back_again(compile_program(program("window"), context=9))
    kinds = {head.phi for layer in found.layers for head in layer.heads}
    assert kinds == {(), ((1, 2),), ((2, 2),), ((3, 2),)}
    assert found.period == 1


@pytest.mark.parametrize("name", TEXTS)
def test_compiled_transformers_are_in_the_hypothesis_class(name):
    assert violations(compile_program(program(name), context=9).transformer) == ()


def changed(model, where, entry, value):
    return eqx.tree_at(where, model, replace_fn=lambda leaf: leaf.at[entry].set(value))


def test_what_depends_on_where_a_word_begins_is_found():
    compiled = compile_program(program("mixed"), context=9)
    model, d = compiled.transformer, compiled.limit.width
    reads = changed(model, lambda m: m.layers[2].expand, (0, d + 3), 1.0)
    assert any("units of layer 3" in line for line in violations(reads))
    tells = changed(model, lambda m: m.unembedding, (0, d), 1.0)
    assert any("output" in line for line in violations(tells))
    looks = changed(model, lambda m: m.layers[3].key_query, (0, d + 2, d + 5), 1.0)
    assert any("head 4.0" in line for line in violations(looks))
    greets = changed(model, lambda m: m.layers[3].key_query, (0, d + 2, 0), 1.0)
    assert any("head 4.0" in line for line in violations(greets))
    with pytest.raises(BadInput, match="depends on where a word begins"):
        limit_from_products(reads, ("a", "b"), compiled.labels, compiled.alphabet)


def test_fractions_survive():
    assert whole(0.75) * 4 == 3
    assert type(whole(2.0)) is int
    compiled = compile_program(program("majority"), context=6)
    scaled = eqx.tree_at(
        lambda m: m.unembedding, compiled.transformer, replace_fn=lambda leaf: leaf / jnp.float32(4)
    )
    found = limit_from_products(scaled, ("a", "b"), compiled.labels, compiled.alphabet)
    words = np.array([[0, 1, 1]])
    assert (found.logits(words) * 4 == compiled.limit.logits(words)).all()
