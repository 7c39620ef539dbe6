"""The suite is balanced, repeatable, and about what its classes say."""

from foretell.crasp.deciding.decide import decide
from foretell.models.sequence_model import require_described
from foretell.protocols._asking import Budget
from foretell.protocols._running import fleets
from foretell.reproductions.language_suite import (
    CLASSES,
    RANGES,
    TRAIN,
    LanguageSuite,
    draw_suite,
)
from foretell.reproductions.language_suite_encodings import LanguageSuiteEncodings
from foretell.reproductions.language_suite_penalty import LanguageSuitePenalty
from foretell.reproductions.language_suite_settings import LanguageSuiteSettings


def test_balanced_and_repeatable():
    suite = draw_suite(6)
    assert [kind for kind, _ in suite] == [kind for kind in CLASSES for _ in range(6)]
    assert [task.language.dfa for _, task in draw_suite.__wrapped__(6)] == [
        task.language.dfa for _, task in suite
    ]
    assert len({task.language.dfa for _, task in suite}) == len(suite)


def test_a_larger_suite_begins_with_the_smaller():
    large = {task.name: task.language.dfa for _, task in draw_suite(6)}
    assert all(large[task.name] == task.language.dfa for _, task in draw_suite(2))


def test_classes_are_what_the_decision_says():
    for kind, task in draw_suite(6):
        answers = {each.fragment: each.answer for each in decide(task.language.dfa).answers}
        assert (
            list(answers.values()).count("yes")
            == {
                "crasp": 3,
                "crasp_local": 2,
                "crasp_periodic_local": 1,
                "none": 0,
            }[kind]
        )


def test_every_range_has_words_of_both_kinds():
    for _, task in draw_suite(6):
        for sizes in (TRAIN, *RANGES):
            for probe in ("members", "non-members"):
                assert task.sizes(sizes.low, sizes.high, probe)


def test_many_languages_are_few_fleets():
    lines = LanguageSuite().lines(Budget.CPU)
    packs = fleets([line.asked for line in lines])
    assert len(lines) == 2 * 16
    assert len(packs) == 2  # one an encoding


def test_without_a_penalty_the_runs_are_those_of_the_narrow_setting():
    known = {
        (line.asked.question.hash, line.asked.plan.hash)
        for line in LanguageSuiteSettings().lines(Budget.CPU)
    }
    lines = LanguageSuitePenalty().lines(Budget.CPU)
    for line in lines:
        same = (line.asked.question.hash, line.asked.plan.hash) in known
        assert same == (line.setting == "λ = 0")
    assert {line.asked.question.architecture.positional for line in lines} == {"ape"}


def test_encodings_are_asked_of_the_narrow_setting_and_beside_a_recurrence():
    known = {
        (line.label, line.asked.question.architecture.positional): line.asked.plan.hash
        for line in LanguageSuiteSettings().lines(Budget.SMOKE)
        if line.setting == "narrow"
    }
    lines = LanguageSuiteEncodings().lines(Budget.SMOKE)
    same = [
        line.asked.plan.hash == known[line.label, positional]
        for line in lines
        for positional in (line.asked.question.architecture.positional,)
        if line.setting is None and (line.label, positional) in known
    ]
    assert same == [True] * 4  # two languages, ape and nope
    shapes = {line.setting: line.asked.question.architecture for line in lines}
    assert (shapes["gru"].kind, shapes["log-length"].attention_scale) == ("gru", "log-length")
    for line in LanguageSuiteEncodings().lines(Budget.CPU):
        if line.setting == "gru":
            require_described(line.asked.question.architecture)
