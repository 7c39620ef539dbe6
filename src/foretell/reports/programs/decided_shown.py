"""A decision on the terminal: answers, evidence, classes, and the argument if it is asked for."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from foretell.core.prediction import Checked
from foretell.crasp.deciding.decision import FragmentAnswer
from foretell.crasp.verifying.verification import show_word
from foretell.languages.algebra.monoid import ELEMENT_LIMIT
from foretell.languages.algebra.witness import LAWS
from foretell.languages.dfa import DFA
from foretell.plain.errors import BadInput
from foretell.plain.wording import counted
from foretell.reports.programs.arguments import argue
from foretell.reports.programs.decided import LanguageAnswer

STYLE = {"yes": "bold green", "no": "bold red", "unknown": "bold yellow"}
CAVEAT = (
    "\nThat a program exists, or that none does, is proved. What follows for training is not: a "
    "yes rests on a theorem about an idealised learner, a no on what is observed."
)
WRONG = (
    "Re-checking this certificate failed, so nothing rests on it; that is a mistake of foretell, "
    "not of the language:"
)
MOST_STATES = 40  # of an automaton whose table is shown


def show(console: Console, answer: LanguageAnswer, explain: bool, check: bool) -> None:
    """Answers, what they rest on, and the classes."""
    decision = answer.decision
    letters = " ".join(decision.dfa.alphabet.symbols)
    size = counted(len(decision.dfa.delta), "state")
    console.print(Text(f"{answer.language.name}", style="bold"), end="")
    console.print(Text(f"   over {letters}, {size}, accept: {decision.accept}", style="dim"))
    lines = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for one in decision.answers:
        evidence = one.certificate.summary if one.certificate else one.note or ""
        lines.add_row(Text(one.name), Text(one.answer, style=STYLE[one.answer]), Text(evidence))
    console.print(lines)
    checks = answer.checks if check else {}
    for one in decision.answers:
        if one.fragment in checks:
            found = checks[one.fragment]
            said = "re-checked, holds" if found.holds else "DOES NOT HOLD"
            style = "" if found.holds else "bold red"
            console.print(Text(f"{one.name}: {said}: {found.how}", style), soft_wrap=True)
    _show_classes(console, answer)
    _show_depth(console, answer)
    if explain:
        _explain(console, answer, checks)


def _show_classes(console: Console, answer: LanguageAnswer) -> None:
    named: dict[str, list[str]] = {}
    for name, one in answer.classes.classes.items():
        named.setdefault(one.answer, []).append(name.replace("_", " "))
    if "yes" in named or "too-large" not in named:
        console.print(Text(f"classes: {', '.join(named.get('yes', ['none']))}", style="dim"))
    if "too-large" in named:
        limit = f"not computed (syntactic monoid beyond {ELEMENT_LIMIT:,} elements)"
        console.print(Text(f"classes {limit}: {', '.join(named['too-large'])}", style="dim"))


def _show_depth(console: Console, answer: LanguageAnswer) -> None:
    """How many layers follow the states of the automaton, however long the word."""
    found = answer.depth
    if isinstance(found, BadInput):
        console.print(Text(f"depth: not computed, {found.seen}", style="dim"))
        return
    size = counted(found.size, "map")
    told = f"depth: {found.rung} semigroup of {size}; enough: {found.upper}; needed: {found.lower}"
    console.print(Text(told, style="dim"), soft_wrap=True)


def _explain(console: Console, answer: LanguageAnswer, checks: Mapping[str, Checked]) -> None:
    """The argument: the program where there is one, the obstruction where there is none."""
    decision = answer.decision
    for paragraph in _automaton(decision.dfa, answer.file_states):
        console.print(Text(paragraph), soft_wrap=True)
    sharing: dict[int, list[FragmentAnswer]] = {}
    for one in decision.answers:
        sharing.setdefault(id(one.certificate), []).append(one)
    for answers in sharing.values():
        names = ", ".join(one.name for one in answers)
        console.print(Text(f"\nWhy {answers[0].answer} for {names}", style="bold"))
        for paragraph in _argument(answers[0], checks.get(answers[0].fragment)):
            console.print(Text(paragraph), soft_wrap=True)
    console.print(Text("\nClasses the language is not in", style="bold"))
    for name, member in answer.classes.classes.items():
        if member.witness is not None:
            words = ", ".join(f"{x} = {show_word(w)}" for x, w in member.witness.words.items())
            said = f"- {name.replace('_', ' ')}: not so for {words}: {member.witness.law}"
            if member.witness.law in LAWS:
                before, after = show_word(member.witness.before), show_word(member.witness.after)
                said += f" (put between {before} and {after}, one side is in the language)"
            console.print(Text(said), soft_wrap=True)
    console.print(Text("\nLayers and training length", style="bold"))
    for statement in (decision.layers, *decision.training_length):
        console.print(Text(f"- {statement.says}. It assumes {statement.assumes}."), soft_wrap=True)
    console.print(Text(CAVEAT), soft_wrap=True)


def _argument(one: FragmentAnswer, found: Checked | None) -> list[str]:
    if found is not None and not found.holds:
        return [WRONG, f"  {found.how}"]
    return [one.note or ""] if one.certificate is None else argue(one.certificate)


def _automaton(dfa: DFA, file_states: tuple[tuple[str, int | None], ...]) -> list[str]:
    """The table that every state number refers to, and what the states of a file became."""
    told = ["\nThe minimal automaton; words start in state 0, and states with * accept:"]
    symbols = dfa.alphabet.symbols
    wide = max(map(len, [*symbols, str(len(dfa.delta))])) + 1
    told.append(" " * 8 + "".join(f"{symbol:>{wide}}" for symbol in symbols))
    for state, row in enumerate(dfa.delta[:MOST_STATES]):
        mark = "*" if state in dfa.final else " "
        told.append(f"  {state:>4} {mark}" + "".join(f"{target:>{wide}}" for target in row))
    if len(dfa.delta) > MOST_STATES:
        more = counted(len(dfa.delta) - MOST_STATES, "more state")
        told.append(f"  … and {more}: --json lists them all")
    if file_states:
        became = ", ".join(
            f"{name} is {'never reached' if state is None else state}"
            for name, state in file_states[:MOST_STATES]
        )
        told.append(f"States of the file, by these numbers: {became}")
    return told
