"""The fleet: members are independent, done members rest, both member loops agree."""

import dataclasses
import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests_plan import small_plan

from foretell.core.question import SizeRange
from foretell.plain.errors import BadInput
from foretell.tasks.lookup import find_task
from foretell.training import member
from foretell.training.evaluation import LARGEST_PIECE, Right, piece_size
from foretell.training.fleet import SequenceFleet
from foretell.training.loops import BRIEF, LASTING, OneByOne, Together
from foretell.training.member import DIVERGED, FITTED, RUNNING
from foretell.training.plan import Member, Plan, Trial


@functools.cache
def fleet_for(plan, loop):
    """Compiling is most of the work here, so tests share fleets; a fleet keeps no state."""
    return SequenceFleet(plan, loop())


def train(plan, loop, segments=2):
    fleet = fleet_for(plan, loop)
    states = fleet.start()
    for _ in range(segments):
        states = fleet.advance(states)
    return fleet, states


def leaves(state):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(state.model)]


@pytest.mark.slow
def test_both_member_loops_train_the_same_models():
    plan = small_plan(count=3)
    one, states = train(plan, OneByOne)
    together, stacked = train(plan, Together)
    for a, b in zip(one.members(states), together.members(stacked), strict=True):
        for x, y in zip(leaves(a), leaves(b), strict=True):
            np.testing.assert_allclose(x, y, atol=2e-5)


def test_a_member_does_not_depend_on_its_company():
    plan = small_plan(count=3)
    alone = small_plan(members=plan.members[1:2])
    fleet, states = train(plan, OneByOne)
    single, state = train(alone, OneByOne)
    for x, y in zip(
        leaves(fleet.members(states)[1]), leaves(single.members(state)[0]), strict=True
    ):
        assert (x == y).all()


def test_training_lowers_the_loss():
    plan = small_plan(count=3, steps=200, check_every=100)
    _, states = train(plan, OneByOne, segments=1)
    first = np.mean([float(state.loss) for state in states])
    fleet, states = train(plan, OneByOne, segments=20)
    assert np.mean([float(state.loss) for state in states]) < 0.8 * first
    assert [int(state.step) for state in fleet.members(states)] == [200] * 3


@pytest.mark.parametrize("loop", [OneByOne, pytest.param(Together, marks=pytest.mark.slow)])
def test_a_diverging_member_is_recorded_and_hurts_nobody(loop):
    task = find_task("binary-majority", 12)
    mixed = (Member(0, 1e-3, task), Member(1, float("inf"), task))
    fleet, states = train(small_plan(members=mixed), loop)
    good, bad = fleet.members(states)
    assert (int(good.status), int(bad.status)) == (RUNNING, DIVERGED)
    assert all(np.isfinite(leaf).all() for leaf in leaves(bad))
    alone, state = train(small_plan(members=mixed[:1]), loop)
    for x, y in zip(leaves(good), leaves(alone.members(state)[0]), strict=True):
        np.testing.assert_allclose(x, y, atol=2e-5)


@pytest.mark.parametrize("loop", [OneByOne, Together])
def test_a_fitted_member_stops_changing(loop):
    plan = small_plan(count=3)
    fleet, states = train(plan, loop)
    members = fleet.members(states)
    members[0] = members[0]._replace(status=np.asarray(FITTED, np.int32))
    before = leaves(members[0])
    after = fleet.members(fleet.advance(fleet.loop.spread(members)))
    assert all((x == y).all() for x, y in zip(before, leaves(after[0]), strict=True))
    assert int(after[0].step) == 20
    assert int(after[1].step) == 30


def test_check_marks_only_perfect_members(monkeypatch):
    fleet = SequenceFleet(small_plan(count=3), OneByOne())
    states = fleet.start()
    perfect = [np.ones(40, bool), np.zeros(40, bool), np.ones(40, bool)]
    perfect[2][7] = False
    others = np.ones(40, bool), np.ones(40)  # last answers and shares do not count
    found = [Right(each, *others) for each in perfect]
    monkeypatch.setattr(fleet, "score", lambda *arguments: found)
    states, scores = fleet.check(states, last=False)
    assert [int(state.status) for state in states] == [FITTED, RUNNING, RUNNING]
    assert scores == [1.0, 0.0, 39 / 40]


