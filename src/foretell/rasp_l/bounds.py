"""How large the numbers of a program can become: a network and a compiled run hold only so much."""

from __future__ import annotations

from foretell.rasp_l.steps import Step


def bounds(steps: tuple[Step, ...], length: int, token: int) -> tuple[int, ...]:
    """No step, on any word of that length with tokens up to `token`, is larger in magnitude.

    A mean counts with the sum it comes from, since that is computed on the way.

    >>> from foretell.rasp_l.steps import flatten
    >>> from foretell.rasp_l.values import tokens
    >>> bounds(flatten(tokens * tokens + 1), 10, 9)
    (9, 81, 1, 82)
    """
    found: list[int] = []
    for step in steps:
        found.append(_bound(step, [found[part] for part in step.parts], length, token))
    return tuple(found)


def _bound(step: Step, parts: list[int], length: int, token: int) -> int:
    match step.word:
        case "tokens":
            return token
        case "indices" | "width":
            return length
        case "number":
            return abs(int(step.data[0]))
        case "key" | "query":
            return parts[0]
        case "aggregate":
            how, default = step.data
            return max(parts[1] * (length if how == "mean" else 1), abs(default))
        case "where":
            return max(parts[1:])
        case "lookup":
            table, otherwise = step.data
            entries = [abs(number) for pair in table for number in pair]
            return max([abs(otherwise), *entries])
        case "+" | "-":
            return parts[0] + parts[1]
        case "*":
            return parts[0] * parts[1]
        case "//" | "max" | "min":
            return max(parts)
        case "%":
            return parts[1]
    return 1
