"""Does a program give a task's answers? Compared on examples the task itself draws."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from foretell.core.alphabet import PAD, SOS
from foretell.core.task import Example, Task
from foretell.crasp.interpreter import OnWords, evaluate
from foretell.crasp.program import Program
from foretell.crasp.words import Words
from foretell.numerics.keys import key_for, root_key
from foretell.tasks.attached import ACCEPT_LABELS, answer_sets

SHORT = 12  # every legal size up to here is tried, larger ones ever more rarely


@dataclass(frozen=True)
class Tested:
    """How far a comparison went, and the first input that went wrong."""

    examples: int
    positions: int
    sizes: tuple[int, ...]
    wrong: tuple[str, ...] | None = None
    expected: str = ""
    found: str = ""


def draw_examples(
    task: Task, largest: int, each: int = 20, seed: int = 0
) -> tuple[tuple[int, ...], Example]:
    """Examples of every probe at all small sizes and at some larger ones; one compilation."""
    legal = task.sizes(0, largest)
    longer = [size for size in legal if size > SHORT]
    some = longer[:: max(1, len(longer) // 8)] + longer[-1:]
    sizes = tuple(sorted({*(size for size in legal if size <= SHORT), *some}))
    width = task.width(largest)
    repeated = jnp.repeat(jnp.asarray(sizes), each)
    parts = [
        jax.device_get(
            jax.jit(lambda key, chosen, probe=probe: task.sample(key, chosen, width, probe))(
                key_for(root_key(seed), "agreement", probe), repeated
            )
        )
        for probe in task.probes
        if task.sizes(0, largest, probe) == legal or probe == task.probes[0]
    ]
    return sizes, jax.tree.map(lambda *arrays: np.concatenate(arrays), *parts)


def compare_program(
    program: Program, task: Task, sizes: tuple[int, ...], example: Example
) -> Tested:
    """Compare at every scored position of every example."""
    tokens, mask = np.asarray(example.tokens), np.asarray(example.mask)
    said = program_labels(program, task, tokens)
    wrong = ((said != np.asarray(example.targets)) & mask).any(axis=1)
    tested = Tested(len(tokens), int(mask.sum()), sizes)
    if not wrong.any():
        return tested
    row = int(np.argmax(wrong))
    return report_wrong(task, example, row, said[row], tested)


def report_wrong(
    task: Task, example: Example, row: int, said: np.ndarray, tested: Tested
) -> Tested:
    """The first wrong position of an example, as people read it."""
    tokens, targets = np.asarray(example.tokens)[row], np.asarray(example.targets)[row]
    place = int(np.argmax((said != targets) & np.asarray(example.mask)[row]))
    word = task.alphabet.decode([t for t in tokens[1 : place + 1].tolist() if t != PAD])
    names = (*task.labels, "none of the labels")
    expected, found = task.labels[int(targets[place])], names[int(said[place])]
    return Tested(tested.examples, tested.positions, tested.sizes, word, expected, found)


def program_labels(program: Program, task: Task, tokens: np.ndarray) -> np.ndarray:
    """[example, position]: the label the program gives after each prefix; -1 for none of them."""
    number = {symbol: place for place, symbol in enumerate(program.letters)}
    table = np.array([number.get(token, -1) for token in task.alphabet.tokens])
    lengths = (tokens != PAD).sum(axis=1) - 1
    inside = (np.arange(tokens.shape[1]) > 0) & (np.arange(tokens.shape[1]) <= lengths[:, None])
    letters = table[tokens]
    readable = inside & (letters >= 0)  # EOS ends an answer; no program reads it
    ends = np.cumsum(readable.sum(axis=1))
    full = readable.any(axis=1)
    words = Words(letters[readable].astype(np.int32), ends[full])
    said = np.full(tokens.shape, -1)
    said[readable] = _labels(program, task, words)
    assert (tokens[:, 0] == SOS).all()
    said[:, 0] = _empty_label(program, task)
    return said


def _labels(program: Program, task: Task, words: Words) -> np.ndarray:
    core, meanings = program.core, answer_sets(task)
    values = evaluate(core, OnWords.create(core, words))
    if meanings == ACCEPT_LABELS:
        assert core.accept is not None
        return values[core.accept].astype(int)
    symbols = program.symbols
    allowed = np.stack([values[place] for _, place in core.next], axis=1)
    return _match(allowed, symbols, meanings)


def _empty_label(program: Program, task: Task) -> int:
    core, meanings = program.core, answer_sets(task)
    if meanings == ACCEPT_LABELS:
        return int(core.accepts_empty)
    allowed = np.array([[symbol in core.next_of_empty for symbol in program.symbols]])
    return int(_match(allowed, program.symbols, meanings)[0])


def _match(
    allowed: np.ndarray, symbols: tuple[str, ...], meanings: tuple[frozenset[str] | str, ...]
) -> np.ndarray:
    """The number of the label that means exactly the allowed symbols, -1 if none does."""
    wanted = {}
    for label, meaning in enumerate(meanings):
        chosen = frozenset({meaning}) if isinstance(meaning, str) else meaning
        wanted[bytes(np.packbits([symbol in chosen for symbol in symbols]))] = label
    packed = np.packbits(allowed, axis=1)
    unique, inverse = np.unique(packed, axis=0, return_inverse=True)
    labels = np.array([wanted.get(bytes(row), -1) for row in unique])
    return labels[inverse.reshape(-1)]
