import time

import pytest

from foretell.core.alphabet import Alphabet
from foretell.languages.compiling import compiled
from foretell.languages.regex import parse
from foretell.plain.errors import BadInput

AB = Alphabet(("a", "b"))


def size(text):
    return len(compiled(parse(text, AB)).delta)


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("(a|b)*", 1),
        ("[^ab]", 1),
        ("[^ab]*", 2),
        ("[^ab]+", 1),
        ("%*", 2),
        ("%{3}", 2),
        ("(%|a)*b", 3),
        ("a{0,1000}", 1002),
        ("(a?){1000}", 1002),
        ("(ab){0,1000}", 2002),
        ("(.?){500,1000}", 1002),
        ("((a*){0,1000}){0,1000}", 2),
        ("~(.*a.{5})", 64),
        (".{1000,}", 1001),
        ("a*b{1000}", 1002),
    ],
)
def test_sizes_in_little_time(text, states):
    began = time.perf_counter()
    assert size(text) == states
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize(
    "text",
    [
        ".*a.{1000}",
        ".*a.{15}",
        "a{1000}{1000}",
        "a{1000}{1000}{1000}",
        "~(.*a.{500})&~(.*b.{400})",
        "(a{1000}b{1000}){20}",
        "ab" * 20_000,
    ],
)
def test_large_automata_are_refused_in_little_time(text):
    began = time.perf_counter()
    with pytest.raises(BadInput, match="too large"):
        size(text)
    assert time.perf_counter() - began < 20


def test_the_limit_is_a_choice():
    with pytest.raises(BadInput, match="more than 10 states"):
        compiled(parse("a{20}", AB), limit=10)
