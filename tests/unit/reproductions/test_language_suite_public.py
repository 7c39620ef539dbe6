"""The public suite: its labels against our decisions, and what changes between its two settings."""

import csv
import dataclasses
import json
from collections import Counter
from pathlib import Path

import pytest

from foretell.core.question import Verdict
from foretell.crasp.deciding.decide import decide
from foretell.languages.classes import class_report
from foretell.languages.regular import RegularLanguage
from foretell.protocols._asking import Budget
from foretell.reproductions.language_suite_public import (
    BAR,
    LanguageSuitePublic,
    public_languages,
)
from foretell.tasks.tracking import MIXED
from foretell.theory import predict
from foretell.theory._existence import existence

LABELS = Path(__file__).parents[2] / "golden" / "public_labels.csv"
RESULTS = Path(__file__).parents[3] / "results"
LOGS = RESULTS / "published-runs" / "state-tracking-logs.csv"


def test_every_published_label_is_what_we_decide():
    """By the convention of every prefix, as an independent decision procedure labelled them: the
    suite (65 yes, 60 no) and 50 further languages; and which are R-trivial."""
    labels = list(csv.DictReader(LABELS.read_text(encoding="utf-8").splitlines()))
    for row in labels:
        dfa = RegularLanguage.from_regex(row["regex"]).dfa
        found = decide(dfa, "every-prefix", certificates=False)
        assert found.crasp.answer == row["crasp"], row
        assert class_report(dfa)["r_trivial"].answer == row["r_trivial"], row
    told = {row["regex"]: row["crasp"] for row in labels}
    groups = {own.language.regex: own.group for own in public_languages()}
    assert all({"crasp": "yes", "none": "no"}[own] == told[text] for text, own in groups.items())
    counts = Counter(own.group for own in public_languages())
    assert (counts["crasp"], counts["none"], len(labels)) == (65, 60, 175)


def test_seeing_the_last_letter_three_labels_are_others():
    differ = {
        own.name
        for own in public_languages()
        if (decide(own.language.dfa, certificates=False).crasp.answer == "yes")
        != (own.group == "crasp")
    }
    assert differ == {"lang-1172", "ab", "last"}


def test_theory_is_asked_by_the_convention_of_the_suite():
    lines = {line.label: line for line in LanguageSuitePublic().lines(Budget.GPU)}
    for name, value in (("(a|b)*b", "no"), ("(ab)*", "yes"), ("((b)*ac)*", "no")):
        assert existence(lines[name].asked.question.task, "crasp").value == value


def test_of_learned_positions_theory_foretells_more_than_the_suite_does():
    """Known limits: 58 of the 60 have a program with positions, so what is said of them is yes."""
    lines = LanguageSuitePublic().lines(Budget.GPU)
    with_positions = [
        decide(own.language.dfa, "every-prefix", certificates=False).crasp_periodic_local.answer
        for own in public_languages()
        if own.group == "none"
    ]
    assert with_positions.count("yes") == 58
    (aa,) = (line for line in lines if line.label == "(aa)*" and line.setting == "members")
    said = {own.predictor: own for own in predict(aa.asked.question) if hasattr(own, "verdict")}
    assert said["crasp-length"].verdict is Verdict.YES


def test_the_words_are_all_that_differs():
    lines = LanguageSuitePublic().lines(Budget.CPU)
    pairs = {}
    for line in lines:
        pairs.setdefault(line.label, {})[line.setting] = line
    for pair in pairs.values():
        members, mixture = pair["members"].asked, pair["mixture"].asked
        assert members.protocol == mixture.protocol
        assert members.question.architecture == mixture.question.architecture
        assert members.question.task.probes[0] == "members"
        assert mixture.question.task.probes[0] == MIXED
        plain = dataclasses.replace(members.question.task, probed=())
        assert plain == dataclasses.replace(mixture.question.task, probed=())
        assert pair["mixture"].published is None  # it is of members


