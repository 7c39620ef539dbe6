"""The template tasks that have names: counts, labels, and that names read back (check 25)."""

import itertools

import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.templates.built_in import BUILT_INS
from foretell.templates.random_templates import canonical, forms_of
from foretell.templates.reading import read_templates

COUNTS = {"distribution-of-3": 144, "match-to-sample": 40, "raven": 37, "same-different": 2}


@pytest.mark.parametrize("name", BUILT_INS)
def test_names_and_texts_read_back(name):
    templates = read_templates(name)
    assert read_templates(templates.name) == templates
    assert read_templates(templates.name).name == templates.name
    assert read_templates(templates.text) == templates
    assert templates.length >= 1  # kernels can take every one


@pytest.mark.parametrize("name", BUILT_INS)
def test_no_two_templates_are_equivalent_or_overlap(name):
    templates = read_templates(name)
    for one, two in itertools.combinations(templates.templates, 2):
        assert not one.equivalent(two)
    assert templates.overlaps() == []


@pytest.mark.parametrize(("name", "count"), COUNTS.items())
def test_counts(name, count):
    assert len(read_templates(name).templates) == count


@pytest.mark.parametrize("length", range(2, 11))
def test_majority(length):
    templates = read_templates(f"majority,length={length}")
    assert len(templates.templates) == 2 ** (length - 1)
    if length % 2 == 0:
        assert sum(templates.labels) == 0
    for template, label in zip(templates.templates, templates.labels, strict=True):
        letters = str(template)[1:] if length % 2 == 0 else str(template)
        assert label == (1.0 if letters.count("a") > letters.count("b") else -1.0)


def test_small_majorities_are_the_published_ones():
    assert read_templates("majority,length=2") == read_templates("same-different")
    three = read_templates("majority,length=3")
    assert three == read_templates("aaa -> 1; aab -> 1; aba -> 1; abb -> -1")
    symbolic = read_templates("symbolic-majority,length=3")
    assert symbolic == read_templates("aaa -> a; aab -> a; aba -> a; baa -> a")
    assert len(read_templates("symbolic-majority,length=7").templates) == 64


def test_puzzles_by_hand():
    three = read_templates("distribution-of-3")
    assert three.value("PQRRPXQPR") == 2.0  # Q is missing
    assert set(three.labels) == {1.0, 2.0, 3.0, 4.0}
    sample = read_templates("match-to-sample")
    assert sample.value("PQPXYYUVU") == 2.0
    assert sample.value("PPQXXYUVW") == 1.0
    assert sorted(sample.labels) == [1.0] * 20 + [2.0] * 20
    matrix = read_templates("raven")
    assert matrix.value("PQRRQPQR") == "P"
    assert matrix.value("PPPQQQRR") == "R"


def test_programs_by_hand():
    program = ["x", "=", "1", ";", "y", "=", "-1", ";", "print", "(", "y", ")"]
    assert read_templates("program").value(program) == -1.0
    symbols = ["x", "=", "'", "P", "'", ";", "y", "=", "'", "Q", "'", ";", "print", "(", "x", ")"]
    assert read_templates("program-symbols").value(symbols) == "P"
    assert read_templates("print").value(["print", "(", '"', "P", '"', ")"]) == "P"


def forms(wildcards, regular, length):
    every = np.array(list(itertools.product(range(wildcards + regular), repeat=length)))
    return {tuple(row) for row in canonical(every, wildcards).tolist()}


@pytest.mark.parametrize("shape", [(2, 0, 4), (3, 1, 3), (1, 2, 4), (4, 0, 5), (0, 2, 3)])
def test_forms_are_counted(shape):
    assert len(forms(*shape)) == forms_of(*shape)


def test_random_templates():
    text = "random,templates=15,wildcards=3,regular=2,length=6,seed=4"
    templates = read_templates(text)
    assert templates.name == text and len(templates.templates) == 15
    labels = np.array(templates.labels)
    assert labels.mean() == pytest.approx(0, abs=1e-9)
    assert np.mean(labels**2) == pytest.approx(1)
    assert {*templates.regular} <= {"A", "B"}
    assert read_templates(text.replace("seed=4", "seed=5")) != templates


def test_all_forms_are_found_when_all_are_wanted():
    templates = read_templates("random,templates=15,wildcards=4,length=4")
    assert len({template.form for template in templates.templates}) == 15
    with pytest.raises(BadInput, match="4 wildcards and 0 tokens make 15"):
        read_templates("random,templates=16,wildcards=4,length=4")


def test_each_random_template_is_uniform_over_strings():
    # Two wildcards at length 3: the forms aaa, aab, aba, abb have two strings each.
    seeds = range(300)
    first = [str(read_templates(f"random,length=3,seed={s}").templates[0]) for s in seeds]
    counts = np.array([first.count(form) for form in ("aaa", "aab", "aba", "abb")])
    assert counts.sum() == 300 and (abs(counts - 75) < 35).all()


@pytest.mark.parametrize(
    "text",
    [
        "majority,length=1",
        "majority,length=16",
        "symbolic-majority,length=4",
        "random,templates=1",
        "random,wildcards=0",
        "random,regular=27",
        "word-problems,numbers=0",
    ],
)
def test_impossible_settings_are_refused(text):
    with pytest.raises(BadInput):
        read_templates(text)
