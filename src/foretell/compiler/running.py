"""Ask a compiled program about words, by any of the forms it was compiled to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from foretell.compiler.answers import Reading
from foretell.compiler.compiling import Compiled
from foretell.compiler.finite import FiniteTransformer
from foretell.core.alphabet import PAD, SOS
from foretell.plain.errors import BadInput

MOST_NUMBERS = 2**24  # of an activation or a table of attention weights
NARROWEST = 8
Word = Sequence[int] | np.ndarray


class Form(StrEnum):
    """What a program was compiled to."""

    STEPS = "steps"  # the intermediate form
    LIMIT = "limit"  # the Limit Transformer, exact
    EXACT = "exact"  # T_N, exact: slow, for small contexts
    FINITE = "finite"  # T_N as arrays


def answers(
    compiled: Compiled, words: Sequence[Word], form: Form = Form.FINITE, offset: int = 0
) -> list[bool] | list[frozenset[str]] | list[str]:
    """For words of letter numbers: accepted? or which symbols may follow, as the reading has it.

    With labels that are sets, the answers are names of labels.
    """
    found = last_logits(compiled, words, form, offset)
    if compiled.reading is Reading.ACCEPT:
        return [bool(accept > reject) for reject, accept in found]
    if compiled.reading is Reading.SETS:
        return [compiled.labels[int(np.argmax(row))] for row in found]
    pairs = [zip(compiled.labels, row, strict=True) for row in found]
    return [frozenset(label for label, logit in row if 2 * logit > 1) for row in pairs]


def last_logits(
    compiled: Compiled, words: Sequence[Word], form: Form = Form.FINITE, offset: int = 0
) -> np.ndarray:
    """Logits [word, label] at the last position of every word; SOS is that of the empty one."""
    if form is Form.FINITE:
        ids = np.array([*compiled.alphabet.encode(compiled.core.letters)])
        return run_tokens(compiled.transformer, [ids[list(word)] for word in words], offset)
    found = np.zeros((len(words), len(compiled.labels)), object)
    for chosen, batch in _by_length(words):
        if form is Form.STEPS:
            found[chosen] = compiled.network.answer(batch)[:, -1] // (batch.shape[1] + 1)
        else:
            source = compiled.limit if form is Form.LIMIT else compiled.exact
            if source is None:
                raise BadInput("no finite transformer was compiled", hint="give a context")
            found[chosen] = source.logits(batch, offset if form is Form.EXACT else 0)[:, -1]
    return found


def run_tokens(model: FiniteTransformer, words: Sequence[Word], offset: int = 0) -> np.ndarray:
    """Logits of T_N at the last token of words of token ids (without SOS), at an offset.

    Words are padded to a power of two and run in batches of a power of two, so that few shapes are
    compiled.
    """
    refuse_too_long(model, max(map(len, words), default=0) + 1, offset)
    found = np.zeros((len(words), model.unembedding.shape[0]), model.embedding.dtype)
    for chosen, width in _batches(words, model.architecture.width):
        tokens = np.full((power_of_two(len(chosen)), width), PAD, np.int32)
        ends = np.zeros((len(tokens), 1), np.int32)
        tokens[:, 0] = SOS
        for row, index in enumerate(chosen):
            tokens[row, 1 : len(words[index]) + 1] = words[index]
            ends[row] = len(words[index])
        positions = np.arange(width, dtype=np.int32)[None] + offset
        logits = _forward(model, jnp.asarray(tokens), jnp.asarray(positions), jnp.asarray(ends))
        found[chosen] = np.asarray(logits)[: len(chosen), 0]
    return found


@eqx.filter_jit
def _forward(
    model: FiniteTransformer,
    tokens: Int[Array, "batch length"],
    positions: Int[Array, "#batch length"],
    queries: Int[Array, "batch query"],
) -> Float[Array, "batch query label"]:
    return model(tokens, positions, queries)


def refuse_too_long(model: FiniteTransformer, tokens: int, offset: int) -> None:
    """A word has to fit, wherever it begins."""
    context = model.architecture.context
    if offset < 0 or offset + tokens > context:
        raise BadInput(
            "the word does not fit into the context",
            seen=f"{tokens} tokens at offset {offset}",
            why=f"the context has {context} positions, SOS included",
            hint="a shorter word, or a larger context",
        )


def power_of_two(least: int) -> int:
    """The smallest one that is not less."""
    return 1 << (least - 1).bit_length()


def _batches(words: Sequence[Word], model_width: int) -> Iterator[tuple[list[int], int]]:
    """Places of words of similar length, few enough for memory, and the width they share."""
    widths: dict[int, list[int]] = {}
    for index, word in enumerate(words):
        widths.setdefault(max(NARROWEST, power_of_two(len(word) + 1)), []).append(index)
    for width, chosen in sorted(widths.items()):
        each = max(1, MOST_NUMBERS // (width * max(width, model_width)))
        each = 1 << (each.bit_length() - 1)
        for start in range(0, len(chosen), each):
            yield chosen[start : start + each], width


def _by_length(words: Sequence[Word]) -> Iterator[tuple[list[int], np.ndarray]]:
    lengths: dict[int, list[int]] = {}
    for index, word in enumerate(words):
        lengths.setdefault(len(word), []).append(index)
    for length, chosen in sorted(lengths.items()):
        rows = [list(words[index]) for index in chosen]
        yield chosen, np.array(rows, int).reshape(len(chosen), length)
