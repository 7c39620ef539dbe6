"""Which automata a model of fixed state follows at every length.

What: A recurrent cell can follow any automaton, and so get every regular task right at every
    length. A diagonal state space cannot: with gates in [0, 1] it follows exactly the star-free
    languages, so not parity; with gates in [-1, 1] it follows parity with one unit, but nothing
    that goes around in threes.
Definition: Repeat a word. The state of a unit with gates in [0, 1] then moves in one direction
    and, among finitely many numbers, comes to rest; with gates in [-1, 1] it comes to a circle of
    two, and of 2^L at most after L layers. If a word turns states of the minimal automaton in a
    circle of another length, the answers after many repetitions cannot all be right: no. Yes: for
    cells, one with a unit for each state and letter, its weights written down (a GRU or an LSTM
    with its gates held open or shut is such a cell too); for signed gates, units whose signs the
    letters turn; for star-free languages, by the theorem.
Example:
    >>> from foretell.core import Architecture, SizeRange
    >>> from foretell.core.question import GeneralizesInLength, Question
    >>> from foretell.tasks.lookup import find_task
    >>> shape = {"layers": 1, "heads": 1, "width": 16, "positional": "nope", "context": 154}
    >>> asked = GeneralizesInLength(SizeRange(1, 50), (SizeRange(101, 150),))
    >>> for kind in ("ssm", "ssm-signed", "gru"):
    ...     question = Question(find_task("parity"), Architecture(**shape, kind=kind), asked)
    ...     print(kind, FixedState().predict(question).verdict.value)
    ssm no
    ssm-signed yes
    gru yes

Known limits: A yes says that weights exist, not that training finds them: always conditional. A no
    is about inputs that are long enough for the precision, and says nothing of how long that is. It
    takes states to be computed one after another, with rounding that keeps order; a scan that sums
    in another order rounds otherwise. Regular tasks only, and tasks that declare an automaton;
    nothing is said about hybrids, whose attention may help, nor about memory that recall takes.
Sources: Sarrof et al. 2024, The Expressive Capacity of State Space Models, Theorems 1, 2 and 4;
    Grazzi et al. 2025, Unlocking State-Tracking in Linear RNNs Through Negative Eigenvalues,
    Theorems 1 and 2; Minsky 1967, Computation: finite and infinite machines, Section 3.5
"""

from __future__ import annotations

from dataclasses import dataclass

from foretell.constructions.automaton_cell import MOST_UNITS, units_needed
from foretell.core.alphabet import Alphabet
from foretell.core.prediction import (
    Assumption,
    Certificate,
    NotApplicable,
    Prediction,
    Predictor,
    Standing,
    Strength,
)
from foretell.core.question import GeneralizesInLength, Question, Verdict
from foretell.core.task import Task
from foretell.languages.dfa import DFA
from foretell.languages.regular import RegularLanguage
from foretell.models.recurrent import CELLS
from foretell.tasks.regular import RegularTask
from foretell.tasks.tracking import TrackingTask
from foretell.theory._recurrences import Circle, Followed, circle_beyond, telling_signs

STATE_SPACES = ("ssm", "ssm-signed")
FACT = "regular"  # an expression: the inputs whose answer is 1
SARROF = "Sarrof et al. 2024, The Expressive Capacity of State Space Models"
GRAZZI = "Grazzi et al. 2025, Unlocking State-Tracking in Linear RNNs"
MINSKY = "Minsky 1967, Computation: finite and infinite machines, Section 3.5"
FOUND = "training finds weights that do what these do"


