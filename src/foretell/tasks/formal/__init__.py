"""Read a word and know at every prefix what may follow. One language per file, where no regular
expression describes it; regular languages are rows of `languages/benchmark.toml`."""

from foretell.core.task import Fact

BENCHMARK = "Bhattamishra et al. 2020; Huang et al., A formal framework, Theorem 10 and Appendix C"


def counter_facts() -> tuple[Fact, ...]:
    """Counter languages have a program that only counts."""
    return (Fact("crasp", "yes", BENCHMARK), Fact("crasp-periodic-local", "yes", BENCHMARK))


def block_prefix(prefix: tuple[str, ...], letters: tuple[str, ...]) -> frozenset[str]:
    """Legal symbols after a prefix of x₁ⁿx₂ⁿ…, blocks of equal length n ≥ 1 in this order."""
    counts = [prefix.count(letter) for letter in letters]
    in_order = tuple(
        letter for letter, count in zip(letters, counts, strict=True) for _ in range(count)
    )
    current = max((index for index, count in enumerate(counts) if count), default=0)
    first, done = counts[0], counts[1:current]
    if prefix != in_order or counts[current] > first or any(count != first for count in done):
        return frozenset()
    if current == 0:
        return frozenset(letters[:2]) if first else frozenset(letters[:1])
    if counts[current] < first:
        return frozenset({letters[current]})
    return frozenset({letters[current + 1] if current + 1 < len(letters) else "<eos>"})