def test_who_goes_on_to_the_end_is_marked_at_the_last_check_only(monkeypatch):
    fleet = SequenceFleet(small_plan(count=2, to_the_end=True), OneByOne())
    found = [Right(np.ones(40, bool), np.ones(40, bool), np.ones(40))] * 2
    monkeypatch.setattr(fleet, "score", lambda *arguments: found)
    states, _ = fleet.check(fleet.start(), last=False)
    assert [int(state.status) for state in states] == [RUNNING, RUNNING]
    states, _ = fleet.check(states, last=True)
    assert [int(state.status) for state in states] == [FITTED, FITTED]


def test_the_last_answer_is_scored_apart():
    task = find_task("accept:parity-language", 12)
    members = tuple(Member(seed, 1e-3, task) for seed in range(2))
    plan = small_plan(members=members, task="accept:parity-language", positional="nope")
    fleet = SequenceFleet(plan, OneByOne())
    trial = plan.trials[1]
    for right in fleet.score(fleet.models(fleet.start()), trial, fleet.samples(trial)):
        assert (right.last | ~right.everywhere).all()  # all right means the last is right
        assert right.last.sum() > right.everywhere.sum()  # an untrained model is right by luck


def test_many_languages_in_one_fleet():
    names = ("tomita-1", "aa-star", "abcde", "012-star-02")
    members = tuple(Member(seed, 1e-3, find_task(name, 12)) for seed, name in enumerate(names))
    plan = small_plan(members=members, task="abcde", positional="nope")
    plan = Plan(
        architecture=plan.architecture,
        members=members,
        train=SizeRange(2, 8),
        trials=(Trial("members", SizeRange(2, 8), 30), Trial("non-members", SizeRange(9, 12), 30)),
        steps=20,
        check_every=20,
        segment=10,
        batch=8,
    )
    fleet, states = train(plan, OneByOne)
    assert all(np.isfinite(float(state.loss)) for state in fleet.members(states))
    for each, drawn in zip(members, fleet.samples(plan.trials[1]), strict=True):
        for size, tokens in zip(drawn.sizes, np.asarray(drawn.example.tokens), strict=True):
            word = each.task.read_word(tokens.tolist())
            assert len(word) == size
            assert not each.task.language.accepts(word)


def test_a_fleet_takes_one_family_only():
    mixed = (Member(0, 1e-3, find_task("parity", 12)), Member(1, 1e-3, find_task("sort", 12)))
    with pytest.raises(BadInput, match="one family"):
        small_plan(members=mixed)


def test_a_fleet_is_asked_at_the_same_places_only():
    after, before = (
        small_plan(members=(Member(0, 1e-3, find_task(f"{asks}:tomita-4", 20)),))
        for asks in ("state", "state-before")
    )
    assert after.kind != before.kind
    with pytest.raises(BadInput, match="asked at the same places"):
        small_plan(members=(*after.members, *before.members))


def test_sizes_that_do_not_exist_name_the_nearest():
    task = find_task("aaaa-star", 40)
    shape = small_plan(count=3).architecture
    with pytest.raises(BadInput, match="4 and 8"):
        Plan(
            architecture=shape,
            members=(Member(0, 1e-3, task),),
            train=SizeRange(5, 7),
            trials=(Trial("members", SizeRange(4, 8), 10),),
            steps=10,
            check_every=10,
            segment=10,
        )


def test_learning_rate_rises_then_falls_to_zero():
    plan = small_plan(steps=100, warmup=10, check_every=50)
    rates = [
        float(member.learning_rate(plan, jnp.float32(1), jnp.int32(step))) for step in range(101)
    ]
    assert rates[0] == pytest.approx(0.1)
    assert max(rates) == pytest.approx(1.0)
    assert rates.index(max(rates)) in (9, 10)
    assert rates[100] == 0.0
    assert all(a >= b for a, b in itertools.pairwise(rates[10:]))


@pytest.mark.slow
def test_weight_decay_leaves_biases_and_norms_alone():
    plan = small_plan(count=3)
    state = fleet_for(plan, OneByOne).start()[0]
    nothing = jax.tree.map(lambda leaf: 0 * leaf, state.model)
    updates, _ = member.optimiser(plan).update(nothing, state.optimiser, state.model)
    for update, weight in zip(jax.tree.leaves(updates), jax.tree.leaves(state.model), strict=True):
        expected = 0.01 * weight if weight.ndim >= 2 else 0 * weight
        np.testing.assert_allclose(update, expected, atol=1e-9)


