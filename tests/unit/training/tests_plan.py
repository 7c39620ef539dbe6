"""A plan small enough for unit tests."""

from foretell.core.architecture import Architecture
from foretell.core.question import SizeRange
from foretell.tasks.lookup import find_task
from foretell.training.plan import Member, Plan, Trial


def small_plan(members=None, task="binary-majority", steps=40, count=2, **settings):
    chosen = find_task(task, 12)
    members = members or tuple(Member(seed, 1e-3, chosen) for seed in range(count))
    shape = Architecture(
        layers=1,
        heads=1,
        width=8,
        positional=settings.pop("positional", "ape"),
        context=chosen.width(12) + 1,
        tied=chosen.labels == chosen.alphabet.tokens,
        precision=settings.pop("precision", "float32"),
    )
    probe = chosen.probes[0]
    settings = {"check_every": 20, "segment": 10, "batch": 8} | settings
    return Plan(
        architecture=shape,
        members=members,
        train=SizeRange(2, 6),
        trials=(Trial(probe, SizeRange(2, 6), 40), Trial(probe, SizeRange(7, 12), 40)),
        steps=steps,
        **settings,
    )
