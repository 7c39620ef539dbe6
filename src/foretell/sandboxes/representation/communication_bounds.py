"""How wide must a model be? Bits that have to cross a cut through the input.

What: Give the first part of an input to Alice and the rest to Bob. If they cannot find the answer
    without exchanging many bits, then no model can that passes on only a few. A recurrent network
    passes on its state; one layer of attention passes on, for each head, a sum of values and a sum
    of weights over Alice's positions, because the query is known to both. So width times precision
    is bounded from below by the bits of the task, which grow with the length. A second layer
    escapes: an induction head then has the same width at every length.
Definition: With h₂ the binary entropy in bits, the tasks need: disjointness of subsets of n, n
    bits; an index into n bits, right with accuracy a, n(1 - h₂(a)) one way; a copy of L symbols
    out of D, L log₂ D - 1; an induction head at length T, (T - 1)/2 (Alice's bits at even
    positions, Bob's marker at an odd one and at the end); g(f(x)) on n values, n log₂ n; the
    conditional 3-gram to within 1/(3T), T/3. The models offer, with p bits a number: a recurrent
    state of width m, mp; one layer of H heads of width m, H(m + 1)p (for the 3-gram the theorem
    counts 2pH + dp + 2). Each is linear in every variable, so each variable has a smallest value.
    Two more limits are on depth: lags by H_l heads a layer cannot match orders k ≥ Π(H_l + 1) + 2,
    and k hops take ⌈log₂ k⌉ rounds of asking others how far they have got.
Example:
    >>> from foretell.worlds.communication import Size, attention_message, fewest, induction_bits
    >>> one_head = Size(heads=1, precision=9)
    >>> fewest(attention_message, "width", induction_bits(512), one_head)
    28

Known limits: Bounds say what is impossible, not what is enough; a trained model in float32 is far
    from them. Measured are the bounds themselves, at sizes where everything can be enumerated: the
    rank of the matrix of answers, different rows of it, all encoders of three bits, the least
    information of any noisy bit, integers tried one after the other. The reduction for the 3-gram
    is ours and shows T/3 up to seven positions. That k hops need about log k layers is
    conditional; what is counted is that doubling cannot be beaten by looking at fixed hops.
Sources: Yao (1979); Representational strengths and limitations of transformers (Sanford, Hsu,
    Telgarsky, 2023) and One-layer transformers fail to solve the induction heads task (2024); On
    limitations of the transformer architecture (Peng, Narayanan, Papadimitriou, 2024); Repeat
    after me (Jelassi and others, 2024); Transformers on Markov data (Rajaraman and others, 2024);
    the tutorial Sandbox for the Blackbox, part I
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, final

from foretell.constructions.induction_head import induction_head, sign_codes
from foretell.constructions.k_gram_reach import impossible_from, searched_order
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds import communication as formulas
from foretell.worlds.communication import Size
from foretell.worlds.communication_counts import (
    ENCODED,
    compositions,
    copy_bits_by_counting,
    disjoint,
    encoder_accuracies,
    induction_answers,
    kinds_bits,
    least_information,
    rank_bits,
    searched_rounds,
    split_attention,
    three_gram_is_zero,
)

EXACT = 1e-9
LENGTHS = tuple(2**k for k in range(3, 13))
PRECISIONS, HEADS, WIDTHS = (1, 4, 9, 32), (1, 2, 4), (0, 1, 5, 28, 170)
Ways = dict[str, tuple[str, Callable[[int], float]]]  # by row: its sizes, and a way to its bits
FORMULAS: Ways = {
    "disjointness, n = {}: bits": ("elements", formulas.disjointness_bits),
    "induction, T = {}: bits": ("induction", formulas.induction_bits),
    "g(f(x)), n = {}: bits": ("composition", formulas.composition_bits),
    "3-gram, {} blocks: bits": ("three_gram", lambda n: formulas.three_gram_bits(3 * n)),
}
COUNTS: Ways = {  # the same rows from the answers themselves
    "disjointness, n = {}: bits": ("elements", lambda n: rank_bits(disjoint(n))),
    "induction, T = {}: bits": ("induction", lambda n: kinds_bits(induction_answers(n))),
    "g(f(x)), n = {}: bits": ("composition", lambda n: kinds_bits(compositions(n))),
    "3-gram, {} blocks: bits": ("three_gram", lambda n: rank_bits(three_gram_is_zero(n))),
}


@final
class CommunicationBounds(Sandbox):
    """Formulas beside matrices, encoders and integers gone through one by one."""

    name = "communication-bounds"
    title = "Width from communication: what one layer or one state must hold"
    lesson = (
        "Smallest widths that the bits of a task allow, with ⌈log₂ T⌉ bits a number: they grow "
        "with the length for a recurrent state and for one layer of attention, while two layers "
        "keep theirs. Every bound holds where it can be enumerated."
    )
    caveat = (
        "It shows what is excluded by counting bits; it does not show that more width is enough."
    )

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Sizes that are enumerated, and sizes that are solved for."""
        small = budget is Budget.SMOKE
        return {
            "elements": [2, 4] if small else [2, 5, 8],
            "induction": [5, 9] if small else [9, 17, 25],
            "composition": [2] if small else [2, 3, 4],
            "three_gram": [2] if small else [3, 6],
            "accuracies": [0.75, 0.9, 0.99, 1.0],
            "index": 64,
            "messages": [2] if small else [2, 3, 4],
            "lengths": [64, 512, 4096],
            "copy": [32, 26],
            "hops": [3] if small else [4, 7, 13],
            "heads": [[1, 1]] if small else [[1, 1], [1, 1, 1]],
            "attention": {"heads": 4, "width": 8, "length": 64},
            "seed": 0,
        }

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """The formulas."""
        attention = settings["attention"]
        symbols, alphabet = settings["copy"]
        return (
            *(
                Claim(name, value, tolerance=EXACT)
                for name, value in _bits(settings, FORMULAS).items()
            ),
            *(
                Claim(
                    _index_label(settings["index"], each),
                    formulas.index_bits(settings["index"], each),
                    tolerance=1e-6,
                )
                for each in settings["accuracies"]
            ),
            Claim("index: bits needed above bits sent, any encoder", 0.0, "<=", EXACT),
            Claim(
                f"copy of {symbols} symbols out of {alphabet}: whole bits",
                float(math.ceil(formulas.copy_bits(symbols, alphabet))),
            ),
            *(Claim(name, float(value)) for name, value in _widths(settings["lengths"]).items()),
            Claim(
                "numbers that determine what the heads say",
                float(formulas.attention_message(_size(attention))),
            ),
            Claim("attention from two messages: largest difference", 0.0, "=", 1e-12),
            *(
                Claim(_hop_label(hops), float(formulas.hop_rounds(hops)), evidence="derived")
                for hops in settings["hops"]
            ),
            *(
                Claim(_order_label(heads), float(impossible_from(heads) - 1), "<=")
                for heads in settings["heads"]
            ),
            Claim("disagreements when solved for another variable", 0.0, evidence="derived"),
            Claim("widths against the order of length or precision", 0.0, evidence="derived"),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Enumerate, search and try; no formula of the claims is used for it."""
        values = _bits(settings, COUNTS)
        index = settings["index"]
        for accuracy in settings["accuracies"]:
            values[_index_label(index, accuracy)] = index * least_information(accuracy)
        encoders = [encoder_accuracies(messages) for messages in settings["messages"]]
        sent = [math.log2(messages) for messages in settings["messages"]]
        values["index: bits needed above bits sent, any encoder"] = max(
            formulas.index_bits(ENCODED, float(share)) - bits
            for shares, bits in zip(encoders, sent, strict=True)
            for share in shares
        )
        symbols, alphabet = settings["copy"]
        copied = f"copy of {symbols} symbols out of {alphabet}: whole bits"
        values[copied] = float(copy_bits_by_counting(symbols, alphabet))
        values |= _searched_widths(settings["lengths"])
        numbers, difference = split_attention(**settings["attention"], seed=settings["seed"])
        values["numbers that determine what the heads say"] = float(numbers)
        values["attention from two messages: largest difference"] = difference
        values |= {_hop_label(hops): float(searched_rounds(hops)) for hops in settings["hops"]}
        values |= {_order_label(heads): float(searched_order(heads)) for heads in settings["heads"]}
        values |= _consistency()
        counted = [
            {"task": task, "formula": formula, "counted": values[name]}
            for name, formula in _bits(settings, FORMULAS).items()
            for task in [name.split(":")[0].split(",")[0]]
        ]
        encoded = [
            {"sent": bits, "accuracies": shares.round(6).tolist()}
            for shares, bits in zip(encoders, sent, strict=True)
        ]
        return Findings(
            values, {"widths": _lines(), "counted": counted, "encoders": encoded, "n": ENCODED}
        )


def _index_label(bits: int, accuracy: float) -> str:
    return f"index into {bits}: bits at accuracy {accuracy:g}"


def _hop_label(hops: int) -> str:
    return f"{hops} hops: rounds"


def _order_label(heads: list[int]) -> str:
    return f"heads {'-'.join(map(str, heads))}: highest order that lags match"


def _bits(settings: Mapping[str, Any], ways: Ways) -> dict[str, float]:
    """Every row whose bits are counted, one way or the other."""
    return {row.format(n): bits(n) for row, (sizes, bits) in ways.items() for n in settings[sizes]}


def _widths(lengths: list[int]) -> dict[str, int]:
    found = {}
    for length in lengths:
        size = Size(precision=formulas.position_precision(length))
        for name, message, bits in _width_rows(length):
            found[f"T = {length}, {name}: smallest width"] = formulas.fewest(
                message, "width", bits, size
            )
    return found


def _width_rows(length: int) -> list[tuple[str, formulas.Message, float]]:
    return [
        ("recurrent", formulas.recurrent_message, formulas.disjointness_bits(length // 2)),
        ("one layer", formulas.attention_message, formulas.induction_bits(length)),
        ("one layer, 3-gram", formulas.three_gram_message, formulas.three_gram_bits(length)),
    ]


def _searched_widths(lengths: list[int]) -> dict[str, float]:
    """Integers one after the other, in fractions: nothing is solved and nothing rounded."""
    found = {}
    for length in lengths:
        digits = next(p for p in itertools.count(1) if 2**p >= length)
        enough = {
            "recurrent": lambda width, p=digits, n=length: width * p >= Fraction(n, 2),
            "one layer": lambda width, p=digits, n=length: (width + 1) * p >= Fraction(n - 1, 2),
            "one layer, 3-gram": lambda width, p=digits, n=length: (
                2 * p + width * p + 2 >= Fraction(n, 3)
            ),
        }
        for name, holds in enough.items():
            tried = itertools.count()
            found[f"T = {length}, {name}: smallest width"] = float(next(filter(holds, tried)))
    return found


def _size(attention: Mapping[str, int]) -> Size:
    return Size(heads=attention["heads"], width=attention["width"], precision=1)


def _consistency() -> dict[str, float]:
    """One inequality solved for four variables must give one answer; and larger needs more."""
    wrong, against = 0, 0
    cells = itertools.product(LENGTHS, HEADS, WIDTHS, PRECISIONS)
    message, fewest = formulas.attention_message, formulas.fewest
    for length, heads, width, precision in cells:
        size, bits = Size(heads, width, precision), formulas.induction_bits(length)
        answers = {fewest(message, name, bits, size) <= getattr(size, name) for name in vars(size)}
        answers |= {message(size) >= bits, length <= formulas.longest_induction(size)}
        wrong += len(answers) != 1
        least = fewest(message, "width", bits, size)
        against += fewest(message, "width", formulas.induction_bits(2 * length), size) < least
        against += fewest(message, "width", bits, Size(heads, width, precision + 1)) > least
    return {
        "disagreements when solved for another variable": float(wrong),
        "widths against the order of length or precision": float(against),
    }


def _lines() -> dict[str, Any]:
    """Smallest widths against length, and the width of a construction that does not grow."""
    found = [
        [formulas.fewest(message, "width", bits, size) for _, message, bits in _width_rows(n)]
        for n in LENGTHS
        for size in [Size(precision=formulas.position_precision(n))]
    ]
    copied = [
        formulas.fewest(
            formulas.recurrent_message,
            "width",
            formulas.copy_bits(n // 2, 26),
            Size(precision=formulas.position_precision(n)),
        )
        for n in LENGTHS
    ]
    names = ("recurrent, disjointness", "one layer, induction head", "one layer, 3-gram")
    rows = dict(zip(names, map(list, zip(*found, strict=True)), strict=True))
    return {
        "lengths": list(LENGTHS),
        "lines": {"recurrent, copy of letters": copied, **rows},
        "two layers": induction_head(8, sign_codes(4)).width,
    }
