"""Plan, train (or read from the store), read: the same for every protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from foretell.core.measurement import Measurement
from foretell.core.protocol import Protocol
from foretell.core.question import Question
from foretell.training.engine import Progress, Record, Run
from foretell.training.plan import Plan
from foretell.training.provenance import describe_machine
from foretell.training.store import Store


def measure(
    question: Question,
    protocol: Protocol[Plan, Record],
    seeds: tuple[int, ...],
    store: Store,
    show: Callable[[Progress], None] = lambda progress: None,
) -> Measurement:
    """The measurement of a question; a finished run is read from the store, not repeated."""
    plan = protocol.plan(question, seeds)
    folder = store.open_run({**question.as_json(), "hash": question.hash}, question.hash, plan.hash)
    with store.working_on(folder):
        stored = store.load_run(folder)
        if stored is not None:
            store.tidy(folder)
        else:
            run = Run(plan, folder, show)
            record, weights = run.execute()
            provenance: dict[str, Any] = {
                **describe_machine(),
                "seconds": round(record.seconds, 1),
                "sessions": run.sessions,
                "seeds": list(seeds),
                "question": question.hash,
                "run": plan.hash,
            }
            settings = {
                "protocol": protocol.name,
                "protocol_settings": protocol.as_json(),
                "seeds": list(seeds),
                "plan": plan.as_json(),
            }
            store.save_run(folder, settings, record, weights, provenance)
            stored = store.load_run(folder)
            assert stored is not None
    return protocol.read(question, plan, stored.record, dict(stored.provenance))
