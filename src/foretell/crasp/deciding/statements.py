"""What a decision says about layers and about how long training words should be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from foretell.crasp.analysis import DEPTH_RESULT, Analysis
from foretell.plain.wording import counted

LENGTH_COMPLEXITY = "Chen, Ma & Li, Non-asymptotic length generalization, 2025 (arXiv 2506.03085)"
NO_BOUND = "Yang et al., Length generalization bounds for transformers, 2026 (arXiv 2603.02238)"


@final
@dataclass(frozen=True)
class Statement:
    """A number where theory gives one, what it assumes, and where that is from."""

    value: int | None
    says: str
    assumes: str
    source: str

    def as_json(self) -> dict[str, object]:
        """The same for scripts."""
        return {
            "value": self.value,
            "says": self.says,
            "assumes": self.assumes,
            "source": self.source,
        }


def layers(found: Analysis | None) -> Statement:
    """How many layers are enough, read off the counting depth of a program."""
    assumes = (
        "transformers that round to fixed precision outside attention, without positional encodings"
    )
    if found is None:
        says = "no C-RASP[∅] program was written out, so no number of layers is known to be enough"
        return Statement(None, says, assumes, DEPTH_RESULT)
    says = f"counting depth {found.depth}: {found.layers_reason}"
    return Statement(found.layers, says, assumes, DEPTH_RESULT)


def training_length(states: int, found: Analysis | None) -> tuple[Statement, ...]:
    """Up to which length training words should go, under what assumption."""
    enough = max(2 * states - 2, 0)
    automata = Statement(
        enough,
        f"two automata with at most {counted(states, 'state')} that agree on all words up to "
        f"length {enough} agree on all words",
        f"that the learner's hypotheses are automata with at most {counted(states, 'state')}, as "
        "many as the "
        "smallest one of this language has; transformers are not",
        LENGTH_COMPLEXITY,
    )
    if found is not None and found.depth <= 1 and found.fragment == "C-RASP[∅]":
        programs = Statement(
            None,
            "the program counts letters only, nothing nested; for such one-layer programs a length "
            "quadratic in the precision of the numbers is enough",
            "that the learner prefers simple programs of one layer and fits all training words; "
            "the constant is not computed here",
            LENGTH_COMPLEXITY,
        )
    else:
        programs = Statement(
            None,
            "in general there is no computable length up to which C-RASP programs, or the "
            "transformers they stand for, must be checked",
            "nothing: it is a theorem about the class, once counts of counts are allowed; single "
            "languages may do with short words",
            NO_BOUND,
        )
    return automata, programs
