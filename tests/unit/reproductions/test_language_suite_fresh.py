"""The fresh suite is balanced, repeatable, new, and asked exactly as the first one is."""

import dataclasses

from foretell.languages.classes import class_report
from foretell.protocols._asking import Budget
from foretell.protocols._running import fleets
from foretell.reproductions.language_suite import (
    PER_CLASS,
    LanguageSuite,
    draw_suite,
    moves_up_to_names,
    smallest_fragment,
)
from foretell.reproductions.language_suite_fresh import (
    COUNTS,
    GROUPS,
    LanguageSuiteFresh,
    draw_fresh,
)
from foretell.theory._moves import late_moves
from foretell.theory.late_moves import LIMITS

GPU = COUNTS[Budget.GPU]


def test_balanced_and_repeatable():
    fresh = draw_fresh(*GPU)
    assert [group for group, _ in fresh] == [
        group for group, count in zip(GROUPS, GPU, strict=True) for _ in range(count)
    ]
    again = draw_fresh.__wrapped__(*GPU)
    assert [task.language.dfa for _, task in again] == [task.language.dfa for _, task in fresh]


def test_a_larger_suite_begins_with_the_smaller():
    large = {task.name: task.language.dfa for _, task in draw_fresh(*GPU)}
    small = draw_fresh(*COUNTS[Budget.CPU])
    assert all(large[task.name] == task.language.dfa for _, task in small)


def test_groups_are_what_the_algebra_says():
    for group, task in draw_fresh(*GPU):
        dfa = task.language.dfa
        kind = {"da": "crasp", "counting": "crasp", "local": "crasp_local"}[group]
        assert smallest_fragment(dfa) == kind
        if group != "local":
            assert (class_report(dfa)["da"].answer == "yes") == (group == "da")


def test_no_automaton_occurs_twice_or_in_the_first_suite():
    first = {moves_up_to_names(t.language.dfa) for _, t in draw_suite(PER_CLASS[Budget.GPU])}
    fresh = [moves_up_to_names(task.language.dfa) for _, task in draw_fresh(*GPU)]
    assert len(set(fresh)) == len(fresh)
    assert not first & set(fresh)


def test_other_letters_and_other_final_states_are_no_new_automaton():
    _, task = draw_fresh(1, 1, 1)[1]
    dfa = task.language.dfa
    turned = dataclasses.replace(dfa, delta=tuple(row[::-1] for row in dfa.delta)).minimal()
    others = task.language.non_members().dfa
    assert turned.delta != dfa.delta
    assert moves_up_to_names(turned) == moves_up_to_names(dfa) == moves_up_to_names(others)


def test_it_is_asked_as_the_first_suite_is():
    (first, *_) = [
        line.asked
        for line in LanguageSuite().lines(Budget.GPU)
        if line.asked.question.architecture.positional == "nope"
    ]
    for line in LanguageSuiteFresh().lines(Budget.GPU):
        asked = line.asked
        assert (asked.protocol, asked.seeds) == (first.protocol, first.seeds)
        assert asked.question.architecture == first.question.architecture
        assert asked.question.outcome == first.question.outcome


def test_the_forecast_is_the_one_fixed_before_the_run():
    """Late moves under the limit, by group: a rule changed afterwards would show here."""
    found = {
        (group, sizes): sum(
            late_moves(task, 50, sizes) <= LIMITS[sizes]
            for each, task in draw_fresh(*GPU)
            if each == group
        )
        for group in ("da", "counting")
        for sizes in LIMITS
    }
    near, far = LIMITS
    assert (LIMITS[near], LIMITS[far]) == (2.0, 0.1)
    assert found == {("da", near): 28, ("da", far): 4, ("counting", near): 0, ("counting", far): 0}


def test_two_processes_can_share_it():
    packs = fleets([line.asked for line in LanguageSuiteFresh().lines(Budget.GPU)], batched=True)
    assert len(packs) == 2
