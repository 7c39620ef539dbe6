"""A HuggingFace GPT-2 with two numbers a head: the plain one at 0, the formula elsewhere."""

from __future__ import annotations

import copy
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from foretell.models.gpt2_identities import (
    INSTALLED,
    add_identities,
    identity_parameters,
    load_identities,
    remove_identities,
)
from foretell.plain.errors import BadInput

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "examples" / "gpt2_identities.py"
LAYERS, HEADS, WIDTH, TOKENS, CONTEXT = 2, 4, 16, 11, 32
needs_torch = pytest.mark.skipif(not INSTALLED, reason="needs foretell[torch]")
TOLERANCE = 1e-5

if INSTALLED:
    import torch
    import transformers

    torch.set_num_threads(1)  # waking a second one takes longer than models this small


def plain_model(implementation="eager", **options):
    """Weights are drawn wide, so that every term shows in the logits."""
    torch.manual_seed(0)
    shape = {"n_layer": LAYERS, "n_head": HEADS, "n_embd": WIDTH, "vocab_size": TOKENS}
    config = transformers.GPT2Config(
        **shape, n_positions=CONTEXT, bos_token_id=0, eos_token_id=0, **options
    )
    config._attn_implementation = implementation
    model = transformers.GPT2LMHeadModel(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model


def moved(model):
    """The same model with all its numbers away from 0."""
    torch.manual_seed(1)
    with torch.no_grad():
        for name, parameter in identity_parameters(model).items():
            parameter.copy_((0.1 if "key_query" in name else 0.5) * torch.randn_like(parameter))
    return model


def some_tokens(length=12):
    return torch.tensor(np.random.default_rng(2).integers(1, TOKENS, (3, length)))


def padding(side):
    mask = torch.ones(3, 12, dtype=torch.long)
    mask[0, slice(0, 5) if side == "left" else slice(7, 12)] = 0
    return mask


# Without torch


BLOCKED = """
import sys
sys.modules["torch"] = None
import foretell.models
from foretell.models.gpt2_identities import add_identities
from foretell.plain.errors import BadInput
try:
    add_identities(object())
except BadInput as problem:
    print(problem)
"""


def test_without_torch_the_message_says_what_to_install():
    run = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "install foretell[torch]" in run.stdout


def test_the_script_without_torch_ends_with_2_and_one_message(tmp_path):
    code = f"import sys, runpy; sys.modules['torch'] = None; sys.argv = ['x', {str(tmp_path)!r}]; "
    code += f"runpy.run_path({str(SCRIPT)!r}, run_name='__main__')"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 2
    assert "install foretell[torch]" in run.stderr and "Traceback" not in run.stderr


def test_the_other_models_do_not_load_torch():
    code = "import sys, foretell.models, foretell.models.gpt2; print('torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


# The model


@needs_torch
@pytest.mark.parametrize("implementation", ["eager", "sdpa"])
@pytest.mark.parametrize("side", [None, "left", "right"])
def test_at_zero_it_is_the_plain_model(implementation, side):
    plain = plain_model(implementation)
    model = add_identities(copy.deepcopy(plain))
    mask = None if side is None else padding(side)
    there = torch.ones(3, 12) if side is None else mask
    with torch.no_grad():
        expected = plain(some_tokens(), attention_mask=mask).logits
        found = model(some_tokens(), attention_mask=mask).logits
        changed = moved(model)(some_tokens(), attention_mask=mask).logits
    assert expected.std() > 0.5, "the case would not notice much"
    assert ((found - expected).abs() * there[..., None]).max() < TOLERANCE
    assert ((changed - expected).abs() * there[..., None]).max() > 0.1


@needs_torch
@pytest.mark.parametrize(
    "options",
    [
        {"scale_attn_by_inverse_layer_idx": True},
        {"scale_attn_weights": False},
        {"reorder_and_upcast_attn": True},
    ],
    ids=str,
)
def test_scales_of_the_plain_model_are_kept(options):
    plain = plain_model(**options)
    model = add_identities(copy.deepcopy(plain))
    with torch.no_grad():
        gap = model(some_tokens()).logits - plain(some_tokens()).logits
    assert gap.abs().max() < TOLERANCE


@needs_torch
def test_dropout_is_that_of_the_plain_model():
    plain = plain_model().train()
    model = add_identities(copy.deepcopy(plain))
    found = []
    for each in (plain, model):
        torch.manual_seed(3)
        found.append(each(some_tokens()).logits.detach())
    assert (found[0] - found[1]).abs().max() < TOLERANCE
    assert (found[0] - plain.eval()(some_tokens()).logits).abs().max() > 0.1


def attended(stream, weights, a, b, mask, diagonal=True):
    """What one layer adds to the stream, place by place and head by head, in plain NumPy."""
    width = WIDTH // HEADS
    joined = stream @ weights["c_attn.weight"] + weights["c_attn.bias"]
    queries, keys, values = np.split(joined, 3, axis=-1)
    found = np.tile(weights["c_proj.bias"], (len(stream), 1))
    for head in range(HEADS):
        part = slice(head * width, (head + 1) * width)
        out = weights["c_proj.weight"][part]
        for place in range(len(stream)):
            seen = [key for key in range(place + 1) if mask[key]]
            logits = [
                queries[place, part] @ keys[key, part] / np.sqrt(width)
                + a[head] * stream[place] @ stream[key] * (diagonal or key != place)
                for key in seen
            ]
            shares = np.exp(np.array(logits) - max(logits))
            shares /= shares.sum()
            for share, key in zip(shares, seen, strict=True):
                found[place] += share * (values[key, part] @ out + b[head] * stream[key])
    return found


@needs_torch
@pytest.mark.parametrize("implementation", ["eager", "sdpa"])
@pytest.mark.parametrize("diagonal", [True, False])
def test_the_formula(implementation, diagonal):
    model = moved(add_identities(plain_model(implementation), diagonal=diagonal))
    mask = padding("right")
    seen = []
    for block in model.transformer.h:
        block.attn.register_forward_hook(
            lambda module, given, out: seen.append((module, given[0], out[0]))
        )
    with torch.no_grad():
        model(some_tokens(), attention_mask=mask)
    assert len(seen) == LAYERS
    for module, streams, outputs in seen:
        weights = {name: value.numpy().astype(float) for name, value in module.state_dict().items()}
        a, b = weights["key_query_identity"], weights["value_output_identity"]
        for stream, output, row in zip(streams.numpy(), outputs.numpy(), mask, strict=True):
            expected = attended(stream.astype(float), weights, a, b, row.numpy(), diagonal)
            np.testing.assert_allclose(output, expected, atol=1e-4)
            other = attended(stream.astype(float), weights, a, b, row.numpy(), not diagonal)
            assert np.abs(other - expected).max() > 1e-2


@needs_torch
def test_the_future_is_not_seen():
    model = moved(add_identities(plain_model("sdpa")))
    tokens = some_tokens()
    changed = tokens.clone()
    changed[:, 8:] = (changed[:, 8:] + 1) % TOKENS
    with torch.no_grad():
        gap = (model(tokens).logits - model(changed).logits).abs().amax(dim=(0, 2))
    assert gap[:8].max() < TOLERANCE and gap[8:].min() > 1e-2


@needs_torch
def test_gradients_reach_every_number_also_at_zero():
    model = add_identities(plain_model())
    model(some_tokens(), labels=some_tokens()).loss.backward()
    found = identity_parameters(model)
    assert len(found) == 2 * LAYERS
    for name, parameter in found.items():
        assert parameter.shape == (HEADS,), name
        assert (parameter.grad.abs() > 0).all(), name


@needs_torch
@pytest.mark.parametrize("implementation", ["eager", "sdpa"])
@pytest.mark.parametrize("diagonal", [True, False])
def test_a_cache_changes_nothing(implementation, diagonal):
    model = moved(add_identities(plain_model(implementation), diagonal=diagonal))
    tokens, mask = some_tokens(), padding("left")
    with torch.no_grad():
        whole = model(tokens, attention_mask=mask, use_cache=False).logits
        begun = model(tokens[:, :6], attention_mask=mask[:, :6], use_cache=True)
        rest = model(tokens[:, 6:], attention_mask=mask, past_key_values=begun.past_key_values)
        assert (rest.logits - whole[:, 6:]).abs().max() < TOLERANCE
        one = model(tokens[:, :11], attention_mask=mask[:, :11], use_cache=True)
        last = model(tokens[:, 11:], attention_mask=mask, past_key_values=one.past_key_values)
    assert (last.logits - whole[:, 11:]).abs().max() < TOLERANCE


@needs_torch
@pytest.mark.parametrize("way", [{}, {"num_beams": 2}, {"cache_implementation": "static"}], ids=str)
def test_generation_with_a_cache_is_generation_without(way):
    model = moved(add_identities(plain_model("sdpa")))
    options = {"max_new_tokens": 8, "do_sample": False, "pad_token_id": 0, "eos_token_id": None}
    options |= {"attention_mask": torch.ones_like(some_tokens())}
    beams = {name: value for name, value in way.items() if name == "num_beams"}
    without = model.generate(some_tokens(), use_cache=False, **options, **beams)
    if "cache_implementation" in way:
        options["disable_compile"] = True
    np.testing.assert_array_equal(model.generate(some_tokens(), **options, **way), without)
    plain = remove_identities(model).generate(some_tokens(), **options)
    assert not np.array_equal(plain, without), "the numbers would not matter"


@needs_torch
def test_a_cache_of_the_plain_model_is_refused():
    plain = plain_model()
    begun = plain(some_tokens(), use_cache=True)
    with pytest.raises(BadInput, match="without identities"):
        add_identities(plain)(some_tokens(), past_key_values=begun.past_key_values)


@needs_torch
@pytest.mark.parametrize(("kind", "near"), [("bfloat16", 0.02), ("float16", 3e-3)])
def test_half_precision_stays_near(kind, near):
    plain = plain_model().to(getattr(torch, kind))
    model = add_identities(copy.deepcopy(plain))
    with torch.no_grad():
        found = model(some_tokens(), attention_mask=padding("left")).logits
        expected = plain(some_tokens(), attention_mask=padding("left")).logits
    assert found.dtype == plain.dtype and bool(found.isfinite().all())
    gap = (found - expected).float().abs() * padding("left")[..., None]
    assert gap.mean() < near * expected.float().std()


@needs_torch
def test_double_precision_is_kept():
    plain = plain_model().to(torch.float64)
    model = add_identities(copy.deepcopy(plain))
    with torch.no_grad():
        assert (model(some_tokens()).logits - plain(some_tokens()).logits).abs().max() < 1e-12


# Keeping and removing


@needs_torch
def test_names_of_weights_are_stable_and_removal_is_complete():
    plain = plain_model()
    before = {name: value.clone() for name, value in plain.state_dict().items()}
    model = moved(add_identities(plain))
    extra = set(model.state_dict()) - set(before)
    names = ("key_query_identity", "value_output_identity")
    assert extra == {f"transformer.h.{i}.attn.{name}" for i in range(LAYERS) for name in names}
    remove_identities(model)
    assert list(model.state_dict()) == list(before) and not identity_parameters(model)
    with torch.no_grad():
        gap = model(some_tokens()).logits - plain_model()(some_tokens()).logits
    assert gap.abs().max() == 0


@needs_torch
def test_a_state_dict_makes_the_round_trip():
    model = moved(add_identities(plain_model()))
    other = add_identities(transformers.GPT2LMHeadModel(plain_model().config).eval())
    other.load_state_dict(model.state_dict())
    with torch.no_grad():
        assert (model(some_tokens()).logits == other(some_tokens()).logits).all()


@needs_torch
@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize("kind", ["GPT2LMHeadModel", "GPT2Model"])
def test_a_saved_folder_makes_the_round_trip(tmp_path, diagonal, kind):
    model = moved(add_identities(plain_model(), diagonal=diagonal))
    model.save_pretrained(tmp_path)
    loaded = getattr(transformers, kind).from_pretrained(tmp_path).eval()
    again = load_identities(loaded, tmp_path)
    with torch.no_grad():
        expected = model.transformer(some_tokens()).last_hidden_state
        gap = again.base_model(some_tokens()).last_hidden_state - expected
    assert gap.abs().max() < TOLERANCE


@needs_torch
def test_a_plain_folder_has_nothing_to_load(tmp_path):
    plain = plain_model()
    plain.save_pretrained(tmp_path)
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(BadInput, match="no identities"):
            load_identities(plain, folder)
    (tmp_path / "model.safetensors").write_text("damaged", encoding="utf-8")
    with pytest.raises(BadInput, match="damaged"):
        load_identities(plain, tmp_path)
    assert not identity_parameters(plain), "a refused model stays as it was"


@needs_torch
def test_what_cannot_have_identities_is_refused():
    with pytest.raises(BadInput, match="Linear"):
        add_identities(torch.nn.Linear(2, 2))
    with pytest.raises(BadInput, match="already"):
        add_identities(add_identities(plain_model()))
    with pytest.raises(BadInput, match="cross"):
        add_identities(plain_model(add_cross_attention=True))
    fused = plain_model()
    fused.config._attn_implementation = "flash_attention_2"
    with pytest.raises(BadInput, match="flash_attention_2"):
        add_identities(fused)
    later = add_identities(plain_model())
    later.config._attn_implementation = "flex_attention"
    with pytest.raises(BadInput, match="flex_attention"):
        later.transformer.h[0].attn(torch.zeros(1, 3, WIDTH))


# Training


@needs_torch
def test_training_lowers_the_loss_and_moves_the_numbers():
    model = add_identities(plain_model()).train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=5e-3)
    losses = []
    for _ in range(25):
        loss = model(some_tokens(), labels=some_tokens()).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.7 * losses[0]
    assert all((each.abs() > 1e-3).any() for each in identity_parameters(model).values())


