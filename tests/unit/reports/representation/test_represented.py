"""What models can represent: rows of the rules, sizes, constructions beside their bounds."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import foretell as ft
from foretell.constructions.induction_head import induction_head, said, score_bits, sign_codes
from foretell.languages import benchmark
from foretell.languages.algebra.depth import depth_class
from foretell.languages.algebra.witness import Witness
from foretell.languages.dfa_json import dfa_from_json
from foretell.languages.random_automata import random_minimal
from foretell.plain.errors import BadInput
from foretell.reports.representation import represented_shown as shown
from foretell.reports.representation.represented import Sizes, Verdicts
from foretell.worlds import circuit_rules
from foretell.worlds.automata import automaton
from foretell.worlds.circuit_rules import NO, REGULAR, TASKS, YES
from foretell.worlds.communication import Size, longest_induction
from foretell.worlds.communication_counts import kinds_bits
from foretell.worlds.induction_words import follower, index_words
from foretell.worlds.problem_cuts import CASES, LONGEST, Asked
from foretell.worlds.problem_sizes import bounds
from foretell.worlds.problems import PROBLEMS
from foretell.worlds.regular_circuits import placed


def answers(what: str, **options: str) -> list[str]:
    found = ft.represent(what, **options)
    assert isinstance(found, Verdicts)
    return [verdict.answer for verdict in found.verdicts.values()]


def test_every_problem_has_rules_or_sizes_and_nothing_else_has() -> None:
    assert {name for name, row in PROBLEMS.items() if row.complete is not None} == set(TASKS)
    assert {name for name, row in PROBLEMS.items() if row.counts is not None} == set(CASES)
    assert not set(TASKS) & set(CASES)
    assert set(TASKS) | set(CASES) == set(PROBLEMS)


@pytest.mark.parametrize(
    ("problem", "language", "alphabet"),
    [("parity", "mod-2", None), ("s5-word", "symmetric-5", None), ("and-or", "regex:1*", "01")],
)
def test_a_problem_and_its_automaton_get_the_same_verdicts(
    problem: str, language: str, alphabet: str | None
) -> None:
    own = {} if alphabet is None else {"alphabet": alphabet}
    assert answers(problem) == answers(language, **own)


@pytest.mark.parametrize("name", benchmark.names())
def test_the_row_of_a_published_language_agrees_with_what_was_published(name: str) -> None:
    found = placed(name, benchmark.load(name).dfa)
    declared = benchmark.row(name).facts.ac0
    assert declared is None or declared == (REGULAR[found.kind].complete == "AC0")
    assert found.check()


def test_rows_of_random_languages_follow_from_the_algebra() -> None:
    kinds = set()
    drawn = [random_minimal(states, 2, 30, seed=3) for states in (2, 3, 4)]
    for dfa in itertools.chain(*drawn):
        found = placed("", dfa)
        kinds.add(found.kind)
        assert found.check() and found.kind in REGULAR
        assert (found.kind == "non-solvable") == (depth_class(dfa).rung == "non-solvable")
        if depth_class(dfa).rung == "aperiodic":
            assert REGULAR[found.kind].complete == "AC0"
    assert kinds == set(REGULAR) - {"non-solvable"}  # which needs five states


def test_the_certificate_can_be_checked_from_its_json_alone() -> None:
    found = ft.represent("regex:(b|ab*a)*")
    told = json.loads(json.dumps(found.as_json()))["certificate"]
    dfa = dfa_from_json(told["dfa"])
    again = depth_class(dfa).as_json()
    assert json.loads(json.dumps(again)) == told["semigroup"]
    assert set(told["refuted"]) == {"r_trivial", "quasi_aperiodic"}
    for written in told["refuted"].values():
        words = {name: tuple(word) for name, word in written["words"].items()}
        before, after = map(tuple, written["context"])
        assert Witness(written["law"], words, before, after).check(dfa)
        other = benchmark.load("tomita-1").dfa  # 1*: commutative, so neither law is broken there
        letters = dict(zip("ab", "01", strict=True))
        renamed = {name: tuple(letters[each] for each in word) for name, word in words.items()}
        assert not Witness(written["law"], renamed).check(other)


def test_rules_about_regular_languages_contradict_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert circuit_rules.contradictions() == 0
    wrong = circuit_rules.Power("constant", "logarithmic", "none", ("non-solvable",), "wishful")
    monkeypatch.setattr(circuit_rules, "POWERS", (*circuit_rules.POWERS, wrong))
    assert circuit_rules.contradictions() > 0


def test_the_table_of_the_guide_is_that_of_the_rules() -> None:
    guide = (Path(__file__).parents[4] / "docs" / "represent.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in guide.splitlines() if line.startswith("| ")]
    told = {kind: cells for kind, _, *cells in rows[1:]}
    assert set(told) == set(REGULAR)
    for kind, cells in told.items():
        for precision, cell in zip(("constant", "logarithmic"), cells, strict=True):
            verdict = circuit_rules.circuit_verdict(kind, "constant", precision)
            assert shown.short(verdict) == cell.replace(",", "")


def test_strength_is_never_above_the_weakest_rule() -> None:
    found = ft.represent("iterated-permutation")
    for verdict in found.verdicts.values():
        assert len(verdict.chain) == len(verdict.evidence)
        if " unless " in verdict.answer:
            assert verdict.strength == "conditional"
        elif verdict.answer in (YES, NO) and "argument of ours" in verdict.evidence:
            assert verdict.strength == "argument of ours"
    strengths = {verdict.strength for verdict in found.verdicts.values()}
    assert strengths == {"conditional", "none", "argument of ours", "theorem, as recalled"}


def test_a_state_of_a_regular_language_has_as_many_bits_as_states_need() -> None:
    for name, bits in (("mod-2", 1), ("symmetric-5", 3), ("mod-9", 4), ("mod-8", 3)):
        assert placed(name, automaton(name)).state_bits == bits


def test_sizes_of_the_spec() -> None:
    by_length = {n: bounds(Asked("induction", n, bits=math.ceil(math.log2(n)))) for n in (64, 4096)}
    assert [found[-1].least for found in by_length.values()] == [5, 170]
    assert Asked("index", 64, accuracy=0.9).needed() == pytest.approx(33.98, abs=0.02)
    assert math.ceil(Asked("copy", 32, symbols=26).needed()) == 150
    three = [bounds(Asked("three-gram", n, bits=int(math.log2(n))))[-1].least for n in (64, 512)]
    assert three == [2, 17]


@given(
    problem=st.sampled_from(sorted(CASES)),
    length=st.integers(3, 10**6),
    bits=st.integers(1, 64),
    heads=st.integers(1, 16),
)
def test_longer_needs_more_and_more_bits_need_less(
    problem: str, length: int, bits: int, heads: int
) -> None:
    base = bounds(Asked(problem, length, bits, heads))
    for one, longer, finer, wider in zip(
        base,
        bounds(Asked(problem, 2 * length, bits, heads)),
        bounds(Asked(problem, length, bits + 1, heads)),
        bounds(Asked(problem, length, bits, heads + 1)),
        strict=True,
    ):
        if one.least is not None:
            assert longer.least >= one.least >= finer.least
            assert one.least >= wider.least
            assert one.vacuous == (one.least <= 1)


@pytest.mark.parametrize("problem", sorted(CASES))
@pytest.mark.parametrize("length", [3, 10, 512, 1000, 10**6 + 1])
def test_no_construction_is_below_its_bound(problem: str, length: int) -> None:
    asked = Asked(problem, length)
    for bound in bounds(asked):
        if bound.built is not None and bound.built.bits is not None:
            assert bound.built.bits >= asked.needed() - 1e-9


@pytest.mark.parametrize("length", [5, 7, 9, 8])
def test_a_state_before_the_last_symbol_tells_all_bits_of_the_pairs_apart(length: int) -> None:
    count = (length - 1) // 2
    rows = []
    for bits in itertools.product((0, 1), repeat=count):
        pairs = [symbol for key, bit in enumerate(bits) for symbol in (2 + key, bit)]
        words = np.array([[*pairs, 2 + key] for key in range(count)])
        rows.append(follower(words, none=-1))
    assert kinds_bits(np.array(rows)) == Asked("induction", length).needed()


def test_a_number_scaled_down_at_every_step_keeps_all_bits() -> None:
    words = np.array(list(itertools.product((0, 1), repeat=10)))
    state = np.zeros(len(words))
    for bit in words.T:  # gate 1/2, input 1/2: a diagonal model of one number
        state = state / 2 + bit / 2
    assert len(np.unique(state)) == 2**10


def test_one_head_of_logarithmic_width_finds_the_place_asked_for() -> None:
    for count in (5, 8, 13):
        built = bounds(Asked("index", count))[-1].built
        assert built is not None
        codes = sign_codes(count)
        assert codes.shape == (count, built.width)
        weights = np.exp(20 * codes @ codes.T)
        weights /= weights.sum(axis=1, keepdims=True)
        words = np.array(list(itertools.product((0, 1), repeat=count)))
        assert np.array_equal(np.round(words @ weights), words)


@pytest.mark.parametrize("length", [9, 33, 129])
def test_two_layers_of_the_width_named_answer_the_hard_words(length: int) -> None:
    bits = np.random.default_rng(0).integers(0, 2, (50, (length - 1) // 2))
    asked = np.arange(50) % bits.shape[1]
    network = induction_head(length, sign_codes(4))
    built = bounds(Asked("induction", length))[-1].built
    assert built is not None and built.width == network.width
    assert f"scores of {score_bits(length)} bits" in built.what
    found = said(network, index_words(bits, asked))
    assert np.array_equal(found, bits[np.arange(50), asked])


@given(
    problem=st.sampled_from(sorted(CASES)),
    bits=st.integers(1, 40),
    heads=st.integers(1, 4),
    width=st.integers(1, 300),
)
def test_the_longest_length_is_the_last_at_which_the_width_is_enough(
    problem: str, bits: int, heads: int, width: int
) -> None:
    for place, bound in enumerate(bounds(Asked(problem, 1000, bits, heads, width=width))):
        if bound.least is None:
            continue
        assert bound.longest is not None and 0 <= bound.longest < LONGEST
        if bound.longest >= 3:
            assert bounds(Asked(problem, bound.longest, bits, heads))[place].least <= width
        after = max(3, bound.longest + 1)  # the least that all problems have
        assert bounds(Asked(problem, after, bits, heads))[place].least > width


def test_the_longest_lengths_are_those_of_the_calculator_or_none() -> None:
    for width, bits in ((28, 9), (1, 1), (7, 16)):
        found = bounds(Asked("induction", 9, bits, width=width))[-1].longest
        odd = longest_induction(Size(width=width, precision=bits))
        assert found == odd + 1  # the even length above hides no more
    assert bounds(Asked("copy", 1, 1, symbols=10**6, width=1))[0].longest == 0
    assert bounds(Asked("index", 9, accuracy=0.5, width=1))[0].longest == LONGEST


def test_growth_reaches_beyond_the_length_and_holds_it() -> None:
    found = ft.represent("disjointness", length=5000, bits=8)
    assert isinstance(found, Sizes)
    lengths = [length for length, _ in found.growth]
    assert lengths == sorted(lengths) and lengths[0] == 8 and lengths[-1] > 5000
    top = ft.represent("disjointness", length=10**12)
    assert all(length <= 10**12 for length, _ in top.growth)


@pytest.mark.parametrize(
    ("what", "options", "message"),
    [
        ("index", {"length": 0}, "no length"),
        ("index", {"length": 10**18}, "no length"),
        ("index", {"bits": 0}, "no bits"),
        ("index", {"bits": 10**9}, "bits"),
        ("index", {"heads": 0}, "heads"),
        ("index", {"accuracy": 0.3}, "accuracy"),
        ("index", {"accuracy": float("nan")}, "accuracy"),
        ("index", {"width": 0}, "no width"),
        ("index", {"symbols": 3}, "means nothing"),
        ("parity", {"width": 3}, "means nothing"),
        ("index", {"depth": "constant"}, "means nothing"),
        ("copy", {"symbols": 1}, "letters"),
        ("induction", {"length": 2}, "positions"),
        ("s5-word", {"length": 5}, "means nothing"),
        ("s5-word", {"depth": "deep"}, "unknown depth"),
        ("s5-word", {"precision": "0"}, "unknown precision"),
        ("s5-word", {"steps": "log"}, "unknown steps"),
        ("s5-word", {"alphabet": "ab"}, "means nothing"),
        ("tomita-4", {"alphabet": "ab"}, "alphabet"),
        ("tomita-4", {"bits": 4}, "means nothing"),
        ("regex:(ab", {}, "cannot be read"),
        ("symmetric-9", {}, "semigroup is too large"),
        ("mod-1001", {}, "too large for its algebra"),
        ("gone.json", {}, "no such file"),
    ],
)
def test_what_cannot_be_answered_is_refused(what: str, options: dict, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        ft.represent(what, **options)


def test_unknown_names_get_the_nearest_and_tasks_are_told_what_they_are() -> None:
    with pytest.raises(BadInput, match="s5-word"):
        ft.represent("s5-wrd")
    with pytest.raises(BadInput, match="task to be trained on"):
        ft.represent("sort")
    for task, problem in (("copy-unique", "copy"), ("dyck-1", "dyck")):
        with pytest.raises(BadInput, match=f"foretell represent {problem}, which is like it"):
            ft.represent(task)
