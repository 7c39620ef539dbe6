"""Kinds of prefixes: exponential for copying and brackets of two sorts, slow for counting."""

from dataclasses import dataclass

import pytest

from foretell.core import Architecture, Question, SizeRange
from foretell.core.prediction import NotApplicable, Prediction, Strength
from foretell.core.question import GeneralizesInLength, Verdict
from foretell.tasks.lookup import find_task
from foretell.tasks.next_symbols import NextSymbolsTask
from foretell.theory.communication import Communication, count_kinds, grows_exponentially

CLOSES = {")": "(", "]": "["}


@dataclass(frozen=True)
class Dyck2(NextSymbolsTask):
    """Brackets of two sorts: only the oracle is needed here."""

    name = "dyck-2"
    letters = ("(", "[", ")", "]")
    label_sets = ()
    facts = ()

    def legal_next(self, prefix):
        stack = []
        for symbol in prefix:
            if symbol not in CLOSES:
                stack.append(symbol)
            elif not stack or stack.pop() != CLOSES[symbol]:
                return frozenset()
        end = {"(": ")", "[": "]"}.get(stack[-1], "") if stack else "<eos>"
        return frozenset({"(", "[", end})

    def draw(self, tables, key, size, width, probe=""):
        raise NotImplementedError


def ask(task, positional="ape"):
    shape = Architecture(
        layers=1, heads=1, width=8, positional=positional, context=task.width(20) + 1
    )
    outcome = GeneralizesInLength(SizeRange(4, 10), (SizeRange(11, 20),))
    return Communication().predict(Question(task, shape, outcome))


@pytest.mark.parametrize("name", ["copy-repeat", "addition"])
def test_what_is_proved_inexpressible_grows_exponentially(name):
    said = ask(find_task(name, 20))
    assert isinstance(said, Prediction)
    assert (said.verdict, said.strength) == (Verdict.NO, Strength.HEURISTIC)


def test_brackets_of_two_sorts_grow_exponentially():
    task = Dyck2(20)
    assert [count_kinds(task, n) for n in (1, 2)] == [2, 4]
    assert ask(task).verdict is Verdict.NO


@pytest.mark.parametrize("name", ["majority", "binary-majority", "dyck-1", "anbn", "parity"])
def test_counting_grows_slowly_and_nothing_is_claimed(name):
    assert isinstance(ask(find_task(name, 20)), NotApplicable)


@pytest.mark.parametrize("name", ["tomita-1", "copy-unique", "sort"])
def test_it_is_silent_where_the_theorem_is(name):
    said = ask(find_task(name, 20))
    assert isinstance(said, NotApplicable)
    assert "regular" in said.reason or "alphabet grows" in said.reason
    assert isinstance(ask(find_task("parity", 20), "rotary"), NotApplicable)


def test_growth_is_told_from_samples():
    assert grows_exponentially([2, 4, 8, 16, 32, 64])
    assert not grows_exponentially([1, 4, 9, 16, 25, 36])
    assert not grows_exponentially([3, 3, 3, 3, 3, 3])
