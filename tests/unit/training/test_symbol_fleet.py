"""A member of a fleet is what it would be alone, whatever its neighbours need room for."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.models import symbols
from foretell.numerics.keys import key_for, root_key
from foretell.protocols._running import Asked, fleets
from foretell.protocols.unseen_symbols import UnseenSymbols, question_about
from foretell.training import symbol_member
from foretell.training.loops import Together
from foretell.training.stopping import Interrupted
from foretell.training.symbol_plan import SymbolMember, SymbolPlan
from foretell.training.symbol_run import SymbolFleet, SymbolRun

REAL, SYMBOLIC = "aa -> 1; ab -> -1", "aSb -> a; bSS -> b"
KINDS = [
    ("mlp", REAL, 4),
    ("mlp+gram", SYMBOLIC, 64),
    ("transformer", REAL, 64),
    ("transformer+kq+vo", SYMBOLIC, 4),
    ("rnn", REAL, 64),
    ("lstm", SYMBOLIC, 64),
]


def plan_of(kind, what, *sizes, batch=64, steps=30):
    question = question_about(what, max(sizes), kind, 1, 2, 8)
    return SymbolPlan(
        architecture=question.architecture,
        templates=question.task.templates,
        members=tuple(SymbolMember(n, 1e-2, n, n, steps) for n in sizes),
        check_every=steps,
        tiny=0.0,
        held_out=20,
        batch=batch,
    )


def trained(plan, segments=3):
    fleet = SymbolFleet(plan, Together())
    states = fleet.start()
    for _ in range(segments):
        states = fleet.advance(states)
    tokens = [int(data.tokens) for data in fleet.own]
    outputs = [1 if plan.templates.is_real else count for count in tokens]
    members = fleet.members(states)
    models = [state.model for state in members]
    return members, list(map(symbols.first_tokens, models, tokens, outputs))


@pytest.mark.slow  # half a minute to compile, each
@pytest.mark.parametrize(("kind", "what", "batch"), KINDS)
def test_alone_or_beside_larger_ones_a_member_learns_the_same(kind, what, batch):
    (alone,), (model,) = trained(plan_of(kind, what, 6, batch=batch))
    (first, other), (beside, _) = trained(plan_of(kind, what, 6, 23, batch=batch))
    assert int(first.step) == int(alone.step) == 30
    for one, two in zip(jax.tree.leaves(model), jax.tree.leaves(beside), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-3, atol=1e-4)
    for one, two in zip(alone.best, first.best, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-3, atol=1e-4)
    assert float(other.best.train) != pytest.approx(float(first.best.train), rel=1e-3)


def test_rows_that_fill_up_and_tokens_of_others_have_no_say():
    plan = plan_of("mlp", SYMBOLIC, 6, 23)
    data = symbol_member.draw_data(plan, plan.members[0])
    assert data.train.strings.shape[0] == 23 and data.train.weights.sum() == 6
    create = jax.jit(lambda key, tokens: symbols.create(plan.shape, key, tokens))
    model = create(key_for(root_key(0), "model"), data.tokens)
    own = symbol_member.Labelled(*(part[:6] for part in data.train))
    cost = jax.jit(symbol_member.cost)
    found = cost(model, data.train, data.tokens)
    np.testing.assert_allclose(found, cost(model, own, data.tokens), rtol=1e-5)
    head = model.layers[-1]
    louder = head._replace(bias=head.bias.at[int(data.tokens) :].add(100.0))
    other = model._replace(layers=(*model.layers[:-1], louder))
    np.testing.assert_allclose(cost(other, data.train, data.tokens), found, rtol=1e-6)
    assert cost(other, data.train, jnp.int32(plan.shape.tokens)) > found + 1
    slope = jax.jit(jax.grad(symbol_member.cost))(model, data.train, data.tokens)
    assert not slope.tables[:, int(data.tokens) :].any()
    assert not slope.layers[-1].bias[int(data.tokens) :].any()
    assert all(jnp.isfinite(leaf).all() for leaf in jax.tree.leaves(slope))


def test_every_epoch_shows_each_own_string_once_in_a_new_order():
    plan = plan_of("mlp", REAL, 10, 24, batch=4)
    data = symbol_member.draw_data(plan, plan.members[0])
    epochs = [
        np.concatenate([symbol_member.batch(plan, data, jnp.int32(3 * e + i)) for i in range(3)])
        for e in range(2)
    ]
    for rows in epochs:
        assert sorted(rows[:10]) == list(range(10))  # 12 places: two strings come again
        assert set(rows) == set(range(10))
    assert not np.array_equal(*epochs)


def test_members_end_at_their_own_steps_and_keep_their_own_weights(tmp_path):
    plan = plan_of("mlp", REAL, 6, 9)
    short = dataclasses.replace(plan, members=plan.members[:1], check_every=20)
    member = dataclasses.replace(plan.members[1], steps=50)
    long = dataclasses.replace(short, members=(member,))
    (one, few), (other, more) = SymbolRun((short, long), tmp_path, lambda progress: None).execute()
    assert (one.members[0].steps, other.members[0].steps) == (30, 50)
    assert {each.members[0].status for each in (one, other)} == {"not fitted"}
    assert few["seed-6.tables"].shape == (2, 46, 8)
    assert more["seed-9.tables"].shape == (2, 49, 8)


@pytest.mark.slow
def test_a_fleet_of_different_sizes_goes_on_where_it_was(tmp_path):
    plan = plan_of("mlp", REAL, 6, 9, steps=40)
    for name in ("whole", "cut"):
        (tmp_path / name).mkdir()

    def run(name, seconds=None):
        made = SymbolRun((plan,), tmp_path / name, lambda progress: None, seconds)
        return made.execute()[0][0]

    whole = run("whole")
    with pytest.raises(Interrupted):
        run("cut", 0.0)
    assert run("cut").members == whole.members


def asked(kind, samples, *shape, seeds=3, what="aba-abb"):
    steps = 100 * -(-samples // 1_024)
    protocol = UnseenSymbols(steps=steps, check_every=100, learning_rate=1e-3)
    return Asked(question_about(what, samples, kind, *shape), protocol, tuple(range(seeds)))


def test_one_program_on_an_accelerator_whatever_the_samples_and_one_for_each_on_a_cpu():
    several = [asked("mlp", samples) for samples in (4, 64, 1_024, 2_048, 8_192)]
    together = fleets(several, batched=True)
    assert sorted(len(pack) for pack in together) == [2, 3]  # in one batch, or in several
    assert len(fleets(several, batched=False)) == 5
    assert [pack[0] for pack in together] == [several[0], several[3]]  # small ones first


def test_a_point_of_two_figures_is_trained_once():
    assert fleets([asked("mlp", 4), asked("mlp", 4)], batched=True) == [(asked("mlp", 4),)]


def test_a_fleet_fits_into_memory():
    wide = [asked("transformer", 64 * 2**i, 2, 16, 4_096, what="print") for i in range(5)]
    packs = fleets(wide, batched=True)
    assert 1 < len(packs) < 5
    for pack in packs:
        plan = SymbolRun.join([each.plan for each in pack])
        assert plan.bytes_each * len(plan.members) <= 80e9
    usual = [asked("transformer", 2**i, 2, 16, 128, what="program") for i in range(2, 11)]
    assert len(fleets(usual, batched=True)) == 1


@pytest.mark.parametrize(
    ("kind", "what", "shape"),
    [
        ("transformer", "program", (2, 16, 128)),
        ("rnn", REAL, (1, 1, 64)),
        ("lstm", REAL, (2, 1, 64)),
    ],
)
def test_weights_are_counted_well_enough_to_pack(kind, what, shape):
    plan = asked(kind, 64, *shape, what=what).plan
    made = SymbolFleet(plan).shapes().model
    exact = sum(leaf.size for leaf in jax.tree.leaves(made))
    assert plan.shape.weights + plan.shape.table == pytest.approx(exact, rel=0.05)
