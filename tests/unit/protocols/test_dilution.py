"""Attention of adapted models, read from a run's folder."""

import json

import pytest
from safetensors.numpy import save_file

from foretell.models.transformer import Transformer
from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput, StoreProblem
from foretell.protocols._asking import Request
from foretell.protocols._dilution import WHEN, dilution, looked
from foretell.training.checkpoint import named_arrays


@pytest.fixture
def folder(tmp_path):
    """A run as the store keeps it, with untrained weights."""
    request = Request(what="induction-heads", protocol="capture", budget="smoke", start=4)
    question = request.question()
    plan = request.build_protocol().plan(question, (0,))
    run = tmp_path / "run"
    run.mkdir()
    (tmp_path / "question.json").write_text(json.dumps(question.as_json()))
    (run / "settings.json").write_text(json.dumps({"plan": plan.as_json()}))
    size = question.task.alphabet.size
    model = Transformer.create(question.architecture, size, size, root_key(0))
    arrays = {
        f"{when}.seed-0.{name}": array
        for when in WHEN
        for name, array in named_arrays(model).items()
    }
    save_file(arrays, run / "weights.safetensors")
    return run


@pytest.mark.slow
def test_untrained_attention_is_nearly_even_at_every_size(folder):
    found = dilution(folder, samples=8)
    assert [(own.when, own.size) for own in found] == [
        (when, size) for when in sorted(WHEN.values(), reverse=False) for size in (4, 8, 16)
    ]
    for own in found:
        assert own.entropy == pytest.approx(own.evenly, rel=0.05)
        assert own.largest < 2 / own.size
    assert found[0].evenly < found[1].evenly < found[2].evenly


def test_other_folders_are_refused(tmp_path, folder):
    with pytest.raises(BadInput, match="not whole"):
        dilution(tmp_path)
    (folder / "settings.json").write_text(json.dumps({"plan": {}}))
    with pytest.raises(BadInput, match="no run of the protocol capture"):
        dilution(folder)


def test_what_was_read_is_kept_and_travels_without_weights(folder):
    row = {"when": WHEN["start"], "seed": 0, "size": 4, "layer": 1}
    row |= {"entropy": 0.5, "evenly": 1.4, "spread": 2.0, "largest": 0.9}
    (folder / "weights.safetensors").unlink()
    assert looked(folder) == ()
    (folder / "looks.json").write_text(json.dumps([row]))
    assert [each.as_json() for each in looked(folder)] == [row]
    (folder / "looks.json").write_text("[{]")
    with pytest.raises(StoreProblem, match="damaged"):
        looked(folder)
