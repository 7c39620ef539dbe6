"""Any text is a program or bad input with a message, never another exception."""

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from foretell.crasp import shelf
from foretell.crasp.program import Program
from foretell.plain.errors import BadInput

# The run-time type checker looks at random elements of containers, also inside strategies.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")
many = settings(max_examples=200, deadline=None)

WORDS = """
alphabet a b let parameter empty next accept reject and or xor not implies iff true false mod in any
all sum max min abs exists_past i j x n 0 1 7 99999999999999999999 := = <= < >= > == != + - * ( )
[ ] #[ { } , : ? Q_a Q_b Q_<sep> <eos> <sep> # ' "(" Q_"(" ≤ ∧ ¬ ⊤ ←∃ ∃ ≡ \\ " É (i) (j)
"""
PIECES = ["\n", "\n", "\n  ", "\x00", "#[j <= i]", "x(i) := ", "accept(i) := ", "alphabet a b\n"]
TOKENS = [*WORDS.split(), *PIECES]
LIBRARY = [file.read_text(encoding="utf-8") for file in sorted(shelf.FOLDER.glob("*.crasp"))]
SOURCES = [text[text.index("\nalphabet") :] for text in LIBRARY]


def parses_or_refuses(text):
    try:
        program = Program.parse(text)
    except BadInput as refused:
        event("refused")
        assert str(refused)
        assert refused.what
    else:
        event("a program")
        assert Program.parse(program.show()) == program


@many
@given(st.lists(st.sampled_from(TOKENS), max_size=40), st.sampled_from(["", " "]))
def test_random_tokens(tokens, between):
    parses_or_refuses(between.join(tokens))


@many
@given(st.lists(st.sampled_from(TOKENS), max_size=12))
def test_random_expressions(tokens):
    parses_or_refuses("alphabet a b\nparameter n = 2\naccept(i) := " + " ".join(tokens))


@many
@given(st.data(), st.sampled_from(SOURCES))
def test_mutations_of_the_library(data, text):
    for _ in range(data.draw(st.integers(1, 3))):
        first = data.draw(st.integers(0, len(text)))
        last = min(len(text), first + data.draw(st.integers(0, 12)))
        middle = data.draw(st.sampled_from([*TOKENS, "", "", text[first:last] * 2]))
        text = text[:first] + middle + text[last:]
    parses_or_refuses(text)


@settings(many, max_examples=100)
@given(st.text(max_size=60))
def test_any_text(text):
    parses_or_refuses(text)
    parses_or_refuses(f"alphabet a b\naccept(i) := {text}")
