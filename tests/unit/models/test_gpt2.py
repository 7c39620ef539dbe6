"""Our transformer is GPT-2: same weights, same logits."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from safetensors.numpy import load_file

from foretell.models.gpt2 import from_gpt2
from foretell.plain.errors import BadInput

GOLDEN = Path(__file__).parents[2] / "golden" / "gpt2"
TOLERANCE = 1e-4


@pytest.fixture(scope="module")
def weights() -> dict[str, np.ndarray]:
    return load_file(GOLDEN / "weights.safetensors")


@pytest.fixture(scope="module")
def case() -> dict:
    return json.loads((GOLDEN / "case.json").read_text(encoding="utf-8"))


def test_logits_equal_the_recorded_ones(weights, case):
    model = from_gpt2(weights, case["heads"])
    logits = model(jnp.array(case["tokens"]), jnp.array(case["positions"]))
    recorded = np.array(case["logits"])
    assert recorded.std() > 0.5, "the case would not notice much"
    np.testing.assert_allclose(logits, recorded, atol=TOLERANCE)
    architecture = model.architecture
    assert (architecture.layers, architecture.heads, architecture.width) == (2, 2, 16)
    assert architecture.tied and architecture.context == 24


def test_the_wrong_number_of_heads_is_another_model(weights, case):
    logits = from_gpt2(weights, 4)(jnp.array(case["tokens"]), jnp.array(case["positions"]))
    assert np.abs(logits - np.array(case["logits"])).max() > 0.1


def test_logits_equal_those_of_the_installed_transformers():
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    theirs = runpy.run_path(str(GOLDEN / "make.py"))["tiny_model"]()
    tokens = np.random.default_rng(1).integers(0, 11, (4, 20))
    with torch.no_grad():
        expected = theirs(input_ids=torch.tensor(tokens)).logits.numpy()
    state = {name: value.numpy() for name, value in theirs.state_dict().items()}
    logits = from_gpt2(state, 2)(jnp.array(tokens), jnp.arange(20)[None])
    np.testing.assert_allclose(logits, expected, atol=TOLERANCE)


def test_the_prefix_the_head_and_stored_masks_are_optional(weights, case):
    bare = {name.removeprefix("transformer."): value for name, value in weights.items()}
    del bare["lm_head.weight"]
    bare["h.0.attn.bias"] = np.ones((1, 1, 24, 24))
    bare["h.0.attn.masked_bias"] = np.array(-1e4)
    tokens, positions = jnp.array(case["tokens"]), jnp.array(case["positions"])
    np.testing.assert_array_equal(
        from_gpt2(bare, 2)(tokens, positions), from_gpt2(weights, 2)(tokens, positions)
    )


def test_a_head_of_its_own_makes_the_model_untied(weights, case):
    untied = weights | {"lm_head.weight": 2 * weights["lm_head.weight"]}
    model = from_gpt2(untied, 2)
    assert not model.architecture.tied
    logits = model(jnp.array(case["tokens"]), jnp.array(case["positions"]))
    np.testing.assert_allclose(logits / 2, np.array(case["logits"]), atol=TOLERANCE)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("transformer.h.1.ln_1.bias", None, "missing"),
        ("transformer.wte.weight", None, "wte.weight"),
        ("transformer.h.0.mlp.extra", np.zeros(3), "unexpected"),
        ("transformer.h.0.mlp.c_fc.weight", np.zeros((64, 16)), "wrong shape"),
        ("transformer.wpe.weight", np.zeros(16), "wpe.weight"),
    ],
)
def test_other_weights_are_refused(weights, name, value, message):
    changed = {key: array for key, array in weights.items() if key != name}
    if value is not None:
        changed[name] = value
    with pytest.raises(BadInput, match=message):
        from_gpt2(changed, 2)


def test_no_layers_is_refused(weights):
    with pytest.raises(BadInput, match="layers"):
        from_gpt2({name: value for name, value in weights.items() if ".h." not in name}, 2)
