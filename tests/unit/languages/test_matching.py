import re
from itertools import product

import pytest

from foretell.core.alphabet import Alphabet
from foretell.languages.matching import matches
from foretell.languages.regex import parse
from foretell.languages.syntax import Node

AB = Alphabet(("a", "b"))
SHORT = ["".join(w) for n in range(7) for w in product("ab", repeat=n)]


@pytest.mark.parametrize(
    "text", ["(a|b)*abb", "a{2,3}b?", "(a?b){2,}", "a+b*", "[^a]*", ".?.", "(a*b*){3}", "(a?){4}b"]
)
def test_agrees_with_the_standard_library(text):
    tree = parse(text, AB).tree
    assert [matches(tree, w) for w in SHORT] == [bool(re.fullmatch(text, w)) for w in SHORT]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("%", lambda w: w == ""),
        ("~(.*aa.*)", lambda w: "aa" not in w),
        ("(..)*&.*a", lambda w: len(w) % 2 == 0 and w.endswith("a")),
        ("~%", lambda w: w != ""),
        ("[^ab]", lambda w: False),
        ("a{0}", lambda w: w == ""),
        ("~a*b", lambda w: w.endswith("b") and set(w[:-1]) - {"a"} != set()),
    ],
)
def test_the_rest_of_the_syntax(text, rule):
    tree = parse(text, AB).tree
    assert [matches(tree, w) for w in SHORT] == [rule(w) for w in SHORT]


def test_foreign_nodes_are_refused():
    class Strange(Node):
        children = ()

    with pytest.raises(TypeError):
        matches(Strange(), "a")
