"""The capture protocol: what it asks, what it decides from records, and that it runs."""

import dataclasses
import json
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.core.question import SizeRange, Verdict
from foretell.plain.errors import BadInput
from foretell.protocols._adaptation import Adaptation, adaptations
from foretell.protocols._asking import Request
from foretell.protocols._captured import UNADAPTED, lost_symbols
from foretell.protocols._running import measure
from foretell.protocols.capture import HALF, INPUTS, Capture
from foretell.training import point_member
from foretell.training.capture_plan import (
    ARMS,
    FROM_SCRATCH,
    FROM_START,
    PRE_TRAINING,
    STEP_BY_STEP,
)
from foretell.training.record import AdaptedMember, CaptureRecord
from foretell.training.store import Store

PROVENANCE = {"versions": {}, "device": "none"}
SIZES = (32, 64, 128, 256, 512)
CAP = 100_000


def settled(**changed):
    settings = {"what": "induction-heads", "protocol": "capture", "budget": "cpu"}
    request = Request(**{**settings, "sizes": SIZES, **changed})
    question = request.question()
    schedule = {"adapting_steps": 1_000, "adapting_batch": 100, "adapting_check": 1}
    protocol = dataclasses.replace(request.build_protocol(), **schedule, arms=ARMS)
    return question, protocol


def member(arm, size, seed, samples, cap=CAP):
    status = "fitted" if samples is not None else "not fitted"
    return AdaptedMember(arm, size, seed, status, cap if samples is None else samples, 0.1, 0.96)


def wiggle(seed, place):
    """A little scatter, the same every time."""
    return 1 + 0.04 * ((7 * seed + 5 * place) % 3 - 1)


def record_of(plan, from_start, step_by_step, trained):
    """A record in which samples follow from the place of the size."""
    told = [
        member(PRE_TRAINING, 16, seed, 5_000 if done else None) for seed, done in enumerate(trained)
    ]
    for place, size in enumerate(plan.sizes):
        for seed in (seed for seed, done in enumerate(trained) if done):
            for arm, needed in {FROM_START: from_start, STEP_BY_STEP: step_by_step}.items():
                samples = needed(place)
                if samples is not None:
                    samples = round(samples * wiggle(seed, place))
                if arm == FROM_START or place:
                    told.append(member(arm, size, seed, samples))
            told.append(member(FROM_SCRATCH, size, seed, None))
    return CaptureRecord(tuple(told), (), 1.0)


def read(from_start, step_by_step, trained=(True,) * 4):
    question, protocol = settled()
    plan = protocol.plan(question, tuple(range(len(trained))))
    return protocol.read(
        question, plan, record_of(plan, from_start, step_by_step, trained), PROVENANCE
    )


def linear(place):
    return 1_000 * 2**place


def logarithmic(place):
    return 1_000 * (place + 1)


def never(place):
    return None


def test_samples_that_grow_as_a_power_in_both_arms_are_no_capture():
    assert read(linear, linear).verdict is Verdict.NO


def test_samples_that_do_not_grow_are_capture_in_either_arm():
    assert read(lambda place: 1_000, linear).verdict is Verdict.YES
    found = read(linear, lambda place: 1_000)
    assert found.verdict is Verdict.YES  # the same every time adds up to a logarithm
    assert "step by step: every run" in found.reason


def test_logarithmic_growth_is_capture():
    assert read(logarithmic, never).verdict is Verdict.YES


def test_no_samples_at_all_are_capture():
    found = read(lambda place: 0, lambda place: 0)
    assert found.verdict is Verdict.YES
    assert "no run needs more than" in found.reason


