"""A capture plan that takes seconds: two letters, so that a third right comes at once."""

from foretell.core.architecture import Architecture
from foretell.core.question import SizeRange
from foretell.tasks.lookup import find_task
from foretell.training.capture_plan import CapturePlan


def capture_plan() -> CapturePlan:
    task = find_task("induction-heads:vocabulary=4", 12)
    return CapturePlan(
        architecture=Architecture(
            layers=1, heads=1, width=16, positional="rotary", context=task.width(12)
        ),
        task=task,
        seeds=(0, 1),
        start=SizeRange(3, 6),
        sizes=(8, 12),
        threshold=0.3,
        learning_rate=1e-2,
        adapting_rate=1e-3,
        first_steps=160,
        adapting_steps=40,
        first_check=20,
        adapting_check=10,
        batch=8,
        adapting_batch=8,
        samples=64,
    )
