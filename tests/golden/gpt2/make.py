"""Makes the golden case: a tiny random HuggingFace GPT-2, one batch, and its logits.

Run by hand where torch and transformers are installed; the two files it writes are committed:

    python tests/golden/gpt2/make.py
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file

HERE = Path(__file__).parent
SHAPE = {"n_layer": 2, "n_head": 2, "n_embd": 16, "vocab_size": 11, "n_positions": 24}


def tiny_model() -> transformers.GPT2LMHeadModel:
    """Weights are drawn wide, biases and norms too, so that every term shows in the logits."""
    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(
        transformers.GPT2Config(**SHAPE, bos_token_id=0, eos_token_id=0)
    ).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model


def main() -> None:
    model = tiny_model()
    tokens = torch.randint(0, SHAPE["vocab_size"], (3, 10))
    positions = torch.arange(10) + torch.tensor([[0], [5], [14]])
    with torch.no_grad():
        logits = model(input_ids=tokens, position_ids=positions).logits
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    save_file(weights, HERE / "weights.safetensors")
    case = {
        "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
        "heads": SHAPE["n_head"],
        "tokens": tokens.tolist(),
        "positions": positions.tolist(),
        "logits": [[[round(x, 6) for x in row] for row in rows] for rows in logits.tolist()],
    }
    (HERE / "case.json").write_text(json.dumps(case) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
