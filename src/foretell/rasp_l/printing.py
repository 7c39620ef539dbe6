"""A program on paper: a line for every attention head, and one for the output."""

from __future__ import annotations

from foretell.rasp_l.steps import ARITHMETIC, COMPARISONS, HEADS, Step

_LOOSE = (*ARITHMETIC, *COMPARISONS, "and", "or")


def listing(steps: tuple[Step, ...]) -> tuple[str, ...]:
    """The lines: heads get names, everything else is written out.

    >>> from foretell.rasp_l.steps import flatten
    >>> from foretell.rasp_l.values import full, aggregate, tokens
    >>> print(*listing(flatten(aggregate(full, tokens, "max") + 1)), sep="\\n")
    h1 = max of tokens over all, else 0
    output = h1 + 1
    """
    texts, lines = _texts(steps)
    return (*lines, f"output = {texts[-1]}")


def find(steps: tuple[Step, ...], place: int) -> tuple[int, int, str]:
    """The line, counted from 1, and the column, from 0, in which a step is written, and its text.

    A head has a line of its own; the text there is what stands behind its name.
    """
    lines, piece = listing(steps), _texts(steps)[0][place]
    if steps[place].word in HEADS:
        piece = next(line for line in lines if line.startswith(f"{piece} = ")).split(" = ", 1)[1]
    for number, line in enumerate(lines, 1):
        if piece in line:
            return number, line.index(piece), piece
    return len(lines), 0, piece


def _texts(steps: tuple[Step, ...]) -> tuple[list[str], list[str]]:
    """Every step as it is written inside others, and the lines of the heads."""
    texts: list[str] = []
    lines: list[str] = []
    for step in steps:
        parts = [
            f"({texts[part]})" if steps[part].word in _LOOSE else texts[part] for part in step.parts
        ]
        if step.word in HEADS:
            lines.append(f"h{len(lines) + 1} = {_head(step, texts)}")
            texts.append(f"h{len(lines)}")
        else:
            texts.append(_text(step, parts, [texts[part] for part in step.parts]))
    return texts, lines


def _head(step: Step, texts: list[str]) -> str:
    selected = texts[step.parts[0]]
    if step.word == "width":
        return f"width over {selected}"
    how, default = step.data
    return f"{how} of {texts[step.parts[1]]} over {selected}, else {default}"


def _text(step: Step, parts: list[str], bare: list[str]) -> str:
    if step.word in ("number", "truth"):
        return str(step.data[0]).lower()
    if step.word == "select":
        return "all" if bare[0] == "true" else bare[0]
    if step.word == "not":
        return f"not {parts[0]}"
    if step.word == "lookup":
        table, otherwise = step.data
        pairs = ", ".join(f"{token}: {found}" for token, found in table)
        return f"lookup({bare[0]}, {{{pairs}}}, else {otherwise})"
    if step.word in ("max", "min", "where", "key", "query"):
        return f"{step.word}({', '.join(bare)})"
    if len(parts) == 2:
        return f"{parts[0]} {step.word} {parts[1]}"
    return step.word