def test_a_yes_takes_checks_that_show_growth_and_sizes_that_differ():
    question, protocol = settled()
    coarse = dataclasses.replace(protocol, adapting_check=protocol.adapting_steps // 8)
    for asked, how in ((question, coarse), settled(sizes=(17, 18, 19, 20))):
        plan = how.plan(asked, (0, 1, 2, 3))
        whole = record_of(plan, lambda place: 0, lambda place: 0, (True,) * 4)
        found = how.read(asked, plan, whole, PROVENANCE)
        assert found.verdict is Verdict.UNDECIDED
        assert "but a yes takes 16 checks" in found.reason


def test_each_size_draws_samples_of_its_own():
    """Else the first places of a longer input would be those of a shorter one, step by step."""
    request = Request(what="shortest-path", budget="smoke")
    protocol = request.build_protocol()

    def drawn(fresh):
        kept = dataclasses.replace(protocol, fresh=fresh)
        plan = kept.plan(request.question(), (0,))
        parts = [plan.parts(stage, (0,))[0] for stage in plan.stages]
        places = [point_member.draw_batch(part, jnp.int32(0), jnp.int32(0)) for part in parts]
        return [np.asarray(jax.tree.leaves(each)[0]).ravel()[:4].tolist() for each in places]

    assert protocol.fresh
    first, *others = drawn(True)
    assert all(other != first for other in others)
    assert others[0] != others[1]
    assert len({*map(tuple, drawn(False)[1:])}) == 1  # as kept runs did


def test_a_threshold_that_is_out_of_reach_is_no_capture():
    assert read(never, never).verdict is Verdict.NO
    stuck = read(lambda place: None if place == 4 else 1_000, never)
    assert stuck.verdict is Verdict.NO
    assert "size 512" in stuck.reason


def test_two_runs_are_too_few_for_a_no_and_half_of_them_are_not_most():
    found = read(never, never, trained=(True, True, False))
    assert found.verdict is Verdict.UNDECIDED
    assert "of 2 that learned the small sizes: too few" in found.reason
    reached = np.array([[True, True], [True, False], [True, False], [True, True]])
    samples = np.where(reached, 100.0, 400.0)
    half = Adaptation(FROM_START, (32, 64), (0, 1, 2, 3), samples, reached, None, 64, True)
    assert half.verdict == (Verdict.UNDECIDED, "too little to fit")


def test_sizes_that_were_left_out_are_told_and_change_nothing():
    question, protocol = settled()
    plan = protocol.plan(question, (0, 1, 2, 3))
    whole = record_of(plan, never, never, (True,) * 4)
    kept = tuple(own for own in whole.members if own.size <= 32)
    found = protocol.read(question, plan, CaptureRecord(kept, (), 1.0), PROVENANCE)
    assert found.verdict is Verdict.NO
    assert {value.sizes.high for value in found.values} == {32}
    assert any("missed before: 64, 128, 256, 512" in note for note in found.notes)


def test_a_way_that_was_left_out_further_on_leaves_the_other_as_it_is():
    question, protocol = settled()
    plan = protocol.plan(question, (0, 1, 2, 3))
    whole = record_of(plan, lambda place: 500 if not place else None, logarithmic, (True,) * 4)
    kept = tuple(own for own in whole.members if own.arm != FROM_START or own.size <= 64)
    found = protocol.read(question, plan, CaptureRecord(kept, (), 1.0), PROVENANCE)
    shown = {
        arm: [v.sizes.high for v in found.values if v.probe == f"samples, {arm}"]
        for arm in (FROM_START, STEP_BY_STEP)
    }
    assert shown == {FROM_START: [32, 64], STEP_BY_STEP: [*SIZES]}
    assert "from the start: most runs miss the threshold at size 64" in found.reason
    told = "from the start: left out, since most runs missed before: 128, 256, 512"
    assert told in found.notes


def test_a_control_with_fewer_sizes_is_read_at_those():
    question, protocol = settled()
    protocol = dataclasses.replace(protocol, largest_from_scratch=64)
    plan = protocol.plan(question, (0, 1, 2, 3))
    whole = record_of(plan, logarithmic, never, (True,) * 4)
    kept = tuple(own for own in whole.members if own.arm != FROM_SCRATCH or own.size <= 64)
    found = protocol.read(question, plan, CaptureRecord(kept, (), 1.0), PROVENANCE)
    scratch = [v.sizes.high for v in found.values if v.probe == f"samples, {FROM_SCRATCH}"]
    assert (found.verdict, scratch) == (Verdict.YES, [32, 64])


def test_what_fresh_weights_need_as_well_is_told_as_nothing_carried_over():
    question, protocol = settled()
    plan = protocol.plan(question, (0, 1, 2, 3))
    whole = record_of(plan, lambda place: 1_000, never, (True,) * 4)
    assert "carried over" not in protocol.read(question, plan, whole, PROVENANCE).reason
    easier = tuple(
        dataclasses.replace(own, samples=500 if own.size >= 256 else 2_000, status="fitted")
        if own.arm == FROM_SCRATCH
        else own
        for own in whole.members
    )
    found = protocol.read(question, plan, CaptureRecord(easier, (), 1.0), PROVENANCE)
    assert found.verdict is Verdict.YES  # the definition does not ask for it
    assert "from scratch takes no more at 256, 512, so there nothing" in found.reason


def arm_of(from_start, place=0):
    """One arm of such a record, with its fits."""
    question, protocol = settled()
    plan = protocol.plan(question, (0, 1, 2, 3))
    return adaptations(plan, record_of(plan, from_start, never, (True,) * 4))[place]


def test_too_few_runs_or_sizes_decide_nothing():
    steady = arm_of(lambda place: 1_000)
    assert steady.verdict[0] is Verdict.YES
    few = dataclasses.replace(steady, seeds=steady.seeds[:2], reached=steady.reached[:2])
    assert few.verdict[0] is Verdict.UNDECIDED
    short = dataclasses.replace(steady, sizes=SIZES[:3], reached=steady.reached[:, :3])
    assert short.verdict[0] is Verdict.UNDECIDED
    one_misses = steady.reached.copy()
    one_misses[0, 4] = False
    assert dataclasses.replace(steady, reached=one_misses).verdict[0] is Verdict.UNDECIDED
    nobody = read(linear, linear, trained=(False,) * 3)
    assert nobody.verdict is Verdict.UNDECIDED
    assert "not learned" in nobody.reason


def test_only_who_learned_the_small_sizes_counts():
    found = read(lambda place: 1_000, never, trained=(True, False, True, True, True))
    assert found.provenance["fitted"] == [0, 2, 3, 4]
    assert all(value.runs == (0, 2, 3, 4) for value in found.values)
    assert found.verdict is Verdict.YES


def test_step_by_step_adds_up_and_stops_at_a_miss():
    question, protocol = settled()
    plan = protocol.plan(question, (0, 1, 2, 3))
    needed = dict(zip(SIZES, (100, 200, None, 50, 50), strict=True))
    told = [member(PRE_TRAINING, 16, seed, 1) for seed in plan.seeds]
    for seed in plan.seeds:
        own = [(size, seed, samples) for size, samples in needed.items()]
        told += [member(FROM_START, *each) for each in own]
        told += [member(STEP_BY_STEP, *each) for each in own[1:]]
        told += [member(FROM_SCRATCH, size, seed, None) for size in SIZES]
    by_name = {arm.name: arm for arm in adaptations(plan, CaptureRecord(tuple(told), (), 1.0))}
    found = by_name[STEP_BY_STEP]
    assert found.samples[2].tolist() == [100, 300, CAP + 300, CAP + 350, CAP + 400]
    assert found.reached[2].tolist() == [True, True, False, False, False]


def test_values_cover_arms_sizes_and_no_adaptation():
    found = read(lambda place: 1_000, linear)
    probes = {value.probe for value in found.values}
    assert probes == {
        UNADAPTED,
        *(f"samples, {arm}" for arm in (FROM_START, STEP_BY_STEP, FROM_SCRATCH)),
    }
    assert len(found.values) == 4 * len(SIZES)
    assert set(found.provenance["growth"]) == {FROM_START, STEP_BY_STEP, FROM_SCRATCH}


def test_defaults_follow_task_and_protocol():
    question, _ = settled(sizes=None)
    assert question.outcome.adapted == (32, 48, 64, 96)
    assert settled(sizes=None, budget="gpu")[0].outcome.adapted[-1] == 1_024
    assert question.architecture.positional == "rotary"
    graph = Request(what="shortest-path", budget="smoke")
    assert graph.protocol == "capture"
    assert (graph.question().outcome.threshold, graph.question().outcome.start) == (0.8, 8)
    assert graph.question().architecture.positional == "nope"
    assert Request(what="majority").positional == "nope"
    assert Request(what="sorting", protocol="capture").first_size == 8


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"start": 2}, "smallest size is 3"),
        ({"threshold": 0.0}, "threshold"),
        ({"threshold": 1.2}, "threshold"),
        ({"sizes": "64,32"}, "grow"),
        ({"sizes": "8,32"}, "grow"),
        ({"sizes": "a,b"}, "whole numbers"),
        ({"sizes": (32, 1 << 20)}, "go up to"),
    ],
)
def test_bad_input_is_one_clear_message(changed, said):
    with pytest.raises(BadInput, match=said):
        question, protocol = settled(**changed)
        protocol.plan(question, (0, 1, 2))


