"""The figure of capture: what it tells of measured curves, and of those that are not yet."""

import dataclasses
import io
import json

import numpy as np
import pytest
from rich.console import Console

from foretell.core.question import Verdict
from foretell.protocols._dilution import WHEN, Dilution
from foretell.reports.capture import curves as capture_curves
from foretell.reports.capture import looks as capture_looks
from foretell.reports.capture import scaling as capture_scaling
from foretell.reports.capture import shown as capture_shown
from foretell.reproductions import load
from foretell.training.capture_plan import FROM_SCRATCH, PRE_TRAINING
from foretell.training.record import AdaptedMember, CaptureRecord
from foretell.training.store import Store

YES, NO, UNDECIDED = Verdict.YES, Verdict.NO, Verdict.UNDECIDED
PROVENANCE = {"versions": {}, "device": "none", "seconds": 1.0}


def measured(asked, needed=100):
    """As if every arm had needed as many samples and a little more, from scratch too many."""
    plan = asked.plan
    told = [
        AdaptedMember(PRE_TRAINING, plan.start.high, seed, "fitted", 64, 0.1, 1.0)
        for seed in asked.seeds
    ]
    for stage in plan.stages[1:]:
        for arm in stage.sources:
            for seed in asked.seeds:
                status = "not fitted" if arm == FROM_SCRATCH else "fitted"
                samples = plan.cap if arm == FROM_SCRATCH else needed and needed + 3 * seed
                told.append(AdaptedMember(arm, stage.sizes.high, seed, status, samples, 0.25, 0.97))
    record = CaptureRecord(tuple(told), (), 1.0)
    return asked.protocol.read(asked.question, plan, record, PROVENANCE)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    empty = Store(tmp_path_factory.mktemp("runs"))
    found = capture_curves.collect(load("capture-figure"), "smoke", None, empty)
    first, *rest = found.curves
    first = dataclasses.replace(first, measured=measured(first.line.asked))
    return dataclasses.replace(found, curves=(first, *rest))


def test_nothing_is_there_before_it_is_trained(whole):
    graph = whole.curves[1]
    assert graph.samples() == graph.unadapted == ()
    assert graph.fit() is None


def test_samples_fits_and_given_up_runs_are_told(whole):
    curve = whole.curves[0]
    assert [value.mean for value in curve.samples()] == [103.0, 103.0]
    assert list(curve.missed(FROM_SCRATCH).values()) == [3, 3]
    assert 103 - 80 < curve.fitted("from the start", 8.0) < 103  # a check every 80 samples
    console = Console(file=io.StringIO(), width=160)
    capture_shown.show(console, whole)
    told = console.file.getvalue()
    assert "3 given up" in told
    assert "not trained yet" in told
    assert "settings are unknown" in told


def test_the_page_draws_what_has_several_sizes_and_says_whose_settings(whole):
    page = capture_shown.capture_page(whole)
    assert page.count("<svg") == 1 and len(whole.groups()) == 2  # of graphs nothing is trained
    assert "settings are unknown" in page
    assert page.count("The rule") == 1 and page.count(capture_shown.CAPTION[:40]) == 1
    assert "What complexity says" in page
    said = page[page.index("What complexity says") :]
    for curve in whole.curves:  # theory beside every curve, measured or not
        assert said.count(f"<td>{curve.line.group}<td>") == 1
    assert "sampled kernel" in said and "undecided" in said


def test_json_is_plain(whole):
    told = json.loads(json.dumps(whole.as_json()))
    assert set(told["groups"]) == {"induction-heads", "shortest-path"}
    assert told["groups"]["induction-heads"][0]["verdict"] == "undecided"  # two sizes are too few
    assert np.isfinite(told["groups"]["induction-heads"][0]["values"][0]["mean"])


def test_attention_against_size_is_drawn_and_told_where_it_was_read(whole):
    looks = tuple(
        Dilution(when, seed, size, layer, entropy, np.log(size), 2.0, 0.5)
        for when, mended in ((WHEN["start"], 0.0), (WHEN["adapted"], 0.3))
        for seed in (0, 1)
        for size in (4, 8)
        for layer, entropy in ((1, 1.0), (2, 0.25 * size - mended))
    )
    curve = dataclasses.replace(whole.curves[0], looks=looks)
    assert capture_looks.looks_sentences([curve]) == [
        f"{curve.line.label}: entropy of layer 1 from 1.00 at size 4 to 1.00 at 8, 1.00 after "
        "adapting"
    ]
    sharper = dataclasses.replace(curve, looks=tuple(each for each in looks if each.layer == 2))
    told = capture_looks.looks_sentences([sharper])[0]
    assert "layer 2 from 1.00 at size 4 to 2.00 at 8, 1.70 after" in told
    page = capture_shown.capture_page(dataclasses.replace(whole, curves=(curve,)))
    assert page.count("<svg") == 2 and "Attention against size" in page
    assert len(capture_looks.looks_rows([curve])) == 4


