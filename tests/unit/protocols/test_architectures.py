"""Recurrent, state-space and hybrid models in every protocol that reads sequences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foretell.core.architecture import KINDS
from foretell.core.question import Question
from foretell.models import sequence_model, symbols
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Request, kinds_for
from foretell.protocols._dilution import dilution, looked
from foretell.protocols._settings import setting_for
from foretell.protocols._trained import read_trained
from foretell.protocols.length import Length
from foretell.reports import answers
from foretell.reports.answers import requests
from foretell.training.accumulating import bytes_of_row
from foretell.training.plan import Plan

OTHERS = [kind for kind in sequence_model.KINDS if kind != "transformer"]


def asked(**settings: Any) -> Question:
    return Request(**{"what": "parity", "budget": "smoke", **settings}).question()


def test_every_kind_is_known_somewhere() -> None:
    assert set(KINDS) == set(sequence_model.KINDS) | set(symbols.KINDS)
    assert kinds_for("length") == kinds_for("capture") == sequence_model.KINDS
    assert kinds_for("unseen-symbols") == symbols.KINDS
    assert kinds_for("gap") == kinds_for("compiled") == ("transformer",)


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("budget", ["smoke", "cpu", "gpu"])
def test_length_and_capture_take_it(kind: str, budget: str) -> None:
    for what, protocol in (("parity", "length"), ("induction-heads", "capture")):
        shape = asked(what=what, protocol=protocol, kind=kind, budget=budget).architecture
        assert shape.kind == kind
        if kind == "hybrid":
            assert shape.layers in (2, 4)
            assert shape.positional == ("rotary" if protocol == "capture" else "nope")
        else:
            assert (shape.heads, shape.positional) == (1, "nope")
            assert shape.label == f"{kind} {shape.layers}L {shape.width}d"


def test_a_transformer_is_asked_as_before() -> None:
    plain, named = asked(), asked(kind="transformer")
    assert plain.hash == named.hash
    assert "kind" not in plain.as_json()["architecture"]  # type: ignore[operator]
    assert setting_for("parity", "nope", "cpu") == setting_for("parity", "nope", "cpu", KINDS[0])  # type: ignore[arg-type]
    # A published training is one of transformers.
    assert Request(what="parity", budget="gpu").published  # type: ignore[arg-type]
    assert not Request(what="parity", budget="gpu", kind="gru").published  # type: ignore[arg-type]


def test_rates_of_other_kinds_rise_first() -> None:
    request = Request(what="parity", kind="gru")  # type: ignore[arg-type]
    protocol = request.build_protocol()
    assert isinstance(protocol, Length)
    assert 0 < protocol.warmup < protocol.steps / 10
    assert protocol.learning_rate <= 1e-3


def test_architectures_are_separated_by_commas_and_have_encodings_where_they_attend() -> None:
    made = requests("parity", "nope,ape", architecture="transformer, gru,hybrid")
    assert [(each.kind, each.positional) for each in made] == [
        ("transformer", "nope"),
        ("transformer", "ape"),
        ("gru", "nope"),
        ("hybrid", "nope"),
        ("hybrid", "ape"),
    ]
    assert [each.kind for each in requests("parity", kind="ssm")] == ["ssm"]


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"kind": "grou"}, "unknown kind"),
        ({"kind": "mlp"}, "no such kind of model"),
        ({"kind": "rnn"}, "no such kind of model"),
        ({"what": "boolean:x1 ^ x2", "kind": "gru"}, "no such kind of model"),
        ({"kind": "gru", "heads": 4}, "no heads"),
        ({"kind": "gru", "positional": "ape"}, "positional"),
        ({"kind": "ssm", "attention_scale": "log-length"}, "attention scale"),
        ({"kind": "hybrid", "layers": 1}, "2 layers"),
        ({"what": "shortest-path", "kind": "gru"}, "read graphs"),
        ({"what": "boolean:x1 ^ x2", "width": 8}, "the protocol gap has no width"),
        ({"what": "boolean:x1 ^ x2", "train": "1-9"}, r"gap has no train(.|\n)*leave that out"),
        ({"weights": "net.json", "steps": 9}, "the protocol compiled has no steps"),
        ({"protocol": "capture", "bins": "9-12"}, "the protocol capture has no bins"),
        ({"what": "regex:ab", "alphabet": "ab"}, "no input in that range of sizes"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_message(settings: dict[str, Any], word: str) -> None:
    with pytest.raises(BadInput, match=word):
        asked(**settings)


def test_a_wrong_name_gets_the_choices() -> None:
    with pytest.raises(BadInput) as caught:
        asked(kind="grou")
    assert "gru" in str(caught.value.hint)
    assert all(kind in str(caught.value.why) for kind in sequence_model.KINDS)


def test_a_penalty_on_positions_needs_positions() -> None:
    request = Request(what="parity", budget="smoke", kind="gru", position_penalty=0.1)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="penalise"):
        request.build_protocol().plan(request.question(), (0, 1))


def test_only_attention_takes_memory_for_scores() -> None:
    sizes = {kind: bytes_of_row(asked(kind=kind).architecture, 900, 1, 8) for kind in OTHERS}
    transformer = bytes_of_row(asked().architecture, 900, 1, 8)
    assert sizes["gru"] == sizes["ssm"] < transformer < sizes["hybrid"]
    plan = Request(what="parity", budget="smoke", kind="gru")  # type: ignore[arg-type]
    assert isinstance(plan.build_protocol().plan(plan.question(), (0,)), Plan)


@pytest.fixture
def run_of_a_gru(tmp_path: Path) -> Path:
    """The folder of a capture run of a recurrent model, as far as diagnostics look at it."""
    question = asked(what="induction-heads", protocol="capture", kind="gru")
    folder = tmp_path / "question" / "run"
    folder.mkdir(parents=True)
    (folder.parent / "question.json").write_text(json.dumps(question.as_json()))
    plan = {"plan": {"sizes": [32], "start": [4, 16], "train": [4, 16]}}
    (folder / "settings.json").write_text(json.dumps(plan))
    # A safetensors file without any array: eight bytes of length, then the header.
    (folder / "weights.safetensors").write_bytes((2).to_bytes(8, "little") + b"{}")
    return folder


def test_what_looks_at_attention_skips_or_refuses_a_recurrent_model(run_of_a_gru: Path) -> None:
    assert looked(run_of_a_gru) == ()
    with pytest.raises(BadInput, match="transformers"):
        dilution(run_of_a_gru)
    settings = json.loads((run_of_a_gru / "settings.json").read_text())
    (run_of_a_gru / "settings.json").write_text(json.dumps(settings | {"protocol": "capture"}))
    with pytest.raises(BadInput, match="train on some sizes"):
        read_trained(run_of_a_gru)
    (run_of_a_gru / "settings.json").write_text(json.dumps(settings | {"protocol": "length"}))
    with pytest.raises(BadInput, match="heads to look at"):
        read_trained(run_of_a_gru)


@pytest.mark.slow
@pytest.mark.parametrize("kind", OTHERS)
def test_every_kind_is_checked_from_end_to_end(kind: str, tmp_path: Path) -> None:
    short = {"train": "1-6", "bins": "7-9", "steps": 20, "check_every": 10}
    (row,) = answers.check(
        "parity", architecture=kind, budget="smoke", store=tmp_path, **short, samples=40, seeds=2
    )
    assert row.measurement is not None
    assert row.question.architecture.kind == kind
    spoke = {each.predictor for each in row.stated}
    assert spoke == (set() if kind == "hybrid" else {"fixed-state"})
    again = answers.measure(
        "parity", kind=kind, budget="smoke", store=tmp_path, **short, samples=40, seeds=2
    )
    assert again[0].measurement.as_json() == row.measurement.as_json()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gru", "ssm-signed", "hybrid"])
def test_capture_adapts_every_kind(kind: str, tmp_path: Path) -> None:
    (row,) = answers.measure(
        "induction-heads",
        protocol="capture",
        architecture=kind,
        budget="smoke",
        store=tmp_path,
        start=6,
        sizes="8,10",
        threshold=0.01,
        seeds=2,
    )
    assert row.measurement is not None
    assert {value.sizes.high for value in row.measurement.values} >= {8, 10}


@pytest.mark.slow
def test_some_signed_state_space_learns_parity(tmp_path: Path) -> None:
    """Of three small ones at least one fits the sizes it was trained on."""
    (row,) = answers.measure(
        "parity",
        architecture="ssm-signed",
        budget="cpu",
        store=tmp_path,
        layers=1,
        width=16,
        train="1-10",
        bins="11-40",
        steps=1_500,
        check_every=250,
        samples=300,
        seeds=3,
        learning_rate=0.01,
    )
    assert row.measurement.provenance["fitted"], row.measurement.reason