@pytest.fixture
def script():
    return runpy.run_path(str(SCRIPT))["main"]


SMALL = ["--layers", "1", "--heads", "2", "--width", "8", "--context", "8", "--batch", "4"]


@needs_torch
def test_the_script_trains_both_side_by_side_and_goes_on_from_a_folder(tmp_path, script, capsys):
    text = tmp_path / "text.txt"
    text.write_text("abcab " * 100, encoding="utf-8")
    saved = tmp_path / "saved"
    more = ["--steps", "60", "--every", "1", "--rate", "0.02", "--save", str(saved)]
    assert script([str(text), *SMALL, *more]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[2:62]]
    losses = np.array([[float(cell) for cell in row[1:]] for row in rows])
    assert losses[0, 0] == losses[0, 2], "both begin with the same weights"
    assert np.abs(losses[-1, :2] - losses[-1, 2:]).max() > 0, "and become different"
    assert (losses[-1] < 0.5 * losses[0]).all()
    go_on = ["--weights", str(saved / "identities"), "--tokenizer", "characters", "--identities"]
    assert script([str(text), *go_on, "--steps", "1", "--context", "8"]) == 0
    (row,) = [line.split() for line in capsys.readouterr().out.splitlines()[2:3]]
    assert float(row[2]) < 0.6 * losses[0, 3], "what was learned is still there"
    for wrong, message in (
        (["--weights", str(saved / "plain")], "it knows no tokens"),
        (["--weights", str(saved / "plain"), "--tokenizer", "bytes"], "for other text"),
        (go_on[:-1], "come with identities"),
    ):
        assert script([str(text), *wrong, "--context", "8"]) == 2
        assert message in capsys.readouterr().err
    (saved / "plain" / "model.safetensors").write_text("damaged", encoding="utf-8")
    begin = ["--weights", str(saved / "plain"), "--tokenizer", "characters", "--context", "8"]
    assert script([str(text), *begin]) == 2
    assert "no GPT-2 can be read" in capsys.readouterr().err