def test_a_cpu_has_the_small_shapes_and_an_accelerator_nearly_all():
    small = LanguageSuitePublic().lines(Budget.CPU)
    assert all(
        line.asked.question.architecture.layers * line.asked.question.architecture.width <= 64
        for line in small
    )
    assert len(LanguageSuitePublic().lines(Budget.GPU)) == 2 * (125 - 2)
    deep = [
        line
        for line in LanguageSuitePublic().lines(Budget.GPU)
        if line.asked.question.architecture.layers > 4
    ]
    assert {(line.asked.protocol.steps, line.asked.protocol.warmup) for line in deep} == {
        (70_000, 3_000)
    }


def logged() -> dict[str, dict[tuple[float, ...], list[float]]]:
    """Published logs by language: shape and rate, then scores; of several checks the last."""
    found: dict[str, dict[tuple[float, ...], list[float]]] = {}
    with LOGS.open(encoding="utf-8") as lines:
        for language, *numbers in list(csv.reader(lines))[1:]:
            shape, scores = numbers[:4], numbers[4:]
            found.setdefault(language, {})[tuple(map(float, shape))] = list(map(float, scores))
    return found


def test_what_was_published_is_what_the_logs_say():
    logs = logged()
    for own in public_languages():
        if own.searched is None:
            assert own.published is None
            continue
        runs, chosen = logs[own.name], own.chosen
        shape = (chosen.layers, chosen.heads, chosen.width, chosen.learning_rate)
        if own.published:
            assert own.published == tuple(runs[shape][:3])
        small = [scores for (layers, *_), scores in runs.items() if layers <= 4]
        fit = [scores for scores in small if scores[0] == 1]
        assert own.searched == (len(small), len(fit), sum(scores[2] >= BAR for scores in fit))


def test_the_published_search_stops_at_the_farthest_test():
    """Docs: all but five logs end with the first shape that is perfect at 451-500."""
    perfect = {
        name: [scores[4] == 1 for scores in runs.values()] for name, runs in logged().items()
    }
    ends = {name for name, found in perfect.items() if found[-1]}
    assert set(perfect) - ends == {"lang-1396", "lang-1531", "ABplus-BBAA", "abe-b-e", "dyck2"}
    assert sum(sum(perfect[name]) == 1 for name in ends) == 38  # two have perfect ones before


def test_what_the_published_search_came_to():
    """The counts that docs/public-suite.md tells: of one shape and rate, not of the best."""
    found = [own for own in public_languages() if own.searched]
    assert {own.group for own in found} == {"crasp"}
    tried, fitted, reached = (sum(own.searched[place] for own in found) for place in range(3))
    assert (len(found), tried, fitted, reached) == (44, 602, 583, 247)
    assert all(own.searched[0] >= own.searched[1] >= own.searched[2] for own in found)
    shares = [own.searched[2] / own.searched[1] for own in found]
    assert round(sum(shares) / len(shares), 2) == 0.58


def test_most_public_languages_have_few_words():
    most = [
        max(own.language.count(length) for length in range(45, 51))
        for own in public_languages()
        if own.group == "crasp"
    ]
    assert (sum(count <= 1 for count in most), sum(count <= 100 for count in most)) == (37, 50)


@pytest.mark.parametrize(
    ("name", "positional", "rows", "share"),
    [("h200", "nope", 50, 0.61), ("h200", "ape", 50, 0.59), ("fresh-h200", "nope", 60, 0.58)],
)
def test_a_single_run_of_our_suites_on_members(name, positional, rows, share):
    """Docs: of the runs that fit, how many reach the bar at 101-150; mean over the languages."""
    kept = json.loads((RESULTS / "language-suite" / f"{name}.json").read_text(encoding="utf-8"))
    shares = []
    for row in kept["rows"]:
        inside = row["fragments"]["crasp"] == "yes"
        if not inside or row["architecture"]["positional"] != positional:
            continue
        (found,) = (
            value
            for value in row["other_tests"]
            if value["probe"] == "members" and value["size_range"] == [101, 150]
        )
        fitted = set(row["provenance"]["fitted"])
        own = [s for s, run in zip(found["seeds"], found["runs"], strict=True) if run in fitted]
        shares += [sum(score >= BAR for score in own) / len(own)] if own else []
    assert len(shares) == rows
    assert round(sum(shares) / rows, 2) == share