def test_unknown_arms_are_refused():
    question, _ = settled()
    with pytest.raises(BadInput, match="known by name"):
        Capture(arms=("sideways",)).plan(question, (0,))


@pytest.mark.slow
@pytest.mark.parametrize("what", ["induction-heads", "shortest-path"])
def test_it_runs_and_reads_back(what, tmp_path):
    request = Request(what=what, protocol="capture", budget="smoke", threshold=0.01)
    asked = request.question(), request.build_protocol(), request.seed_list()
    found = measure(*asked, Store(tmp_path))
    assert found.verdict is Verdict.UNDECIDED  # two sizes are too few
    again = measure(*asked, Store(tmp_path), show=lambda progress: pytest.fail("trained again"))
    assert again.values == found.values


def test_what_the_store_keeps_reads_back():
    """In a fresh process, where nobody has asked for the protocol yet."""
    question, _ = settled()
    described = json.dumps({**question.as_json(), "hash": question.hash})
    code = (
        "import json, sys; from foretell.reports.scoreboard import question_from_json; "
        "told = json.loads(sys.argv[1]); assert question_from_json(told).hash == told['hash']"
    )
    subprocess.run([sys.executable, "-c", code, described], check=True, timeout=120)


def test_graphs_that_do_not_exist_are_refused_before_training():
    request = Request(what="shortest-path:degree=0.1", budget="smoke")
    with pytest.raises(BadInput, match="no path joins"):
        request.build_protocol().plan(request.question(), (0, 1, 2))


