"""Late moves are what drawing words shows, and the rule speaks only where it was fixed."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from foretell.core import Alphabet, Architecture, Question, SizeRange
from foretell.core.prediction import NotApplicable, Prediction, Standing, Strength
from foretell.core.question import GeneralizesInLength, Verdict
from foretell.languages.regular import RegularLanguage
from foretell.languages.sampling import walk
from foretell.numerics.keys import root_key
from foretell.tasks.lookup import find_task
from foretell.tasks.tracking import TrackingTask
from foretell.theory._moves import forgets, late_moves
from foretell.theory.late_moves import LIMITS, LateMoves

NEAR, FAR = LIMITS


def following(text: str, asks: str = "state", **more: Any) -> TrackingTask:
    language = RegularLanguage.from_regex(text, Alphabet(("a", "b")))
    return TrackingTask(500, asks, language=language, **more)


def ask(task: Any, *asked: SizeRange, **changes: Any) -> Prediction | NotApplicable:
    shape = {"layers": 4, "heads": 4, "width": 128, "positional": "nope", "context": 1_600}
    outcome = GeneralizesInLength(changes.pop("seen", SizeRange(1, 50)), asked or (NEAR,))
    return LateMoves().predict(Question(task, Architecture(**{**shape, **changes}), outcome))


@pytest.mark.parametrize("text", ["a*", "(ab)*", ".*a.*b.*", "(a|bb)*"])
def test_late_moves_are_what_drawn_words_show(text: str) -> None:
    """Twenty letters, five of them trained on: 4,000 words against the computed mean."""
    task, size, trained = following(text), 20, 5
    tables, dfa = task.tables, task.language.dfa
    keys = jax.random.split(root_key(0), 4_000)
    drawn = jax.jit(jax.vmap(lambda key: task.draw(tables, key, jax.numpy.int32(size), size + 1)))
    letters = np.asarray(drawn(keys).tokens)[:, 1:] - task.alphabet.encode(("a",))[0]
    states = np.asarray(jax.vmap(lambda word: walk(np.array(dfa.delta), dfa.start, word))(letters))
    moves = (states[:, trained + 1 :] != states[:, trained:-1]).sum(axis=1)
    error = moves.std() / len(moves) ** 0.5
    assert abs(late_moves(task, trained, SizeRange(size, size)) - moves.mean()) < 4 * error + 1e-6


def test_where_the_last_letter_tells_the_state_nothing_has_to_be_remembered() -> None:
    assert forgets(following(".*a").language.dfa.minimal()) is True
    assert forgets(following("(ab)*").language.dfa) is False
    assert late_moves(following(".*a"), 5, SizeRange(20, 20)) == 0.0


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        (".*a", Verdict.YES, Verdict.YES),  # the last letter tells
        ("a*", Verdict.YES, Verdict.NO),  # a lone b may come late
        ("(ab)*", Verdict.NO, Verdict.NO),  # moves at every letter
        ("(aa)*b*", Verdict.NO, Verdict.NO),  # no program without positions
    ],
)
def test_the_rule(text: str, near: Verdict, far: Verdict) -> None:
    for furthest, verdict in ((NEAR, near), (FAR, far)):
        said = ask(following(text), SizeRange(51, 100), furthest)
        assert isinstance(said, Prediction)
        assert (said.verdict, said.strength) == (verdict, Strength.HEURISTIC)
        assert said.certificate is None


def test_it_is_silent_where_it_was_not_fixed() -> None:
    cases = (
        (ask(following("a*", "accept")), "states"),
        (ask(following("a*", probed=("members",))), "mixed words"),
        (ask(following("a*"), SizeRange(101, 160)), "101-150"),
        (ask(following("a*"), seen=SizeRange(1, 40)), "training to 50"),
        (ask(following("a*"), positional="rotary"), "nope or ape"),
        (ask(following("a*"), kind="gru"), "transformers"),
        (ask(find_task("parity", 500)), "states"),
    )
    for said, word in cases:
        assert isinstance(said, NotApplicable)
        assert word in said.reason


def test_another_shape_is_an_assumption() -> None:
    def standing(**changes: Any) -> Standing:
        said = ask(following("a*"), **changes)
        (found,) = [each.standing for each in said.assumptions if "4 layers" in each.text]
        return found

    assert standing() is standing(width=64) is Standing.CHECKED
    assert standing(width=32) is standing(layers=2) is Standing.ASSUMED
