import pytest

from foretell.core.alphabet import Alphabet
from foretell.languages.dfa import DFA, explore
from foretell.plain.errors import BadInput

AB = Alphabet(("a", "b"))
EVEN = DFA(AB, ((1, 0), (0, 1)), 0, frozenset({0}))  # an even number of a
ENDS = DFA(AB, ((0, 1), (0, 1)), 0, frozenset({1}))  # ends in b
NONE = DFA(AB, ((0, 0),), 0, frozenset())


def test_it_is_a_value():
    again = DFA(AB, ((1, 0), (0, 1)), 0, frozenset({0}))
    assert again == EVEN
    assert hash(again) == hash(EVEN)
    with pytest.raises(AttributeError):
        EVEN.start = 1


@pytest.mark.parametrize(
    ("alphabet", "delta", "start", "final", "says"),
    [
        (Alphabet(()), ((),), 0, (), "no letters"),
        (AB, (), 0, (), "no states"),
        (AB, ((0,),), 0, (), "state 0 has 1 transitions"),
        (AB, ((0, 0, 0),), 0, (), "state 0 has 3 transitions"),
        (AB, ((0, 1),), 0, (), "the transition of state 0 on 'b' is 1"),
        (AB, ((0, -1),), 0, (), "is -1"),
        (AB, ((0, 0),), 1, (), "the start is 1"),
        (AB, ((0, 0),), 0, (2,), "a final state is 2"),
    ],
)
def test_bad_automata(alphabet, delta, start, final, says):
    with pytest.raises(BadInput, match=says):
        DFA(alphabet, delta, start, frozenset(final))


def test_membership_and_letters_from_elsewhere():
    assert EVEN.accepts(("a", "b", "a"))
    assert not EVEN.accepts("ab")
    assert ENDS.state_after("ab") == 1
    for word in ("abc", ("<eos>",)):
        with pytest.raises(BadInput, match="outside the alphabet"):
            EVEN.accepts(word)


def test_operations():
    both = EVEN & ENDS
    assert [w for w in ("b", "ab", "aab", "aa") if both.accepts(w)] == ["b", "aab"]
    assert EVEN | EVEN.complement() == NONE.complement()
    assert (EVEN - EVEN) == NONE
    assert (EVEN | ENDS).complement() == EVEN.complement() & ENDS.complement()
    with pytest.raises(BadInput, match="different alphabets"):
        EVEN & DFA(Alphabet(("a",)), ((0,),), 0, frozenset())


def test_minimal_drops_and_merges():
    wasteful = DFA(AB, ((1, 2), (3, 1), (1, 2), (2, 3), (4, 4)), 0, frozenset({0, 2, 3}))
    # 0 and 2 agree, 4 is unreachable.
    smallest = wasteful.minimal()
    assert len(smallest.delta) == 3
    assert smallest.start == 0
    assert smallest.minimal() is smallest
    assert NONE.minimal() == NONE == DFA(AB, ((1, 0), (1, 1)), 0, frozenset()).minimal()


def test_live_empty_shortest():
    dead = DFA(AB, ((1, 2), (1, 2), (2, 2)), 0, frozenset({1}))
    assert dead.live == {0, 1}
    assert not dead.is_empty
    assert dead.shortest_word() == ("a",)
    assert NONE.is_empty
    assert NONE.shortest_word() is None
    assert EVEN.shortest_word() == ()


def test_exploration_stops():
    with pytest.raises(BadInput, match="too large"):
        explore(AB, 0, lambda n: [n + 1, n + 2], lambda n: False, limit=100)