@pytest.mark.slow
def test_bfloat16_trains_like_float32():
    exact = train(small_plan(count=3, steps=200, check_every=100), OneByOne, 20)[1]
    rough = train(
        small_plan(count=3, steps=200, check_every=100, precision="bfloat16"), OneByOne, 20
    )[1]
    for a, b in zip(exact, rough, strict=True):
        assert float(b.loss) == pytest.approx(float(a.loss), rel=0.15)
        assert all(leaf.dtype == np.float32 for leaf in leaves(b))


@pytest.mark.parametrize(
    ("backend", "lasting", "expected"),
    [("cpu", False, None), ("tpu", True, None), ("gpu", False, BRIEF), ("gpu", True, LASTING)],
)
def test_only_gpus_are_spared_and_what_lasts_is_spared_less(
    monkeypatch, backend, lasting, expected
):
    asked = []
    monkeypatch.setattr(jax, "default_backend", lambda: backend)
    monkeypatch.setattr(jax, "jit", lambda function, **given: asked.append(given) or function)
    Together().compile(lambda row: row + 1, lasting=lasting)
    assert asked[0]["compiler_options"] == expected
    assert LASTING.items() < BRIEF.items()


def test_long_inputs_are_tested_several_at_a_time_and_longer_ones_fewer():
    widths, count = (64, 1_000, 1_024, 2_048, 4_096, 16_384), 10 * LARGEST_PIECE
    sizes = [piece_size(count, 1, width, 2) for width in widths]
    assert sizes[0] == LARGEST_PIECE and sizes[-1] >= 1
    assert all(later <= 2 * earlier for earlier, later in itertools.pairwise(sizes))
    assert sizes[-2] > (1 << 27) // 4_096**2  # as if all were held
    assert piece_size(count, 1, 2_048, 2, logits=2**26) == 1 < sizes[3]  # thousands of labels


def test_pieces_make_up_the_count_where_that_costs_little(monkeypatch):
    assert [piece_size(count, 1, 64, 1) for count in (100, 256, 500, 2_000)] == [100, 128, 250, 250]
    assert piece_size(509, 1, 64, 1) == LARGEST_PIECE  # a prime number: the last piece is padded
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert piece_size(2_000, 4, 151, 40) == 40  # positions of all members fill an accelerator
    assert piece_size(2_000, 4, 151, 1) == LARGEST_PIECE


def reaching(*ends):
    plan = small_plan(count=2)
    trials = (dataclasses.replace(plan.trials[0], sizes=SizeRange(2, end)) for end in ends)
    return dataclasses.replace(plan, trials=tuple(trials))


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ((6, 12), (6, 12)),
        ((6, 11), (11, 11)),
        ((3, 6, 8, 12), (3, 6, 12, 12)),  # 6 is not nearer than half
        ((12, 6, 5, 2), (12, 6, 6, 2)),
    ],
)
def test_tests_share_a_width_where_one_is_less_than_twice_as_long(ends, expected):
    plan = reaching(*ends)
    together, apart = (SequenceFleet(plan, loop()) for loop in (Together, OneByOne))
    assert tuple(map(together._scored_size, plan.trials)) == expected
    assert tuple(map(apart._scored_size, plan.trials)) == ends


def test_what_is_right_does_not_hang_on_the_width_it_is_scored_at(monkeypatch):
    plan = reaching(6, 12)
    fleet = SequenceFleet(plan, Together())
    models = fleet.models(fleet.start())

    def rights():
        return [fleet.score(models, each, fleet.samples(each)) for each in plan.trials]

    own = rights()
    monkeypatch.setattr(fleet, "_scored_size", lambda trial: 12)
    for mine, theirs in zip(jax.tree.leaves(own), jax.tree.leaves(rights()), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert {size for size, *_ in fleet._scorers} == {6, 12}


def test_samples_do_not_hang_on_how_many_are_drawn_beside_them():
    plan = small_plan(count=1)
    fleet = SequenceFleet(plan, OneByOne())
    few, many = (
        fleet.samples(dataclasses.replace(plan.trials[0], count=count))[0] for count in (40, 43)
    )
    for mine, theirs in zip(jax.tree.leaves(few), jax.tree.leaves(many), strict=True):
        np.testing.assert_array_equal(mine, theirs[:40])
