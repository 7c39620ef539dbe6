"""The languages are new, of one class, and asked as the rule was fixed, but for the bar."""

from foretell.core.prediction import Prediction
from foretell.core.question import Verdict
from foretell.protocols._asking import Budget
from foretell.protocols._running import fleets
from foretell.reproductions.language_suite import (
    PER_CLASS,
    draw_suite,
    moves_up_to_names,
    smallest_fragment,
)
from foretell.reproductions.language_suite_encodings import SETTING
from foretell.reproductions.language_suite_fresh import COUNTS, draw_fresh
from foretell.reproductions.looking_back_forecast import (
    COUNT,
    KIND,
    LookingBackForecast,
    draw_looking_back,
)
from foretell.theory.looking_back import LookingBack


def test_no_automaton_occurs_twice_or_in_a_suite_before():
    before = [task for _, task in draw_suite(PER_CLASS[Budget.GPU])]
    before += [task for _, task in draw_fresh(*COUNTS[Budget.GPU])]
    seen = {moves_up_to_names(task.language.dfa) for task in before}
    own = [moves_up_to_names(task.language.dfa) for task in draw_looking_back(COUNT[Budget.GPU])]
    assert len(set(own)) == len(own) == 40
    assert not seen & set(own)


def test_fewer_are_the_first_of_more():
    few, many = (draw_looking_back(COUNT[budget]) for budget in (Budget.CPU, Budget.GPU))
    assert few == many[: len(few)]
    assert all(smallest_fragment(task.language.dfa) == KIND for task in few)


def test_every_row_has_a_forecast_and_three_runs():
    said = {"alibi": Verdict.YES, "nope": Verdict.NO, "ape": Verdict.NO}
    for line in LookingBackForecast().lines(Budget.GPU):
        question = line.asked.question
        found = LookingBack().predict(question)
        assert isinstance(found, Prediction)
        assert found.verdict is said[question.architecture.positional]
        assert len(line.asked.seeds) == 3 and line.asked.protocol.bar == 0.95


def test_the_shape_is_the_one_with_which_the_rule_was_fixed():
    chosen = SETTING[Budget.CPU]
    for budget in (Budget.CPU, Budget.GPU):
        lines = LookingBackForecast().lines(budget)
        for line in lines:
            shape = line.asked.question.architecture
            assert (shape.layers, shape.heads, shape.width) == (4, 4, chosen.width) == (4, 4, 32)
            assert line.asked.protocol.steps == chosen.steps
        encodings = {line.asked.question.architecture.positional for line in lines}
        assert len(fleets([line.asked for line in lines])) >= len(encodings)
