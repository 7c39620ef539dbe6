"""What a fitted model learned: coefficients against its own truth table, attention, bad input."""

import json
from html import escape

import jax.numpy as jnp
import numpy as np
import pytest

from foretell.boolean.spectrum import Spectrum
from foretell.boolean.truth_table import truth_table
from foretell.models import readout
from foretell.plain.errors import BadInput
from foretell.reports import answers
from foretell.reports.boolean.learned import _models, _read, inspect
from foretell.reports.boolean.learned_shown import learned_page, sentence


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    store = tmp_path_factory.mktemp("store")
    settings = {"budget": "smoke", "seeds": 2, "samples": 64}
    answers.measure("boolean:degree=2,sparsity=2,T=4", store=store, **settings)
    return next(store.glob("*/*/run.json")).parent


@pytest.fixture(scope="module")
def found(folder):
    return inspect(folder)


def test_coefficients_are_those_of_the_model(folder, found):
    assert found.exact and found.inputs == 16
    task, arrays = _read(folder)
    for (seed, weights), model in zip(_models(task, arrays, folder), found.models, strict=True):
        assert model.seed == seed
        table = truth_table(
            lambda rows, w=weights: np.asarray(readout.apply(w, jnp.asarray(rows))), 4
        )
        spectrum = Spectrum.of_truth_table(np.asarray(table, float))
        known = dict(zip(spectrum.masks.tolist(), spectrum.coefficients.tolist(), strict=True))
        for part in model.components:
            mask = sum(1 << bit for bit in part.bits)
            assert part.learned == pytest.approx(known.get(mask, 0.0), abs=1e-5)
            assert part.share == pytest.approx(model.attention[part.row, list(part.bits)].sum())
            assert part.chance == len(part.bits) / 5
        assert 0 <= model.explained <= 1
        assert model.error == pytest.approx(
            np.mean((table - truth_table(task.function, 4)) ** 2), rel=1e-4
        )
        assert sum(model.by_degree) == pytest.approx(1, abs=1e-6)
        assert all(bits not in task.function.expansion.sets for bits, _ in model.others)
        for bits, size in model.others:
            assert size == pytest.approx(known[sum(1 << bit for bit in bits)], abs=1e-6)
        assert [noise.deviation for noise in model.noise] == [1e-4, 1e-3, 1e-2]
        assert all(noise.change >= 0 and np.isfinite(noise.ratio) for noise in model.noise)
    assert json.dumps(found.as_json())


@pytest.mark.slow
def test_a_model_is_a_function_that_testers_ask(folder, found):
    queried = inspect(folder, exact=False)
    assert not queried.exact
    for model, exact in zip(queried.models, found.models, strict=True):
        degree, width = model.tested
        assert (degree.measure, width.measure) == ("degree", "width")
        assert degree.found <= 4 and degree.queries > 0
        assert model.error == pytest.approx(exact.error, rel=0.1)
        for part, known in zip(model.components, exact.components, strict=True):
            assert part.learned == pytest.approx(known.learned, abs=0.03)


def test_the_page_shows_every_model(found):
    page = learned_page(found)
    assert page.count("<svg") == 2
    assert all(escape(sentence(found, model)) in page for model in found.models)


def test_what_is_no_run_is_refused(folder, tmp_path):
    with pytest.raises(BadInput, match="not the folder of a finished run"):
        inspect(tmp_path)
    (folder / "weights.safetensors").write_bytes(b"nonsense")
    with pytest.raises(BadInput, match="not the folder of a finished run"):
        inspect(folder)