@dataclass(frozen=True)
class FixedState(Predictor):
    """What the recurrence of the architecture can follow, against the task's automaton."""

    name = "fixed-state"

    def predict(self, question: Question) -> Prediction | NotApplicable:
        """By the kind of recurrence."""
        kind = question.architecture.kind
        if not isinstance(question.outcome, GeneralizesInLength):
            return NotApplicable(self.name, question, "the theory is about longer inputs only")
        if kind not in (*CELLS, *STATE_SPACES):
            why = f"the theory is about recurrences without attention, not about {kind}"
            return NotApplicable(self.name, question, why)
        dfa = automaton_of(question.task)
        if dfa is None:
            why = f"{question.task.name} is no regular language and declares no automaton"
            return NotApplicable(self.name, question, why)
        if isinstance(question.task, TrackingTask) and question.task.before:
            why = "what is written down here answers at a letter, not before the next one"
            return NotApplicable(self.name, question, why)
        return self._by_cell(question, dfa) if kind in CELLS else self._by_gates(question, dfa)

    def _by_cell(self, question: Question, dfa: DFA) -> Prediction | NotApplicable:
        units, width = units_needed(dfa), question.architecture.width
        if units > MOST_UNITS:
            return NotApplicable(
                self.name, question, f"an automaton of {units:,} units is too large"
            )
        enough = Standing.CHECKED if width >= units else Standing.ASSUMED
        room = f"a width of {width} is enough; {units} always are"
        kind = question.architecture.kind
        imitated: tuple[Assumption, ...] = ()
        if kind != "elman":  # the cell that is written down, and run by the certificate
            imitated = (Assumption(f"{kind} can do what that Elman cell does", Standing.ASSUMED),)
        return self._yes(
            question,
            f"a recurrent cell of {units} units follows the automaton of {len(dfa.delta)} states "
            "at every length",
            (Assumption(room, enough), *imitated),
            MINSKY,
            Followed(dfa),
        )

    def _by_gates(self, question: Question, dfa: DFA) -> Prediction | NotApplicable:
        shape = question.architecture
        signed = shape.kind == STATE_SPACES[1]
        circle = circle_beyond(dfa, 2**shape.layers if signed else 1)
        if circle is None:
            return NotApplicable(self.name, question, "the monoid of its automaton is too large")
        if isinstance(circle, Circle):
            return self._no(question, circle, signed)
        if signed and circle_beyond(dfa, 1):
            signs = telling_signs(dfa)
            if signs is None:
                why = "words turn its states, and signs alone do not follow them: nothing is proved"
                return NotApplicable(self.name, question, why)
            units = len(signs.signs)
            fits = Standing.CHECKED if shape.width >= units else Standing.ASSUMED
            room = Assumption(f"a width of {shape.width} is enough; {units} always are", fits)
            said = f"{signs.summary}, at every length"
            return self._yes(question, said, (room,), GRAZZI, signs)
        enough = "layers and width are enough for this language"
        return self._yes(
            question,
            "the language is star-free, and gates in [0, 1] follow every such language",
            (Assumption(enough, Standing.ASSUMED),),
            f"{SARROF}, Theorem 4",
            None,
        )

    def _yes(
        self,
        question: Question,
        reason: str,
        more: tuple[Assumption, ...],
        source: str,
        certificate: Certificate | None,
    ) -> Prediction:
        return Prediction(
            predictor=self.name,
            question=question,
            verdict=Verdict.YES,
            strength=Strength.CONDITIONAL,
            reason=reason,
            assumptions=(*more, Assumption(FOUND, Standing.ASSUMED)),
            sources=(source,),
            certificate=certificate,
        )

    def _no(self, question: Question, circle: Circle, signed: bool) -> Prediction:
        texts = (
            "states are computed one after another, with rounding that keeps order",
            "the inputs asked about are long enough for the precision to run out",
        )
        gates = "[-1, 1]" if signed else "[0, 1]"
        return Prediction(
            predictor=self.name,
            question=question,
            verdict=Verdict.NO,
            strength=Strength.CONDITIONAL,
            reason=f"{circle.summary} for gates in {gates}: at some length it must go wrong",
            assumptions=tuple(Assumption(text, Standing.ASSUMED) for text in texts),
            sources=(f"{GRAZZI}, Theorem 2" if signed else f"{SARROF}, Theorem 2",),
            certificate=circle,
        )


def automaton_of(task: Task) -> DFA | None:
    """The minimal automaton of a regular task, or of the inputs that a task declares."""
    if isinstance(task, RegularTask | TrackingTask):
        return task.language.dfa.minimal()
    fact = task.fact(FACT)
    if fact is None:
        return None
    letters = Alphabet(task.alphabet.symbols)
    return RegularLanguage.from_regex(fact.value, letters).dfa.minimal()
