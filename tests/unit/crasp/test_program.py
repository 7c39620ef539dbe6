"""Programs as values: equality, answers, batches, words in and out."""

import numpy as np
import pytest

from foretell.crasp import program as module
from foretell.crasp.program import Program
from foretell.plain.errors import BadInput

ACCEPTOR = "alphabet a b\naccept(i) := #[j <= i] Q_a(j) >= 2\n"
BOTH = ACCEPTOR + "let next[x](i) := Q_x(i)\nnext[<eos>](i) := accept(i)\nempty next a\n"
PREDICTOR = "alphabet up down\nlet next[x](i) := not Q_x(i)\n"


def test_equal_when_they_say_the_same():
    one = Program.parse(ACCEPTOR)
    other = Program.parse("# words\nalphabet a b\n\naccept(k) :=\n   (#[l <= k] (Q_a(l))) >= 2")
    assert one == other
    assert len({one, other}) == 1
    assert one != Program.parse(ACCEPTOR.replace("2", "3"))
    text = ACCEPTOR.replace(" b\n", " b\nparameter n = 2\n").replace(">= 2", ">= n")
    assert Program.parse(text, {"n": 3}) != Program.parse(text)


def test_running():
    program = Program.parse(ACCEPTOR)
    assert [program.run(word) for word in ("", "a", "aba", ("a", "a"))] == [
        False,
        False,
        True,
        True,
    ]
    predictor = Program.parse(PREDICTOR)
    assert predictor.run("up down") == {"up"}
    assert predictor.run("") == frozenset()


def test_the_last_boolean_accepts_when_nothing_is_called_accept():
    program = Program.parse("alphabet a b\nfirst(i) := Q_a(i)\nlast(i) := Q_b(i)\nc(i) := 1")
    assert (program.run("ab"), program.run("ba")) == (True, False)


def test_answers():
    words = ["", "a", "aa", "ab"]
    assert Program.parse(BOTH).answers(words) == [
        {"accept": False, "next": ["a"]},
        {"accept": False, "next": ["a"]},
        {"accept": True, "next": ["a", "<eos>"]},
        {"accept": False, "next": ["b"]},
    ]
    assert Program.parse(ACCEPTOR).answers(["aa"]) == [{"accept": True}]
    assert Program.parse(PREDICTOR).answers(["up"]) == [{"next": ["down"]}]


def test_asking_for_what_a_program_does_not_say():
    with pytest.raises(BadInput, match="does not accept words"):
        Program.parse(PREDICTOR).accepts([[0]])
    with pytest.raises(BadInput, match="does not predict symbols"):
        Program.parse(ACCEPTOR).following([[0]])
    with pytest.raises(BadInput, match="outside the alphabet"):
        Program.parse(ACCEPTOR).run("abc")


def test_large_batches_go_through_in_pieces(monkeypatch):
    program = Program.parse(BOTH)
    generator = np.random.default_rng(0)
    words = [generator.integers(0, 2, size).tolist() for size in (0, 3, 9, 0, 1, 30, 2, 0)]
    whole = program.accepts(words).tolist(), program.following(words)
    monkeypatch.setattr(module, "PIECE", 5)
    assert (program.accepts(words).tolist(), program.following(words)) == whole


def test_many_letters():
    letters = [f"w{k}" for k in range(500)]
    program = Program.parse(f"alphabet {' '.join(letters)}\naccept(i) := exists_past Q_w499(i)")
    assert program.encode(["w499", "w0"]) == (499, 0)
    assert program.run("w3 w499 w1")
