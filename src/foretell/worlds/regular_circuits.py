"""Which row of the circuit rules a regular language belongs to, with what shows it.

The language is given by its minimal automaton, so that the maps of its words are the syntactic
semigroup. Groups inside, and which lengths they need, decide: see `languages/algebra/depth.py` and
`languages/classes.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from foretell.core.alphabet import Alphabet
from foretell.languages import benchmark
from foretell.languages.algebra.depth import DepthClass, depth_class
from foretell.languages.algebra.witness import Witness
from foretell.languages.automaton_file import SUFFIXES, read_automaton
from foretell.languages.classes import class_report
from foretell.languages.compiling import compiled
from foretell.languages.dfa import DFA
from foretell.languages.dfa_json import dfa_as_json
from foretell.languages.regex import parse
from foretell.plain import catalogue
from foretell.plain.errors import BadInput
from foretell.plain.wording import counted
from foretell.worlds.automata import BUILT_IN, automaton, family_of
from foretell.worlds.circuit_rules import REGULAR
from foretell.worlds.problems import PROBLEMS

MOST_STATES = 1000  # with more, the classes take minutes
# kinds in the order of REGULAR, with the class whose law a language outside it breaks
REFUTED = {"partially ordered": "r_trivial", "quasi-aperiodic": "quasi_aperiodic"}


@final
@dataclass(frozen=True)
class Placed:
    """A language, the kind it is of, the orders of the groups inside, and words that refute."""

    name: str
    dfa: DFA
    kind: str
    depth: DepthClass
    refuted: dict[str, Witness]

    @property
    def about(self) -> str:
        """What the kind means."""
        return REGULAR[self.kind].about

    @property
    def state_bits(self) -> int:
        """Bits with which a recurrent state tells the states of the minimal automaton apart.

        Fewer are not enough for all lengths: two prefixes would be one to it that some
        continuation sets apart.
        """
        return (len(self.dfa.delta) - 1).bit_length()

    def told(self) -> tuple[str, ...]:
        """The kind, the semigroup, the words that refute, and what a state must hold."""
        depth, series = (
            self.depth,
            "; ".join(" ⊇ ".join(map(str, orders)) for orders in dict.fromkeys(self.depth.series)),
        )
        size = f"{counted(depth.size, 'map')} on {counted(depth.states, 'state')}"
        refuted = (
            f"not {kind}: {self.refuted[law].law} fails for {_shown(self.refuted[law])}"
            for kind, law in REFUTED.items()
            if law in self.refuted
        )
        return (
            f"kind: {self.kind} ({self.about})",
            f"semigroup: {depth.rung}, {size}; groups inside, with their derived series: {series}",
            *refuted,
            f"a recurrent state needs {counted(self.state_bits, 'bit')}, and no more, at every "
            "length (Myhill, Nerode: derived)",
        )

    def check(self) -> bool:
        """Do the words still break the laws, and do the groups come out the same?"""
        broken = all(witness.check(self.dfa) for witness in self.refuted.values())
        return broken and depth_class(self.dfa) == self.depth

    def as_json(self) -> dict[str, Any]:
        """The certificate: the automaton, its semigroup in numbers, the words."""
        return {
            "kind": self.kind,
            "dfa": dfa_as_json(self.dfa),
            "semigroup": self.depth.as_json(),
            "refuted": {name: witness.as_json() for name, witness in self.refuted.items()},
        }


def placed(name: str, dfa: DFA) -> Placed:
    """Find the kind of a language.

    >>> [placed("", automaton(each)).kind for each in ("parity", "flip-flop", "symmetric-5")]
    ['commutative', 'quasi-aperiodic', 'non-solvable']
    """
    smallest = dfa.minimal()
    if len(smallest.delta) > MOST_STATES:
        raise BadInput(
            "the automaton is too large for its algebra",
            seen=counted(len(smallest.delta), "state"),
            why=f"at most {MOST_STATES:,}, once it is minimal",
        )
    depth = depth_class(smallest)  # refuses a semigroup that is too large, and says how large
    report = class_report(smallest)
    refuted: dict[str, Witness] = {}
    for kind, law in REFUTED.items():
        answer = report[law].answer
        if answer == "yes":
            return Placed(name, smallest, kind, depth, refuted)
        witness = report[law].witness
        if witness is None:
            raise BadInput("the language's monoid is too large", seen=name, why=f"{law}: {answer}")
        refuted[law] = witness
    kind = depth.rung if depth.rung in ("commutative", "non-solvable") else "solvable"
    return Placed(name, smallest, kind, depth, refuted)


def language_named(what: str, alphabet: str | None = None) -> tuple[DFA, str]:
    """A language of the catalogue, `regex:…`, an automaton's file or name; and what it is."""
    if what.startswith("regex:"):
        letters = None
        if alphabet is not None:
            letters = Alphabet(tuple(alphabet.split(",") if "," in alphabet else alphabet))
        return compiled(parse(what.removeprefix("regex:"), letters)), "a regular expression"
    if alphabet is not None:
        raise BadInput(
            "only a regular expression takes an alphabet", seen=f"{what} with {alphabet}"
        )
    if what.endswith(SUFFIXES):
        return read_automaton(what), "the automaton of a file"
    if what in benchmark.names():
        return benchmark.load(what).dfa, benchmark.row(what).what
    try:
        family_of(what)
    except BadInput:
        raise _unknown(what) from None
    return automaton(what), "Words that lead the automaton of that name back to its start."


def _shown(witness: Witness) -> str:
    words = {name: " ".join(word) or "the empty word" for name, word in witness.words.items()}
    return ", ".join(f"{name} = {word}" for name, word in words.items())


def _unknown(what: str) -> BadInput:
    """Nearest names, or what may be asked at all."""
    hint = "foretell list problems; or a regular language: tomita-4, 'regex:(ab)*', mine.json"
    if what in {entry.name for entry in catalogue.entries("tasks")}:
        why = "it is a task to be trained on, and no rule about circuits or sizes knows it"
        near = [name for name in PROBLEMS if name in what.split("-")]
        hint = f"foretell represent {near[0]}, which is like it" if near else hint
    else:
        why = "no problem, regular language or automaton has that name"
        hint = catalogue.suggest(what, [*PROBLEMS, *benchmark.names(), *BUILT_IN]) or hint
    return BadInput("nothing is known of what could represent it", seen=what, why=why, hint=hint)
