"""The one owner of ids."""

from __future__ import annotations

import pytest

from foretell.core.alphabet import EOS, PAD, RESERVED, SEP, SOS, Alphabet
from foretell.plain.errors import BadInput


def test_reserved_ids_are_fixed_and_symbols_follow() -> None:
    letters = Alphabet(("a", "b"))
    assert (PAD, SOS, SEP, EOS) == (0, 1, 2, 3)
    assert letters.encode(RESERVED) == (0, 1, 2, 3)
    assert letters.encode("ab") == (4, 5)
    assert letters.size == len(letters.tokens) == 6


def test_adding_a_symbol_moves_no_id() -> None:
    assert Alphabet(("a", "b", "c")).encode("ab") == Alphabet(("a", "b")).encode("ab")


def test_a_list_of_symbols_becomes_a_tuple_so_that_it_cannot_change() -> None:
    symbols = ["a", "b"]
    letters = Alphabet(symbols)  # type: ignore[arg-type]
    symbols.append("c")
    assert letters.symbols == ("a", "b")
    assert hash(letters) == hash(Alphabet(("a", "b")))


@pytest.mark.parametrize("symbols", [("a", "b", "a"), ("a", "a"), ("x", "y", "y", "x")])
def test_a_repeated_symbol_is_refused_by_name(symbols: tuple[str, ...]) -> None:
    with pytest.raises(BadInput, match="twice") as caught:
        Alphabet(symbols)
    repeated = {symbol for symbol in symbols if symbols.count(symbol) > 1}
    assert set(str(caught.value.seen).split()) == repeated


@pytest.mark.parametrize(
    "symbol", [*RESERVED, "", " ", "\t", "\n", "\u00a0", "a b", "a\n", "\ud800", "\0"]
)
def test_reserved_and_blank_symbols_are_refused(symbol: str) -> None:
    with pytest.raises(BadInput, match="cannot be one") as caught:
        Alphabet(("a", symbol))
    assert caught.value.seen in (symbol, ascii(symbol))
    assert caught.value.hint


@pytest.mark.parametrize("word", ["abc", ["a", "ab"], ["A"], [""], ["<unk>"]])
def test_a_letter_outside_the_alphabet_is_refused_with_the_letter_and_the_alphabet(
    word: str | list[str],
) -> None:
    with pytest.raises(BadInput, match="outside the alphabet") as caught:
        Alphabet(("a", "b")).encode(word)
    stranger = next(symbol for symbol in word if symbol not in ("a", "b"))
    assert caught.value.seen == repr(stranger)
    assert "a b" in str(caught.value.why)


def test_the_message_about_a_huge_alphabet_stays_short() -> None:
    with pytest.raises(BadInput) as caught:
        Alphabet(tuple(f"s{n}" for n in range(1_000))).encode(["nope"])
    assert len(str(caught.value)) < 1000


def test_decode_refuses_ids_it_does_not_own() -> None:
    for index in (5, -1):
        with pytest.raises(BadInput, match="outside"):
            Alphabet(("a",)).decode([index])