def test_a_threshold_that_one_answer_reaches_decides_nothing():
    question, protocol = settled()
    plan = protocol.plan(question, (0, 1, 2, 3))
    record = record_of(plan, logarithmic, logarithmic, (True,) * 4)
    shares = dict(zip((16, *SIZES), (0.2, 0.4, 0.6, 0.8, 0.9, 0.96), strict=True))
    members = [dataclasses.replace(own, constant=shares[own.size]) for own in record.members]
    found = protocol.read(
        question, plan, dataclasses.replace(record, members=tuple(members)), PROVENANCE
    )
    assert found.verdict is Verdict.UNDECIDED and "the same answers" in found.reason
    asked = [value.baseline for value in found.values if value.probe == UNADAPTED]
    assert asked == pytest.approx([0.4, 0.6, 0.8, 0.9, 0.96])
    below = [dataclasses.replace(own, constant=0.5) for own in record.members]
    again = dataclasses.replace(record, members=tuple(below))
    assert protocol.read(question, plan, again, PROVENANCE).verdict is Verdict.YES


def test_a_run_that_lost_a_symbol_says_which():
    question, protocol = settled()
    plan = protocol.plan(question, (0, 1, 2))
    told = record_of(plan, never, never, (True,) * 3).members
    shares = {"t0": 1.0, "t1": 0.98, "t2": 0.2}
    scattered = {"t0": 0.8, "t1": 0.85, "t2": 0.75}
    told = [
        dataclasses.replace(own, by_symbol=shares if own.seed == 0 else scattered) for own in told
    ]
    found = protocol.read(question, plan, CaptureRecord(tuple(told), (), 1.0), PROVENANCE)
    lost = found.provenance["lost"]
    assert {each["seed"] for each in lost} == {0}
    assert {each["arm"] for each in lost} == {FROM_START, STEP_BY_STEP}
    assert lost[0]["lost"] == {"t2": 0.2} and lost[0]["others"] == pytest.approx(0.99)
    everywhere = [dataclasses.replace(own, by_symbol={"t0": 0.6, "t1": 0.4}) for own in told]
    assert lost_symbols(CaptureRecord(tuple(everywhere), (), 1.0)) == []
    assert lost_symbols(record_of(plan, never, never, (True,) * 3)) is None  # not recorded then


