"""The one owner of token ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from foretell.plain.errors import BadInput

PAD, SOS, SEP, EOS = range(4)
RESERVED = ("<pad>", "<sos>", "<sep>", "<eos>")


@dataclass(frozen=True)
class Alphabet:
    """Symbols and their ids. Reserved tokens come first, so ids never move when symbols are added.

    >>> letters = Alphabet(("a", "b"))
    >>> letters.encode("ba"), letters.decode([5, 4]), letters.size
    ((5, 4), ('b', 'a'), 6)
    """

    symbols: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "symbols", tuple(map(str, self.symbols)))
        repeated = sorted(s for s, times in Counter(self.symbols).items() if times > 1)
        if repeated:
            raise BadInput(
                "an alphabet lists a symbol twice",
                seen=" ".join(repeated),
                why="each symbol has exactly one id",
                hint="list every symbol once",
            )
        bad = [s for s in self.symbols if s in RESERVED or " " in (s or " ") or not s.isprintable()]
        if bad:
            raise BadInput(
                "an alphabet holds a symbol that cannot be one",
                seen=bad[0] if bad[0].isprintable() else ascii(bad[0]),
                why=f"{', '.join(RESERVED)} are reserved; a symbol is printable, without blanks",
                hint="rename that symbol",
            )

    @property
    def size(self) -> int:
        """Number of ids, the reserved ones included."""
        return len(RESERVED) + len(self.symbols)

    @property
    def tokens(self) -> tuple[str, ...]:
        """Every token in the order of its id."""
        return RESERVED + self.symbols

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {token: index for index, token in enumerate(self.tokens)}

    def encode(self, word: Iterable[str]) -> tuple[int, ...]:
        """Ids of the symbols of a word; a letter from elsewhere is bad input."""
        out = []
        for symbol in word:
            if symbol not in self._ids:
                raise BadInput(
                    "a word has a letter outside the alphabet",
                    seen=repr(symbol),
                    why=f"the alphabet is {' '.join(self.symbols[:30])}",
                    hint="use only these letters, or add the missing one to the alphabet",
                )
            out.append(self._ids[symbol])
        return tuple(out)

    def decode(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Tokens of a sequence of ids."""
        tokens = self.tokens
        if any(not 0 <= int(index) < len(tokens) for index in ids):
            raise BadInput("an id is outside the alphabet", seen=list(ids), why=f"{self.size} ids")
        return tuple(tokens[int(index)] for index in ids)