@needs_torch
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--width", "9"], "multiple"),
        (["--steps", "0"], "at least 1"),
        (["--rate", "nan"], "positive"),
        (["--dropout", "1"], "below 1"),
        (["--context", "9000"], "too short"),
        (["--tokenizer", "nowhere"], "no local folder"),
        (["--weights", "nowhere", "--tokenizer", "bytes"], "no such folder"),
        (["--weights", "nowhere", "--layers", "2"], "already say the shape"),
        (["--device", "abacus"], "cannot be used"),
    ],
    ids=" ".join,
)
def test_the_script_refuses_with_one_message(tmp_path, script, capsys, arguments, message):
    text = tmp_path / "text.txt"
    text.write_text("abcab " * 200, encoding="utf-8")
    assert script([str(text), *arguments]) == 2
    assert message in capsys.readouterr().err


@needs_torch
def test_the_script_refuses_what_is_no_text(tmp_path, script, capsys):
    text = tmp_path / "text.bin"
    text.write_bytes(b"\xff\xfe\xfd" * 100)
    for path in (text, tmp_path / "nowhere.txt", tmp_path):
        assert script([str(path)]) == 2
        assert "cannot be read" in capsys.readouterr().err


@needs_torch
def test_bytes_and_characters(script):
    encode = runpy.run_path(str(SCRIPT))["encode"]
    numbers, size = encode("ä€ä", "characters")
    assert (numbers.tolist(), size) == ([0, 1, 0], 2)
    numbers, size = encode("ä", "bytes")
    assert (numbers.tolist(), size) == ([0xC3, 0xA4], 256)
