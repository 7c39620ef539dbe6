"""With and without the penalty: rows of a task differ in its strength alone."""

from foretell.protocols._asking import Budget
from foretell.protocols._running import fleets
from foretell.reproductions.position_penalty import EXTENTS, PositionPenalty


def test_rows_of_a_task_differ_in_the_strength_alone():
    for budget in Budget:
        rows: dict[str, list] = {}
        for line in PositionPenalty().lines(budget):
            rows.setdefault(line.label, []).append(line)
        for own in rows.values():
            protocols = [line.asked.protocol for line in own]
            paid = [(each.position_penalty, each.penalized) for each in protocols]
            strengths = [each.position_penalty for each in protocols]
            assert tuple(paid) == EXTENTS[budget].strengths and strengths[0] == 0
            assert len({line.setting for line in own}) == len(own)
            assert len({line.asked.question.hash for line in own}) == 1
            plans = [line.asked.plan.as_json() for line in own]
            assert [plan.pop("position_penalty", 0.0) for plan in plans] == strengths
            assert [plan.pop("penalized", "first key") for plan in plans] == [
                own[1] for own in paid
            ]
            assert all(plan == plans[0] for plan in plans)
            assert all(plan["to_the_end"] for plan in plans)


def test_every_model_is_tested_at_random_offsets_too():
    for line in PositionPenalty().lines(Budget.CPU):
        assert {trial.shifted for trial in line.asked.plan.trials} == {False, True}


def test_strengths_do_not_share_a_fleet():
    asked = [line.asked for line in PositionPenalty().lines(Budget.GPU)]
    for pack in fleets(asked):
        assert (
            len({(each.protocol.position_penalty, each.protocol.penalized) for each in pack}) == 1
        )
