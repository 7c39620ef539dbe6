import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from compiler_programs import all_words, expected, program, random_words

from foretell.compiler.compiling import compile_program
from foretell.compiler.running import Form, answers, last_logits, run_tokens
from foretell.crasp.program import Program
from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput
from foretell.tasks.lookup import find_task
from foretell.training.member import logits_and_targets

DYCK = """
alphabet "(" ")"
depth(i) := #[j <= i] Q_"("(j) - #[j <= i] Q_")"(j)
next["("](i) := true
next[")"](i) := depth(i) >= 1
next[<eos>](i) := depth(i) == 0
empty next "(" <eos>
"""


@pytest.mark.parametrize("name", ["contains-ab", "even", "mixed", "negative", "next"])
def test_the_arrays_give_the_exact_logits(name):
    given = program(name)
    compiled = compile_program(given, context=12)
    words = [*all_words(5), *random_words(6, 6, 7)]
    wanted = last_logits(compiled, words, Form.LIMIT).astype(float)
    for offset in (0, 3):
        assert np.allclose(last_logits(compiled, words, Form.FINITE, offset), wanted, atol=1e-5)
    assert answers(compiled, words) == expected(given, words)


def test_long_words_at_every_offset_that_fits():
    given = program("mixed")
    compiled = compile_program(given, context=150)
    words = random_words(8, 110, 120)
    for offset in (0, 1, 2, 29):
        assert answers(compiled, words, offset=offset) == expected(given, words)


def test_a_task_scores_a_compiled_network_like_a_trained_one():
    task = find_task("dyck-1", 30)
    given = Program.parse(DYCK)
    compiled = compile_program(
        given, context=task.width(30), labels=task.label_sets, alphabet=task.alphabet
    )
    assert compiled.labels == task.labels
    sizes = jnp.array([2, 10, 20, 30])
    example = task.sample(root_key(0), sizes, task.width(30))
    # the declared type is `Transformer`; what is called is anything with the same signature
    ask = eqx.filter_jit(logits_and_targets)
    logits, targets, mask = ask(
        compiled.transformer, example, jnp.zeros(4, int), 31, jnp.array(len(task.labels))
    )
    assert bool(((logits.argmax(-1) == targets) | ~mask).all())


def test_padding_and_what_comes_later_do_not_matter_and_queries_pick():
    model = eqx.filter_jit(compile_program(program("window"), context=12).transformer)
    short = jnp.array([[1, 4, 5, 4, 4]])
    padded = jnp.pad(short, ((0, 0), (0, 3)))
    whole = model(padded, jnp.arange(8)[None])
    assert np.allclose(whole[:, :5], model(short, jnp.arange(5)[None]), atol=1e-6)
    picked = model(padded, jnp.arange(8)[None], jnp.array([[4, 1]]))
    assert (picked[0] == whole[0, jnp.array([4, 1])]).all()


def test_float64_is_made_and_run_inside_the_wider_mode_only():
    given = program("negative")
    with pytest.raises(BadInput, match="32 bits"):
        compile_program(given, context=16, dtype="float64")
    with jax.enable_x64(True):
        compiled = compile_program(given, context=16, dtype="float64")
        found = last_logits(compiled, all_words(4))
    assert found.dtype == np.float64
    assert (found == last_logits(compiled, all_words(4), Form.LIMIT).astype(float)).all()


def test_words_that_do_not_fit_are_refused():
    compiled = compile_program(program("far"), context=8)
    assert len(run_tokens(compiled.transformer, [(4,) * 7])) == 1
    with pytest.raises(BadInput, match="does not fit into the context"):
        answers(compiled, [(0,) * 8])
    with pytest.raises(BadInput, match="does not fit into the context"):
        answers(compiled, [(0,) * 7], offset=1)
    without = compile_program(program("far"))
    with pytest.raises(BadInput, match="give a context"):
        answers(without, [(0,)])
    with pytest.raises(BadInput, match="give a context"):
        answers(without, [(0,)], Form.EXACT)


def test_an_offset_beyond_the_context_is_never_reached():
    given = Program.parse("alphabet a b\naccept(i) := #[j <= i, j == i - 50] Q_a(j) >= 1 or Q_b(i)")
    compiled = compile_program(given, context=10)
    assert answers(compiled, all_words(4)) == expected(given, all_words(4))
    assert answers(compiled, [(0,) * 9]) == [False]


def test_layers_of_one_shape_are_compiled_once():
    model = compile_program(program("dyck"), context=16).transformer
    shapes = (jnp.zeros((2, 8), int), jnp.arange(8)[None])
    text = str(jax.make_jaxpr(lambda tokens, positions: model(tokens, positions))(*shapes))
    assert len(model.layers) == 3
    assert text.count("exp") <= 2