@pytest.fixture(scope="module")
def dilution(tmp_path_factory):
    empty = Store(tmp_path_factory.mktemp("runs"))
    return capture_curves.collect(load("attention-dilution"), "smoke", None, empty)


def scaled_by(dilution, needed):
    """Curves of which only those with scaling need other samples than 100, and a little more."""
    return [
        dataclasses.replace(
            curve,
            measured=measured(curve.line.asked, needed if "log" in curve.line.label else 100),
        )
        for curve in dilution.curves
    ]


def test_curves_with_and_without_scaling_are_paired(dilution):
    pairs = capture_scaling.scaled_pairs(dilution.curves)
    assert [(plain.line.label, scaled.line.label) for plain, scaled in pairs] == [
        (name, f"{name}, log-length") for name in ("rotary", "alibi", "nope")
    ]
    assert capture_scaling.scaling_sentences(dilution.curves) == []  # nothing is trained yet


def test_scaling_makes_adapting_needless_only_where_no_run_needs_a_sample(dilution):
    free = capture_scaling.scaling_sentences(scaled_by(dilution, 0))
    assert "adapting is needless at every size" in free[0]
    assert "200 206 212 without and 0 0 0 with" in free[0]
    assert (
        "needless in 3 of 3 pairs" in free[-1]
        and "lowers the samples of every run in 3" in free[-1]
    )
    same = capture_scaling.scaling_sentences(scaled_by(dilution, 100))
    assert "needless at no size" in same[0]
    assert (
        "needless in 0 of 3 pairs" in same[-1]
        and "lowers the samples of every run in 0" in same[-1]
    )
    fewer = capture_scaling.scaling_sentences(scaled_by(dilution, 50))
    assert (
        "needless in 0 of 3 pairs" in fewer[-1]
        and "lowers the samples of every run in 3" in fewer[-1]
    )


def test_the_page_says_whether_scaling_helps(dilution):
    page = capture_shown.capture_page(
        dataclasses.replace(dilution, curves=tuple(scaled_by(dilution, 0)))
    )
    assert "makes adapting needless in 3 of 3 pairs" in page


def test_symbols_that_were_lost_are_told(whole):
    first, *rest = whole.curves
    run = {"arm": "step by step", "size": 64, "seed": 2, "share": 0.89}
    lost = [{**run, "lost": {"t5": 0.12}, "others": 0.998}]
    known = dict(first.measured.provenance) | {"lost": lost}
    changed = dataclasses.replace(first.measured, provenance=known)
    told = capture_shown.findings(
        dataclasses.replace(whole, curves=(dataclasses.replace(first, measured=changed), *rest))
    )
    assert any("seed 2: given up at 0.89 with t5 (0.12)" in each for each in told)


def test_curves_that_are_not_trained_take_no_rows(whole):
    shown = io.StringIO()
    capture_shown.show(Console(file=shown, width=200), whole)
    told = shown.getvalue().splitlines()
    graphs = told[told.index("shortest-path") :]  # of which nothing is trained
    rows = [line for line in graphs if line.split()[:1] in (["half"], ["alone"], ["mixed"])]
    assert len(rows) == 3 and all(row.endswith("not trained yet") for row in rows)


def in_ways(asked, needed):
    """Curves of one question, by what each needs; nothing means: not trained."""
    return [
        capture_curves.CaptureCurve(asked, None if each is None else verdict_of(asked, each))
        for each in needed
    ]


def verdict_of(line, verdict):
    return dataclasses.replace(measured(line.asked), verdict=verdict)


@pytest.mark.parametrize(
    ("verdicts", "together"),
    [
        ((NO, YES, None), YES),
        ((NO, NO, NO), NO),
        ((NO, NO, None), UNDECIDED),  # a way that was not tried
        ((NO, UNDECIDED, NO), UNDECIDED),
    ],
)
def test_a_task_is_captured_if_it_is_in_some_way(whole, verdicts, together):
    line = whole.curves[0].line
    curves = in_ways(line, verdicts)
    assert capture_curves.in_some_way(curves) is together
    found = dataclasses.replace(whole, curves=tuple(curves))
    assert found.as_json()["in_some_way"] == {line.group: together.value}
    page = capture_shown.capture_page(found)
    row = page[page.index("In some way") :].split("<tr>")[1]
    assert row.startswith(f"<td>{line.group}<td>") and f"<td>{together.value}</table>" in row


def test_other_questions_are_not_ways_of_one(dilution):
    assert dilution.ways() == {}
