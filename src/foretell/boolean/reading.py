"""Read a Boolean function from the text after `boolean:`.

degree=3,sparsity=7,T=20[,seed=0]    drawn at random
parity,T=8                           even parity of all bits
parity,T=8,steps                     the same as a task learned by a chain of thought
tiling,degree=2,T=20                 disjoint blocks with equal coefficients
x1 xor x2 and not x3[,T=5]           a formula; bits are numbered from 1
function.json                        a file with an expansion or a truth table; bits from 0
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from foretell.boolean.drawing import draw_expansion, parity, tiling
from foretell.boolean.expansion import Expansion
from foretell.boolean.formula import Formula
from foretell.boolean.function import BooleanFunction, TruthTable, expansion_from_json, number
from foretell.plain.canonical import content_hash
from foretell.plain.catalogue import suggest
from foretell.plain.errors import BadInput
from foretell.plain.files import read_text

EXAMPLES = (
    "degree=3,sparsity=7,T=20 or parity,T=8 or tiling,degree=2,T=20 or "
    "a formula like x1 xor x2 and not x3, or a .json file"
)
STEPS = "steps"  # asks for a chain of thought
_LARGEST_SEED = 2**32 - 1
_LARGEST_BITS = 10_000
_SETTING = re.compile(r"\s*([A-Za-z_]+)\s*=\s*(\S*?)\s*")
_WITH_BITS = re.compile(r"(.*),\s*([A-Za-z_]+)\s*=\s*([^,]*)", re.DOTALL)


def read_function(text: str) -> BooleanFunction:
    """The function that the text names.

    >>> read_function("seed=1, T=20, degree=3, sparsity=7").name
    'degree=3,sparsity=7,T=20,seed=1'
    >>> read_function("x1 ^ x2, T=3").name
    'x1 xor x2,T=3'
    """
    wanted = text.strip()
    if wanted.lower().endswith(".json"):
        return read_file(Path(wanted))
    fields = wanted.split(",")
    head = fields[0].strip().lower()
    if head == "parity":
        (bits,) = _settings(wanted, fields[1:], ("T",))
        return BooleanFunction(f"parity,T={bits}", parity(bits))
    if head == "tiling":
        degree, bits = _settings(wanted, fields[1:], ("degree", "T"))
        return BooleanFunction(f"tiling,degree={degree},T={bits}", tiling(bits, degree))
    if _SETTING.fullmatch(fields[0]):
        return _drawn(wanted, fields)
    return _formula(wanted)


def read_steps(text: str) -> tuple[str, bool]:
    """The text without the word `steps` between its commas, and whether it was there.

    >>> read_steps("parity, T=8, steps"), read_steps("parity,T=8")
    (('parity, T=8', True), ('parity,T=8', False))
    """
    fields = text.split(",")
    others = [field for field in fields if field.strip().lower() != STEPS]
    if len(fields) - len(others) > 1:
        raise BadInput("`steps` is given twice", seen=text)
    return ",".join(others), len(others) < len(fields)


def _drawn(text: str, fields: Sequence[str]) -> BooleanFunction:
    names = ("degree", "sparsity", "T", "seed")
    degree, sparsity, bits, seed = _settings(text, fields, names, seed=0)
    name = f"degree={degree},sparsity={sparsity},T={bits},seed={seed}"
    return BooleanFunction(name, draw_expansion(bits, degree, sparsity, seed))


def _formula(text: str) -> BooleanFunction:
    if not text:
        raise BadInput("no function is named", seen="boolean:", hint=EXAMPLES)
    found = _WITH_BITS.fullmatch(text)
    if found:
        (bits,) = _settings(text, [f"{found[2]}={found[3]}"], ("T",))
        formula = Formula.parse(found[1], bits)
    else:
        formula = Formula.parse(text)
    named = max(formula.mentioned, default=0) + 1
    return BooleanFunction(
        f"{formula},T={formula.bits}" if formula.bits > named else str(formula), formula
    )


def _settings(
    text: str, fields: Sequence[str], names: Sequence[str], **defaults: int
) -> tuple[int, ...]:
    """The whole numbers of `name=number` fields, in the order of `names`."""
    found: dict[str, int] = {}
    for field in fields:
        setting = _SETTING.fullmatch(field)
        if setting is None and field.strip().lower() == STEPS:
            raise BadInput(
                "steps are a way to learn a function, not a part of it",
                seen=text,
                hint=f"foretell check boolean:parity,T=8,{STEPS}",
            )
        if setting is None:
            raise BadInput("a setting cannot be read", seen=field.strip() or text, hint=EXAMPLES)
        name = setting[1]
        if name not in names:
            same = [each for each in names if each.lower() == name.lower()]
            hint = f"did you mean {same[0]}?" if same else suggest(name, names)
            raise BadInput(
                "unknown setting of a Boolean function",
                seen=name,
                why=f"here there are {', '.join(names)}",
                hint=hint or EXAMPLES,
            )
        if name in found:
            raise BadInput("a setting is given twice", seen=text, why=f"{name} can be one number")
        found[name] = _whole_number(name, setting[2])
    missing = [name for name in names if name not in found and name not in defaults]
    if missing:
        raise BadInput(
            "a Boolean function needs more settings",
            seen=text,
            why=f"missing: {', '.join(missing)}",
            hint=EXAMPLES,
        )
    return tuple(found.get(name, defaults.get(name, 0)) for name in names)


def _whole_number(name: str, digits: str) -> int:
    largest = _LARGEST_SEED if name == "seed" else 10**9
    largest = _LARGEST_BITS if name in ("T", "degree") else largest
    if not re.fullmatch(r"[0-9]{1,12}", digits) or int(digits) > largest:
        raise BadInput(
            f"{name} must be a whole number from 0 to {largest:,}", seen=f"{name}={digits}"
        )
    return int(digits)


def read_file(path: Path) -> BooleanFunction:
    """A function from a JSON file; its name ends with a hash of the content."""
    text = read_text(path)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput("the file is not JSON", seen=path, why=str(error)) from None
    source = _source(path, document)
    content = source.as_json() if isinstance(source, Expansion) else list(source.values)
    return BooleanFunction(f"{path.stem}-{content_hash(content)[:8]}", source)


def _source(path: Path, document: Any) -> Expansion | TruthTable:
    forms = '{"bits": 3, "sets": [[0, 2]], "coefficients": [1.0], "constant": 0.0} or ' + (
        '{"truth_table": [0, 1, 1, 0]}'
    )
    wrong = BadInput("the file does not describe a Boolean function", seen=path, hint=forms)
    if not isinstance(document, Mapping):
        raise wrong
    expected = {"truth_table"} if "truth_table" in document else {"bits", "sets", "coefficients"}
    unknown = sorted(set(document) - expected - {"bits", "constant"} - {"name"})
    if not expected <= set(document) or unknown:
        missing = ", ".join(sorted(expected - set(document)))
        why = f"missing: {missing}" if missing else f"unknown: {', '.join(unknown)}"
        raise BadInput(wrong.what, seen=path, why=why, hint=forms)
    try:
        if "truth_table" in document:
            table = TruthTable(tuple(number(value) for value in document["truth_table"]))
            if document.get("bits", table.bits) != table.bits:
                why = f"bits is {document['bits']}, and {len(table.values)} entries"
                raise BadInput(wrong.what, seen=path, why=why)
            return table
        return expansion_from_json(document)
    except (TypeError, ValueError, OverflowError) as error:
        raise BadInput(wrong.what, seen=path, why=str(error), hint=forms) from None
