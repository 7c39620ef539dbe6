"""Plan, train (or read from the store), read: the same for every protocol."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from foretell.core.measurement import Measurement
from foretell.core.protocol import Protocol
from foretell.core.question import Question
from foretell.training.engine import Progress, Run
from foretell.training.gap_plan import GapPlan
from foretell.training.gap_run import GapRun
from foretell.training.plan import Plan
from foretell.training.provenance import describe_machine
from foretell.training.record import AnyRecord
from foretell.training.sequence_run import SequenceRun
from foretell.training.store import Store
from foretell.training.symbol_plan import SymbolPlan
from foretell.training.symbol_run import SymbolRun

MOST_TOGETHER = 128  # members of one fleet; more do not run faster, and take memory
AnyPlan = Plan | GapPlan | SymbolPlan
RUNS: dict[type, type[Run]] = {  # who executes what
    Plan: SequenceRun,
    GapPlan: GapRun,
    SymbolPlan: SymbolRun,
}


@dataclass(frozen=True)
class Asked:
    """One question with how to measure it."""

    question: Question
    protocol: Protocol[Any, Any]
    seeds: tuple[int, ...]

    @property
    def plan(self) -> AnyPlan:
        """What has to be run."""
        made: AnyPlan = self.protocol.plan(self.question, self.seeds)
        return made


def measure(
    question: Question,
    protocol: Protocol[Any, Any],
    seeds: tuple[int, ...],
    store: Store,
    show: Callable[[Progress], None] = lambda progress: None,
) -> Measurement:
    """The measurement of a question; a finished run is read from the store, not repeated."""
    asked = Asked(question, protocol, seeds)
    train((asked,), store, show)
    found = stored(asked, store)
    assert found is not None
    return found


def stored(asked: Asked, store: Store) -> Measurement | None:
    """The measurement as the store has it; nothing if it was not made yet."""
    plan = asked.plan
    run = store.load_run(store.folder(asked.question.hash, plan.hash))
    if run is None:
        return None
    found: Measurement = asked.protocol.read(asked.question, plan, run.record, dict(run.provenance))
    return found


def fleets(asked: Sequence[Asked]) -> list[tuple[Asked, ...]]:
    """Questions grouped into fleets of one compiled program each, small ones first."""
    groups: dict[str, list[list[Asked]]] = {}
    for each in asked:
        packs = groups.setdefault(each.plan.kind, [[]])
        if sum(len(other.seeds) for other in packs[-1]) + len(each.seeds) > MOST_TOGETHER:
            packs.append([])
        packs[-1].append(each)
    made = [tuple(pack) for packs in groups.values() for pack in packs if pack]
    return sorted(made, key=_work)


def unfinished(asked: Sequence[Asked], store: Store) -> tuple[Asked, ...]:
    """What the store does not have yet."""
    return tuple(
        each
        for each in asked
        if not store.is_finished(store.folder(each.question.hash, each.plan.hash))
    )


def _work(pack: Sequence[Asked]) -> float:
    """About how much a fleet computes at most: products of one step, steps and members."""
    plan, shape = pack[0].plan, pack[0].question.architecture
    members = sum(len(each.seeds) for each in pack)
    return float(shape.layers * shape.width**2) * plan.steps * members


def train(
    asked: Sequence[Asked],
    store: Store,
    show: Callable[[Progress], None] = lambda progress: None,
    seconds: float | None = None,
) -> None:
    """Train one fleet and put each question's run into the store, unless all are there already.

    After `seconds` everything is saved and `Interrupted` is raised, as by Ctrl-C.
    """
    plans = [each.plan for each in asked]
    folders = [
        store.open_run(
            {**each.question.as_json(), "hash": each.question.hash}, each.question.hash, plan.hash
        )
        for each, plan in zip(asked, plans, strict=True)
    ]
    with contextlib.ExitStack() as held:
        for folder in folders:
            held.enter_context(store.working_on(folder))
        if all(store.load_run(folder) for folder in folders):
            for folder in folders:
                store.tidy(folder)
            return
        # One question checkpoints beside its results, several in a folder of the fleet's own.
        runs = RUNS[type(plans[0])]
        folder = folders[0] if len(asked) == 1 else store.open_fleet(runs.join(plans).hash)
        run = runs(plans, folder, show, seconds)
        for each, plan, own, (record, weights) in zip(
            asked, plans, folders, run.execute(), strict=True
        ):
            settings = {
                "protocol": each.protocol.name,
                "protocol_settings": each.protocol.as_json(),
                "seeds": list(each.seeds),
                "plan": plan.as_json(),
            }
            provenance = _provenance(each, plan, record, run)
            store.save_run(own, settings, record, weights, provenance)
        if len(asked) > 1:
            shutil.rmtree(folder, ignore_errors=True)


def _provenance(asked: Asked, plan: AnyPlan, record: AnyRecord, run: Run) -> dict[str, Any]:
    return {
        **describe_machine(),
        "seconds": round(record.seconds, 1),
        "fleet": len(run.plan.members),  # models trained together in these seconds
        "sessions": run.sessions,
        "seeds": list(asked.seeds),
        "question": asked.question.hash,
        "run": plan.hash,
    }
