"""A formal language as a value."""

from __future__ import annotations

import abc

from foretell.core.alphabet import Alphabet


class Language(abc.ABC):
    """Membership, legal next symbols, and how many words each length has."""

    @property
    @abc.abstractmethod
    def alphabet(self) -> Alphabet:
        """The letters words are made of."""

    @abc.abstractmethod
    def accepts(self, word: tuple[str, ...]) -> bool:
        """Is the word in the language?"""

    @abc.abstractmethod
    def legal_next(self, prefix: tuple[str, ...]) -> frozenset[str]:
        """Letters (and `<eos>`) with which the prefix can go on towards a member."""

    @abc.abstractmethod
    def count(self, length: int) -> int:
        """Exact number of members of that length."""
