import re
from itertools import product

import pytest

from foretell.core.alphabet import Alphabet
from foretell.languages.benchmark import load, names, row
from foretell.languages.matching import matches
from foretell.languages.regex import parse
from foretell.plain.errors import BadInput


def runs(word):
    return [found[0] for found in re.finditer(r"0+|1+", word)]


def no_odd_pair(word):
    return not any(
        one[0] == "1" and len(one) % 2 and len(zero) % 2
        for one, zero in zip(runs(word), runs(word)[1:], strict=False)
    )


def nested(deepest):
    def rule(word):
        depth = 0
        for letter in word:
            depth += 1 if letter == "a" else -1
            if not 0 <= depth <= deepest:
                return False
        return depth == 0

    return rule


def in_order(word):
    return "".join(sorted(word)) == word and set(word) == set("abcde")


def around_d(word):
    before, d, after = word.partition("d")
    return d == "d" and set(before) <= set("ab") and set(after) <= set("bc")


RULES = {
    "tomita-1": lambda w: "0" not in w,
    "tomita-2": lambda w: w == "10" * (len(w) // 2),
    "tomita-3": no_odd_pair,
    "tomita-4": lambda w: "000" not in w,
    "tomita-5": lambda w: len(w) % 2 == 0 and w.count("1") % 2 == 0,
    "tomita-6": lambda w: (w.count("0") - w.count("1")) % 3 == 0,
    "tomita-7": lambda w: len(runs(w)) <= (4 if w.startswith("0") else 3),
    "d-2": nested(2),
    "d-3": nested(3),
    "d-4": nested(4),
    "d-12": nested(12),
    "parity-language": lambda w: w.count("a") % 2 == 0,
    "aa-star": lambda w: len(w) % 2 == 0,
    "aaaa-star": lambda w: len(w) % 4 == 0,
    "abab-star": lambda w: w == "abab" * (len(w) // 4),
    "abcde": in_order,
    "ab-d-bc": around_d,
    "012-star-02": lambda w: w.rstrip("2").endswith("0"),
}


def every_word(alphabet, longest):
    return ["".join(w) for n in range(longest + 1) for w in product(alphabet, repeat=n)]


def test_the_published_eighteen_are_there():
    assert set(names()) >= set(RULES)
    assert len(RULES) == 18


@pytest.mark.parametrize("name", sorted(RULES))
def test_automaton_agrees_with_a_plain_rule(name):
    longest = {1: 40, 2: 11, 3: 8, 4: 7, 5: 6}[len(row(name).alphabet)]
    ours, rule = load(name), RULES[name]
    for word in every_word(row(name).alphabet, longest):
        assert ours.accepts(word) == rule(word), word


@pytest.mark.parametrize("name", names())
def test_automaton_agrees_with_the_matcher(name):
    longest = {1: 12, 2: 7, 3: 6, 4: 5, 5: 4}[len(row(name).alphabet)]
    tree = parse(row(name).regex, Alphabet(row(name).alphabet)).tree
    for word in every_word(row(name).alphabet, longest):
        assert load(name).accepts(word) == matches(tree, word), word


def test_d_12_to_its_full_depth():
    assert load("d-12").accepts("a" * 12 + "b" * 12)
    assert not load("d-12").accepts("a" * 13 + "b" * 13)
    assert len(load("d-12").dfa.delta) == 14


@pytest.mark.parametrize("name", names())
def test_examples_and_words(name):
    found = row(name)
    assert all(load(name).accepts(word) for word in found.members)
    assert not any(load(name).accepts(word) for word in found.non_members)
    assert found.what.endswith(".")
    assert set(found.sources) == {"language", "crasp", "classes"}
    assert load(name).name == name
    assert load(name).regex == found.regex


def aperiodic(dfa):
    """No word permutes some states in a cycle longer than 1 (Schützenberger: star-free)."""
    generators = set(zip(*dfa.delta, strict=True))
    monoid = set(generators)
    pending = list(monoid)
    for element in pending:
        for letter in generators:
            longer = tuple(letter[state] for state in element)
            if longer not in monoid:
                monoid.add(longer)
                pending.append(longer)
    return all(_settles(element) for element in monoid)


def _settles(element):
    power = element
    for _ in element:
        power = tuple(element[state] for state in power)
    return power == tuple(element[state] for state in power)


@pytest.mark.parametrize("name", names())
def test_star_freeness_is_what_the_paper_says(name):
    facts = row(name).facts
    assert aperiodic(load(name).dfa) == facts.star_free
    assert (facts.dot_depth is not None) == facts.star_free


def test_facts_hang_together():
    for name in names():
        facts = row(name).facts
        assert not (facts.crasp == "yes" and facts.crasp_periodic_local == "no")
        assert facts.ac0 or facts.crasp_periodic_local == "no"


def test_tomita_3_is_the_direct_reading():
    assert load("tomita-3").accepts("100110")
    assert not load("tomita-3").accepts("10")
    assert "directly" in row("tomita-3").what


def test_unknown_names():
    with pytest.raises(BadInput, match="tomita-3"):
        row("tomita3")
    with pytest.raises(BadInput, match="unknown language"):
        load("zzz")
