"""From configurations that are told apart to a program, correct by construction.

Components of the configuration graph are stages; a word goes through them and never comes back. In
each stage heights follow where the word stands, by counting from where the stage was entered. After
the stage has been left they mean nothing, which does no harm: the step that left it was seen in
time, and nothing about the stage is asked unless no step left it before. In the same way nothing
that is said after a doomed step counts, because the answer asks that there was none.

Everything is read off the step just taken: its letter, the window before it, the position, and the
heights after it. Strict counts (j < i) are needed only for what happened at an earlier position.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, partial
from typing import final

from foretell.crasp import tree
from foretell.crasp.deciding.configurations import Configurations
from foretell.crasp.deciding.features import (
    MISSING,
    BackFeature,
    Feature,
    HeightFeature,
    LetterFeature,
    PhaseFeature,
    Step,
    express,
    express_simply,
    missing_at,
)
from foretell.crasp.deciding.formulas import (
    Definitions,
    Formula,
    conjoin,
    disjoin,
    in_past,
    negate,
    plain_name,
)
from foretell.crasp.deciding.stages import Stage, StageGraph
from foretell.crasp.deciding.tower import Level, Potential
from foretell.crasp.program import Program


def synthesise(found: Configurations) -> Program:
    """The program; `TooLargeError` when it would be too long to be of use."""
    return Synthesis(found).program()


@final
@dataclass
class Written:
    """What the program says about a stage.

    `entered`: at an earlier position; `leaving`: by the step just taken; `here`: before that step.
    """

    name: str
    stage: Stage
    features: list[Feature]
    heights: dict[str, dict[int, int]] = field(default_factory=dict)  # by name, then by node
    entered: Formula = True
    leaving: Formula = False
    here: Formula = True


@final
@dataclass
class Synthesis:
    """The writing of one program; `written` are its stages, in order."""

    found: Configurations
    written: list[Written] = field(default_factory=list)

    def __post_init__(self) -> None:
        machine = self.found.machine
        self.graph = StageGraph(self.found)
        self.alphabet = machine.dfa.alphabet.symbols
        self.definitions = Definitions(self.alphabet)
        self.letter = LetterFeature(self.alphabet, machine.groups)
        self.last_letter = machine.accept == "last-letter"

    def program(self) -> Program:
        """Write it."""
        machine = self.found.machine
        empty = self.last_letter and machine.dfa.start in machine.dfa.final
        if 0 in self.graph.safe:
            return self.definitions.program(self._all_but_short(), empty)
        for stage in self.graph.stages:
            self._write(stage)
        if not self.written:
            return self.definitions.program(False, empty)
        return self.definitions.program(self._accept(), empty)

    def _all_but_short(self) -> Formula:
        """Every further letter is accepted from the start on; only the first may not be."""
        steps = {(0, letter) for letter in range(len(self.letter.groups))}
        first = express(steps & self.graph.accepted, steps, [self.letter])
        return disjoin(first, in_past(True, strict=True))

    def _write(self, stage: Stage) -> None:
        name = f"stage{len(self.written) + 1}"
        written = Written(name, stage, self._window_features(stage))
        first = self.found.nodes[stage.nodes[0]]
        initial = 0 in stage.nodes
        if not first.full:
            self._short(written, first.window)
        else:
            if not initial:
                written.entered = self._entered(written, self._entries(set(stage.nodes)))
            self._heights(written, [0] if initial else self._arrivals(set(stage.nodes)))
            live = stage.steps - stage.doomed
            leaving = self._guarded(written, express(set(stage.exits), set(live), written.features))
            written.leaving = self.definitions.define(f"{name}_exit", leaving)
            inside = conjoin(written.entered, negate(in_past(written.leaving, strict=True)))
            written.here = self.definitions.define(f"{name}_here", inside)
        self.written.append(written)

    def _short(self, written: Written, window: tuple[int, ...]) -> None:
        """The whole history shows in the window: nothing has to be counted."""
        tests = [missing_at(len(window) + 1, self.definitions)]
        every = {*range(len(self.letter.groups)), MISSING}
        for feature in written.features:
            if isinstance(feature, BackFeature):
                tests.append(feature.test({window[-feature.distance]}, every))
        written.here = self.definitions.define(f"{written.name}_here", conjoin(*tests))
        written.entered = written.here
        written.leaving = written.here

    def _guarded(self, written: Written, formula: Formula) -> Formula:
        """What counts only from where the stage was entered on.

        A plain test for letters that can only occur from then on needs no guard.
        """
        parts = formula.parts if isinstance(formula, tree.Junction) else (formula,)
        if all(isinstance(part, tree.Letter) for part in parts) and not (
            isinstance(formula, tree.Junction) and formula.word != "or"
        ):
            names = {part.name for part in parts if isinstance(part, tree.Letter)}
            groups = frozenset(
                number
                for number, group in enumerate(self.letter.groups)
                if self.alphabet[group[0]] in names
            )
            if self.graph.only_from(written.stage, groups):
                return formula
        return conjoin(written.entered, formula)

    def _arrivals(self, nodes: set[int]) -> list[int]:
        """Those of some nodes at which steps from earlier stages arrive."""
        moves = self.found.moves
        found = {moves[v][letter] for other in self.written for v, letter in other.stage.exits}
        return sorted(found & nodes)

    def _entries(self, nodes: set[int]) -> Formula:
        """A step into one of these nodes from another stage; to be looked for in the past."""
        parts: list[Formula] = []
        for other in self.written:
            exits, moves = other.stage.exits, self.found.moves
            steps = {(v, letter) for v, letter in exits if moves[v][letter] in nodes}
            if len(steps) == len(exits) and steps:
                parts.append(other.leaving)  # the first time it is true, the stage was still on
            elif steps:
                live = set(other.stage.steps - other.stage.doomed)
                parts.append(conjoin(other.here, express(steps, live, other.features)))
        return disjoin(*parts)

    def _entered(self, written: Written, entry: Formula, which: str = "") -> Formula:
        event = self.definitions.define(f"{written.name}_entry{which}", entry)
        return self.definitions.define(
            f"{written.name}_entered{which}", in_past(event, strict=True)
        )

    def _window_features(self, stage: Stage) -> list[Feature]:
        found = self.found
        features: list[Feature] = [self.letter]
        if found.modulus > 1:
            features.append(PhaseFeature(found.modulus, [node.residue for node in found.nodes]))
        windows = [(node.full, node.window) for node in found.nodes]
        symbols = [self.alphabet[group[0]] for group in found.machine.groups]
        names = tuple(plain_name(symbol, number) for number, symbol in enumerate(symbols))
        padding = found.windows.padding
        stands_for = MISSING if padding is None else padding
        for distance in range(1, max(len(found.nodes[node].window) for node in stage.nodes) + 1):
            define = self.definitions.define
            features.append(BackFeature(distance, windows, stands_for, self.letter, define, names))
        return features

    def _heights(self, written: Written, entries: list[int]) -> None:
        """One feature for every potential; its definition uses only those of lower levels."""
        number = 0
        for level in self.found.towers[written.stage.component].levels:
            known = list(written.features)
            for potential in level.potentials:
                number += 1
                upright = potential.upright(entries[0])
                values = {
                    step: upright.heights[step[0]] + upright.rise(level.classes, step)
                    for step in written.stage.steps
                }
                label = f"{written.name}_height{number}"
                written.heights[label] = upright.heights
                make = cache(partial(self._height, written, label, level, upright, entries, known))
                written.features.append(HeightFeature(values, make))

    def _height(
        self,
        written: Written,
        label: str,
        level: Level,
        potential: Potential,
        entries: list[int],
        known: list[Feature],
    ) -> tree.Expression:
        """The definition of a height, made when it is first asked for."""
        steps = written.stage.steps
        by_weight: dict[int, set[Step]] = {}
        for step in steps:
            by_weight.setdefault(potential.rise(level.classes, step), set()).add(step)
        terms: list[tuple[bool, tree.Expression]] = []
        for weight in sorted(by_weight, reverse=True):
            if weight:
                body = self._guarded(written, express(by_weight[weight], set(steps), known))
                counted = tree.Truth(body) if isinstance(body, bool) else body
                count: tree.Expression = tree.Count(tree.Window(), counted)
                if abs(weight) > 1:
                    count = tree.Product(abs(weight), count)
                terms.append((weight > 0, count))
        offset = self._offset(written, potential, entries)
        if offset is not None or not terms[0][0]:
            terms.insert(0, (True, offset or tree.Number(0)))
        whole = terms[0][1] if len(terms) == 1 else tree.Sum(tuple(terms))
        defined = self.definitions.define(label, whole)
        assert not isinstance(defined, bool)
        return defined

    def _offset(
        self, written: Written, potential: Potential, entries: list[int]
    ) -> tree.Expression | None:
        """The height at which the stage was entered; None when it is always 0."""
        by_height: dict[int, set[int]] = {}
        for node in entries:
            by_height.setdefault(potential.heights[node], set()).add(node)
        (last, _), *others = sorted(by_height.items())
        if not others:
            return tree.Number(last) if last else None
        found: tree.Expression = tree.Number(last)
        for height, nodes in others:
            which = "_at_" + "_".join(map(str, sorted(nodes)))
            entered = self._entered(written, self._entries(nodes), which)
            assert not isinstance(entered, bool)
            found = tree.Choice(entered, tree.Number(height), found)
        return found

    def _accept(self) -> Formula:
        """No step was doomed, and the step just taken is accepted in the stage that is on."""
        accepted = self.graph.accepted
        doomed = frozenset[Step]().union(*(item.stage.doomed for item in self.written))
        now = not doomed & accepted  # then the step just taken must not be doomed either
        alive = negate(in_past(self._doom(), strict=not now))
        steps = frozenset[Step]().union(*(item.stage.steps for item in self.written))
        steps = steps - doomed if now else steps
        into_safe = {
            (v, letter) for v, letter in steps if self.found.moves[v][letter] in self.graph.safe
        }
        at_once = self.last_letter and into_safe <= accepted
        if not into_safe or at_once:
            # One test may do for all stages, if it does for what is safe as well.
            features = self._window_features(self.written[0].stage)[:2]
            whole = express_simply(set(steps & accepted), set(steps), features)
            if whole is True or (whole is not None and not into_safe):
                return conjoin(alive, whole)
        parts: list[Formula] = []
        for item in self.written:
            own = set(item.stage.steps & steps)
            chosen = (own & accepted) - (into_safe if at_once else set())
            if chosen:
                parts.append(conjoin(item.here, express(chosen, own, item.features)))
        if into_safe:
            event = self.definitions.define("safe_entry", self._entries(set(self.graph.safe)))
            parts.append(in_past(event, strict=not at_once))
        return conjoin(alive, disjoin(*parts))

    def _doom(self) -> Formula:
        """A step after which nothing is accepted; letters that are fatal everywhere come first."""
        letters = range(len(self.letter.groups))
        always = {
            letter
            for letter in letters
            if all((v, letter) in i.stage.doomed for i in self.written for v in i.stage.nodes)
        }
        if self.graph.safe:
            always = set()
        parts = [self.letter.test(always, set(letters))] if always else []
        for item in self.written:
            steps = {step for step in item.stage.steps if step[1] not in always}
            doomed = {step for step in item.stage.doomed if step[1] not in always}
            parts.append(conjoin(item.here, express(doomed, steps, item.features)))
        return self.definitions.define("doomed", disjoin(*parts))
