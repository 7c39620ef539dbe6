"""Plan, train (or read from the store), read: the same for every protocol."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from foretell.core.measurement import Measurement
from foretell.core.protocol import Protocol
from foretell.core.question import Question
from foretell.training.capture_plan import CapturePlan
from foretell.training.capture_run import CaptureRun
from foretell.training.engine import Progress, Work
from foretell.training.gap_plan import GapPlan
from foretell.training.gap_run import GapRun
from foretell.training.loops import loop_for_device
from foretell.training.plan import Plan
from foretell.training.provenance import describe_machine
from foretell.training.record import AnyRecord
from foretell.training.sequence_run import SequenceRun
from foretell.training.store import Store
from foretell.training.symbol_plan import SymbolPlan
from foretell.training.symbol_run import SymbolRun

MOST_TOGETHER = 128  # members of one fleet; more do not run faster, and take memory
MEMORY = 80e9  # bytes of an accelerator that the members of a fleet may take
AnyPlan = Plan | GapPlan | SymbolPlan | CapturePlan
RUNS: dict[type, Any] = {  # who executes what
    Plan: SequenceRun,
    GapPlan: GapRun,
    SymbolPlan: SymbolRun,
    CapturePlan: CaptureRun,
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


def fleets(asked: Sequence[Asked], batched: bool | None = None) -> list[tuple[Asked, ...]]:
    """Questions grouped into fleets of one compiled program each, small ones first.

    `batched` says whether members are one batched program, as they are on an accelerator.
    """
    batched = loop_for_device().batched if batched is None else batched
    groups: dict[tuple[str, int], list[_Pack]] = {}
    once = {(each.question.hash, each.plan.hash): each for each in asked}  # figures share points
    for each in once.values():
        plan = each.plan
        room, takes = 0, 0.0
        if isinstance(plan, SymbolPlan):
            # One after the other, members padded to the largest cost more than another program.
            room, takes = (0, plan.bytes_each) if batched else (plan.rows, 0.0)
        packs = groups.setdefault((plan.kind, room), [_Pack()])
        if not packs[-1].fits(each, takes):
            packs.append(_Pack())
        packs[-1].add(each, takes)
    made = [tuple(pack.asked) for packs in groups.values() for pack in packs if pack.asked]
    return sorted(made, key=_work)


@dataclass
class _Pack:
    """A fleet in the making."""

    asked: list[Asked] = field(default_factory=list)
    members: int = 0
    largest: float = 0.0  # bytes that a member takes: all are padded to the largest

    def fits(self, each: Asked, takes: float) -> bool:
        """Is there room for one more?"""
        members = self.members + len(each.seeds)
        return members <= MOST_TOGETHER and members * max(self.largest, takes) <= MEMORY

    def add(self, each: Asked, takes: float) -> None:
        """One more."""
        self.asked.append(each)
        self.members += len(each.seeds)
        self.largest = max(self.largest, takes)


def unfinished(asked: Sequence[Asked], store: Store) -> tuple[Asked, ...]:
    """What the store does not have yet."""
    return tuple(
        each
        for each in asked
        if not store.is_finished(store.folder(each.question.hash, each.plan.hash))
    )


def _work(pack: Sequence[Asked]) -> float:
    """About how much a fleet computes at most: products of one step, steps and members."""
    plans = [each.plan for each in pack]
    if isinstance(plans[0], SymbolPlan):
        return float(RUNS[SymbolPlan].join(plans).work)
    plan, shape = pack[0].plan, pack[0].question.architecture
    members = sum(len(each.seeds) for each in pack)
    return float(shape.layers * shape.width**2) * plan.steps * members


def train(
    asked: Sequence[Asked],
    store: Store,
    show: Callable[[Progress], None] = lambda progress: None,
    seconds: float | None = None,
    among: Sequence[Asked] = (),
) -> None:
    """Train one fleet and put each question's run into the store, unless all are there already.

    A fleet that was left in the middle goes on as it was, if it has all that is unfinished and
    nothing but what is asked, or is in `among`. After `seconds` everything is saved and
    `Interrupted` is raised, as by Ctrl-C.
    """
    known = {(each.question.hash, each.plan.hash): each for each in (*asked, *among)}
    left = [(each.question.hash, each.plan.hash) for each in unfinished(asked, store)]
    names = store.fleet_of(left, known) if left else []
    work = [known[name] for name in names]
    with contextlib.ExitStack() as held:
        folders = [_open(each, store) for each in work]
        for folder in folders:
            held.enter_context(store.working_on(folder))
        _train_all(work, folders, store, show, seconds)
    store.sweep_fleets()
    for each in asked:
        store.tidy(store.folder(each.question.hash, each.plan.hash))


def _train_all(
    work: Sequence[Asked],
    folders: Sequence[Path],
    store: Store,
    show: Callable[[Progress], None],
    seconds: float | None,
) -> None:
    """The questions of one fleet, each saved as soon as the fleet delivers it."""
    plans = [each.plan for each in work]
    done = {at for at, folder in enumerate(folders) if store.load_run(folder)}
    if len(done) == len(work):
        return
    runs, folder = RUNS[type(plans[0])], folders[0]
    # One question checkpoints beside its results, several in a folder of the fleet's own.
    if len(work) > 1:
        names = [(each.question.hash, plan.hash) for each, plan in zip(work, plans, strict=True)]
        folder = store.open_fleet(runs.join(plans).hash, names)
    run = runs(plans, folder, show, seconds)

    def deliver(at: int, record: AnyRecord, weights: dict[str, Any]) -> None:
        own, plan = work[at], plans[at]
        provenance = _provenance(own, plan, record, run)
        store.save_run(folders[at], _settings(own, plan), record, weights, provenance)

    run.handed, run.deliver = done, deliver
    found = run.execute()
    waiting = [at for at in range(len(work)) if at not in run.handed]
    for at, (record, weights) in zip(waiting, found, strict=True):
        deliver(at, record, weights)


def _open(asked: Asked, store: Store) -> Path:
    question = {**asked.question.as_json(), "hash": asked.question.hash}
    return store.open_run(question, asked.question.hash, asked.plan.hash)


def _settings(asked: Asked, plan: AnyPlan) -> dict[str, Any]:
    return {
        "protocol": asked.protocol.name,
        "protocol_settings": asked.protocol.as_json(),
        "seeds": list(asked.seeds),
        "plan": plan.as_json(),
    }


def _provenance(asked: Asked, plan: AnyPlan, record: AnyRecord, run: Work) -> dict[str, Any]:
    return {
        **describe_machine(),
        "seconds": round(record.seconds, 1),
        "fleet": len(run.plan.members),  # models trained together in these seconds
        "sessions": run.sessions,
        "seeds": list(asked.seeds),
        "question": asked.question.hash,
        "run": plan.hash,
    }
