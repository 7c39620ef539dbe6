import pytest
from compiler_programs import all_words, expected, program

from foretell.compiler.answers import Reading, answers_for
from foretell.compiler.compiling import compile_program
from foretell.compiler.running import Form, answers
from foretell.plain.errors import BadInput

SETS = (frozenset({"a"}), frozenset({"a", "<eos>"}), frozenset({"b"}), frozenset({"a", "b"}))


def test_an_acceptor_has_two_labels():
    compiled = compile_program(program("dyck"))
    assert compiled.labels == ("reject", "accept")
    assert compiled.reading is Reading.ACCEPT
    assert answers(compiled, [()], Form.LIMIT) == [True]


def test_a_set_wins_exactly_when_it_is_right():
    given = program("next")
    every = tuple(dict.fromkeys(given.following(all_words(6))))
    compiled = compile_program(given, labels=every)
    names = ["{" + ",".join(sorted(each)) + "}" for each in given.following(all_words(6))]
    assert answers(compiled, all_words(6), Form.STEPS) == names
    assert answers(compiled, all_words(4), Form.LIMIT) == names[: len(all_words(4))]


def test_symbols_are_read_one_by_one():
    given = program("next")
    compiled = compile_program(given)
    assert compiled.labels == ("a", "b", "<eos>")
    assert answers(compiled, all_words(6), Form.STEPS) == expected(given, all_words(6))
    few = compile_program(given, labels=("<pad>", "b"))
    assert answers(few, [(0,), (1,)], Form.STEPS) == [frozenset("b"), frozenset()]


def test_a_symbol_the_program_never_names_may_stand_in_a_set():
    given = program("next")
    labels = (frozenset({"a", "b"}), frozenset({"a", "b", "z"}))
    assert answers(compile_program(given, labels=labels), [(0,)], Form.STEPS) == ["{a,b}"]


def test_an_acceptor_has_no_logits_for_symbols():
    with pytest.raises(BadInput, match="does not predict symbols"):
        answers_for(program("dyck").core, SETS)
