"""Train a HuggingFace GPT-2 on your own text, plain and with two identity scalings a head.

    python examples/gpt2_identities.py TEXT_FILE
    python examples/gpt2_identities.py TEXT_FILE --layers 4 --width 256 --steps 2000
    python examples/gpt2_identities.py TEXT_FILE --weights FOLDER_OF_A_GPT2 --rate 3e-5

Both models begin with the same weights and see the same batches, and the same dropout; the two
numbers of each head begin at 0. The last tenth of the text is held out. Nothing is downloaded.
Needs `pip install 'foretell[torch]'`.
"""

from __future__ import annotations

import argparse
import copy
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError

from foretell.models.gpt2_identities import (
    DIAGONAL,
    INSTALLED,
    add_identities,
    identity_parameters,
    load_identities,
)
from foretell.plain.errors import BadInput

if TYPE_CHECKING or INSTALLED:
    import torch
    from transformers import AutoTokenizer, GPT2Config, GPT2LMHeadModel
    from transformers.utils import logging

PLAIN, IDENTITIES = "plain", "identities"
HELD_OUT = 0.1  # share of the text
TEST_WINDOWS = 256  # at most
SHAPE = {"layers": 2, "heads": 4, "width": 128}


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, compare, print; the exit code."""
    options = read_options(arguments)
    try:
        if not INSTALLED:
            add_identities(None)  # says what to install
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        check(options)
        tokens, size = read_tokens(options)
        models = create_models(options, size)
        train(models, tokens, options)
        for name in models if options.save else ():
            models[name].save_pretrained(options.save / name)
    except BadInput as problem:
        print(problem, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    return 0


def read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("text", metavar="TEXT_FILE", type=Path, help="what to train on, UTF-8")
    which = parser.add_mutually_exclusive_group()
    for name in (PLAIN, IDENTITIES, "both"):
        which.add_argument(f"--{name}", dest="which", action="store_const", const=name)
    for name, standard in SHAPE.items():
        parser.add_argument(f"--{name}", type=int, help=f"standard {standard}")
    parser.add_argument("--context", type=int, default=64, help="tokens in a window")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=16, help="windows in a step")
    parser.add_argument("--rate", type=float, default=1e-3, help="AdamW's, constant")
    parser.add_argument("--times", type=float, default=1.0, help="of the rate, for the two numbers")
    parser.add_argument("--dropout", type=float, help="standard 0.1, or what the weights come with")
    parser.add_argument("--no-diagonal", action="store_true", help="compare no place with itself")
    parser.add_argument("--tokenizer", help="characters (standard), bytes, or a local folder")
    parser.add_argument("--weights", type=Path, help="a local folder of a GPT-2 to begin with")
    parser.add_argument("--save", type=Path, help="a folder for the trained models")
    parser.add_argument("--every", type=int, help="steps between lines; standard a tenth of all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", help="cpu, cuda, …; standard cuda where there is one")
    parser.set_defaults(which="both")
    return parser.parse_args(arguments)


def check(options: argparse.Namespace) -> None:
    """Refuse numbers that make no model, and options that would have no effect."""
    for name in (*SHAPE, "context", "steps", "batch", "every"):
        value = getattr(options, name)
        least = 2 if name == "context" else 1
        if value is not None and value < least:
            raise BadInput(f"--{name} must be at least {least}", seen=value)
    for name in ("rate", "times"):
        value = getattr(options, name)
        if not (math.isfinite(value) and value > 0):
            raise BadInput(f"--{name} must be a positive number", seen=value)
    if options.dropout is not None and not 0 <= options.dropout < 1:
        raise BadInput("--dropout must be at least 0 and below 1", seen=options.dropout)
    if not 0 <= options.seed < 2**32:
        raise BadInput("--seed must be from 0 to 4294967295", seen=options.seed)
    given = [f"--{name}" for name in SHAPE if getattr(options, name) is not None]
    if options.weights and given:
        raise BadInput(
            "the weights already say the shape", seen=" ".join(given), hint="leave one of them out"
        )
    for name, standard in SHAPE.items():
        setattr(options, name, getattr(options, name) or standard)
    if options.width % options.heads:
        raise BadInput(
            "--width must be a multiple of --heads", seen=f"{options.width}, {options.heads}"
        )
    options.device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.zeros(1, device=options.device)
    except (RuntimeError, AssertionError) as problem:
        raise refused("this device cannot be used", options.device, problem) from problem
    try:
        if options.save:  # now, not after hours of training
            options.save.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise refused("nothing can be saved there", options.save, problem) from problem


def refused(what: str, seen: object, problem: Exception, hint: str | None = None) -> BadInput:
    """What other libraries say in many lines, in one."""
    return BadInput(what, seen=seen, why=str(problem).strip().split("\n", 1)[0], hint=hint)


def read_tokens(options: argparse.Namespace) -> tuple[torch.Tensor, int]:
    """The text as token numbers, and how many tokens there are."""
    try:
        text = options.text.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        what, hint = "the text cannot be read", "a UTF-8 text file"
        raise refused(what, options.text, problem, hint) from problem
    standard = str(options.weights) if options.weights else "characters"
    numbers, size = encode(text, options.tokenizer or standard)
    least = math.ceil(options.context / HELD_OUT)  # the smaller part must hold a window
    if len(numbers) < least:
        raise BadInput(
            "the text is too short",
            seen=f"{len(numbers)} tokens",
            why=f"with windows of {options.context} it needs {least}, a tenth of it held out",
            hint="a longer text, or a smaller --context",
        )
    return torch.from_numpy(numbers.astype(np.int64)), size


def encode(text: str, tokenizer: str) -> tuple[np.ndarray, int]:
    """Token numbers of a text, and how many tokens there are."""
    if tokenizer == "characters":
        letters, numbers = np.unique(
            np.frombuffer(text.encode("utf-32-le"), np.uint32), return_inverse=True
        )
        return numbers, len(letters)
    if tokenizer == "bytes":
        return np.frombuffer(text.encode("utf-8"), np.uint8), 256
    if not Path(tokenizer).is_dir():
        raise BadInput(
            "there is no such tokenizer",
            seen=tokenizer,
            why="it is no local folder, and nothing is downloaded",
            hint="characters, bytes, or a folder written by save_pretrained of a tokenizer",
        )
    what, hint = "no tokenizer can be read from this folder", "--tokenizer FOLDER or bytes"
    try:
        made = AutoTokenizer.from_pretrained(tokenizer, local_files_only=True)
    except (OSError, ValueError, KeyError) as problem:
        raise refused(what, tokenizer, problem, hint) from problem
    numbers = np.array(made(text)["input_ids"], np.int64)
    if text and not len(numbers):  # what transformers makes of a folder without a tokenizer
        raise BadInput(what, seen=tokenizer, why="it knows no tokens", hint=hint)
    return numbers, len(made)


def create_models(options: argparse.Namespace, size: int) -> dict[str, Any]:
    """The models by name, all with the same weights."""
    torch.manual_seed(options.seed)
    plain = load(options) if options.weights else GPT2LMHeadModel(configuration(options, size))
    saved = hasattr(plain.config, DIAGONAL)
    if saved and (options.which != IDENTITIES or options.no_diagonal):
        raise BadInput(
            "these weights come with identities",
            seen=options.weights,
            why="without them, or changed, they are weights of nothing",
            hint="--identities, without --no-diagonal",
        )
    if options.context > plain.config.n_positions or size > plain.config.vocab_size:
        raise BadInput(
            "the weights are for other text",
            seen=f"windows of {options.context}, {size} tokens",
            why=f"they know {plain.config.n_positions} places, {plain.config.vocab_size} tokens",
            hint="a smaller --context, or the --tokenizer of the weights",
        )
    models: dict[str, Any] = {}
    if options.which != IDENTITIES:
        models[PLAIN] = copy.deepcopy(plain)
    if options.which != PLAIN and saved:
        models[IDENTITIES] = load_identities(plain, options.weights)
    elif options.which != PLAIN:
        models[IDENTITIES] = add_identities(plain, diagonal=not options.no_diagonal)
    return {name: model.to(options.device) for name, model in models.items()}


def configuration(options: argparse.Namespace, size: int) -> GPT2Config:
    """Of a small GPT-2; attention is `eager`, so that both models draw the same dropout."""
    dropout = 0.1 if options.dropout is None else options.dropout
    found = GPT2Config(
        vocab_size=size,
        n_positions=options.context,
        n_embd=options.width,
        n_layer=options.layers,
        n_head=options.heads,
        resid_pdrop=dropout,
        embd_pdrop=dropout,
        attn_pdrop=dropout,
        bos_token_id=0,
        eos_token_id=0,
    )
    found._attn_implementation = "eager"
    return found


def load(options: argparse.Namespace) -> Any:
    """A GPT-2 out of a local folder."""
    names = ("resid_pdrop", "embd_pdrop", "attn_pdrop")
    dropout: Any = {} if options.dropout is None else dict.fromkeys(names, options.dropout)
    try:
        if not options.weights.is_dir():
            raise OSError("there is no such folder")
        found: Any = GPT2LMHeadModel.from_pretrained(
            options.weights,
            local_files_only=True,
            output_loading_info=True,
            attn_implementation="eager",
            **dropout,
        )
        if missing := found[1]["missing_keys"]:  # they would be drawn at random
            raise OSError(f"{len(missing)} weights are missing")
        return found[0]
    except (OSError, ValueError, RuntimeError, SafetensorError) as problem:
        hint = "a folder written by save_pretrained of a GPT2LMHeadModel"
        what = "no GPT-2 can be read from this folder"
        raise refused(what, options.weights, problem, hint) from problem


def optimiser(model: Any, options: argparse.Namespace) -> torch.optim.Optimizer:
    """AdamW; the two numbers with a rate of their own, and without decay."""
    numbers = list(identity_parameters(model).values())
    known = {id(each) for each in numbers}
    groups: list[dict[str, Any]] = [
        {"params": [each for each in model.parameters() if id(each) not in known]}
    ]
    if numbers:
        rate = options.times * options.rate
        groups.append({"params": numbers, "lr": rate, "weight_decay": 0.0})
    return torch.optim.AdamW(groups, lr=options.rate)


def train(models: dict[str, Any], tokens: torch.Tensor, options: argparse.Namespace) -> None:
    """All models, step by step on the same batches, with a line now and then."""
    end = len(tokens) - math.ceil(HELD_OUT * len(tokens))
    seen, held_out = tokens[:end].unfold(0, options.context, 1), tokens[end:]
    draws = torch.Generator().manual_seed(options.seed)
    optimisers = {name: optimiser(model, options) for name, model in models.items()}
    every = options.every or max(1, options.steps // 10)
    print(f"{len(tokens):,} tokens, the last {len(held_out):,} held out, on {options.device}")
    print("  step" + "".join(f" {name + ' train':>17} {'held out':>9}" for name in models))
    for step in range(1, options.steps + 1):
        rows = torch.randint(len(seen), (options.batch,), generator=draws)
        batch = seen[rows].to(options.device)
        losses = {}
        for name, model in models.items():
            torch.manual_seed(options.seed + step)  # dropout knows no other generator
            losses[name] = learn(model.train(), optimisers[name], batch)
        if step % every == 0 or step == options.steps:
            tested = {name: test(model.eval(), held_out, options) for name, model in models.items()}
            parts = [f" {losses[name]:>17.4f} {tested[name]:>9.4f}" for name in models]
            print(f"{step:>6}" + "".join(parts), flush=True)
    report(models, tested)


def learn(model: Any, optimiser: torch.optim.Optimizer, batch: torch.Tensor) -> float:
    """One step; the loss before it."""
    loss = model(input_ids=batch, labels=batch, use_cache=False).loss
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()
    return loss.item()


def test(model: Any, tokens: torch.Tensor, options: argparse.Namespace) -> float:
    """Mean loss on windows of text that was held out, evenly spread over it."""
    windows = tokens.unfold(0, options.context, options.context)
    windows = windows[:: math.ceil(len(windows) / TEST_WINDOWS)]
    total = 0.0
    with torch.no_grad():
        for part in windows.to(options.device).split(options.batch):
            total += len(part) * model(input_ids=part, labels=part, use_cache=False).loss.item()
    return total / len(windows)


def report(models: dict[str, Any], tested: dict[str, float]) -> None:
    """The end: perplexities, what the numbers became, and what one run is worth."""
    for name, loss in tested.items():
        print(f"{name}: held-out perplexity {torch.tensor(loss).exp():.3f}")
    if IDENTITIES in models:
        for name, parameter in identity_parameters(models[IDENTITIES]).items():
            print(f"  {name}: " + " ".join(f"{each:+.4f}" for each in parameter.tolist()))
    if len(models) > 1:
        print(f"identities - plain: {tested[IDENTITIES] - tested[PLAIN]:+.4f} (one seed: --seed N)")


if __name__ == "__main__":
    sys.exit(main())