def test_as_it_is_speaks_of_what_the_small_sizes_gave():
    question, protocol = settled()
    for arms, known in ((ARMS, SIZES), ((STEP_BY_STEP,), SIZES[:1])):
        asked = dataclasses.replace(protocol, arms=arms)
        plan = asked.plan(question, (0, 1, 2))
        told = [member(PRE_TRAINING, 16, seed, 5_000) for seed in plan.seeds]
        for stage in plan.stages[1:]:
            told += [
                member(arm, stage.sizes.high, seed, 100)
                for arm in stage.sources
                for seed in plan.seeds
            ]
        found = asked.read(question, plan, CaptureRecord(tuple(told), (), 1.0), PROVENANCE)
        as_it_is = [value.sizes.high for value in found.values if value.probe == UNADAPTED]
        assert tuple(as_it_is) == known


def test_how_to_adapt_can_be_asked_for():
    for inputs in INPUTS:
        protocol = Request(what="sorting", protocol="capture", inputs=inputs).build_protocol()
        assert protocol.inputs == inputs
    assert settled()[1].inputs == HALF
    with pytest.raises(BadInput, match="no such inputs"):
        settled(inputs="hal")
    asked = Request(what="sorting", protocol="capture", arms="step by step, from scratch")
    assert asked.build_protocol().arms == (STEP_BY_STEP, FROM_SCRATCH)
    with pytest.raises(BadInput, match="arms are known by name"):
        asked = Request(what="sorting", protocol="capture", arms="sideways")
        asked.build_protocol().plan(asked.question(), (0,))
    with pytest.raises(BadInput, match=r"length has no inputs(.|\n)*--protocol capture"):
        Request(what="parity", inputs=HALF)
    graph = Request(what="shortest-path")
    plan = graph.build_protocol().plan(graph.question(), (0,))
    trained = [plan.parts(stage, (0,))[0].train for stage in plan.stages[:2]]
    assert trained == [SizeRange(8, 8), SizeRange(8, 16)]


def test_a_no_says_where_no_size_might_be_learned_from_so_few():
    question, protocol = settled()
    plan = protocol.plan(question, (0, 1, 2, 3))
    whole = record_of(plan, never, never, (True,) * 4)
    assert "from so few" not in protocol.read(question, plan, whole, PROVENANCE).reason
    slower = tuple(
        dataclasses.replace(own, samples=2 * CAP) if own.arm == PRE_TRAINING else own
        for own in whole.members
    )
    found = protocol.read(question, plan, CaptureRecord(slower, (), 1.0), PROVENANCE)
    assert found.verdict is Verdict.NO
    assert "no size is learned from so few" in found.reason
